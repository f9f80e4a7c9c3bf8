// rfbench.levels._choice: which module of C++ a package imports (framework/python/rfbench/_levels.py).
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "rfbench/launcher/choice.hpp"
#include "rfbench/launcher/processor.hpp"

PYBIND11_MODULE(_choice, module) {
    module.def("chosen_level", [](const std::vector<std::string>& built, const std::string& asked) {
        return rfbench::launcher::chosen_level(built, rfbench::launcher::processor_level(), asked.c_str());
    });
}
