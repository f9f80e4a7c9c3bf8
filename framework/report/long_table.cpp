#include "rfbench/report/long_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/report/number_text.hpp"

namespace rfbench::report {

namespace {

using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

std::vector<const store::Variable*> chosen(const store::Dataset& data, const Words& names) {
    std::vector<const store::Variable*> all;
    if (names.empty())
        for (const store::Variable& variable : data.variables) all.push_back(&variable);
    for (const std::string& name : names) all.push_back(&data.variable(name));
    return all;
}

/// Label of an axis for each value of a variable, in row-major order; nothing for one that it does not have.
void append(LongColumn& column, const store::Dataset& data, const store::Variable& variable) {
    const auto place = static_cast<std::size_t>(std::find(variable.axes.begin(), variable.axes.end(), column.name) -
                                                variable.axes.begin());
    std::size_t stride = 1;
    for (std::size_t a = place + 1; a < variable.axes.size(); ++a) stride *= data.axis(variable.axes[a]).size();
    std::visit(
        [&](auto& entries) {
            using Entries = std::decay_t<decltype(entries)>;
            if (place == variable.axes.size()) {
                typename Entries::value_type none{};
                if constexpr (std::is_same_v<Entries, Numbers>) none = std::numeric_limits<double>::quiet_NaN();
                entries.insert(entries.end(), variable.values.size(), none);
                return;
            }
            const auto& labels = std::get<Entries>(data.axis(column.name).labels);
            for (std::size_t i = 0; i < variable.values.size(); ++i)
                entries.push_back(labels[i / stride % labels.size()]);
        },
        column.entries);
}

/// A field as RFC 4180 has it. Unlike those of tables for readers (csv_text.hpp) it is the label to the character.
std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
    return result + "\"";
}

std::string field(const LongColumn& column, std::size_t row) {
    if (const auto* words = std::get_if<Words>(&column.entries)) return quoted((*words)[row]);
    const double number = std::get<Numbers>(column.entries)[row];
    return std::isnan(number) ? std::string() : shortest(number);
}

std::size_t rows_of(const LongColumn& column) {
    return std::visit([](const auto& entries) { return entries.size(); }, column.entries);
}

}  // namespace

std::vector<LongColumn> long_table(const store::Dataset& data, const std::vector<std::string>& names) {
    const auto variables = chosen(data, names);
    std::vector<LongColumn> columns{{"variable", Words()}};
    for (const store::Axis& axis : data.axes) {
        const bool taken = std::any_of(variables.begin(), variables.end(), [&](const store::Variable* one) {
            return std::find(one->axes.begin(), one->axes.end(), axis.name) != one->axes.end();
        });
        if (!taken) continue;
        columns.push_back({axis.name, Words()});
        if (std::holds_alternative<Numbers>(axis.labels)) columns.back().entries = Numbers();
    }
    columns.push_back({"value", Numbers()});
    for (const store::Variable* variable : variables) {
        auto& named = std::get<Words>(columns.front().entries);
        named.insert(named.end(), variable->values.size(), variable->name);
        for (std::size_t c = 1; c + 1 < columns.size(); ++c) append(columns[c], data, *variable);
        auto& values = std::get<Numbers>(columns.back().entries);
        values.insert(values.end(), variable->values.begin(), variable->values.end());
    }
    return columns;
}

std::string long_csv(const std::vector<LongColumn>& columns) {
    std::string text;
    for (std::size_t c = 0; c < columns.size(); ++c) text += (c ? "," : "") + quoted(columns[c].name);
    text += "\r\n";
    for (std::size_t row = 0; row < rows_of(columns.front()); ++row) {
        for (std::size_t c = 0; c < columns.size(); ++c) text += (c ? "," : "") + field(columns[c], row);
        text += "\r\n";
    }
    return text;
}

}  // namespace rfbench::report
