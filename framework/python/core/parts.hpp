#pragma once
// Parts of the module: each part says its names to it.
#include <pybind11/pybind11.h>

namespace rfbench::python {

void add_mechanisms(pybind11::module_&);
void add_maps(pybind11::module_&);
void add_attention(pybind11::module_&);
void add_gradients(pybind11::module_&);
void add_masks(pybind11::module_&);

}  // namespace rfbench::python
