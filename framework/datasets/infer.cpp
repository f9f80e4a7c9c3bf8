#include "rfbench/datasets/infer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "rfbench/datasets/names_line.hpp"
#include "rfbench/text/counted.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {
namespace {

using Fields = std::vector<std::string_view>;

void refuse_quotes(std::string_view field, const Place& place) {
    if (is_quoted(field))
        refuse(place, in_quotes(field) +
                          " begins with a quotation mark that does not end on its line, or has others "
                          "within; leave these out");
}

/// Whether a first line with numbers in it stands above columns of other kinds, so that it names them; else it is data.
bool names_other_kinds(const Fields& first, const Fields& second) {
    const auto is_number = [](std::string_view field) { return parse_number(field).state == NumberState::number; };
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
        if (!is_number(first[i]) && !is_missing(first[i]) && is_number(second[i])) return true;
    return false;
}

/// Whether the first line names the columns, of which one may be called `label`.
bool has_names(const Fields& first, const Fields& second, const std::string& label, const Place& place) {
    if (!label.empty() && std::find(first.begin(), first.end(), label) != first.end()) return true;
    const auto is_number = [](std::string_view field) { return parse_number(field).state == NumberState::number; };
    if (std::none_of(first.begin(), first.end(), is_number)) return true;
    return names_other_kinds(first, second) || are_numbered_names(first, second, place);
}

std::vector<SeenColumn> named_columns(const Fields& names, const Line& line, std::string_view file) {
    std::vector<SeenColumn> columns;
    std::unordered_set<std::string_view> known;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Place place{file, line.number, i + 1};
        refuse_quotes(names[i], place);
        if (names[i].empty()) refuse(place, "the column has no name; the first line names the columns");
        if (!known.insert(names[i]).second)
            refuse(place, "an earlier column is called " + in_quotes(names[i]) + " too");
        columns.emplace_back().name = names[i];
    }
    return columns;
}

/// Columns of a file without a line of names.
std::vector<SeenColumn> numbered_columns(std::size_t count) {
    std::vector<SeenColumn> columns;
    for (std::size_t i = 1; i <= count; ++i) columns.emplace_back().name = fmt::format("column {}", i);
    return columns;
}

/// The words of one column by where they are in its list.
using Known = std::unordered_map<std::string, std::size_t>;

void add_number(SeenColumn& column, double value, std::size_t line) {
    const bool first = column.number_line == 0;
    column.whole = column.whole && value == std::floor(value);
    column.least = first ? value : std::min(column.least, value);
    column.greatest = first ? value : std::max(column.greatest, value);
    if (first) column.number_line = line;
}

void add_word(SeenColumn& column, Known& known, std::string_view field) {
    // More words than a category may have are not kept, so that names of rows fill no memory.
    if (column.many) return;
    const auto [at, is_new] = known.emplace(field, column.words.size());
    if (!is_new) {
        ++column.word_rows[at->second];
    } else if (column.words.size() == max_words && !(column.is_label && column.is_numbers())) {
        column.many = true;
    } else {
        column.words.emplace_back(field);
        column.word_rows.push_back(1);
    }
}

void add(SeenColumn& column, Known& known, std::string_view field, const SeenTable& table, const Place& place) {
    if (column.is_ignored) return;
    const bool delimited = table.form == TextForm::delimited;
    if (delimited) refuse_quotes(field, place);
    if (is_missing(field, table.form)) {
        if (column.missing++ == 0) column.missing_at = place.row, column.missing_as = delimited ? field : "?";
        return;
    }
    if (column.is_declared_words) return add_word(column, known, field);
    const ParsedNumber parsed = parse_number(field);
    // Numbers are kept as words too: the column may turn out to be a category, or be called one. number() says what is
    // not finite.
    if (parsed.state == NumberState::not_a_number) {
        if (delimited && table.separator != Separator::comma && has_decimal_comma(field)) number(field, place);
        if (column.word_line == 0) column.word_line = place.row;
    } else {
        add_number(column, number(field, place), place.row);
    }
    add_word(column, known, field);
}

/// The columns that a file declares, with the values of nominal ones, which no row has yet.
void add_declared(const std::vector<DeclaredColumn>& declared, std::vector<SeenColumn>& columns,
                  std::vector<Known>& known) {
    for (std::size_t i = 0; i < declared.size(); ++i) {
        SeenColumn& column = columns[i];
        column.is_declared_words = declared[i].kind != DeclaredColumn::Kind::numbers;
        if (!column.is_declared_words) continue;
        column.word_line = declared[i].line;
        for (const std::string& value : declared[i].values) known[i].emplace(value, known[i].size());
        column.words = declared[i].values;
        column.word_rows.assign(column.words.size(), 0);
    }
}

/// Takes words out that no row has.
void drop_unused(SeenColumn& column) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < column.words.size(); ++i) {
        if (column.word_rows[i] == 0) continue;
        if (kept != i) column.words[kept] = std::move(column.words[i]);
        column.word_rows[kept++] = column.word_rows[i];
    }
    column.words.resize(kept);
    column.word_rows.resize(kept);
}

