#pragma once
#include <string>

#include "rfbench/config/error.hpp"
#include "rfbench/config/load.hpp"
#include "study/configuration.hpp"
#include "support/refusal.hpp"

/// A configuration of the study, its experiment and its name left out of the YAML.
inline rfbench::config::Value parsed(const rfbench::experiments::Study& study, const std::string& yaml) {
    return rfbench::config::parse("experiment: " + study.experiment + "\nstudy: " + study.name + "\n" + yaml,
                                  "test.yaml", rfbench::experiments::schema_of(study));
}

inline rfbench::experiments::Sweep prepared(const rfbench::experiments::Study& study, const std::string& yaml) {
    return study.prepare(parsed(study, yaml));
}

/// Message of the config::Error that `call` throws; "accepted" if it throws none.
template <class Call>
std::string refused(Call&& call) {
    return rfbench::tests::refusal<rfbench::config::Error>(call);
}

/// The same of a study that makes a configuration ready.
inline std::string refused(const rfbench::experiments::Study& study, const std::string& yaml) {
    return refused([&] { prepared(study, yaml); });
}

/// Dataset that the sweep computes for a cell.
inline rfbench::store::Dataset computed(const rfbench::experiments::Sweep& sweep, const rfbench::engine::Cell& cell) {
    return sweep.measure(sweep.point(cell.coordinates));
}
