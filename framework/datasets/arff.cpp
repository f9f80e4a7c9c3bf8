#include "rfbench/datasets/arff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <unordered_set>

#include "rfbench/text/counted.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

using Fields = std::vector<std::string_view>;
using Kind = DeclaredColumn::Kind;

constexpr std::string_view spaces = " \t";

std::string_view stripped(std::string_view text) {
    const std::size_t first = std::min(text.find_first_not_of(spaces), text.size());
    return text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

std::string lower_case(std::string_view word) {
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower;
}

bool is_mark(char c) { return c == '\'' || c == '"'; }

/// The place after the word in quotation marks that begins at `at`; npos where it does not end.
std::size_t quoted_end(std::string_view text, std::size_t at) {
    const char mark = text[at];
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == mark)
            return at + 1;
    }
    return std::string_view::npos;
}

/// Parts of a text between characters of `separators` outside quotation marks, stripped.
void parts_of(std::string_view text, std::string_view separators, Fields& parts) {
    parts.clear();
    std::size_t begin = 0, at = 0;
    while (at < text.size()) {
        if (is_mark(text[at]) && stripped(text.substr(begin, at - begin)).empty()) {
            // A mark that does not end is told where the field is read.
            at = std::min(quoted_end(text, at), text.size());
        } else if (separators.find(text[at]) != std::string_view::npos) {
            parts.push_back(stripped(text.substr(begin, at - begin)));
            begin = ++at;
        } else {
            ++at;
        }
    }
    parts.push_back(stripped(text.substr(begin)));
}

/// The first word of a text, which is taken off.
std::string_view first_word(std::string_view& text) {
    text = stripped(text);
    const std::size_t end = std::min(text.empty()       ? 0
                                     : is_mark(text[0]) ? quoted_end(text, 0)
                                                        : text.find_first_of(" \t{"),
                                     text.size());
    const std::string_view word = text.substr(0, end);
    text = stripped(text.substr(end));
    return word;
}

class Arff {
public:
    Arff(std::string_view text, std::string_view file) : file_(file) {
        const std::vector<Line> lines = lines_of(text);
        std::size_t at = 0;
        for (bool in_rows = false; at < lines.size() && !in_rows; ++at)
            if (!passed_over(lines[at])) in_rows = !declares(lines[at]);
        for (; at < lines.size(); ++at)
            if (!passed_over(lines[at])) rows_.push_back(lines[at]);
        if (columns_.empty()) refuse({file_}, "declares no attribute");
        if (rows_.empty()) refuse({file_}, "has no rows after @data");
        for (const DeclaredColumn& column : columns_) allowed_.emplace_back(column.values.begin(), column.values.end());
    }

    const std::vector<Line>& rows() const { return rows_; }
    const std::vector<DeclaredColumn>& columns() const { return columns_; }

    void split(const Line& line, Fields& fields) {
        const std::string_view text = stripped(line.text);
        if (text.starts_with('{')) return split_sparse(line, text, fields);
        parts_of(text, ",", parts_);
        if (parts_.size() == 1 && columns_.size() > 1) {
            parts_of(text, spaces, parts_);
            std::erase(parts_, std::string_view());
        }
        if (parts_.size() == columns_.size() + 1 && parts_.back().starts_with('{'))
            refuse({file_, line.number, parts_.size()}, in_quotes(parts_.back()) +
                                                            " is the weight of a row; rows with "
                                                            "weights are not read");
        if (parts_.size() != columns_.size())
            refuse({file_, line.number},
                   fmt::format("has {}; {} declared", counted(parts_.size(), "field"),
                               counted(columns_.size(), "attribute") + (columns_.size() == 1 ? " is" : " are")));
        fields.clear();
        for (std::size_t i = 0; i < parts_.size(); ++i)
            fields.push_back(value_of(parts_[i], i, {file_, line.number, i + 1}));
    }

private:
    static bool passed_over(const Line& line) { return is_blank(line.text) || stripped(line.text).starts_with('%'); }

    /// Reads a statement; false for @data.
    bool declares(const Line& line) {
        std::string_view rest = line.text;
        const std::string_view word = first_word(rest);
        const std::string statement = lower_case(word);
        if (statement == "@data") return false;
        if (statement == "@attribute")
            add_attribute(rest, line.number);
        else if (statement != "@relation")
            refuse({file_, line.number, 1}, in_quotes(word) +
                                                " is no statement of ARFF; there are @relation, @attribute and @data." +
                                                did_you_mean(statement, {"@relation", "@attribute", "@data"}));
        return true;
    }

    void add_attribute(std::string_view rest, std::size_t line) {
        const Place at_name{file_, line, 2}, at_type{file_, line, 3};
        const std::string name(plain(first_word(rest), at_name));
        if (name.empty()) refuse(at_name, "the attribute has no name");
        for (const DeclaredColumn& other : columns_)
            if (other.name == name)
                refuse(at_name, fmt::format("the attribute of line {} is called {} too", other.line, in_quotes(name)));
        DeclaredColumn column{name, Kind::numbers, {}, line};
        if (rest.starts_with('{')) {
            column.kind = Kind::nominal;
            column.values = declared_values(rest, line);
        } else {
            const std::string_view word = first_word(rest);
            const std::string type = lower_case(word);
            if (type == "string" || type == "date")
                column.kind = Kind::words;
            else if (type != "numeric" && type != "real" && type != "integer")
                refuse(at_type, fmt::format("{} is no type of an attribute that is read; there are numeric, real, "
                                            "integer, string, date and lists of values, {{a, b}}.{}",
                                            in_quotes(word),
                                            did_you_mean(type, {"numeric", "real", "integer", "string", "date"})));
        }
        columns_.push_back(std::move(column));
    }

