#pragma once
#include "study/study.hpp"

namespace rfbench::experiments {

/// Attributes of the result file: the key `factor`; the order of a task, after this and its name.
inline constexpr const char* growth_factor = "factor";
inline const std::string growth_order = "order of ";

/// Times against sizes, a panel for each size that grows, and slopes beside the stated orders, judged.
Report growth_report(const store::Dataset&);

}  // namespace rfbench::experiments
