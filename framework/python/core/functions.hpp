#pragma once
#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "rfbench/features/mechanism.hpp"

namespace rfbench::python {

/// A mechanism of a user's own: NumPy functions f(rows, omega) -> features, n x R real or complex, of rows n x d and of
/// omegas d x M, and a law of omega: None for N(0, I), or quantile(l, u).
struct Functions {
    std::string name;
    pybind11::object features_x, features_y, quantile;
};

/// As the catalogue's fitted mechanisms are. Each evaluation takes the interpreter's lock, in which Python's functions
/// run one at a time. What they raise is handed on; features of another shape or not finite are an InputError.
std::shared_ptr<const features::Mechanism> mechanism_of(const Functions&, Index dimension);

}  // namespace rfbench::python
