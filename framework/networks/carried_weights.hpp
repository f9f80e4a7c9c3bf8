#pragma once
#include "rfbench/networks/parameters.hpp"

namespace rfbench::networks {

/// `start`, values of the layout `to`, in which each parameter that `from` has under the same name holds its value of
/// `values`: a network whose heads are replaced by heads with other parameters goes on from the weights it has. Throws
/// std::invalid_argument naming a parameter that has another shape in the two, and for values that do not fit a layout.
template <class Scalar>
Column<Scalar> carried(const Layout& from, const Column<Scalar>& values, const Layout& to, Column<Scalar> start);

}  // namespace rfbench::networks
