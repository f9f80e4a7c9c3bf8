#include <cmath>
#include <variant>
#include <vector>

#include "rfbench/report/csv_text.hpp"
#include "rfbench/report/number_text.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::report {

namespace {

/// Parts of a column beside its values; each has a field of its own.
struct Extras {
    bool error = false, mark = false, limit = false;
};

std::vector<Extras> extras(const Table& table) {
    std::vector<Extras> result(table.columns.size());
    for (const Row& row : table.rows) {
        for (std::size_t c = 0; c < row.entries.size(); ++c) {
            const auto* estimate = std::get_if<Estimate>(&row.entries[c]);
            if (estimate) result[c].error = true;
            if (estimate && !estimate->mark.empty()) result[c].mark = true;
            if (std::holds_alternative<Below>(row.entries[c])) result[c].limit = true;
        }
    }
    return result;
}

std::string value_field(const Entry& entry) {
    if (const auto* text = std::get_if<std::string>(&entry)) return csv_field(*text);
    if (const auto* number = std::get_if<double>(&entry)) return shortest(*number);
    // An entry below a limit has no value: the limit has a field of its own.
    if (const auto* estimate = std::get_if<Estimate>(&entry)) return shortest(estimate->value);
    return "";
}

std::string error_field(const Entry& entry) {
    const auto* estimate = std::get_if<Estimate>(&entry);
    return estimate && !std::isnan(estimate->error) ? shortest(estimate->error) : "";
}

std::string mark_field(const Entry& entry) {
    const auto* estimate = std::get_if<Estimate>(&entry);
    return estimate ? csv_field(estimate->mark) : "";
}

std::string limit_field(const Entry& entry) {
    const auto* below = std::get_if<Below>(&entry);
    return below ? shortest(below->limit) : "";
}

std::string joined(const std::vector<std::string>& fields) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) line += (i ? "," : "") + fields[i];
    return line + "\r\n";
}

}  // namespace

std::string csv(const Table& table) {
    check(table);
    const std::vector<Extras> with = extras(table);
    // The extra fields of a column follow it, in the head and in every row in the same order.
    std::vector<std::string> head;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        const std::string unit = column.unit.empty() ? "" : " [" + column.unit + "]";
        head.push_back(csv_field(column.title + unit));
        if (with[c].error) head.push_back(csv_field(column.title + " error" + unit));
        if (with[c].mark) head.push_back(csv_field(column.title + " mark"));
        if (with[c].limit) head.push_back(csv_field(column.title + " upper limit" + unit));
    }
    std::string text = joined(head);
    for (const Row& row : table.rows) {
        std::vector<std::string> fields;
        for (std::size_t c = 0; c < row.entries.size(); ++c) {
            fields.push_back(value_field(row.entries[c]));
            if (with[c].error) fields.push_back(error_field(row.entries[c]));
            if (with[c].mark) fields.push_back(mark_field(row.entries[c]));
            if (with[c].limit) fields.push_back(limit_field(row.entries[c]));
        }
        text += joined(fields);
    }
    return text;
}

}  // namespace rfbench::report
