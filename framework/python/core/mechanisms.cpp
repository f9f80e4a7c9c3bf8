// The catalogue of mechanisms and samplings, fits, and exact moments.
#include <pybind11/stl.h>

#include <cmath>

#include "arrays.hpp"
#include "functions.hpp"
#include "mechanism.hpp"
#include "parts.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/drawn_moments.hpp"
#include "rfbench/parallel/loop.hpp"
#include "rfbench/text/number.hpp"

namespace rfbench::python {

using features::MechanismInfo;
using features::ParameterInfo;

namespace {

bool is_finite(double value) { return std::isfinite(value); }
bool is_finite(std::complex<double> value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }
bool is_finite(bool) { return true; }
bool is_finite(const std::string&) { return true; }
bool is_finite(const std::vector<double>& values) {
    for (const double value : values)
        if (!std::isfinite(value)) return false;
    return true;
}

}  // namespace

Mechanism::Mechanism(const MechanismInfo& info, features::Settings settings, features::Statistics statistics)
    // The catalogue outlives everything: its entries are not owned.
    : info_(&info, [](const MechanismInfo*) {}), settings_(std::move(settings)), statistics_(std::move(statistics)) {
    if (info.has_moments()) {
        std::shared_ptr<const features::MechanismWithMoments> fitted =
            features::fit_with_moments(info, statistics_, settings_);
        with_moments_ = fitted.get();
        fitted_ = std::move(fitted);
    } else {
        fitted_ = features::fit(info, statistics_, settings_);
    }
    for (const auto& [name, value] : fitted_->parameters())
        if (!std::visit([](const auto& held) { return is_finite(held); }, value))
            throw InputError("the parameter '" + name +
                             "' that is fitted to these points is not finite; points whose "
                             "squares are within the range of double have finite ones");
}

Mechanism::Mechanism(py::object functions, features::Statistics statistics)
    : statistics_(std::move(statistics)), functions_(std::move(functions)) {
    const std::shared_ptr<const features::MechanismFunctions> own = functions_of(functions_);
    auto info = std::make_shared<MechanismInfo>();
    info->name = own->name();
    info->summary = "functions of Python";
    info->positive = functions_.attr("positive").cast<bool>();
    info_ = std::move(info);
    if (functions_.attr("log_second_moment").is_none()) {
        fitted_ = features::mechanism_of(own, statistics_.dimension());
        return;
    }
    auto fitted = features::mechanism_with_moments_of(own, statistics_.dimension());
    with_moments_ = fitted.get();
    fitted_ = std::move(fitted);
}

const features::MechanismWithMoments& Mechanism::with_moments() const {
    if (!with_moments_)
        throw InputError("mechanism '" + info_->name +
                         "' states no mean and variance of one draw: its features are not drawn one by one");
    return *with_moments_;
}

namespace {

/// Statistics of both sets: of points x and y, or of the scaled queries and keys of the softmax kernel.
features::Statistics statistics_of_points(const py::object& x, const py::object& y, bool softmax,
                                          features::PoissonMoments poisson) {
    const std::string name_x = softmax ? "q" : "x", name_y = softmax ? "k" : "y";
    const auto xs = matrix<double>(real_array(x, name_x), name_x);
    const auto ys = y.is_none() ? xs : matrix<double>(real_array(y, name_y), name_y);
    const py::gil_scoped_release others_run;
    return softmax ? attention::softmax_statistics(xs[0], ys[0], poisson) : features::statistics(xs[0], ys[0], poisson);
}

Mechanism fit(const std::string& name, const py::object& x, const py::object& y, bool softmax,
              const py::dict& parameters) {
    const MechanismInfo& info = features::find(name);
    features::Settings settings = settings_of(info, parameters);
    features::Statistics statistics = statistics_of_points(x, y, softmax, info.poisson_moments);
    const py::gil_scoped_release others_run;
    return Mechanism(info, std::move(settings), std::move(statistics));
}

Mechanism fit_functions(const py::object& functions, const py::object& x, const py::object& y, bool softmax) {
    return Mechanism(functions, statistics_of_points(x, y, softmax, features::PoissonMoments::left_out));
}

/// Points of moments: rows, or a single point whose axis is left out of what is returned.
struct Points2 {
    Points2(const py::object& given, const std::string& name)
        : array(real_array(given, name)), single(array.ndim() == 1) {
        if (single) array = array.reshape({py::ssize_t(1), array.shape(0)});
    }
    py::array array;
    bool single;
};

void check_columns(const Mechanism& mechanism, Index of_x, Index of_y) {
    for (const auto& [name, columns] : {std::pair{"x", of_x}, std::pair{"y", of_y}})
        if (columns != mechanism.statistics().dimension())
            throw InputError(std::string(name) + " has " + std::to_string(columns) +
                             " columns; the mechanism is fitted to points of " +
                             std::to_string(mechanism.statistics().dimension()));
}

/// value(pair) for each pair of rows, n x n' for each of the values.
template <std::size_t count, class Value>
std::array<py::array, count> of_pairs(const Mechanism& mechanism, const py::object& x, const py::object& y,
                                      Value value) {
    const Points2 given_x(x, "x"), given_y(y, "y");
    const auto xs = matrix<double>(given_x.array, "x"), ys = matrix<double>(given_y.array, "y");
    check_columns(mechanism, xs.columns(), ys.columns());
    const Index d = xs.columns();
    std::array<Points, count> out;
    for (Points& values : out) values.resize(xs.rows(), ys.rows());
    {
        const py::gil_scoped_release others_run;
        const Points rows_x = xs[0], rows_y = ys[0];
        features::statistics(rows_x, rows_y, features::PoissonMoments::left_out);  // throws where not finite
        parallel::Loop(rows_x.rows(), parallel::Share::evenly).run([&](Index i) {
            for (Index j = 0; j < rows_y.rows(); ++j) {
                const auto values = value(features::Pair(rows_x.row(i).data(), rows_y.row(j).data(), d));
                for (std::size_t k = 0; k < count; ++k) out[k](i, j) = values[k];
            }
        });
    }
    std::array<py::array, count> arrays;
    for (std::size_t k = 0; k < count; ++k) {
        Shape shape;
        if (!given_x.single) shape.push_back(xs.rows());
        if (!given_y.single) shape.push_back(ys.rows());
        arrays[k] = owned(std::move(out[k]), shape);
    }
    return arrays;
}

py::tuple moments(const Mechanism& mechanism, const py::object& x, const py::object& y) {
    const features::MechanismWithMoments& fitted = mechanism.with_moments();
    const auto logs = of_pairs<3>(mechanism, x, y, [&](const features::Pair& pair) {
        const features::Moments found = fitted.moments(pair);
        return std::array{found.log_mean, found.log_second_moment, found.log_variance};
    });
    return py::make_tuple(logs[0], logs[1], logs[2]);
}

py::array log_variance(const Mechanism& mechanism, const py::object& x, const py::object& y, Index count,
                       const std::string& sampling) {
    const features::MechanismWithMoments& fitted = mechanism.with_moments();
    const sampling::Scheme& scheme = sampling::find(sampling);
    if (count < 1) throw InputError("count: " + std::to_string(count) + " is given; at least 1 draw is taken");
    return of_pairs<1>(mechanism, x, y, [&](const features::Pair& pair) {
        const auto log = features::estimator_log_variance(fitted, pair, scheme, count);
        if (!log)
            throw InputError("no closed form is known of the variance of '" + mechanism.info().name +
                             "' under the sampling '" + scheme.name + "'; under 'iid' there is one");
        return std::array{*log};
    })[0];
}

py::tuple drawn_moments(const Mechanism& mechanism, const py::object& x, const py::object& y, Index count,
                        const std::string& sampling, std::int64_t repeats, std::uint64_t seed) {
    const Points2 given_x(x, "x"), given_y(y, "y");
    if (!given_x.single || !given_y.single) throw InputError("drawn_moments() takes one point each, of shape (d,)");
    const auto xs = matrix<double>(given_x.array, "x"), ys = matrix<double>(given_y.array, "y");
    check_columns(mechanism, xs.columns(), ys.columns());
    if (count < 1 || repeats < 2)
        throw InputError("count: " + std::to_string(count) + " and repeats: " + std::to_string(repeats) +
                         " are given; at least 1 draw and 2 repeats are taken");
    const sampling::Scheme& scheme = sampling::find(sampling);
    const py::gil_scoped_release others_run;
    const Vector point_x = xs[0].row(0), point_y = ys[0].row(0);
    const features::DrawnMoments found = features::drawn_moments(mechanism.fitted(), features::Pair(point_x, point_y),
                                                                 scheme, count, repeats, Stream(seed));
    const py::gil_scoped_acquire lock;
    return py::make_tuple(found.mean, found.mean_error, found.variance, found.variance_error);
}

py::tuple pickled(const Mechanism& mechanism) {
    const py::tuple statistics = state_of(mechanism.statistics());
    if (mechanism.functions()) return py::make_tuple(mechanism.functions(), statistics);
    return py::make_tuple(mechanism.info().name, dictionary_of(mechanism.settings()), statistics);
}

Mechanism unpickled(const py::tuple& state) {
    if (state.size() == 2) return Mechanism(state[0], statistics_of(state[1].cast<py::tuple>()));
    const MechanismInfo& info = features::find(state[0].cast<std::string>());
    return Mechanism(info, settings_of(info, state[1].cast<py::dict>()), statistics_of(state[2].cast<py::tuple>()));
}

const char* type_name(ParameterInfo::Type type) {
    switch (type) {
        case ParameterInfo::Type::real: return "real";
        case ParameterInfo::Type::integer: return "integer";
        case ParameterInfo::Type::complex: return "complex";
        case ParameterInfo::Type::boolean: return "boolean";
        case ParameterInfo::Type::sign: return "sign";
        case ParameterInfo::Type::list: return "list";
        case ParameterInfo::Type::word: return "word";
    }
    return "";
}

void add_catalogues(py::module_& module) {
    py::class_<ParameterInfo>(module, "ParameterInfo", "One parameter of a mechanism.")
        .def_readonly("name", &ParameterInfo::name, "As fit() takes it.")
        .def_property_readonly(
            "type", [](const ParameterInfo& info) { return type_name(info.type); },
            "real, integer, complex, boolean, sign, list or word.")
        .def_readonly("range", &ParameterInfo::range, "Legal values, in words.")
        .def_readonly("meaning", &ParameterInfo::meaning, "Its role, and the value that fit() chooses.");
    py::class_<MechanismInfo>(module, "MechanismInfo", "Description of a mechanism of the catalogue.")
        .def_readonly("name", &MechanismInfo::name, "As fit() takes it.")
        .def_readonly("paper_name", &MechanismInfo::paper_name, "TrigRF, OPRF, ...")
        .def_readonly("summary", &MechanismInfo::summary, "One line.")
        .def_readonly("features", &MechanismInfo::features, "f1 and f2 as formulas.")
        .def_readonly("variance", &MechanismInfo::variance, "Var or E Z^2 as a formula.")
        .def_readonly("reference", &MechanismInfo::reference, "Author year, equation.")
        .def_readonly("cost", &MechanismInfo::cost, "Of the fit, of features, and real columns a draw.")
        .def_readonly("parameters", &MechanismInfo::parameters, "A list of ParameterInfo.")
        .def_readonly("positive", &MechanismInfo::positive, "Whether every feature is positive for every input.")
        .def_readonly("unbiased", &MechanismInfo::unbiased, "Whether E Z = K exactly.")
        .def_property_readonly("has_moments", &MechanismInfo::has_moments,
                               "Whether moments() and variance() are known.")
        .def("__repr__", [](const MechanismInfo& info) { return "<" + info.name + ": " + info.summary + ">"; });
    py::class_<sampling::Scheme>(module, "SamplingInfo", "Description of a sampling scheme.")
        .def_readonly("name", &sampling::Scheme::name, "As draw() takes it.")
        .def_readonly("summary", &sampling::Scheme::summary, "One line.")
        .def_readonly("reference", &sampling::Scheme::reference, "Author year, equation.")
        .def_readonly("exact_marginals", &sampling::Scheme::exact_marginals, "Whether every column is N(0, I).")
        .def("__repr__", [](const sampling::Scheme& info) { return "<" + info.name + ": " + info.summary + ">"; });

    const auto by_name = [](const auto& list) {
        py::dict out;
        for (const auto& info : list) out[py::str(info.name)] = py::cast(&info, py::return_value_policy::reference);
        return out;
    };
    module.def("mechanisms", [by_name] { return by_name(features::catalogue()); });
    module.def("samplings", [by_name] { return by_name(sampling::catalogue()); });
}

}  // namespace

void add_mechanisms(py::module_& module) {
    add_catalogues(module);
    module.def("fit", &fit);
    module.def("fit_functions", &fit_functions);
    module.def("unpickled", [](const std::string& name, const py::dict& settings, const py::tuple& statistics) {
        return unpickled(py::make_tuple(name, settings, statistics));
    });
    py::class_<Mechanism>(module, "Mechanism")
        .def_property_readonly("info", &Mechanism::info, py::return_value_policy::reference)
        .def_property_readonly("name", [](const Mechanism& mechanism) { return mechanism.info().name; })
        .def_property_readonly("dimension",
                               [](const Mechanism& mechanism) { return mechanism.statistics().dimension(); })
        .def_property_readonly(
            "parameters", [](const Mechanism& mechanism) { return dictionary_of(mechanism.fitted().parameters()); })
        .def("columns", [](const Mechanism& mechanism, Index count) { return mechanism.fitted().columns(count); })
        .def("_moments", &moments)
        .def("_log_variance", &log_variance)
        .def("_drawn_moments", &drawn_moments)
        .def(py::pickle(&pickled, &unpickled));
}

}  // namespace rfbench::python
