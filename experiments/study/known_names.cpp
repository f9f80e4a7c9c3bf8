#include "study/known_names.hpp"

#include <algorithm>
#include <cctype>

#include "rfbench/features/catalogue.hpp"

namespace rfbench::experiments {
namespace {

KnownName entry(const std::string& name, const std::string& keys, const std::string& method,
                const std::string& reference) {
    return {{name, "{use: " + method + keys + ", label: " + name + "}"}, method, reference};
}

/// Names of methods in papers and other programs, sampling included.
const std::vector<KnownName>& established_names() {
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

/// Names that papers give mechanisms: OPRF, GERF, SDERF, ... They say nothing of a sampling.
std::vector<KnownName> paper_names() {
    std::vector<KnownName> all;
    for (const features::MechanismInfo& info : features::catalogue()) {
        const auto same = [&](const KnownName& one) { return one.alias.name == info.paper_name; };
        const auto& others = established_names();
        // Nobody types a description of several words.
        const bool is_word = info.paper_name.find(' ') == std::string::npos;
        if (features::is_named_by_a_paper(info) && is_word && std::none_of(others.begin(), others.end(), same))
            all.push_back(entry(info.paper_name, "", info.name, info.reference));
    }
    return all;
}

}  // namespace

const std::vector<KnownName>& known_names() {
    static const std::vector<KnownName> all = [] {
        std::vector<KnownName> names = established_names();
        for (KnownName& one : paper_names()) names.push_back(std::move(one));
        return names;
    }();
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
