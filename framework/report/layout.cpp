#include "rfbench/report/layout.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "rfbench/report/text_width.hpp"

namespace rfbench::report {

namespace {

constexpr double edge = 10, row_gap = 10, colour_scale = 24, legend_line = 17.5, note_line = 13;
constexpr double x_spacing = 60, y_spacing = 40;  // of the marks on an axis, at least
// gnuplot's SVG terminal takes a character for 0.7 of the font size, and a key column for seven more than its text.
constexpr double key_character = 0.7 * label_font, key_sample = 7 * key_character;

struct Margins {
    double left = 0, right = 0, top = 0, bottom = 0;
};

struct Frame {
    double width, height;
};

Frame frame_size(const Figure& figure) {
    const Frame usual = figure.columns == 1 ? Frame{520, 340} : figure.columns == 2 ? Frame{360, 260} : Frame{280, 210};
    return {figure.panel_width > 0 ? figure.panel_width : usual.width,
            figure.panel_height > 0 ? figure.panel_height : usual.height};
}

// All notes of a panel, joined into lines no wider than its frame where that can be done between notes.
std::vector<std::string> lines_of(const std::vector<std::string>& notes, double width) {
    std::vector<std::string> lines;
    for (const std::string& note : notes) {
        const std::string joined = lines.empty() ? note : lines.back() + "; " + note;
        if (!lines.empty() && pixel_width(joined, tick_font) <= width) {
            lines.back() = joined;
        } else {
            lines.push_back(note);
        }
    }
    return lines;
}

Margins margins(const Panel& panel, const PanelLayout& place) {
    Margins m;
    m.left = place.y.widest + 14 + (panel.y.label.empty() ? 0 : 22);
    m.right = std::max(14.0, place.x.slanted ? 0 : place.x.widest / 2 + 4);
    m.top = panel.title.empty() ? 8 : 26;
    m.bottom = (place.x.slanted ? 0.64 * place.x.widest + 16 : 22) + (panel.x.label.empty() ? 0 : 19) +
               note_line * static_cast<double>(place.notes_lines.size());
    if (panel.map) m.right += colour_scale + 44 + (panel.map->label.empty() ? 0 : 18);
    return m;
}

std::vector<std::string> legend_labels(const Figure& figure) {
    std::vector<std::string> labels;
    std::set<std::string> seen;
    for (const Panel& panel : figure.panels) {
        if (panel.key != Key::shared) continue;
        for (const Series& series : panel.series) {
            if (series.in_legend && seen.insert(series.label).second) labels.push_back(series.label);
        }
    }
    return labels.size() > 1 ? labels : std::vector<std::string>{};
}

bool stands_right(const Figure& figure) {
    if (figure.legend == Legend::automatic) return figure.columns == 1 || figure.panels.size() == 1;
    return figure.legend == Legend::right;
}

// Adds the legend beside or below what stands there already, and grows the figure by it.
void place_legend(const Figure& figure, double panels_top, FigureLayout& whole) {
    LegendLayout& legend = whole.legend;
    legend.labels = legend_labels(figure);
    if (legend.labels.empty()) return;
    double pixels = 0, characters = 0;
    for (const std::string& label : legend.labels) {
        pixels = std::max(pixels, pixel_width(label, label_font));
        characters = std::max(characters, static_cast<double>(display_width(label)));
    }
    legend.widening = std::floor(pixels / key_character - characters) + 1;
    const double entry = (characters + legend.widening + 1) * key_character + key_sample;
    const double count = static_cast<double>(legend.labels.size());

    if (stands_right(figure)) {
        legend.left = whole.width;
        legend.top = panels_top;
        legend.rows = static_cast<int>(count);
        legend.width = entry;
        whole.width += static_cast<int>(std::ceil(entry)) + 4;
        whole.height = std::max(whole.height, static_cast<int>(panels_top + count * legend_line + 2 * edge));
        return;
    }
    const double columns = std::clamp(std::floor((whole.width - 2 * edge) / entry), 1.0, count);
    legend.rows = static_cast<int>(std::ceil(count / columns));
    const double used = std::ceil(count / legend.rows);
    legend.width = used * entry;
    legend.left = std::max(edge, (whole.width - legend.width) / 2);
    legend.top = whole.height + 2;
    whole.width = std::max(whole.width, static_cast<int>(std::ceil(legend.width + 2 * edge)));
    whole.height += static_cast<int>(legend.rows * legend_line + edge);
}

// Rows and columns of frames, and the room each row and column needs around its frames.
struct Arrangement {
    std::size_t columns, rows;
    std::vector<Margins> column, row;
};

Arrangement arrangement(const Figure& figure, const std::vector<PanelLayout>& places) {
    Arrangement a{std::min(static_cast<std::size_t>(figure.columns), places.size()), 0, {}, {}};
    a.rows = (places.size() + a.columns - 1) / a.columns;
    a.column.resize(a.columns);
    a.row.resize(a.rows);
    for (std::size_t p = 0; p < places.size(); ++p) {
        const Margins m = margins(figure.panels[p], places[p]);
        Margins& column = a.column[p % a.columns];
        Margins& row = a.row[p / a.columns];
        column.left = std::max(column.left, m.left);
        column.right = std::max(column.right, m.right);
        row.top = std::max(row.top, m.top);
        row.bottom = std::max(row.bottom, m.bottom);
    }
    return a;
}

// Gives every frame its place from `top` on; returns the right and lower ends of what is taken.
std::pair<double, double> place_frames(const Arrangement& a, Frame frame, double top,
                                       std::vector<PanelLayout>& places) {
    double widest = 0;
    for (std::size_t i = 0; i < a.rows; ++i) {
        top += a.row[i].top;
        double left = edge;
        for (std::size_t j = 0; j < a.columns && i * a.columns + j < places.size(); ++j) {
            PanelLayout& place = places[i * a.columns + j];
            place.left = left + a.column[j].left;
            place.right = place.left + frame.width;
            place.top = top;
            place.bottom = top + frame.height;
            const double lines = static_cast<double>(place.notes_lines.size());
            place.notes = place.bottom + a.row[i].bottom - note_line * (lines - 1) - 3;
            left = place.right + a.column[j].right;
        }
        widest = std::max(widest, left);
        top += frame.height + a.row[i].bottom + (i + 1 < a.rows ? row_gap : 4);
    }
    return {widest, top};
}

}  // namespace

FigureLayout layout(const Figure& figure, const std::vector<PanelView>& views) {
    const Frame frame = frame_size(figure);
    FigureLayout whole{0, 0, {}, {}};
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
        PanelLayout place{};
        place.x = ticks(figure.panels[p].x, views[p].x, frame.width, x_spacing, true);
        place.y = ticks(figure.panels[p].y, views[p].y, frame.height, y_spacing, false);
        place.notes_lines = lines_of(views[p].notes, frame.width);
        whole.panels.push_back(std::move(place));
    }

    const Arrangement a = arrangement(figure, whole.panels);
    const double top = edge + (figure.title.empty() ? 0 : 26);
    const auto [right, bottom] = place_frames(a, frame, top, whole.panels);
    const double title = pixel_width(figure.title, figure_title_font) + 2 * edge;
    whole.width = static_cast<int>(std::ceil(std::max(right + edge / 2, title)));
    whole.height = static_cast<int>(std::ceil(bottom + edge / 2));
    place_legend(figure, top + a.row.front().top, whole);
    return whole;
}

}  // namespace rfbench::report
