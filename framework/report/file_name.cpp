#include "rfbench/report/file_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rfbench::report {

namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_allowed(char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; }

}  // namespace

std::string as_file_name(std::string label) {
    std::replace_if(
        label.begin(), label.end(), [](char c) { return !is_allowed(c); }, '-');
    return label;
}

void check_file_name(std::string_view what, const std::string& name) {
    if (!name.empty() && is_letter_or_digit(name.front()) && std::all_of(name.begin(), name.end(), is_allowed)) return;
    throw std::invalid_argument(
        fmt::format("the name of a {} becomes a file name: it begins with a letter or digit "
                    "and has only letters, digits, '.', '_' and '-', unlike '{}'.",
                    what, name));
}

}  // namespace rfbench::report
