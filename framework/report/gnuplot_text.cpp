#include "rfbench/report/gnuplot_text.hpp"

namespace rfbench::report {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string gnuplot_quoted(std::string_view text) {
    const bool single = text.find('\'') == std::string_view::npos;
    std::string string(1, single ? '\'' : '"');
    for (const char c : text) {
        const bool escaped = !single && (c == '"' || c == '\\');
        if (escaped) string += '\\';
        if (!single && c == '`') {
            string += "\\140";
        } else {
            string += is_control(c) ? ' ' : c;
        }
    }
    return string + string.front();
}

std::string comment(std::string_view text) {
    std::string line = "# ";
    for (const char c : text) line += is_control(c) ? ' ' : c == '`' ? '\'' : c;
    if (line.back() == '\\') line += ' ';
    return line + "\n";
}

}  // namespace rfbench::report
