// Parameters and statistics of mechanisms as Python's values, and back.
#include <pybind11/complex.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "mechanism.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::python {
namespace {

namespace py = pybind11;
using Type = features::ParameterInfo::Type;

const features::ParameterInfo* parameter_of(const features::MechanismInfo& info, const std::string& name) {
    for (const features::ParameterInfo& parameter : info.parameters)
        if (parameter.name == name) return &parameter;
    return nullptr;
}

/// The value as the parameter's type; what cannot be is left for the catalogue to refuse, which knows the range.
features::ParameterValue value_of(Type type, const py::handle& value) {
    if (type == Type::boolean) return value.cast<bool>();
    if (type == Type::complex) return value.cast<std::complex<double>>();
    if (type == Type::list) return value.cast<std::vector<double>>();
    return value.cast<double>();
}

}  // namespace

features::Settings settings_of(const features::MechanismInfo& info, const py::dict& given) {
    features::Settings settings;
    for (const auto& [key, value] : given) {
        const std::string name = py::cast<std::string>(key);
        const features::ParameterInfo* const parameter = parameter_of(info, name);
        const bool wants_list = parameter && parameter->type == Type::list;
        const bool is_bool = py::isinstance<py::bool_>(value);
        const bool fits = parameter && is_bool == (parameter->type == Type::boolean) && parameter->type != Type::word;
        if (fits && !py::isinstance<py::str>(value)) {
            try {
                settings.emplace(name, value_of(parameter->type, value));
                continue;
            } catch (const py::cast_error&) {  // refused below, by its text
            }
        }
        // The command line's reader of texts says what the parameter takes.
        const py::object shown =
            wants_list && !py::isinstance<py::str>(value) ? py::object(py::repr(value)) : py::object(py::str(value));
        settings.insert(features::parse_setting(info, name + "=" + shown.cast<std::string>()));
    }
    return settings;
}

py::dict dictionary_of(const features::Settings& settings) {
    py::dict out;
    for (const auto& [name, value] : settings)
        std::visit([&, &key = name](const auto& held) { out[py::str(key)] = py::cast(held); }, value);
    return out;
}

namespace {

py::tuple state_of(const features::SetStatistics& set) {
    return py::make_tuple(set.rows, set.mean, set.mean_absolute, set.minimum, set.second_moment,
                          set.log_poisson_moments);
}

features::SetStatistics set_of(const py::tuple& state) {
    features::SetStatistics set;
    set.rows = state[0].cast<Index>();
    set.mean = state[1].cast<Vector>();
    set.mean_absolute = state[2].cast<Vector>();
    set.minimum = state[3].cast<Vector>();
    set.second_moment = state[4].cast<Eigen::MatrixXd>();
    set.log_poisson_moments = state[5].cast<std::vector<Vector>>();
    return set;
}

}  // namespace

py::tuple state_of(const features::Statistics& statistics) {
    return py::make_tuple(state_of(statistics.x), state_of(statistics.y));
}

features::Statistics statistics_of(const py::tuple& state) {
    return {set_of(state[0].cast<py::tuple>()), set_of(state[1].cast<py::tuple>())};
}

}  // namespace rfbench::python
