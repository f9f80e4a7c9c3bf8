#include "rfbench/engine/layout.hpp"

namespace rfbench::engine {

Layout::Layout(const std::filesystem::path& results, const Plan& plan)
    : collected(results / plan.experiment / (plan.config + ".h5")),
      folder(results / plan.experiment / plan.config),
      cells(folder / "cells"),
      journal(folder / "journal"),
      sums(folder / "SHA256SUMS"),
      lock(folder / "lock"),
      draft(folder / (plan.config + ".h5")) {}

std::filesystem::path Layout::cell(const Cell& one) const { return cells / file_name(one); }

}  // namespace rfbench::engine
