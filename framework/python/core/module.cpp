// rfbench._core: the mathematics, for Python. The package in framework/python/rfbench/ is what users see.
#include "parts.hpp"
#include "rfbench/store/instruction_set.hpp"
#include "rfbench/version.hpp"

PYBIND11_MODULE(_core, module) {
    module.attr("__version__") = rfbench::version;
    module.attr("__instruction_set__") = rfbench::store::instruction_set();
    rfbench::python::add_mechanisms(module);
    rfbench::python::add_maps(module);
    rfbench::python::add_attention(module);
    rfbench::python::add_gradients(module);
    rfbench::python::add_masks(module);
}
