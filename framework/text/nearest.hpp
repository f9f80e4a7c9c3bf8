#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rfbench {

/// The least number of insertions, deletions, substitutions and swaps of neighbours, no place edited twice, that
/// turns a into b (Damerau 1964, restricted form); letters of either case are the same, and so are '-' and '_'.
/// Costs |a| |b| steps.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    const auto same = [](char p, char q) {
        const auto fold = [](char c) {
            return c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        };
        return fold(p) == fold(q);
    };
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;

    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(above);
        above.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
            const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

/// Whether a name begins with `given`, or, where that has four letters or more, with what is one edit from it.
inline bool begins_like(std::string_view name, std::string_view given) {
    if (name.starts_with(given)) return true;
    if (given.size() < 4) return false;
    for (const std::size_t length : {given.size() - 1, given.size(), given.size() + 1})
        if (length < name.size() && edit_distance(given, name.substr(0, length)) <= 1) return true;
    return false;
}

/// The name a user most likely meant by `given`: the one at the least edit distance (the first of equals), if that is
/// at most a third of the shorter length, but one edit always is. A name that begins with `given`, three letters or
/// more, comes before those of two edits and more, and one that begins like it after them. Empty when nothing is near.
inline std::string nearest(std::string_view given, const std::vector<std::string>& names) {
    constexpr std::size_t max_length = 200;
    if (given.empty() || given.size() > max_length) return {};
    std::string best;
    std::size_t least = std::string::npos;
    for (const std::string& name : names) {
        if (name.empty() || name.size() > max_length) continue;
        const std::size_t distance = edit_distance(given, name);
        // By the shorter of the two: what is put into a name to make another of it makes it no nearer.
        const std::size_t shorter = std::min(given.size(), name.size());
        const bool near = distance < shorter && distance <= std::max<std::size_t>(1, shorter / 3);
        if (near && distance < least) {
            least = distance;
            best = name;
        }
    }
    if (given.size() < 3 || least <= 1) return best;
    const auto first = [&](auto begins) {
        const auto begun = std::find_if(names.begin(), names.end(), begins);
        return begun == names.end() ? std::string() : *begun;
    };
    const std::string begun = first([&](const std::string& name) { return name.starts_with(given); });
    if (!begun.empty() || !best.empty()) return begun.empty() ? best : begun;
    return first([&](const std::string& name) { return begins_like(name, given); });
}

/// " Did you mean 'gamma'?", to be put after a sentence; empty when no name is near.
inline std::string did_you_mean(std::string_view given, const std::vector<std::string>& names) {
    const std::string name = nearest(given, names);
    return name.empty() ? std::string() : " Did you mean '" + name + "'?";
}

}  // namespace rfbench
