#include "rfbench/datasets/npz.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rfbench/datasets/foreign.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/zip.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

constexpr std::size_t max_member_bytes = std::size_t{8} << 30;
constexpr std::string_view suffix = ".npy";

}  // namespace

std::vector<std::string> npz_names(const Zip& archive) {
    const std::vector<std::string>& members = archive.names();
    refuse_foreign_archive(archive.file(), members);
    std::vector<std::string> names;
    for (const std::string& member : members)
        if (member.ends_with(suffix)) names.push_back(member.substr(0, member.size() - suffix.size()));
    return names;
}

Array read_npz(const Zip& archive, const std::string& name, const std::string& place) {
    return read_npy(place, archive.contents(name + std::string(suffix), max_member_bytes));
}

Points read_points_npz(const Zip& archive, const std::string& name) {
    const std::string& file = archive.file();
    const std::vector<std::string> names = npz_names(archive);
    const auto place = [&](const std::string& one) { return file + ":" + one; };
    if (!name.empty()) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            refuse({place(name)}, fmt::format("there is no such array; there are {}.{}", fmt::join(names, ", "),
                                              did_you_mean(name, names)));
        return points_of(place(name), read_npz(archive, name, place(name)));
    }
    if (names.size() == 1) return points_of(place(names[0]), read_npz(archive, names[0], place(names[0])));
    refuse({file}, fmt::format("holds {} arrays; name one, as in {}:{} (there are {})", names.size(), file,
                               names.front(), fmt::join(names, ", ")));
}

}  // namespace rfbench::datasets
