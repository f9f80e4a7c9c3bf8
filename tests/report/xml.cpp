#include "xml.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace rfbench::report {

namespace {

[[noreturn]] void refuse(const std::string& why, std::size_t at) {
    throw std::runtime_error(fmt::format("not well-formed at byte {}: {}", at, why));
}

std::string resolved(const std::string& raw, std::size_t at) {
    static const std::map<std::string, std::string> entities{
        {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"#160", "\u00a0"}, {"#xa0", "\u00a0"}};
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '&') {
            text += raw[i];
            continue;
        }
        const std::size_t end = raw.find(';', i);
        if (end == std::string::npos) refuse("an entity without end", at + i);
        const auto entity = entities.find(raw.substr(i + 1, end - i - 1));
        if (entity == entities.end()) refuse("the entity '" + raw.substr(i, end - i) + "'", at + i);
        text += entity->second;
        i = end;
    }
    return text;
}

// The end of a tag that begins at `at`, looking past '>' in quotes.
std::size_t end_of_tag(const std::string& svg, std::size_t at) {
    char quote = 0;
    for (std::size_t i = at + 1; i < svg.size(); ++i) {
        if (quote) {
            if (svg[i] == '<') refuse("'<' in an attribute", i);
            if (svg[i] == quote) quote = 0;
        } else if (svg[i] == '"' || svg[i] == '\'') {
            const std::size_t before = svg.find_last_not_of(" \t\r\n", i - 1);
            if (before <= at || svg[before] != '=') refuse("a quote that is no attribute's", i);
            quote = svg[i];
        } else if (svg[i] == '>') {
            return i;
        } else if (svg[i] == '<') {
            refuse("'<' in a tag", i);
        }
    }
    refuse("a tag without end", at);
}

}  // namespace

std::vector<std::string> texts_of_svg(const std::string& svg) {
    std::vector<std::string> texts, open;
    std::optional<std::string> text;
    for (std::size_t at = 0; at < svg.size();) {
        if (svg[at] != '<') {
            const std::size_t next = std::min(svg.find('<', at), svg.size());
            const std::string shown = resolved(svg.substr(at, next - at), at);
            if (text) *text += shown;
            at = next;
            continue;
        }
        if (svg.compare(at, 4, "<!--") == 0) {
            at = svg.find("-->", at);
            if (at == std::string::npos) refuse("a comment without end", svg.size());
            at += 3;
            continue;
        }
        if (svg.compare(at, 9, "<!DOCTYPE") == 0) {  // its quotes are no attributes'
            at = svg.find('>', at);
            if (at == std::string::npos) refuse("a document type without end", svg.size());
            ++at;
            continue;
        }
        const std::size_t end = end_of_tag(svg, at);
        const std::string tag = svg.substr(at + 1, end - at - 1);
        const std::string name = tag.substr(0, tag.find_first_of(" \t\r\n/", 1));
        if (tag.front() == '/') {
            if (open.empty() || open.back() != tag.substr(1)) refuse("</" + tag.substr(1) + "> closes nothing", at);
            if (open.back() == "text") {
                texts.push_back(*text);
                text.reset();
            }
            open.pop_back();
        } else if (tag.front() != '?' && tag.front() != '!' && tag.back() != '/') {
            open.push_back(name);
            if (name == "text") text = "";
        }
        at = end + 1;
    }
    if (!open.empty()) refuse("<" + open.back() + "> is not closed", svg.size());
    return texts;
}

}  // namespace rfbench::report
