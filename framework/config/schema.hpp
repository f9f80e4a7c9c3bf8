#pragma once
// Declaration of what a configuration may hold:
//
//     const Schema schema = object({
//         required("mechanisms", one_or_more(one_of(names)), "which mechanisms are compared"),
//         required("gamma", numbers(above(0)), "bandwidths"),
//         defaulted("repeats", integer(1, 1000), "5", "draws a cell"),
//         optional("note", text(), "free text, kept in the results"),
//     });
//
// Numbers are written as number_syntax.hpp says; booleans are true or false.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace rfbench::config {

class Rule;

/// A rule for one value; copies share it.
class Schema {
public:
    /// Takes a rule, which must not be null; the functions below make them.
    explicit Schema(std::shared_ptr<const Rule> rule) : rule_(std::move(rule)) {}
    /// The rule, for those who check values by it.
    const Rule& rule() const { return *rule_; }

private:
    std::shared_ptr<const Rule> rule_;
};

/// An interval of numbers, open or closed at either end: above(0).at_most(1) is (0, 1].
struct Bounds {
    double least = -std::numeric_limits<double>::infinity();    ///< lower end
    double greatest = std::numeric_limits<double>::infinity();  ///< upper end
    bool min_is_open = false;                                   ///< least itself is not allowed
    bool max_is_open = false;                                   ///< greatest itself is not allowed

    /// The same least value with this greatest one, which is allowed.
    Bounds at_most(double value) const { return {least, value, min_is_open, false}; }
    /// The same least value with this greatest one, which is not allowed.
    Bounds below(double value) const { return {least, value, min_is_open, true}; }
    /// Whether a number lies within; NaN never does.
    bool contains(double value) const;
    /// "above 0 and at most 1", "from 0 to 1"; empty without bounds.
    std::string in_words() const;
};
inline Bounds any_number() { return {}; }  ///< (-inf, inf)
/// (value, inf).
inline Bounds above(double value) { return Bounds{value, Bounds{}.greatest, true, false}; }
/// [value, inf).
inline Bounds at_least(double value) { return Bounds{value, Bounds{}.greatest, false, false}; }
/// (-inf, value].
inline Bounds at_most(double value) { return Bounds{}.at_most(value); }
/// (-inf, value).
inline Bounds below(double value) { return Bounds{}.below(value); }
/// [least, greatest].
inline Bounds between(double least, double greatest) { return Bounds{least, greatest, false, false}; }

/// Least integer that is allowed where there is no other bound.
inline constexpr std::int64_t min_integer = std::numeric_limits<std::int64_t>::min();
/// Greatest integer that is allowed where there is no other bound.
inline constexpr std::int64_t max_integer = std::numeric_limits<std::int64_t>::max();
/// The most points a range expands to.
inline constexpr std::int64_t max_range_points = 10'000;

/// Any text that is not empty; quoted or not.
Schema text();
/// One of the names, as a text.
Schema one_of(std::vector<std::string> names);
/// A whole number, both bounds included.
Schema integer(std::int64_t least = min_integer, std::int64_t greatest = max_integer);
/// A finite number within the bounds.
Schema real(Bounds = {});
/// true or false.
Schema boolean();

/// Axis values: one number, a list of distinct numbers, or a range. {linspace: [a, b, n]} are n equidistant points,
/// {logspace: [a, b, n]} n points in equal ratios (a, b are end values, not exponents), {powers: [a, b]} doubles from a
/// up to b. Both ends are hit exactly; points between are rounded to 15 significant digits, so that 0.1 to 1 in 10
/// points has the point 0.3, and axis labels and hashes are the same on every machine.
Schema numbers(Bounds = {});
/// The same for whole numbers: linspace must step in whole numbers, logspace is rounded to the nearest.
Schema integers(std::int64_t least = min_integer, std::int64_t greatest = max_integer);

/// Whether two elements of a list may be equal.
enum class Repetition { allowed, refused };

/// A list of at least `min_size` elements, distinct when they form an axis.
Schema list_of(Schema element, std::size_t min_size = 1, Repetition = Repetition::refused);
/// One element or a list of them; always read as a list.
Schema one_or_more(Schema element, Repetition = Repetition::refused);
/// The first alternative that accepts. Where the shape (scalar, list, map) leaves but one, its errors are given.
Schema any_of(std::vector<Schema> alternatives);

/// A key of a map.
struct KeyRule {
    /// Whether it must be given: the four functions below say what each means.
    enum class Need { required, optional, defaulted, refused };
    std::string name;            ///< a plain word
    Schema schema;               ///< of its value
    Need need = Need::required;  ///< whether it must be given
    std::string default_yaml;    ///< read in its place where a key that has a default is absent
    std::string description;     ///< a line for help; of a refused key the reason
};
/// Must be given.
KeyRule required(std::string name, Schema, std::string description);
/// May be absent: ask Value::has().
KeyRule optional(std::string name, Schema, std::string description);
/// Absent, it is as if `yaml` had been written, e.g. "[1, 2]".
KeyRule defaulted(std::string name, Schema, std::string yaml, std::string description);
/// Refused where it is given, for this reason, a clause; help does not show it.
KeyRule refused_key(std::string name, std::string reason);

/// A map with these keys and no others. Throws std::logic_error when a name occurs twice or a default does not satisfy
/// its own schema.
Schema object(std::vector<KeyRule> keys);
/// A map from free names, or from some of `names` when they are given.
Schema map_of(Schema element, std::vector<std::string> names = {});

/// One of several things of a kind, by name, each with keys of its own.
struct Named {
    std::string name;           ///< which an entry chooses it by
    std::vector<KeyRule> keys;  ///< its own, beside those that all have
};
/// A name, or a map {key: NAME, ...} with the keys of that thing and those that are common to all, and no others; a
/// name alone is read as the map that has nothing else. `what`: the kind ("method"). Messages and keys_of() show up to
/// 24 names and what each of them takes; they leave more than that to 'rfbench list' and 'rfbench describe'.
Schema named(std::string what, std::string key, std::vector<Named>, std::vector<KeyRule> common = {});

/// One line for `describe`.
struct KeyHelp {
    std::string path;         ///< "sweep.gamma"; "mechanisms[]" stands for the elements of a list, "*" for a free key
    std::string takes;        ///< "a number above 0"
    std::string need;         ///< "required", "optional" or "default 5"
    std::string description;  ///< as its rule has it
};
/// All keys, outer before inner, in the schema's order.
std::vector<KeyHelp> keys_of(const Schema&);

}  // namespace rfbench::config
