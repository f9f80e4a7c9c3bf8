#include "rfbench/features/established_names.hpp"

#include "rfbench/text/letter_case.hpp"

namespace rfbench::features {

const std::vector<EstablishedName>& established_names() {
    static const std::vector<EstablishedName> all{
        {"RFF", "trigonometric", "iid", "Rahimi and Recht 2007"},
        {"ORF", "trigonometric", "orthogonal", "Yu et al. 2016"},
        {"SORF", "trigonometric", "hadamard", "Yu et al. 2016"},
        {"FAVOR", "trigonometric", "orthogonal", "Choromanski et al. 2020"},
        {"FAVOR+", "positive", "orthogonal", "Choromanski et al. 2021"},
        {"Performer", "positive", "orthogonal", "Choromanski et al. 2021"},
        {"FAVOR++", "optimal-positive", "orthogonal", "Likhosherstov et al. 2022"},
        {"PFF", "positive-fixed", "sphere-points", "Chen et al. 2024"},
        {"WPFF", "positive-weighted", "sphere-points", "Chen et al. 2024"},
        {"WDCF", "discrete-cosine", "dct", "Chen et al. 2024"},
        {"DiJiang", "discrete-cosine", "dct", "Chen et al. 2024"},
    };
    return all;
}

const EstablishedName* established_name(std::string_view name) {
    for (const EstablishedName& one : established_names())
        if (equal_ignoring_case(one.name, name)) return &one;
    return nullptr;
}

}  // namespace rfbench::features
