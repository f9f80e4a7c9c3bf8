#include "rfbench/datasets/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rfbench/datasets/locate.hpp"

namespace rfbench::datasets {

namespace {

constexpr std::size_t line_width = 100;

/// Words broken into lines of `line_width`, each but the first after `margin` spaces.
std::string wrapped(const std::string& text, std::size_t margin) {
    std::string out;
    std::size_t column = margin;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        if (column > margin && column + 1 + word.size() > line_width) {
            out += '\n' + std::string(margin, ' ');
            column = margin;
        } else if (column > margin) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        at = end + 1;
    }
    return out;
}

/// A line, or nothing where there is nothing to say.
std::string field(const std::string& name, const std::string& value) {
    if (value.empty()) return {};
    constexpr std::size_t margin = 12;
    return fmt::format("  {:<{}}{}\n", name, margin - 2, wrapped(value, margin));
}

std::string counted(std::size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The columns that carry information, those of one type and stem together: "64 numbers", "3 categories".
std::string columns_text(const Entry& entry) {
    if (entry.format == Format::plain) return "text, read as it is";
    if (entry.format == Format::idx) return "an image a row, one number a pixel";
    std::size_t numbers = 0, categories = 0;
    std::string names;
    for (const Column& column : entry.layout.columns) {
        if (column.type == ColumnType::label || column.type == ColumnType::ignored) continue;
        numbers += column.type == ColumnType::number;
        categories += column.type == ColumnType::category;
        // Nine names show what columns are; hundreds of pixels would not.
        if (numbers + categories <= 9) names += (names.empty() ? "" : ", ") + column.name;
    }
    if (numbers + categories > 9) names += ", ...";
    std::string kinds;
    if (numbers > 0) kinds += counted(numbers, "number", "numbers");
    if (categories > 0) kinds += (numbers > 0 ? " and " : "") + counted(categories, "category", "categories");
    return fmt::format("{}: {}", kinds, names);
}

std::string classes_text(const Entry& entry) {
    std::string text = fmt::format("{}:", entry.classes.size());
    for (const auto& [name, rows] : entry.classes) text += fmt::format(" {} ({})", name, rows);
    return text;
}

std::string file_text(const DataFile& file, const Places& places) {
    std::string text = fmt::format("  {} ({} bytes unpacked, sha256 {})\n", file.path, file.size, file.sha256);
    survey(file, places, [&](const Candidate& candidate) {
        const std::string what = candidate.state == State::good ? "present, sha256 right" : candidate.detail;
        text += fmt::format("    {}{}{}: {}\n", candidate.source, candidate.path.empty() ? "" : " ",
                            candidate.path.string(), what);
        return true;
    });
    for (const Source& source : file.sources) {
        if (source.url.empty()) continue;
        const std::string member = source.member.empty() ? "" : fmt::format(" (zip, member {})", source.member);
        text += fmt::format("    URL {}{}: only by `rfbench data fetch`\n", source.url, member);
    }
    return text;
}

/// Place of the first good copy of a file; empty when there is none.
std::string good_source(const DataFile& file, const Places& places) {
    std::string source;
    survey(file, places, [&](const Candidate& candidate) {
        // The first good copy ends the search, as it does where data are read.
        if (candidate.state == State::good) source = candidate.source;
        return source.empty();
    });
    return source;
}

/// Copies that are there and are not what the manifest says, each with what is wrong; empty when there are none.
std::string wrong_copies(const Entry& entry, const Places& places) {
    std::string text;
    for (const DataFile& file : entry.files)
        survey(file, places, [&](const Candidate& candidate) {
            if (candidate.state == State::wrong)
                text += fmt::format("{}{} {}", text.empty() ? "" : "; ", candidate.path.string(), candidate.detail);
            return true;
        });
    return text;
}

}  // namespace

std::string describe(const Entry& entry, const Places& places) {
    std::string text = fmt::format("{}: {}\n", entry.name, entry.title);
    if (!entry.description.empty()) text += "  " + wrapped(entry.description, 2) + "\n";
    text += field("rows", std::to_string(entry.rows));
    text += field("columns", columns_text(entry));
    if (!entry.classes.empty()) text += field("classes", classes_text(entry));
    if (!entry.licence.empty()) text += field("licence", fmt::format("{} ({})", entry.licence, entry.licence_url));
    text += field("citation", entry.citation);
    text += field("DOI", entry.doi);
    text += field("homepage", entry.homepage);
    for (const DataFile& file : entry.files) text += file_text(file, places);
    return text;
}

std::string present_where(const Entry& entry, const Places& places) {
    std::string where;
    for (const DataFile& file : entry.files) {
        where = good_source(file, places);
        if (where.empty()) break;
    }
    return where;
}

std::string summary(const Entry& entry, const Places& places) {
    const std::string where = present_where(entry, places), wrong = where.empty() ? wrong_copies(entry, places) : "";
    const std::string state = !where.empty() ? "present (" + where + ")" : wrong.empty() ? "missing" : wrong;
    return fmt::format("{}: {} rows, {} classes; {}", entry.title, entry.rows, entry.classes.size(), state);
}

bool is_present(const Entry& entry, const Places& places) { return !present_where(entry, places).empty(); }

}  // namespace rfbench::datasets
