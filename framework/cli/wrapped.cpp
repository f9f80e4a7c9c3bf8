#include "wrapped.hpp"

#include <algorithm>
#include <sstream>

#include "rfbench/text/utf8.hpp"

namespace rfbench::cli {
namespace {

std::string wrapped_line(const std::string& line, std::size_t hanging, std::size_t width) {
    if (num_characters(line) <= width) return line;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::string result, current(line.substr(0, indent));
    bool first = true;
    // Words keep the spaces between them, as after the name of a field, but at the end of a line.
    for (std::size_t at = indent; at < line.size();) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
        const std::string word = line.substr(at, end - at);
        if (!first && num_characters(current) + num_characters(word) > width) {
            result += current.substr(0, current.find_last_not_of(' ') + 1) + "\n";
            current.assign(indent + hanging, ' ');
        }
        current += line.substr(at, next - at);
        first = false;
        at = next;
    }
    return result + current;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t hanging, std::size_t width) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) result += wrapped_line(line, hanging, width) + "\n";
    return result;
}

}  // namespace rfbench::cli
