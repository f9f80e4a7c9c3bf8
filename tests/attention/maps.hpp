#pragma once
// All features that attention can be given.
#include <memory>
#include <string>
#include <vector>

#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "sequences.hpp"

struct NamedMap {
    std::string name;
    std::unique_ptr<const rfbench::features::FeatureMap> map;
};

/// A mechanism fitted to a sequence and drawn.
inline rfbench::attention::SoftmaxMap map_of(const rfbench::features::MechanismInfo& info, const Sequence& s,
                                             rfbench::Index count, const char* scheme = "iid",
                                             const rfbench::features::Settings& settings = {}) {
    using namespace rfbench;
    const auto mechanism = features::fit(info, attention::softmax_statistics(s.queries, s.keys), settings);
    return attention::softmax_map(*mechanism, s.queries.cols(), count, sampling::find(scheme), Stream(9));
}

inline rfbench::attention::SoftmaxMap map_of(const char* name, const Sequence& s, rfbench::Index count) {
    return map_of(rfbench::features::find(name), s, count);
}

/// Features of discrete laws, and those of the hybrid, have none.
inline bool has_gradient(const rfbench::features::MechanismInfo& info) {
    return !info.discrete && info.name != "hybrid";
}

/// Every mechanism of the catalogue, or those chosen, fitted to a sequence and drawn independently and, where that can
/// be, orthogonally.
inline std::vector<NamedMap> softmax_maps(const Sequence& s, rfbench::Index count,
                                          bool (*chosen)(const rfbench::features::MechanismInfo&) = nullptr) {
    using namespace rfbench;
    std::vector<NamedMap> all;
    const auto statistics = attention::softmax_statistics(s.queries, s.keys);
    for (const features::MechanismInfo& info : features::catalogue()) {
        if (chosen != nullptr && !chosen(info)) continue;
        const auto mechanism = features::fit(info, statistics);
        for (const char* name : {"iid", "orthogonal"}) {
            const sampling::Scheme& scheme = sampling::find(name);
            if (info.discrete && scheme.uniforms == nullptr) continue;
            all.push_back(
                {info.name + ", " + name, std::make_unique<attention::SoftmaxMap>(attention::softmax_map(
                                              *mechanism, s.queries.cols(), count, scheme, rfbench::Stream(9)))});
        }
    }
    return all;
}

/// Every nonlinearity, of independent, orthogonal and no projections.
inline std::vector<NamedMap> generalized_maps(rfbench::Index d, rfbench::Index count) {
    using namespace rfbench;
    std::vector<NamedMap> all;
    for (const features::Nonlinearity& mapping : features::nonlinearities()) {
        for (const char* name : {"iid", "orthogonal"})
            all.push_back(
                {mapping.name + ", " + name, std::make_unique<attention::GeneralizedMap>(attention::generalized_map(
                                                 mapping, d, count, sampling::find(name), Stream(10)))});
        all.push_back({mapping.name + ", identity", std::make_unique<attention::GeneralizedMap>(mapping, d)});
    }
    return all;
}

inline std::vector<NamedMap> every_map(const Sequence& s, rfbench::Index count) {
    std::vector<NamedMap> all = softmax_maps(s, count);
    for (NamedMap& one : generalized_maps(s.queries.cols(), count)) all.push_back(std::move(one));
    return all;
}