    std::vector<std::string> declared_values(std::string_view list, std::size_t line) {
        if (!list.ends_with('}')) refuse({file_, line, 3}, "the list of values does not end with '}' on its line");
        parts_of(list.substr(1, list.size() - 2), ",", parts_);
        std::vector<std::string> values;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const Place place{file_, line, i + 3};
            const std::string value(plain(parts_[i], place));
            if (value.empty()) refuse(place, "a value of the list is empty");
            if (std::find(values.begin(), values.end(), value) != values.end())
                refuse(place, "the value " + in_quotes(value) + " is declared twice");
            values.push_back(value);
        }
        return values;
    }

    void split_sparse(const Line& line, std::string_view text, Fields& fields) {
        if (!text.ends_with('}') || text.find('{', 1) != std::string_view::npos)
            refuse({file_, line.number},
                   "is a sparse row that does not end with '}', or has a weight after it; "
                   "weights are not read");
        fields.clear();
        // A sparse row leaves out zeros: of nominal attributes that is the first value (Weka).
        for (const DeclaredColumn& column : columns_)
            fields.emplace_back(column.kind == Kind::nominal ? std::string_view(column.values.front()) : "0");
        text = stripped(text.substr(1, text.size() - 2));
        std::vector<bool> given(columns_.size(), false);
        if (text.empty()) return require_words(given, line.number);
        parts_of(text, ",", parts_);
        std::size_t next = 0;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const Place place{file_, line.number, i + 1};
            std::string_view value = parts_[i];
            const std::string_view word = first_word(value);
            const double index = number(word, place);
            if (!(index >= 0 && index < static_cast<double>(columns_.size())) ||
                index != static_cast<double>(static_cast<std::size_t>(index)))
                refuse(place, fmt::format("{} is the number of no attribute; there are 0 to {}", in_quotes(word),
                                          columns_.size() - 1));
            const auto column = static_cast<std::size_t>(index);
            if (column < next) refuse(place, fmt::format("attribute {} stands too late; they must grow", column));
            next = column + 1;
            fields[column] = value_of(value, column, place);
            given[column] = true;
        }
        require_words(given, line.number);
    }

    /// Strings and dates have no zero that a sparse row may leave out.
    void require_words(const std::vector<bool>& given, std::size_t line) const {
        for (std::size_t i = 0; i < columns_.size(); ++i)
            if (columns_[i].kind == Kind::words && !given[i])
                refuse({file_, line}, fmt::format("leaves out attribute {}, '{}', which is no number and has no zero",
                                                  i, columns_[i].name));
    }

    /// The value of a field, empty where it is missing.
    std::string_view value_of(std::string_view field, std::size_t at, const Place& place) {
        const DeclaredColumn& column = columns_[at];
        if (field == "?") return {};
        const std::string_view value = plain(field, place);
        if (value.empty()) refuse(place, "the field is empty; a missing value is written as ?");
        if (column.kind == Kind::numbers) number(value, place);
        if (column.kind == Kind::nominal && !allowed_[at].contains(value))
            refuse(place, fmt::format("{} is no value of attribute '{}', whose values line {} declares: {}.{}",
                                      in_quotes(value), column.name, column.line, fmt::join(column.values, ", "),
                                      did_you_mean(value, column.values)));
        return value;
    }

    /// A word without its quotation marks and backslashes.
    std::string_view plain(std::string_view word, const Place& place) {
        if (word.empty() || !is_mark(word.front())) return word;
        if (quoted_end(word, 0) != word.size())
            refuse(place, in_quotes(word) + " begins with a quotation mark that does not end with the word");
        const std::string_view inside = word.substr(1, word.size() - 2);
        if (inside.find('\\') == std::string_view::npos) return inside;
        std::string text;
        for (std::size_t i = 0; i < inside.size(); ++i) {
            if (inside[i] == '\\') ++i;
            text += inside[i];
        }
        return *kept_.insert(std::move(text)).first;
    }

    std::string file_;
    std::vector<DeclaredColumn> columns_;
    std::vector<Line> rows_;
    std::vector<std::unordered_set<std::string_view>> allowed_;
    std::unordered_set<std::string> kept_;  ///< words that differ from how they are written; fields view into them
    Fields parts_;
};

}  // namespace

bool is_arff(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf", statement = "@relation";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        line = stripped(line);
        if (!line.empty() && line.front() != '%') return lower_case(line.substr(0, statement.size())) == statement;
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return false;
}

TextRows arff_rows(std::string_view text, std::string_view file) {
    const auto arff = std::make_shared<Arff>(text, file);
    return {arff->rows(), arff->columns(), [arff](const Line& line, Fields& fields) { arff->split(line, fields); }};
}

}  // namespace rfbench::datasets
