#include "rfbench/report/file_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rfbench::report {

namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

void check_file_name(std::string_view what, const std::string& name) {
    const auto allowed = [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; };
    if (!name.empty() && is_letter_or_digit(name.front()) && std::all_of(name.begin(), name.end(), allowed)) return;
    throw std::invalid_argument(
        fmt::format("the name of a {} becomes a file name: it begins with a letter or digit "
                    "and has only letters, digits, '.', '_' and '-', unlike '{}'.",
                    what, name));
}

}  // namespace rfbench::report
