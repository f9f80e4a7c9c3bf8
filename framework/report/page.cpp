#include "rfbench/report/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "rfbench/report/draw.hpp"
#include "rfbench/report/figure_numbers.hpp"
#include "rfbench/report/filtered_table.hpp"
#include "rfbench/report/html_text.hpp"
#include "rfbench/report/page_style.hpp"
#include "rfbench/report/sort_script.hpp"
#include "rfbench/report/table_grid.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::report {

namespace {

std::string link(const std::filesystem::path& file, const std::filesystem::path& page, const std::string& name) {
    const std::filesystem::path relative = file.lexically_proximate(page.parent_path());
    return fmt::format("<a href=\"{}\">{}</a>", html_link(relative.generic_string()), html_text(name));
}

std::string links(const std::filesystem::path& folder, const std::string& name, const std::vector<std::string>& kinds,
                  const std::filesystem::path& page) {
    std::string text;
    for (const std::string& kind : kinds)
        text += fmt::format(" {}", link(folder / fmt::format("{}.{}", name, kind), page, kind));
    return text;
}

/// Unique on the page, since titles of sections are and names of figures and tables are within one.
std::string id(const Section& section, const std::string& kind = {}, const std::string& name = {}) {
    return html_link(kind.empty() ? section.title : fmt::format("{}/{}/{}", section.title, kind, name));
}

/// The width that an SVG file states, in CSS pixels; 0 where it states none in points.
double width_of(const std::string& svg) {
    const std::size_t at = svg.find(" width=\"");
    if (at == std::string::npos) return 0;
    const std::size_t start = at + 8, end = svg.find("pt\"", start);
    if (end == std::string::npos || end - start > 20) return 0;
    constexpr double pixels_per_point = 96.0 / 72.0;
    return pixels_per_point * std::strtod(svg.c_str() + start, nullptr);
}

/// Larger than in print where there is room, never smaller than there: a narrow screen scrolls wide figures.
std::string picture(const std::string& svg, const std::string& alternative) {
    constexpr double larger = 1.35;
    const double width = width_of(svg);
    return fmt::format(
        "<div class=\"sheet\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><img alt=\"{0}\" style=\"width: "
        "{1:.0f}px; min-width: {2:.0f}px\" "
        "src=\"data:image/svg+xml;base64,{3}\"></div>",
        alternative, larger * width, std::min(width, 340.0) == width ? 0.0 : width, base64(svg));
}

std::string figure_part(const Section& section, const Figure& figure, const std::filesystem::path& page) {
    const FigureFiles files = figure_files(figure.name, section.figure_folder);
    const std::string svg = picture_of(figure, files);
    const bool drawn = !svg.empty();
    const std::string name = html_text(figure.title.empty() ? figure.name : figure.title);
    // Links lead to what is there.
    const std::vector<std::string> kinds =
        drawn ? std::vector<std::string>{"svg", "pdf", "csv", "json"} : std::vector<std::string>{"csv", "json"};
    // A picture says itself what its bands and bars are.
    const std::string interval = drawn || figure.interval.empty() ? "" : " " + html_text(figure.interval) + ".";
    return fmt::format("<figure id=\"{}\">\n{}\n<figcaption><b>{}.</b> {}{}{}</figcaption>\n{}</figure>\n",
                       id(section, "figures", figure.name),
                       drawn ? picture(svg, name) : fmt::format("<p class=\"alarm\">{} was not drawn.</p>", name), name,
                       html_text(figure.caption), interval, links(section.figure_folder, figure.name, kinds, page),
                       numbers_part(figure));
}

const char* side(Alignment alignment) {
    return alignment == Alignment::left ? "left" : alignment == Alignment::right ? "right" : "centre";
}

std::string cells(const std::vector<std::string>& texts, const Table& table, const char* tag) {
    std::string line;
    for (std::size_t c = 0; c < texts.size(); ++c) {
        line += fmt::format("<{0} class=\"{1}\">{2}</{0}>", tag, side(table.columns[c].alignment), html_text(texts[c]));
    }
    return line;
}

std::string table_part(const Section& section, const Table& table, const std::filesystem::path& page) {
    const Grid texts = grid(table);
    std::string rows;
    for (std::size_t r = 0; r < texts.rows.size(); ++r) {
        const bool begins_group = table.rows[r].rule_above && r > 0;
        rows +=
            fmt::format("<tr{}>{}</tr>\n", begins_group ? " class=\"group\"" : "", cells(texts.rows[r], table, "td"));
    }
    std::string notes;
    for (const std::string& note : table.notes) notes += fmt::format("<p class=\"note\">{}</p>\n", html_text(note));
    return fmt::format(
        "<figure id=\"{0}\">\n<figcaption>{1}{2}</figcaption>\n<div class=\"table\" role=\"region\" tabindex=\"0\" "
        "aria-label=\"table {3}\"><table>\n<thead><tr>{4}</tr></thead>\n<tbody>\n{5}</tbody>\n</table></div>\n{6}"
        "</figure>\n",
        id(section, "tables", table.name), html_text(table.caption),
        links(section.table_folder, table.name, {"md", "tex", "csv"}, page), html_text(table.name),
        cells(texts.head, table, "th"), rows, notes);
}

std::string failures_part(const Section& section) {
    if (section.failures.empty()) return "";
    std::string items;
    for (const std::string& failure : section.failures) items += fmt::format("<li>{}</li>", html_text(failure));
    return fmt::format("<div class=\"alarm\">{} could not be computed; the journal says why.<ul>{}</ul></div>\n",
                       section.failures.size() == 1 ? "One cell" : fmt::format("{} cells", section.failures.size()),
                       items);
}

/// Provenance of a result: enough to run it again.
std::string origin_part(const Section& section, const std::filesystem::path& page) {
    std::string facts;
    for (const auto& [name, value] : section.facts)
        facts += fmt::format("<dt>{}</dt><dd>{}</dd>", html_text(name), html_text(value));
    std::string files;
    for (const auto& file : section.files) files += fmt::format(" {}", link(file, page, file.filename().string()));
    std::string text;
    if (!facts.empty()) text += fmt::format("<dl>{}</dl>\n", facts);
    if (!section.configuration.empty())
        text += fmt::format("<details><summary>Configuration, resolved</summary><pre>{}</pre></details>\n",
                            html_text(section.configuration));
    if (!files.empty()) text += fmt::format("<p>Data:{}</p>\n", files);
    return text;
}

std::string badge(const Section& section) {
    return section.reduced.empty() ? "" : fmt::format(" <span class=\"badge\">{}</span>", html_text(section.reduced));
}

std::string section_part(const Section& section, const std::filesystem::path& page) {
    std::string text =
        fmt::format("<section id=\"{}\">\n<h2>{}{}</h2>\n", id(section), html_text(section.title), badge(section));
    if (!section.text.empty()) text += fmt::format("<p>{}</p>\n", html_text(section.text));
    // Before the figures, so that nobody takes what was computed for all there should be.
    text += failures_part(section);
    for (const Figure& figure : section.figures) text += figure_part(section, figure, page);
    for (const Table& table : section.tables) text += table_part(section, table, page);
    return text + origin_part(section, page) + "</section>\n";
}

std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string contents_part(const std::vector<Section>& sections) {
    std::string items;
    for (const Section& section : sections) {
        std::string what =
            fmt::format("{}, {}", counted(section.figures.size(), "figure"), counted(section.tables.size(), "table"));
        if (!section.failures.empty()) what += ", " + counted(section.failures.size(), "failure");
        items += fmt::format("<li><a href=\"#{}\">{}</a>{} <small>{}</small></li>\n", html_link(id(section)),
                             html_text(section.title), badge(section), what);
    }
    return fmt::format("<nav>\n<h2>Contents</h2>\n<ul>\n{}</ul>\n</nav>\n", items);
}

/// Said first, so that nobody takes a try for a result.
std::string banner(const std::vector<Section>& sections) {
    std::vector<std::string> reasons;
    std::size_t reduced = 0;
    for (const Section& section : sections) {
        if (section.reduced.empty()) continue;
        ++reduced;
        if (std::find(reasons.begin(), reasons.end(), section.reduced) == reasons.end())
            reasons.push_back(section.reduced);
    }
    if (reduced == 0) return "";
    const bool all = reduced == sections.size();
    const std::string which =
        all ? "All sections" : fmt::format("{} of {}", reduced, counted(sections.size(), "section"));
    return fmt::format(
        "<p class=\"banner\"><b>Not {} full studies.</b> {} were run smaller or otherwise than their "
        "configurations say ({}), and are marked so: their numbers hold for the settings that each of them lists, not "
        "for the full study.{}</p>\n",
        all ? "the" : "all are", which, html_text(fmt::format("{}", fmt::join(reasons, "; "))),
        all ? "" : " The others are full.");
}

constexpr std::string_view seal_begin = "<!-- sha256 of the lines above: ";

std::string seal(std::string_view text) { return fmt::format("{}{} -->\n", seal_begin, store::sha256(text)); }

}  // namespace

void write_page(const std::filesystem::path& page, const std::string& title, const std::vector<Section>& sections,
                const std::optional<FilteredTable>& first) {
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}{3}{4}",
        html_text(title), page_style, banner(sections), first ? filtered_part(*first) : "", contents_part(sections));
    for (const Section& section : sections) text += section_part(section, page);
    if (page.has_parent_path()) std::filesystem::create_directories(page.parent_path());
    store::remove_temporaries_beside(page);
    text += std::string(sort_script) + "</body>\n</html>\n";
    store::write_file(page, text + seal(text));
}

std::string page_damage(const std::filesystem::path& page) {
    try {
        const std::optional<std::string> whole = store::read_if_there(page);
        if (!whole) return {};
        const std::string_view text = *whole;
        const std::size_t end = text.rfind(seal_begin);
        if (end == std::string_view::npos)
            return "its last line, which has the sha256 of those above, is missing: it was cut short or changed";
        const bool sound = text.substr(end) == seal(text.substr(0, end));
        return sound ? "" : "its bytes do not match the sha256 in its last line";
    } catch (const store::Error& error) {
        return error.what();
    }
}

}  // namespace rfbench::report
