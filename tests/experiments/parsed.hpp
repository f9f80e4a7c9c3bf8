#pragma once
#include <string>

#include "configuration.hpp"
#include "rfbench/config/load.hpp"

/// A configuration of the study, its experiment and its name left out of the YAML.
inline rfbench::config::Value parsed(const rfbench::experiments::Study& study, const std::string& yaml) {
    return rfbench::config::parse("experiment: " + study.experiment + "\nstudy: " + study.name + "\n" + yaml,
                                  "test.yaml", rfbench::experiments::schema_of(study));
}

/// What the sweep computes for a cell.
inline rfbench::store::Dataset computed(const rfbench::experiments::Sweep& sweep, const rfbench::engine::Cell& cell) {
    return sweep.compute(sweep.point(cell.coordinates));
}