/// Numbers of the columns by their names.
using Numbers = std::unordered_map<std::string_view, std::size_t>;

/// Which column a name is of. `said`: as which.
std::size_t column_called(const SeenTable& table, const Numbers& numbers, const std::string& name, const char* said,
                          std::string_view file) {
    if (const auto found = numbers.find(name); found != numbers.end()) return found->second;
    std::vector<std::string> names;
    for (const SeenColumn& column : table.columns) names.push_back(column.name);
    refuse({file, 1}, fmt::format("there is no column {}, which is given as {}; there are {}.{}", in_quotes(name), said,
                                  fmt::join(names, ", "), did_you_mean(name, names)));
}

std::string_view text_of(ColumnType type) {
    switch (type) {
        case ColumnType::label: return "the class";
        case ColumnType::category: return "a category";
        case ColumnType::ignored: return "ignored";
        case ColumnType::number: break;
    }
    return "numbers";
}

/// Types that the user names for the columns; numbers for the others.
std::vector<ColumnType> said_types(const SeenTable& table, const ColumnChoice& choice, std::string_view file) {
    std::vector<ColumnType> types(table.columns.size(), ColumnType::number);
    Numbers numbers;
    for (const SeenColumn& column : table.columns) numbers.emplace(column.name, numbers.size());
    const auto say = [&](const std::string& name, ColumnType type) {
        const std::size_t at = column_called(table, numbers, name, std::string(text_of(type)).c_str(), file);
        if (types[at] != ColumnType::number)
            refuse({file, 1, at + 1},
                   fmt::format("column '{}' is given as {} and as {}", name, text_of(types[at]), text_of(type)));
        types[at] = type;
    };
    say(choice.label, ColumnType::label);
    for (const std::string& name : choice.categories) say(name, ColumnType::category);
    for (const std::string& name : choice.ignored) say(name, ColumnType::ignored);
    return types;
}

void require_words(const SeenColumn& column, ColumnType type, std::size_t at, std::string_view file) {
    const bool many = column.many || column.words.size() > max_words;
    if (many && type == ColumnType::label && column.is_numbers())
        refuse({file, 1, at + 1},
               fmt::format("column '{}', the class, has more than {} different numbers; take it for a number to be "
                           "predicted (target: number)",
                           column.name, max_words));
    if (many)
        refuse({file, 1, at + 1},
               fmt::format("column '{}', {}, has more than {} different words; leave it out where it "
                           "names rows",
                           column.name, text_of(type), max_words));
    if (type == ColumnType::label && column.words.size() < 2)
        refuse({file, 1, at + 1}, fmt::format("every row is of the class {}; there must be two at least",
                                              in_quotes(column.words.front())));
}

/// Whether the label is a number to be predicted and no class.
bool is_real(const SeenColumn& column, Target target, std::size_t at, std::string_view file) {
    if (target == Target::number && !column.is_numbers())
        refuse({file, column.word_line, at + 1},
               fmt::format("column '{}' is given as a number to be predicted; this field is none", column.name));
    return target == Target::number || (target == Target::inferred && column.is_numbers() && !column.whole);
}

}  // namespace

namespace {

/// A table whose columns have names and nothing else; its first line is taken off `rows` where it names them.
SeenTable delimited_table(TextRows& rows, const Separator separator, const ColumnChoice& choice,
                          std::string_view file) {
    if (rows.lines.empty() || is_blank(rows.lines.front().text))
        refuse({file, 1}, "the first line names the columns, or is a row; it is blank");
    Fields fields, second;
    rows.split(rows.lines.front(), fields);
    if (rows.lines.size() > 1) rows.split(rows.lines[1], second);
    if (!has_names(fields, second, choice.label, {file, 1}))
        return {TextForm::delimited, separator, rows.lines.size(), 0, numbered_columns(fields.size())};
    if (rows.lines.size() == 1) refuse({file}, "has names of columns but no rows");
    std::vector<SeenColumn> columns = named_columns(fields, rows.lines.front(), file);
    rows.lines.erase(rows.lines.begin());
    return {TextForm::delimited, separator, rows.lines.size(), 1, std::move(columns)};
}

/// A table whose columns are declared, with their names.
SeenTable declared_table(const TextRows& rows, TextForm form) {
    std::vector<SeenColumn> columns;
    for (const DeclaredColumn& declared : rows.columns) columns.emplace_back().name = declared.name;
    return {form, Separator::comma, rows.lines.size(), 0, std::move(columns)};
}

}  // namespace

