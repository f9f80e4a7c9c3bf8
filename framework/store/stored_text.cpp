#include "rfbench/store/stored_text.hpp"

#include <fmt/format.h>

#include "rfbench/store/error.hpp"

namespace rfbench::store {
namespace {

unsigned at(std::string_view text, std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; }

bool within(unsigned byte, unsigned low, unsigned high) { return byte >= low && byte <= high; }

// The length of the well-formed sequence that begins here, 0 if none does.
std::size_t sequence(std::string_view text, std::size_t i) {
    // The Unicode Standard, table 3-7: no sequence longer than it need be, no surrogates, nothing above U+10FFFF.
    const unsigned first = at(text, i), second = at(text, i + 1);
    const bool third = within(at(text, i + 2), 0x80, 0xbf), fourth = within(at(text, i + 3), 0x80, 0xbf);
    if (first < 0x80) return 1;
    if (within(first, 0xc2, 0xdf)) return within(second, 0x80, 0xbf) ? 2 : 0;
    if (within(first, 0xe0, 0xef)) {
        const unsigned low = first == 0xe0 ? 0xa0 : 0x80, high = first == 0xed ? 0x9f : 0xbf;
        return within(second, low, high) && third ? 3 : 0;
    }
    if (within(first, 0xf0, 0xf4)) {
        const unsigned low = first == 0xf0 ? 0x90 : 0x80, high = first == 0xf4 ? 0x8f : 0xbf;
        return within(second, low, high) && third && fourth ? 4 : 0;
    }
    return 0;
}

void check_text(std::string_view text, const std::string& place) {
    const std::string fault = fault_of_text(text);
    if (!fault.empty()) throw Error(fmt::format("{} cannot be stored: {}", place, fault));
}

void check_name(const std::string& name, const char* kind) {
    check_text(name, fmt::format("the name of an {}", kind));
    // Paths in HDF5 have '/' between groups, and '.' is the group itself.
    if (name == "." || name.find('/') != std::string::npos)
        throw Error(fmt::format("the {} name '{}' cannot be stored: names contain no '/' and are not '.'", kind, name));
}

}  // namespace

std::string fault_of_text(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        // HDF5 takes a text as a C string, which would end here.
        if (text[i] == '\0') return fmt::format("byte {} is zero", i + 1);
        const std::size_t length = sequence(text, i);
        if (length == 0) return fmt::format("byte {} is not UTF-8", i + 1);
        i += length;
    }
    return {};
}

void check_texts(const Dataset& data) {
    const auto describes = [](const auto& item) {
        check_text(item.unit, fmt::format("the unit of '{}'", item.name));
        check_text(item.description, fmt::format("the description of '{}'", item.name));
    };
    for (const Axis& axis : data.axes) {
        check_name(axis.name, "axis");
        describes(axis);
        if (const auto* words = std::get_if<std::vector<std::string>>(&axis.labels))
            for (std::size_t i = 0; i < words->size(); ++i)
                check_text((*words)[i], fmt::format("label {} of the axis '{}'", i + 1, axis.name));
    }
    for (const Variable& variable : data.variables) {
        check_name(variable.name, "array");
        describes(variable);
    }
    for (const auto& [name, text] : data.attributes) {
        if (name.empty()) throw Error("an attribute without a name cannot be stored");
        check_text(name, "the name of an attribute");
        check_text(text, fmt::format("the attribute '{}'", name));
    }
}

}  // namespace rfbench::store
