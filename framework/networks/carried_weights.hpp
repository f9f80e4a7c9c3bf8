#pragma once
#include "rfbench/networks/parameters.hpp"

namespace rfbench::networks {

/// Returns `start`, values of the layout `to`, after it has copied to it, from `values`, each parameter that the layout
/// `from` has under the same name. So a network keeps its other weights when its heads are replaced. Throws
/// std::invalid_argument naming a parameter whose shapes differ, and for vectors that do not fit their layout.
template <class Scalar>
Column<Scalar> carried(const Layout& from, const Column<Scalar>& values, const Layout& to, Column<Scalar> start);

}  // namespace rfbench::networks
