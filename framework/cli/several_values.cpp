#include "several_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "prepared.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/file_name.hpp"
#include "rfbench/text/trimmed.hpp"

namespace rfbench::cli {
namespace {

/// Throws InputError where a value is missing or given twice.
void check_values(const std::string& given, const std::vector<std::string>& values) {
    std::set<std::string> seen;
    for (const std::string& value : values) {
        if (value.empty())
            throw InputError(fmt::format("--set {}: a value is missing beside a comma; a list is [1, 2]", given));
        if (!seen.insert(value).second) throw InputError(fmt::format("--set {}: {} is given twice", given, value));
    }
}

/// The two, or more, that differ in `key` alone.
std::vector<RunOptions> with_values(const RunOptions& options, std::size_t position, const std::string& key,
                                    const std::vector<std::string>& values) {
    std::vector<RunOptions> all;
    for (const std::string& value : values) {
        RunOptions one = options;
        one.selection.overrides[position] = key + "=" + value;
        one.suffix += report::as_file_name("-" + key + "-" + value);
        all.push_back(std::move(one));
    }
    return all;
}

/// Prepares a run of one of the values.
void check(const RunOptions& one) {
    try {
        Chain chain(one);
        const auto foundations = chain.foundations();
        if (foundations.selected)
            throw InputError(
                fmt::format("--set gives several values to {}, whose results others of the selected "
                            "configurations read: which of them? Name one configuration",
                            fmt::join(foundations.names, ", ")));
        prepare(chain);
    } catch (const InputError& error) {
        const std::string_view message = error.what();
        const auto& overrides = one.selection.overrides;
        if (std::none_of(overrides.begin(), overrides.end(),
                         [&](const std::string& given) { return message.starts_with("--set " + given); }))
            throw;
        throw InputError(fmt::format("{} (Values beside a comma are a run each; a list is [a, b].)", error.what()));
    }
}

}  // namespace

std::vector<std::string> values_in(const std::string& text) {
    std::vector<std::string> values{""};
    int depth = 0;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0) {
            if (c == quote) quote = 0;
        } else if ((c == '"' || c == '\'') && trimmed(values.back()).empty()) {
            quote = c;  // an apostrophe within a word is none
        } else if (c == '[' || c == '{') {
            ++depth;
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (c == ',' && depth == 0) {
            values.emplace_back();
            continue;
        }
        values.back() += c;
    }
    for (std::string& value : values) value = std::string(trimmed(value));
    return values;
}

std::vector<RunOptions> each_value(const RunOptions& options) {
    std::vector<RunOptions> all{options};
    for (std::size_t i = 0; i < options.selection.overrides.size(); ++i) {
        const std::string& given = options.selection.overrides[i];
        const std::size_t equals = given.find('=');
        if (equals == std::string::npos) continue;
        const std::vector<std::string> values = values_in(given.substr(equals + 1));
        if (values.size() == 1) continue;
        check_values(given, values);
        std::vector<RunOptions> more;
        for (const RunOptions& one : all)
            for (RunOptions& with : with_values(one, i, given.substr(0, equals), values))
                more.push_back(std::move(with));
        all = std::move(more);
    }
    std::set<std::string> names;
    for (const RunOptions& one : all)
        if (!names.insert(one.suffix).second)
            throw InputError(
                fmt::format("two of the values of --set would have results of one name, NAME{}: give them "
                            "in two commands, each with its --as NAME",
                            one.suffix));
    return all;
}

int for_each_value(const RunOptions& options, const std::function<int(const RunOptions&)>& verb) {
    const std::vector<RunOptions> all = each_value(options);
    if (all.size() == 1) return verb(all.front());
    // A mistake in the last value would show hours later.
    for (const RunOptions& one : all) check(one);
    int worst = success;
    for (RunOptions one : all) {
        one.another = one.suffix != all.back().suffix;
        const int code = verb(one);
        if (code == interrupted) return code;
        worst = std::max(worst, code);
    }
    return worst;
}

void require_one_value(const RunOptions& options, const std::string& verb) {
    const std::size_t count = each_value(options).size();
    if (count > 1)
        throw InputError(
            fmt::format("--set gives values for {} runs, and {} takes one at a time: give one value, and "
                        "--as NAME to keep its results apart",
                        count, verb));
}

}  // namespace rfbench::cli
