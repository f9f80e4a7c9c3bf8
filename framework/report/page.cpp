#include "rfbench/report/page.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "rfbench/report/html_text.hpp"
#include "rfbench/report/table_grid.hpp"
#include "rfbench/store/atomic_file.hpp"

namespace rfbench::report {

namespace {

constexpr const char* style = R"(
body { font-family: sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff; }
figure { margin: 2rem 0; }
img { max-width: 100%; height: auto; }
figcaption, .note { color: #444; max-width: 50rem; line-height: 1.4; }
table { border-collapse: collapse; border-top: 2px solid #222; border-bottom: 2px solid #222; margin: 0.5rem 0; }
thead th { border-bottom: 1px solid #222; font-weight: 600; }
th, td { padding: 0.15rem 0.7rem; }
tr.group td { border-top: 1px solid #999; }
.table { overflow-x: auto; }
.left { text-align: left; } .right { text-align: right; } .centre { text-align: center; }
a { color: #0072b2; }
)";

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

std::string figure_part(const Figure& figure, const std::filesystem::path& folder, const std::filesystem::path& page) {
    std::ifstream file(folder / (figure.name + ".svg"), std::ios::binary);
    const std::string svg{std::istreambuf_iterator<char>(file), {}};
    const std::string name = html_text(figure.title.empty() ? figure.name : figure.title);
    const std::string picture =
        svg.empty() ? fmt::format("<p>{} was not drawn.</p>", name)
                    : fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml;base64,{}\">", name, base64(svg));
    return fmt::format("<figure id=\"figure-{}\">\n{}\n<figcaption>{}{}</figcaption>\n</figure>\n",
                       html_text(figure.name), picture, html_text(figure.caption),
                       links(folder, figure.name, {"svg", "pdf", "csv", "gp"}, page));
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

std::string table_part(const Table& table, const std::filesystem::path& folder, const std::filesystem::path& page) {
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
        "<figure id=\"table-{}\">\n<figcaption>{}{}</figcaption>\n<div class=\"table\"><table>\n<thead><tr>{}"
        "</tr></thead>\n<tbody>\n{}</tbody>\n</table></div>\n{}</figure>\n",
        html_text(table.name), html_text(table.caption), links(folder, table.name, {"md", "tex", "csv"}, page),
        cells(texts.head, table, "th"), rows, notes);
}

std::string section_part(const Section& section, const std::filesystem::path& page) {
    std::string text = fmt::format("<section>\n<h2>{}</h2>\n", html_text(section.title));
    if (!section.text.empty()) text += fmt::format("<p>{}</p>\n", html_text(section.text));
    for (const Figure& figure : section.figures) text += figure_part(figure, section.figure_folder, page);
    for (const Table& table : section.tables) text += table_part(table, section.table_folder, page);
    std::string files;
    for (const auto& file : section.files) files += fmt::format(" {}", link(file, page, file.filename().string()));
    if (!files.empty()) text += fmt::format("<p>Data:{}</p>\n", files);
    return text + "</section>\n";
}

}  // namespace

void write_page(const std::filesystem::path& page, const std::string& title, const std::vector<Section>& sections) {
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n<style>{1}</style>\n"
        "</head>\n<body>\n<h1>{0}</h1>\n",
        html_text(title), style);
    for (const Section& section : sections) text += section_part(section, page);
    if (page.has_parent_path()) std::filesystem::create_directories(page.parent_path());
    store::write_file(page, text + "</body>\n</html>\n");
}

}  // namespace rfbench::report
