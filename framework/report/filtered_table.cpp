#include "rfbench/report/filtered_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rfbench/report/html_text.hpp"
#include "rfbench/report/table_grid.hpp"

namespace rfbench::report {

namespace {

constexpr const char* script = R"(<script>
(() => {
  const form = document.querySelector(".filters"), words = form.querySelector("input");
  const menus = [...form.querySelectorAll("select")], rows = [...document.querySelectorAll(".filtered tbody tr")];
  const apply = () => {
    const wanted = words.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !(menus.every(menu => !menu.value || row.cells[menu.dataset.column].textContent === menu.value) &&
                     row.textContent.toLowerCase().includes(wanted));
      shown += !row.hidden;
    }
    form.querySelector("output").textContent = `${shown} of ${rows.length}`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", event => event.preventDefault());
  apply();
})();
</script>
)";

/// Entries of a column, each once, in the order in which they come.
std::vector<std::string> entries_of(const Grid& texts, std::size_t column) {
    std::vector<std::string> entries;
    for (const auto& row : texts.rows)
        if (std::find(entries.begin(), entries.end(), row[column]) == entries.end()) entries.push_back(row[column]);
    return entries;
}

std::string menu(const Table& table, const Grid& texts, const std::string& title) {
    const auto column =
        std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& one) { return one.title == title; });
    if (column == table.columns.end())
        throw std::invalid_argument(fmt::format("table {} has no column '{}' to be filtered by", table.name, title));
    const auto place = static_cast<std::size_t>(column - table.columns.begin());
    std::string options = "<option value=\"\">all</option>";
    for (const std::string& entry : entries_of(texts, place))
        options += fmt::format("<option>{}</option>", html_text(entry));
    return fmt::format("<label>{} <select data-column=\"{}\">{}</select></label>\n", html_text(title), place, options);
}

std::string row_of(const std::vector<std::string>& texts, const char* tag) {
    std::string line;
    for (const std::string& text : texts) line += fmt::format("<{0} class=\"left\">{1}</{0}>", tag, html_text(text));
    return "<tr>" + line + "</tr>\n";
}

}  // namespace

std::string filtered_part(const FilteredTable& of) {
    const Grid texts = grid(of.table);
    std::string menus, rows, notes;
    for (const std::string& title : of.columns) menus += menu(of.table, texts, title);
    for (const auto& row : texts.rows) rows += row_of(row, "td");
    for (const std::string& note : of.table.notes) notes += fmt::format("<p class=\"note\">{}</p>\n", html_text(note));
    return fmt::format(
        "<section>\n<h2>{0}</h2>\n<p>{1}</p>\n<form class=\"filters\" role=\"search\">\n{2}<label>words <input "
        "type=\"search\"></label>\n<output aria-live=\"polite\">{3} of {3}</output>\n</form>\n"
        "<div class=\"table filtered\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>\n<thead>{4}</thead>\n"
        "<tbody>\n{5}</tbody>\n</table></div>\n{6}</section>\n{7}",
        html_text(of.title), html_text(of.table.caption), menus, texts.rows.size(), row_of(texts.head, "th"), rows,
        notes, script);
}

}  // namespace rfbench::report
