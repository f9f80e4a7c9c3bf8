#include "report/best_report.hpp"

#include "study/method_identity.hpp"

namespace rfbench::experiments {

std::vector<std::string> exact_labels(const store::Dataset& data) {
    std::vector<std::string> labels;
    for (const MethodIdentity& one : method_identities(data))
        if (one.name == "exact") labels.push_back(one.label);
    return labels;
}

}  // namespace rfbench::experiments
