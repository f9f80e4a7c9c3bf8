#pragma once
// How numbers are written in a configuration, which is stricter than YAML so that no reader can differ:
//
//     whole number:  [+-] digits                         without leading zeros: 0, 7, -12, 1000
//     number:        [+-] digits [. digits] [e [+-] digits]    at least one digit on either side of the point
//
// Octal-looking (010), hexadecimal (0x1F), base-60 (1:30), grouped (1_000), .5, 5. and .inf are refused with a reason.
#include <cstdint>
#include <string>
#include <string_view>

namespace rfbench::config {

/// Number that was read, or the reason why not: `wrong` is empty or ends a sentence, e.g. "numbers have no leading
/// zeros".
template <class Number>
struct Reading {
    Number value{};
    std::string wrong;
};

/// The double nearest to the text; -0 becomes 0.
Reading<double> read_number(std::string_view text);

/// The whole number in 64 bits.
Reading<std::int64_t> read_integer(std::string_view text);

/// The shortest text that read_number gives back bit for bit.
std::string write_number(double value);

}  // namespace rfbench::config