SeenTable look_at(std::string_view text, std::string_view file, const ColumnChoice& choice) {
    const TextForm form = form_of(text);
    const Separator separator = separator_of(text.substr(0, text.find('\n')));
    TextRows rows = rows_of(text, form, separator, 0, file);
    SeenTable table =
        form == TextForm::delimited ? delimited_table(rows, separator, choice, file) : declared_table(rows, form);
    const std::unordered_set<std::string_view> ignored(choice.ignored.begin(), choice.ignored.end());
    for (SeenColumn& column : table.columns) {
        column.is_label = column.name == choice.label;
        column.is_ignored = ignored.contains(column.name);
    }
    std::vector<Known> known(table.columns.size());
    add_declared(rows.columns, table.columns, known);
    Fields fields;
    for (const Line& line : rows.lines) {
        if (is_blank(line.text)) refuse({file, line.number}, "the line is blank; blank lines may only end the file");
        rows.split(line, fields);
        if (fields.size() != table.columns.size())
            refuse({file, line.number},
                   fmt::format("has {} separated by {}; the first line {} {}", counted(fields.size(), "field"),
                               name_of(table.separator), table.header_lines == 1 ? "names" : "has",
                               counted(table.columns.size(), "column")));
        for (std::size_t i = 0; i < fields.size(); ++i)
            add(table.columns[i], known[i], fields[i], table, {file, line.number, i + 1});
    }
    for (SeenColumn& column : table.columns) drop_unused(column);
    return table;
}

Layout layout_of(const SeenTable& table, const ColumnChoice& choice, std::string_view file) {
    const std::vector<ColumnType> said = said_types(table, choice, file);
    Layout layout{table.separator, table.header_lines, {}, choice.drop_missing, false, table.form};
    bool inputs = false;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const SeenColumn& column = table.columns[i];
        ColumnType type = said[i];
        if (type != ColumnType::ignored && column.missing > 0 && column.missing == table.rows)
            refuse({file, column.missing_at, i + 1},
                   fmt::format("column '{}' has a value in no row; ignore it", column.name));
        if (type != ColumnType::ignored && column.missing > 0 && !choice.drop_missing)
            refuse({file, column.missing_at, i + 1},
                   fmt::format("{} in column '{}' is a missing value, one of {}; fill them in, drop their rows "
                               "(missing: drop) or ignore the column",
                               in_quotes(column.missing_as), column.name, column.missing));
        // The later of the two lines is the one that does not fit those before it.
        if (type == ColumnType::number && column.is_mixed())
            refuse(
                {file, std::max(column.word_line, column.number_line), i + 1},
                fmt::format("column '{}' has numbers (line {}) and words (line {}); list it in 'categories' if it is "
                            "one, or in 'ignored'",
                            column.name, column.number_line, column.word_line));
        if (type == ColumnType::number && !column.is_numbers()) type = ColumnType::category;
        inputs = inputs || type == ColumnType::number || type == ColumnType::category;
        const bool words = type == ColumnType::label || type == ColumnType::category;
        if (type == ColumnType::label) layout.real_label = is_real(column, choice.target, i, file);
        if (words && !(type == ColumnType::label && layout.real_label)) require_words(column, type, i, file);
        layout.columns.push_back({column.name, type, words ? column.words : std::vector<std::string>{}});
    }
    if (!inputs) refuse({file, 1}, "no column is left beside the class");
    return layout;
}

std::string describe(const SeenTable& table, const std::string& file) {
    constexpr std::size_t shown = 12;
    std::size_t missing = 0;
    for (const SeenColumn& column : table.columns) missing += column.missing;
    const bool delimited = table.form == TextForm::delimited;
    const std::string form = delimited                      ? "separated by " + name_of(table.separator)
                             : table.form == TextForm::arff ? "in ARFF"
                                                            : "in LIBSVM's sparse rows";
    std::string text = fmt::format("{}: {} of {}, {}, {}{}\n", file, counted(table.rows, "row"),
                                   counted(table.columns.size(), "column"), form,
                                   missing == 0 ? "no missing values" : counted(missing, "missing value"),
                                   delimited && table.header_lines == 0 ? ", no line of names" : "");
    for (const SeenColumn& column : table.columns) {
        text += fmt::format(
            "  {}: {}", column.name,
            column.missing == 0 ? "" : fmt::format("{} missing (line {}), ", column.missing, column.missing_at));
        const std::string count =
            column.many ? fmt::format("more than {}", max_words) : fmt::format("{}", column.words.size());
        if (column.is_numbers()) {
            text += fmt::format("numbers from {} to {}, {} different\n", column.least, column.greatest, count);
            continue;
        }
        text += fmt::format("{} words", count);
        if (!column.many) {
            for (std::size_t i = 0; i < std::min(shown, column.words.size()); ++i)
                text += fmt::format("{} {} ({})", i == 0 ? ":" : ",", column.words[i], column.word_rows[i]);
            if (column.words.size() > shown) text += ", ...";
        }
        text += column.is_mixed()
                    ? fmt::format("; some are numbers (line {}): list it in 'categories'\n", column.number_line)
                    : "\n";
    }
    return text;
}

}  // namespace rfbench::datasets
