#include "rfbench/store/stored_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rfbench/store/error.hpp"
#include "rfbench/text/utf8.hpp"

namespace rfbench::store {
namespace {

void check_text(std::string_view text, const std::string& place) {
    const std::string fault = utf8_error(text);
    if (!fault.empty()) throw Error(fmt::format("{} cannot be stored: {}", place, fault));
}

void check_name(const std::string& name, const char* kind) {
    check_text(name, fmt::format("the name of an {}", kind));
    // Paths in HDF5 have '/' between groups, and '.' is the group itself.
    if (name == "." || name.find('/') != std::string::npos)
        throw Error(fmt::format("the {} name '{}' cannot be stored: names contain no '/' and are not '.'", kind, name));
}

}  // namespace

std::string utf8_error(std::string_view text) {
    // HDF5 takes a text as a C string, which would end at a zero byte.
    const std::size_t zero = std::min(text.find('\0'), text.size()), fault = utf8_fault(text);
    if (std::min(zero, fault) == text.size()) return {};
    return zero < fault ? fmt::format("byte {} is zero", zero + 1) : fmt::format("byte {} is not UTF-8", fault + 1);
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
