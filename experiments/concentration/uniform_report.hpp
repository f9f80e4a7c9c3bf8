#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Figures of the number of features an error takes against dimension, radius and length, and tables of fitted
/// exponents beside those of the printed orders, and of Theorem 2 beside what was found.
Report uniform_report(const store::Dataset&);

}  // namespace rfbench::experiments
