#include "rfbench/claims/file_expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "rfbench/claims/expression.hpp"
#include "rfbench/claims/judge.hpp"
#include "rfbench/config/number_syntax.hpp"
#include "rfbench/text/nearest.hpp"
#include "rfbench/text/trimmed.hpp"

namespace rfbench::claims {

namespace {

/// "axis = label", where the label is a number if the axis has numbers.
Part part_of(std::string_view text, const store::Dataset& data) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        throw std::invalid_argument(fmt::format("'{}' in brackets is no 'axis = label'", trimmed(text)));
    Part part{.axis = std::string(trimmed(text.substr(0, equals))), .labels = {}, .fixed = true};
    const std::string label(trimmed(text.substr(equals + 1)));
    const bool is_number = std::holds_alternative<std::vector<double>>(data.axis(part.axis).labels);
    if (!is_number) {
        part.labels.emplace_back(label);
        return part;
    }
    const auto [number, wrong] = config::read_number(label);
    if (!wrong.empty())
        throw std::invalid_argument(fmt::format("labels of '{}' are numbers, not '{}'", part.axis, label));
    part.labels.emplace_back(number);
    return part;
}

std::vector<Part> parts_of(std::string_view inside, const store::Dataset& data) {
    std::vector<Part> parts;
    for (std::size_t begin = 0; begin <= inside.size();) {
        const std::size_t end = std::min(inside.find(';', begin), inside.size());
        parts.push_back(part_of(inside.substr(begin, end - begin), data));
        begin = end + 1;
    }
    return parts;
}

void require_variable(const std::string& name, const store::Dataset& data) {
    std::vector<std::string> known;
    for (const store::Variable& one : data.variables) known.push_back(one.name);
    if (std::find(known.begin(), known.end(), name) == known.end())
        throw std::invalid_argument(fmt::format("the file has no variable '{}'; it has {}.{}", name,
                                                fmt::join(known, ", "), did_you_mean(name, known)));
}

/// The expression with a name of its own for each variable with brackets, and their values.
std::string named(std::string_view expression, const store::Dataset& data, Names& names) {
    std::string result;
    for (std::size_t at = 0; at < expression.size(); ++at) {
        if (expression[at] != '[') {
            result += expression[at];
            continue;
        }
        const std::size_t end = expression.find(']', at);
        if (end == std::string_view::npos) throw std::invalid_argument("a '[' has no ']'");
        std::size_t begin = result.size();
        const auto is_in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
        while (begin > 0 && is_in_name(static_cast<unsigned char>(result[begin - 1]))) --begin;
        const std::string variable = result.substr(begin);
        require_variable(variable, data);
        const std::string name = fmt::format("{}_at_{}", variable, names.size());
        names[name] = values({{}, variable, parts_of(expression.substr(at + 1, end - at - 1), data)}, data);
        result.replace(begin, variable.size(), name);
        at = end;
    }
    return result;
}

}  // namespace

double number_of(std::string_view expression, const store::Dataset& data) {
    Names names;
    const Expression parsed(named(expression, data, names));
    for (const std::string& name : parsed.names())
        if (!names.contains(name)) {
            require_variable(name, data);
            names[name] = values({{}, name, {}}, data);
        }
    const Array value = parsed.value(names);
    if (value.values.size() == 1) return value.values.front();
    std::vector<std::string> left;
    for (const store::Axis& axis : value.axes) left.push_back(axis.name);
    throw std::invalid_argument(fmt::format("'{}' is not one number: {} {} left", expression, fmt::join(left, ", "),
                                            left.size() == 1 ? "is" : "are"));
}

}  // namespace rfbench::claims
