#include "rfbench/code/tokens.hpp"

#include <algorithm>
#include <array>

namespace rfbench::code {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr std::array<std::string_view, 20> long_marks{"++", "--", "<<", ">>", "&&", "||", "==", "->", "::", "+=",
                                                      "-=", "*=", "/=", "<=", ">=", "!=", "|=", "&=", "^=", "%="};
constexpr std::array<std::string_view, 5> raw_prefixes{"R", "u8R", "uR", "UR", "LR"};
constexpr std::array<std::string_view, 4> prefixes{"u8", "u", "U", "L"};

template <class List>
bool holds(const List& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

class Reader {
public:
    explicit Reader(std::string_view source) : source_(source) {}

    std::vector<std::string> read() {
        while (at_ < source_.size()) step();
        if (in_directive_) end_directive();
        return std::move(found_);
    }

private:
    char here(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
    bool starts(std::string_view text) const { return source_.substr(at_).starts_with(text); }

    void take(std::size_t count) {
        count = std::min(count, source_.size() - at_);
        found_.emplace_back(source_.substr(at_, count));
        at_ += count;
        line_is_empty_ = false;
    }

    void step() {
        if (starts("\\\n") || starts("\\\r\n")) {
            at_ += here(1) == '\n' ? 2 : 3;
            blank();
        } else if (here() == '\n') {
            ++at_;
            if (in_directive_) end_directive();
            line_is_empty_ = true;
        } else if (is_blank(here())) {
            ++at_;
            blank();
        } else if (starts("//")) {
            skip_line_comment();
        } else if (starts("/*")) {
            at_ = std::min(source_.find("*/", at_ + 2), source_.size() - 2) + 2;
            blank();
        } else if (here() == '"' || here() == '\'') {
            take(literal_length(0));
        } else if (is_digit(here()) || (here() == '.' && is_digit(here(1)))) {
            take(number_length());
        } else if (is_word(here())) {
            take_word();
        } else {
            if (here() == '#' && line_is_empty_) in_directive_ = true;
            take(holds(long_marks, source_.substr(at_, 2)) ? 2 : 1);
        }
    }

    void blank() {
        if (in_directive_ && found_.back() != " ") found_.emplace_back(" ");
    }

    void end_directive() {
        if (found_.back() == " ") found_.pop_back();
        found_.emplace_back("\n");
        in_directive_ = false;
    }

    /// Up to the end of the line, or of the lines that a backslash joins to it.
    void skip_line_comment() {
        while (at_ < source_.size() && here() != '\n') at_ += starts("\\\n") ? 2 : 1;
        blank();
    }

    /// Length, from here on, of the literal whose quote is `ahead` characters away.
    std::size_t literal_length(std::size_t ahead) const {
        const char quote = here(ahead);
        std::size_t length = ahead + 1;
        while (at_ + length < source_.size() && here(length) != quote) length += here(length) == '\\' ? 2 : 1;
        return length + 1;
    }

    /// R"mark(anything)mark", whose quote is so far ahead.
    std::size_t raw_length(std::size_t ahead) const {
        const std::size_t quote = at_ + ahead, opening = source_.find('(', quote);
        if (opening == std::string_view::npos) return source_.size() - at_;
        const std::string end = ")" + std::string(source_.substr(quote + 1, opening - quote - 1)) + "\"";
        const std::size_t closing = source_.find(end, opening);
        return closing == std::string_view::npos ? source_.size() - at_ : closing + end.size() - at_;
    }

    /// 1'000, 0x1.8p-3, 1e+5, 2.5f.
    std::size_t number_length() const {
        std::size_t length = 1;
        while (true) {
            const char before = here(length - 1), c = here(length);
            const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
            if (is_word(c) || c == '.' || (exponent && (c == '+' || c == '-')))
                ++length;
            else if (c == '\'' && is_word(here(length + 1)))
                length += 2;
            else
                return length;
        }
    }

    void take_word() {
        std::size_t length = 1;
        while (is_word(here(length))) ++length;
        const std::string_view word = source_.substr(at_, length);
        if (here(length) == '"' && holds(raw_prefixes, word))
            take(raw_length(length));
        else if ((here(length) == '"' || here(length) == '\'') && holds(prefixes, word))
            take(literal_length(length));
        else
            take(length);
    }

    std::string_view source_;
    std::size_t at_ = 0;
    bool line_is_empty_ = true, in_directive_ = false;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> tokens(std::string_view source) { return Reader(source).read(); }

bool is_literal(std::string_view token) { return token.ends_with('"') || token.ends_with('\''); }

}  // namespace rfbench::code
