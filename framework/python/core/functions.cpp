#include "functions.hpp"

#include "arrays.hpp"

namespace rfbench::python {
namespace {

using features::Side;

/// The package's module that checks what functions give.
py::object checks(const char* name) { return py::module_::import("rfbench.functions").attr(name); }

/// Functions of Python. Any thread may let go of them, and does so under the interpreter's lock.
class PythonFunctions final : public features::MechanismFunctions {
public:
    PythonFunctions(std::string name, py::object own) : name_(std::move(name)), own_(std::move(own)) {}
    ~PythonFunctions() override {
        const py::gil_scoped_acquire lock;
        own_ = py::object();
    }
    PythonFunctions(const PythonFunctions&) = delete;
    PythonFunctions& operator=(const PythonFunctions&) = delete;

    std::string name() const override { return name_; }

    Rows<double> features(Side side, const Points& rows, const Projections& omega) const override {
        const py::gil_scoped_acquire lock;
        const char* const which = side == Side::query ? "features_x" : "features_y";
        return rows_of(checks("columns")(own_, which, owned(Points(rows)), owned(Rows<double>(omega))), which);
    }

    std::function<double(Index, double)> quantile() const override {
        const py::gil_scoped_acquire lock;
        if (own_.attr("quantile").is_none()) return {};
        return [this](Index l, double u) {
            const py::gil_scoped_acquire own;
            return checks("quantile")(own_, l, u).cast<double>();
        };
    }

    Points log_second_moments(const Points& x, const Points& y) const override {
        const py::gil_scoped_acquire lock;
        return rows_of(checks("log_second_moments")(own_, owned(Points(x)), owned(Points(y))), "log_second_moment");
    }

private:
    static Rows<double> rows_of(const py::object& found, const std::string& name) {
        return matrix<double>(py::array(found), name)[0];
    }

    std::string name_;
    py::object own_;
};

}  // namespace

std::shared_ptr<const features::MechanismFunctions> functions_of(const py::object& own) {
    return std::make_shared<PythonFunctions>(own.attr("name").cast<std::string>(), own);
}

}  // namespace rfbench::python
