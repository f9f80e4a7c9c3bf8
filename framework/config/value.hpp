#pragma once
// A checked configuration, read-only. What a value is follows from the schema, so the getters never fail on a user's
// input: asking for what the schema does not declare is a mistake of the program, std::logic_error.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/config/error.hpp"

namespace rfbench::config {

/// Kinds of values, as their schemas say.
enum class Kind { text, integer, number, boolean, integers, numbers, list, map };

/// One value and all below it; copies share their content. Every getter throws std::logic_error, naming the place and
/// both kinds, when the value is of another kind.
class Value {
public:
    /// Which getter below gives the value.
    Kind kind() const;

    /// A text. Like all getters, throws std::logic_error, with the place, for a value of another kind.
    const std::string& text() const;
    /// An integer, in 64 bits.
    std::int64_t integer() const;
    /// A number, in double precision.
    double number() const;
    /// true or false.
    bool boolean() const;
    /// Value of integers(...) in the schema, ranges expanded.
    const std::vector<std::int64_t>& integers() const;
    /// Value of numbers(...) in the schema, ranges expanded.
    const std::vector<double>& numbers() const;
    /// The elements of a list.
    const std::vector<Value>& items() const;
    /// The elements of a list of texts.
    std::vector<std::string> texts() const;

    /// Whether a declared key of a map was given or has a default; in a map of free keys, whether the key is there.
    /// std::logic_error for a key that is not declared.
    bool has(std::string_view key) const;
    /// The value of a key; std::logic_error when the key is not declared or there is no value: ask has() first.
    const Value& at(std::string_view key) const;
    /// The keys of a map that have a value: in the schema's order, for a map of free keys in the order of the file.
    std::vector<std::string> keys() const;

    /// "file:line:column: key.path", of the enclosing map for a default.
    std::string where() const;
    /// Throws Error "file:line:column: key.path: sentence", for what only the experiment can check.
    [[noreturn]] void refuse(const std::string& sentence) const;

    /// The checked value itself, which the configuration alone knows.
    struct Content;
    /// Takes a checked value, which must not be null.
    explicit Value(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
    /// The checked value itself.
    const Content& content() const { return *content_; }

private:
    std::shared_ptr<const Content> content_;
};

/// The configuration as YAML: defaults filled in, ranges expanded, keys in the schema's order, numbers in the shortest
/// text that reads back to the same bits. Read with the same schema it gives the same text again, so its hash
/// identifies the configuration. `without`: keys of the map that are left out, since what they say changes no result.
std::string canonical(const Value&, const std::vector<std::string>& without = {});

/// canonical() of one value on one line, as it stands inside a list.
std::string canonical_flow(const Value&);

}  // namespace rfbench::config
