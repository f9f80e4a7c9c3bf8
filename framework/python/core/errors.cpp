// Exceptions by whose mistake they are (rfbench/errors.hpp): a user's, and a broken contract of the mathematics, whose
// caller is the user here, are ValueError as pybind11 has it for std::invalid_argument; a file's is OSError; memory
// that ends is MemoryError; all else is RuntimeError.
#include "rfbench/errors.hpp"

#include "parts.hpp"

namespace rfbench::python {

void add_errors() {
    pybind11::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const FileError& error) {
            PyErr_SetString(PyExc_OSError, error.what());
        }
    });
}

}  // namespace rfbench::python
