#include "rfbench/store/journal_line.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace rfbench::store {
namespace {

constexpr std::array<std::pair<std::string_view, std::string Event::*>, 7> texts = {{
    {"time", &Event::time},
    {"event", &Event::event},
    {"key", &Event::key},
    {"file", &Event::file},
    {"sha256", &Event::sha256},
    {"identity", &Event::identity},
    {"reason", &Event::reason},
}};

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + '"';
}

void append_utf8(std::string& text, std::uint32_t point) {
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    const auto tail = [&](int shift) { add(0x80 | (point >> shift & 0x3f)); };
    if (point < 0x80)
        add(point);
    else if (point < 0x800)
        add(0xc0 | point >> 6), tail(0);
    else if (point < 0x10000)
        add(0xe0 | point >> 12), tail(6), tail(0);
    else
        add(0xf0 | point >> 18), tail(12), tail(6), tail(0);
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Event event() {
        Event event;
        expect('{');
        if (!took('}')) {
            do member(event);
            while (took(','));
            expect('}');
        }
        skip_blanks();
        if (at_ != text_.size()) fail("nothing more after '}'");
        if (event.event.empty()) throw std::invalid_argument("it does not name an event");
        return event;
    }

private:
    [[noreturn]] void fail(const std::string& expected) const {
        throw std::invalid_argument(fmt::format("column {}: expected {}", at_ + 1, expected));
    }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    }
    bool took(char c) {
        skip_blanks();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!took(c)) fail(fmt::format("'{}'", c));
    }

    void member(Event& event) {
        const std::string name = string();
        expect(':');
        skip_blanks();
        if (at_ < text_.size() && text_[at_] == '"') {
            const std::string value = string();
            for (const auto& [known, field] : texts)
                if (name == known) event.*field = value;
        } else {
            const double value = number();
            if (name == "seconds") event.seconds = value;
        }
    }

    double number() {
        double value = 0;
        const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (problem != std::errc() || !std::isfinite(value)) fail("a string or a number");
        at_ = std::size_t(end - text_.data());
        return value;
    }

    std::string string() {
        expect('"');
        std::string out;
        for (;;) {
            if (at_ == text_.size()) fail("'\"'");
            const char c = text_[at_++];
            if (c == '"') return out;
            if (c == '\\')
                escape(out);
            else if (static_cast<unsigned char>(c) < 0x20)
                fail("no control character");
            else
                out += c;
        }
    }

    void escape(std::string& out) {
        constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        if (at_ == text_.size()) fail("an escaped character");
        const char c = text_[at_++];
        if (c == 'u') return append_utf8(out, code_point());
        const std::size_t which = letters.find(c);
        if (which == std::string_view::npos) fail("an escape of JSON");
        out += meant[which];
    }

    // Beyond the basic plane a character is two halves (RFC 8259, section 7).
    std::uint32_t code_point() {
        const std::uint32_t first = hexadecimal();
        if (first < 0xd800 || first > 0xdfff) return first;
        if (first > 0xdbff || !text_.substr(at_).starts_with("\\u")) fail("a whole surrogate pair");
        at_ += 2;
        const std::uint32_t second = hexadecimal();
        if (second < 0xdc00 || second > 0xdfff) fail("a whole surrogate pair");
        return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    }

    std::uint32_t hexadecimal() {
        std::uint32_t value = 0;
        const std::string_view digits = text_.substr(at_, 4);
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (problem != std::errc() || end != digits.data() + 4) fail("four hexadecimal digits");
        at_ += 4;
        return value;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::string journal_line(const Event& event) {
    std::string out;
    for (const auto& [name, field] : texts)
        if (!(event.*field).empty()) out += fmt::format(",\"{}\":{}", name, json_string(event.*field));
    if (event.seconds != 0 && std::isfinite(event.seconds)) out += fmt::format(",\"seconds\":{}", event.seconds);
    return fmt::format("{{{}}}", std::string_view(out).substr(out.empty() ? 0 : 1));
}

Event parse_journal_line(std::string_view line) { return Parser(line).event(); }

}  // namespace rfbench::store
