#include "rfbench/report/csv_text.hpp"

#include <charconv>
#include <system_error>

namespace rfbench::report {

namespace {

bool is_number(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    // from_chars takes no plus sign.
    const auto [rest, problem] = std::from_chars(text.data() + (text.front() == '+' ? 1 : 0), end, value);
    return problem == std::errc() && rest == end;
}

}  // namespace

std::string csv_field(std::string_view text) {
    // A spreadsheet would take it for a formula: it shows what stands after an apostrophe as text.
    if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos && !is_number(text))
        return csv_field("'" + std::string(text));
    // Some readers take spaces off a field that has no quotes.
    const bool spaced = !text.empty() && (text.front() == ' ' || text.back() == ' ');
    if (!spaced && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string field = "\"";
    for (const char c : text) {
        if (c == '"') field += '"';
        field += c;
    }
    return field + '"';
}

}  // namespace rfbench::report
