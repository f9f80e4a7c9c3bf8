#pragma once
#include <pybind11/pybind11.h>

#include <memory>

#include "rfbench/features/function_mechanism.hpp"

namespace rfbench::python {

/// The functions of an rfbench.Functions. Each call takes the interpreter's lock, in which Python's functions run one
/// at a time. What they raise is handed on.
std::shared_ptr<const features::MechanismFunctions> functions_of(const pybind11::object&);

}  // namespace rfbench::python
