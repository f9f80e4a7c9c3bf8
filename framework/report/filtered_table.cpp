#include "rfbench/report/filtered_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <stdexcept>

#include "rfbench/report/html_text.hpp"
#include "rfbench/report/table_grid.hpp"

namespace rfbench::report {

namespace {

constexpr const char* script = R"(<script>
(() => {
  const form = document.querySelector(".filters"), words = form.querySelector("input");
  const menus = [...form.querySelectorAll("select")], rows = [...document.querySelectorAll(".filtered tbody tr")];
  const meets = (row, menu, k) => !menu.value ||
    row.dataset["filter" + k].includes(`|${menu.value}|`) !== "not" in menu.selectedOptions[0].dataset;
  const apply = () => {
    const wanted = words.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !(menus.every((menu, k) => meets(row, menu, k)) && row.textContent.toLowerCase().includes(wanted));
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

/// Entries of all rows, each once, by name.
std::set<std::string> entries_of(const Filter& filter) {
    std::set<std::string> all;
    for (const auto& row : filter.entries) all.insert(row.begin(), row.end());
    return all;
}

std::string menu(const Filter& filter) {
    const std::set<std::string> entries = entries_of(filter);
    std::string options = "<option value=\"\">all</option>";
    if (entries.contains(filter.hidden))
        options +=
            fmt::format("<option value=\"{0}\" data-not selected>all but: {0}</option>", html_text(filter.hidden));
    for (const std::string& entry : entries) options += fmt::format("<option>{}</option>", html_text(entry));
    return fmt::format("<label>{} <select>{}</select></label>\n", html_text(filter.title), options);
}

/// Entries of a row for the script: data-filter0="|thesis|" data-filter1="|FAVOR+|FAVOR++|".
std::string filter_data(const std::vector<Filter>& filters, std::size_t row) {
    std::string text;
    for (std::size_t k = 0; k < filters.size(); ++k)
        text += fmt::format(" data-filter{}=\"|{}|\"", k,
                            html_text(fmt::format("{}", fmt::join(filters[k].entries[row], "|"))));
    return text;
}

/// Cells name their columns too: a narrow screen shows a row as a card.
std::string row_of(const std::vector<std::string>& texts, const std::vector<std::string>& head,
                   const std::string& data) {
    std::string line;
    for (std::size_t c = 0; c < texts.size(); ++c)
        if (head.empty())
            line += fmt::format("<th class=\"left\" scope=\"col\">{}</th>", html_text(texts[c]));
        else
            line +=
                fmt::format("<td class=\"left\" data-title=\"{}\">{}</td>", html_text(head[c]), html_text(texts[c]));
    return fmt::format("<tr{}>{}</tr>\n", data, line);
}

}  // namespace

std::string filtered_part(const FilteredTable& of) {
    const Grid texts = grid(of.table);
    std::string menus, rows, notes;
    for (const Filter& filter : of.filters) {
        if (filter.entries.size() != texts.rows.size())
            throw std::invalid_argument(fmt::format("table {} has {} rows, filter '{}' has {}", of.table.name,
                                                    texts.rows.size(), filter.title, filter.entries.size()));
        menus += menu(filter);
    }
    for (std::size_t r = 0; r < texts.rows.size(); ++r)
        rows += row_of(texts.rows[r], texts.head, filter_data(of.filters, r));
    for (const std::string& note : of.table.notes) notes += fmt::format("<p class=\"note\">{}</p>\n", html_text(note));
    return fmt::format(
        "<section>\n<h2>{0}</h2>\n<p>{1}</p>\n<form class=\"filters\" role=\"search\">\n{2}<label>words "
        "<input "
        "type=\"search\"></label>\n<output aria-live=\"polite\">{3} of {3}</output>\n</form>\n"
        "<div class=\"table filtered\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>\n<thead>{4}</thead>\n"
        "<tbody>\n{5}</tbody>\n</table></div>\n{6}</section>\n{7}",
        html_text(of.title), html_text(of.table.caption), menus, texts.rows.size(), row_of(texts.head, {}, ""), rows,
        notes, script);
}

}  // namespace rfbench::report
