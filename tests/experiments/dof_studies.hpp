#pragma once
// The studies on degrees of freedom, made ready for tests.
#include <string>

#include "cells.hpp"

namespace rfbench::dof_studies {

using namespace rfbench::experiments;

inline const Study& layers_study() { return find("dof", "layers"); }
inline const Study& error_study() { return find("dof", "error"); }
inline const Study& learned_study() { return find("dof", "learned"); }
inline const Study& bound_study() { return find("dof", "bound"); }

inline Sweep prepared(const Study& study, const std::string& yaml) { return study.prepare(parsed(study, yaml)); }

inline const std::string small_heads =
    "heads: {use: decaying, scales: [1, 0.5], decays: [0, 1], dimension: 4, length: 24, sequences: 4}\n";

}  // namespace rfbench::dof_studies
