#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rfbench/config/number_syntax.hpp"
#include "rfbench/config/rule.hpp"
#include "rfbench/config/value_content.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::config {

void refuse_node(const Node& node, const std::string& path, const Rule& rule, const std::string& reason) {
    throw Error(node.place, path,
                fmt::format("must be {}, not {}{}{}.", rule.takes(), given(node), reason.empty() ? "" : ": ", reason));
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

bool Bounds::contains(double value) const {
    const bool low = min_is_open ? value > least : value >= least;
    const bool high = max_is_open ? value < greatest : value <= greatest;
    return low && high;
}

std::string Bounds::in_words() const {
    const bool low = least > Bounds{}.least, high = greatest < Bounds{}.greatest;
    if (low && high && !min_is_open && !max_is_open) {
        return fmt::format("from {} to {}", write_number(least), write_number(greatest));
    }
    std::string words;
    if (low) words = (min_is_open ? "above " : "at least ") + write_number(least);
    if (low && high) words += " and ";
    if (high) words += (max_is_open ? "below " : "at most ") + write_number(greatest);
    return words;
}

namespace {

class ScalarRule : public Rule {
public:
    bool fits(Shape shape) const override { return shape == Shape::scalar; }
};

class TextRule : public ScalarRule {
public:
    std::string takes() const override { return "a text"; }
    Value check(const Node& node, const std::string& path) const override {
        if (node.shape != Shape::scalar) refuse_node(node, path, *this);
        if (node.text.empty()) throw Error(node.place, path, "must be a text that is not empty.");
        return make_value(node.text, node.place, path);
    }
};

// A name is a text: quotes make no difference to it.
class NameRule : public ScalarRule {
public:
    explicit NameRule(std::vector<std::string> names) : names_(std::move(names)) {
        if (names_.empty()) throw std::logic_error("one_of: no names.");
    }
    std::string takes() const override { return (names_.size() == 1 ? "the name " : "one of ") + listed(names_); }
    Value check(const Node& node, const std::string& path) const override {
        if (node.shape != Shape::scalar) refuse_node(node, path, *this);
        if (std::find(names_.begin(), names_.end(), node.text) == names_.end()) {
            throw Error(node.place, path,
                        fmt::format("{} is not allowed.{} Allowed: {}.", in_quotes(node.text),
                                    did_you_mean(node.text, names_), listed(names_)));
        }
        return make_value(node.text, node.place, path);
    }

private:
    std::vector<std::string> names_;
};

// Numbers and booleans in quotes are texts to YAML. They are refused, so that no other reader of the file differs.
class IntegerRule : public ScalarRule {
public:
    IntegerRule(std::int64_t least, std::int64_t greatest) : least_(least), greatest_(greatest) {}
    std::string takes() const override {
        // The ends of 64 bits are bounds that nobody has set.
        const bool low = least_ > min_integer, high = greatest_ < max_integer;
        if (low && high) return fmt::format("a whole number from {} to {}", least_, greatest_);
        if (low) return fmt::format("a whole number of at least {}", least_);
        if (high) return fmt::format("a whole number of at most {}", greatest_);
        return "a whole number";
    }
    Value check(const Node& node, const std::string& path) const override {
        if (node.shape != Shape::scalar) refuse_node(node, path, *this);
        if (node.quoted) refuse_node(node, path, *this, "leave the quotes out");
        const auto [value, wrong] = read_integer(node.text);
        if (!wrong.empty()) refuse_node(node, path, *this, wrong);
        if (value < least_ || value > greatest_) refuse_node(node, path, *this);
        return make_value(value, node.place, path);
    }

private:
    std::int64_t least_, greatest_;
};

class RealRule : public ScalarRule {
public:
    explicit RealRule(Bounds bounds) : bounds_(bounds) {}
    std::string takes() const override {
        const std::string bounds = bounds_.in_words();
        return "a number" + (bounds.empty() ? "" : " " + bounds);
    }
    Value check(const Node& node, const std::string& path) const override {
        if (node.shape != Shape::scalar) refuse_node(node, path, *this);
        if (node.quoted) refuse_node(node, path, *this, "leave the quotes out");
        const auto [value, wrong] = read_number(node.text);
        if (!wrong.empty()) refuse_node(node, path, *this, wrong);
        if (!bounds_.contains(value)) refuse_node(node, path, *this);
        return make_value(value, node.place, path);
    }

private:
    Bounds bounds_;
};

class BooleanRule : public ScalarRule {
public:
    std::string takes() const override { return "true or false"; }
    Value check(const Node& node, const std::string& path) const override {
        if (node.shape != Shape::scalar) refuse_node(node, path, *this);
        if (node.quoted) refuse_node(node, path, *this, "leave the quotes out");
        if (node.text != "true" && node.text != "false") refuse_node(node, path, *this);
        return make_value(node.text == "true", node.place, path);
    }
};

}  // namespace

Schema text() { return Schema(std::make_shared<TextRule>()); }
Schema one_of(std::vector<std::string> names) { return Schema(std::make_shared<NameRule>(std::move(names))); }
Schema integer(std::int64_t least, std::int64_t greatest) {
    return Schema(std::make_shared<IntegerRule>(least, greatest));
}
Schema real(Bounds bounds) { return Schema(std::make_shared<RealRule>(bounds)); }
Schema boolean() { return Schema(std::make_shared<BooleanRule>()); }

}  // namespace rfbench::config
