#include "study/known_names.hpp"

#include <algorithm>

#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/established_names.hpp"
#include "rfbench/text/letter_case.hpp"

namespace rfbench::experiments {
namespace {

KnownName entry(const std::string& name, const std::string& keys, const std::string& method,
                const std::string& reference) {
    return {{name, "{use: " + method + keys + ", label: " + name + "}"}, method, reference};
}

/// Names of methods in papers and other programs, sampling included.
std::vector<KnownName> established_names() {
    std::vector<KnownName> all;
    for (const features::EstablishedName& one : features::established_names())
        all.push_back(entry(one.name, ", sampling: " + one.sampling, one.mechanism, one.reference));
    all.push_back(entry("LUNA", "", "luna", "Shahbazi et al. 2025"));
    all.push_back(entry("Linformer", "", "linformer", "Wang et al. 2020"));
    all.push_back(entry("Reformer", "", "lsh", "Kitaev et al. 2020"));
    all.push_back(entry("Nystromformer", "", "nystrom", "Xiong et al. 2021"));
    all.push_back(entry("softmax", "", "exact", "Vaswani et al. 2017"));
    return all;
}

/// Adds the names that papers give mechanisms: OPRF, GERF, SDERF, ... They say nothing of a sampling.
void add_paper_names(std::vector<KnownName>& all) {
    for (const features::MechanismInfo& info : features::catalogue()) {
        const auto same = [&](const KnownName& one) { return one.alias.name == info.paper_name; };
        // Nobody types a description of several words.
        const bool is_word = info.paper_name.find(' ') == std::string::npos;
        if (features::is_named_by_a_paper(info) && is_word && std::none_of(all.begin(), all.end(), same))
            all.push_back(entry(info.paper_name, "", info.name, info.reference));
    }
}

}  // namespace

const std::vector<KnownName>& known_names() {
    static const std::vector<KnownName> all = [] {
        std::vector<KnownName> names = established_names();
        add_paper_names(names);
        return names;
    }();
    return all;
}

const KnownName* known_name(std::string_view name) {
    for (const KnownName& one : known_names())
        if (equal_ignoring_case(one.alias.name, name)) return &one;
    return nullptr;
}

}  // namespace rfbench::experiments
