#include "rfbench/report/look.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

namespace rfbench::report {

namespace {

constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000", "#882255"};
constexpr std::size_t colour_count = std::size(colours);

// gnuplot's point types: eight filled or bold shapes, then open ones. Their number has no factor in common with that of
// the colours, so that series drawn by points alone differ too.
constexpr int marks[] = {7, 5, 9, 13, 11, 15, 2, 3, 6, 4, 8, 12, 10, 14, 1};

const std::vector<std::vector<int>>& dash_patterns() {
    static const std::vector<std::vector<int>> patterns{{}, {7, 3}, {2, 2}, {9, 2, 2, 2}};
    return patterns;
}

// FNV-1a, 64 bits.
std::uint64_t hash(std::string_view text) {
    std::uint64_t h = 14695981039346656037u;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return h;
}

std::vector<const Series*> first_of_each_label(const Figure& figure) {
    std::vector<const Series*> first;
    std::set<std::string> seen;
    for (const Panel& panel : figure.panels) {
        for (const Series& series : panel.series) {
            if (seen.insert(series.label).second) first.push_back(&series);
        }
    }
    return first;
}

}  // namespace

Look look_at(std::size_t i) {
    i %= distinct_looks;
    return {colours[i % colour_count], dash_patterns()[i / colour_count], marks[i % std::size(marks)]};
}

Look reference_look(std::size_t i) {
    static const std::vector<std::vector<int>> patterns{{6, 4}, {2, 3}, {10, 3, 2, 3}, {}};
    return {i / patterns.size() % 2 == 0 ? "#555555" : "#999999", patterns[i % patterns.size()], 1, 1.2};
}

std::map<std::string, Look> looks(const Figure& figure) {
    std::map<std::string, Look> chosen;
    std::set<std::size_t> taken;
    std::vector<std::string> unnamed;
    std::vector<const Series*> alike;
    std::size_t references = 0;

    // Labels of the list have their places before any other label looks for one.
    for (const Series* series : first_of_each_label(figure)) {
        const auto name = std::find(figure.names.begin(), figure.names.end(), series->label);
        if (series->look) {
            chosen.emplace(series->label, *series->look);
        } else if (!series->like.empty()) {
            alike.push_back(series);
        } else if (series->style == Style::reference) {
            chosen.emplace(series->label, reference_look(references++));
        } else if (name != figure.names.end()) {
            const auto place = static_cast<std::size_t>(name - figure.names.begin()) % distinct_looks;
            taken.insert(place);
            chosen.emplace(series->label, look_at(place));
        } else {
            unnamed.push_back(series->label);
        }
    }

    for (const std::string& label : unnamed) {
        std::size_t place = hash(label) % colour_count;
        for (std::size_t tried = 0; tried < distinct_looks && taken.contains(place); ++tried) {
            // All colours of one dash pattern come before the next pattern.
            const std::size_t pattern = place / colour_count;
            place = pattern * colour_count + (place + 1) % colour_count;
            if ((tried + 1) % colour_count == 0) place = (place + colour_count) % distinct_looks;
        }
        taken.insert(place);
        chosen.emplace(label, look_at(place));
    }

    for (const Series* series : alike) {
        const auto other = chosen.find(series->like);
        const auto name = std::find(figure.names.begin(), figure.names.end(), series->like);
        const auto place = static_cast<std::size_t>(name - figure.names.begin());
        chosen.emplace(series->label, other != chosen.end() ? other->second : look_at(place));
    }
    return chosen;
}

}  // namespace rfbench::report
