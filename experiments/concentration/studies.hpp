#pragma once
#include "experiment.hpp"

namespace rfbench::experiments {

std::vector<Study> concentration_studies();

Study tail_study();
Study uniform_study();

}  // namespace rfbench::experiments
