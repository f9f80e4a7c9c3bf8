#include <algorithm>
#include <array>
#include <string_view>

#include "rfbench/config/number_syntax.hpp"
#include "rfbench/config/value_content.hpp"

namespace rfbench::config {
namespace {

// A text that begins with a letter and has only these is no number to any reader of YAML.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word_part(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

// Words that some reader of YAML takes for a boolean or a null.
bool is_taken(std::string_view text) {
    static constexpr std::array<std::string_view, 10> words{"y",   "n",    "yes",   "no",   "on",
                                                            "off", "true", "false", "null", "nan"};
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return std::find(words.begin(), words.end(), lower) != words.end();
}

std::string written(const std::string& text) {
    // Whatever some reader could take for another type or for syntax stands in quotes.
    const bool plain = !text.empty() && is_letter(text.front()) &&
                       std::all_of(text.begin(), text.end(), is_word_part) && !is_taken(text);
    if (plain) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (c == '\n') {
            quoted += "\\n";
        } else if (c == '\t') {
            quoted += "\\t";
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

std::string written(std::int64_t value) { return std::to_string(value); }
std::string written(double value) { return write_number(value); }
std::string written(bool value) { return value ? "true" : "false"; }
std::string written(const Value& value);

template <class Element>
std::string written(const std::vector<Element>& list) {
    std::string text = "[";
    for (const Element& element : list) {
        if (text.size() > 1) text += ", ";
        text += written(element);
    }
    return text + "]";
}

std::string written(const Fields& map) {
    std::string text = "{";
    for (const Field& field : map.fields) {
        // An optional key that is absent reads back as absent.
        if (!field.value) continue;
        if (text.size() > 1) text += ", ";
        text += written(field.key) + ": " + written(*field.value);
    }
    return text + "}";
}

std::string written(const Value& value) {
    return std::visit([](const auto& held) { return written(held); }, value.content().held);
}

/// One key a line, so that two configurations differ in lines. What is left out is left out of the outermost map alone.
void write_block(const Fields& map, const std::vector<std::string>& without, const std::string& indent,
                 std::string& out) {
    for (const Field& field : map.fields) {
        if (!field.value || std::find(without.begin(), without.end(), field.key) != without.end()) continue;
        out.append(indent).append(written(field.key)).append(":");
        if (field.value->kind() == Kind::map && !field.value->keys().empty()) {
            out.append("\n");
            write_block(std::get<Fields>(field.value->content().held), {}, indent + "  ", out);
        } else {
            out.append(1, ' ').append(written(*field.value)).append(1, '\n');
        }
    }
}

}  // namespace

std::string canonical_flow(const Value& value) { return written(value); }

std::string canonical(const Value& value, const std::vector<std::string>& without) {
    if (value.kind() != Kind::map || value.keys().empty()) return written(value) + "\n";
    std::string out;
    write_block(std::get<Fields>(value.content().held), without, "", out);
    return out;
}

}  // namespace rfbench::config
