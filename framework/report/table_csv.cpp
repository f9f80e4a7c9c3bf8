#include <variant>
#include <vector>

#include "rfbench/report/csv_text.hpp"
#include "rfbench/report/number_text.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::report {

namespace {

std::vector<bool> columns_with_errors(const Table& table) {
    std::vector<bool> result(table.columns.size(), false);
    for (const Row& row : table.rows) {
        for (std::size_t c = 0; c < row.entries.size(); ++c) {
            if (std::holds_alternative<Estimate>(row.entries[c])) result[c] = true;
        }
    }
    return result;
}

std::string value_field(const Entry& entry) {
    if (const auto* text = std::get_if<std::string>(&entry)) return csv_field(*text);
    if (const auto* number = std::get_if<double>(&entry)) return shortest(*number);
    if (const auto* estimate = std::get_if<Estimate>(&entry)) return shortest(estimate->value);
    return "";
}

std::string error_field(const Entry& entry) {
    const auto* estimate = std::get_if<Estimate>(&entry);
    return estimate ? shortest(estimate->error) : "";
}

std::string joined(const std::vector<std::string>& fields) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) line += (i ? "," : "") + fields[i];
    return line + "\r\n";
}

}  // namespace

std::string csv(const Table& table) {
    check(table);
    const std::vector<bool> with_error = columns_with_errors(table);
    std::vector<std::string> head;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        const std::string unit = column.unit.empty() ? "" : " [" + column.unit + "]";
        head.push_back(csv_field(column.title + unit));
        if (with_error[c]) head.push_back(csv_field(column.title + " error" + unit));
    }
    std::string text = joined(head);
    for (const Row& row : table.rows) {
        std::vector<std::string> fields;
        for (std::size_t c = 0; c < row.entries.size(); ++c) {
            fields.push_back(value_field(row.entries[c]));
            if (with_error[c]) fields.push_back(error_field(row.entries[c]));
        }
        text += joined(fields);
    }
    return text;
}

}  // namespace rfbench::report
