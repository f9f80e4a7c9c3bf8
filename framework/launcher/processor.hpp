#pragma once

namespace rfbench::launcher {

/// The highest level of the x86-64 psABI that this processor has and the system lets programs use: 1 (x86-64) to 4.
int processor_level();

}  // namespace rfbench::launcher
