#include "rfbench/config/places.hpp"

#include <algorithm>

#include "rfbench/text/utf8.hpp"

namespace rfbench::config {
namespace {

constexpr std::size_t counted_bytes = 64;

// Steps over anchor and tag, blanks and comments before a node's content.
std::size_t after_properties(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const char c = text[at];
        if (c == '&' || c == '!') {
            at = text.find_first_of(" \n", at);
        } else if (c == '#') {
            at = text.find('\n', at);
        } else if (c == ' ' || c == '\n') {
            ++at;
        } else {
            break;
        }
    }
    return at;
}

}  // namespace

Places::Places(std::string_view text, std::shared_ptr<const Source> source) : text_(text), source_(std::move(source)) {
    starts_.push_back(0);
    std::size_t characters = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i % counted_bytes == 0) characters_.push_back(characters);
        if (i == text.size()) break;
        if (text[i] == '\n') starts_.push_back(i + 1);
        if (!continues_utf8(text[i])) ++characters;
    }
}

std::size_t Places::characters_before(std::size_t at) const {
    const std::size_t from = at / counted_bytes * counted_bytes;
    return characters_[at / counted_bytes] + num_characters(text_.substr(from, at - from));
}

std::size_t Places::line_of(const YAML::Mark& mark) const {
    // A mark after the end of the text belongs to its last line.
    return std::min(static_cast<std::size_t>(mark.line), starts_.size() - 1);
}

Place Places::at(const YAML::Mark& mark) const {
    if (mark.is_null()) return {source_};
    const std::size_t line = line_of(mark), start = starts_[line];
    const std::size_t length = std::min(static_cast<std::size_t>(mark.column), text_.size() - start);
    const std::size_t characters = characters_before(start + length) - characters_before(start);
    return {source_, static_cast<int>(line) + 1, static_cast<int>(characters) + 1};
}

bool Places::closes_quote(const YAML::Mark& mark) const {
    std::size_t at = after_properties(text_, starts_[line_of(mark)] + static_cast<std::size_t>(mark.column));
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) return true;
    const char quote = text_[at];
    for (++at; at < text_.size(); ++at) {
        if (text_[at] == quote) {
            // A quote inside is doubled in single quotes, and escaped by a backslash in double ones.
            const bool doubled = quote == '\'' && at + 1 < text_.size() && text_[at + 1] == quote;
            if (!doubled) return true;
            ++at;
        } else if (quote == '"' && text_[at] == '\\') {
            ++at;
        }
    }
    return false;
}

}  // namespace rfbench::config
