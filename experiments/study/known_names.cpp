#include "study/known_names.hpp"

#include <algorithm>
#include <cctype>

namespace rfbench::experiments {
namespace {

KnownName entry(const std::string& name, const std::string& keys, const char* method, const char* reference) {
    return {{name, "{use: " + std::string(method) + keys + ", label: " + name + "}"}, method, reference};
}

}  // namespace

const std::vector<KnownName>& known_names() {
    const std::string orthogonal = ", sampling: orthogonal";
    static const std::vector<KnownName> all{
        entry("RFF", ", sampling: iid", "trigonometric", "Rahimi and Recht 2007"),
        entry("ORF", orthogonal, "trigonometric", "Yu et al. 2016"),
        entry("SORF", ", sampling: hadamard", "trigonometric", "Yu et al. 2016"),
        entry("FAVOR", orthogonal, "trigonometric", "Choromanski et al. 2020"),
        entry("FAVOR+", orthogonal, "positive", "Choromanski et al. 2021"),
        entry("Performer", orthogonal, "positive", "Choromanski et al. 2021"),
        entry("FAVOR++", orthogonal, "optimal-positive", "Likhosherstov et al. 2022"),
        entry("PFF", ", sampling: sphere-points", "positive-fixed", "Chen et al. 2024"),
        entry("WPFF", ", sampling: sphere-points", "positive-weighted", "Chen et al. 2024"),
        entry("WDCF", ", sampling: dct", "discrete-cosine", "Chen et al. 2024"),
        entry("DiJiang", ", sampling: dct", "discrete-cosine", "Chen et al. 2024"),
        entry("LUNA", "", "luna", "Shahbazi et al. 2025"),
        entry("Linformer", "", "linformer", "Wang et al. 2020"),
        entry("Reformer", "", "lsh", "Kitaev et al. 2020"),
        entry("Nystromformer", "", "nystrom", "Xiong et al. 2021"),
        entry("softmax", "", "exact", "Vaswani et al. 2017"),
    };
    return all;
}

const KnownName* known_name(std::string_view name) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    for (const KnownName& one : known_names())
        if (std::equal(name.begin(), name.end(), one.alias.name.begin(), one.alias.name.end(), same)) return &one;
    return nullptr;
}

}  // namespace rfbench::experiments
