// Drawn mechanisms: features of rows.
#include <algorithm>
#include <cmath>

#include "arrays.hpp"
#include "map.hpp"
#include "parts.hpp"
#include "rfbench/attention/inputs.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/parallel/loop.hpp"
#include "rfbench/text/number.hpp"

namespace rfbench::python {

using products::Units;

namespace {

/// Draws of so many groups: a positive number of them.
Index checked(Index count) {
    if (count < 1) throw InputError("count: " + std::to_string(count) + " is given; at least 1 draw is taken");
    return count;
}

}  // namespace

products::Arithmetic arithmetic_of(const std::string& products, int parts) {
    for (const products::Units units : {Units::vectors, Units::matrix, Units::emulated}) {
        const products::Arithmetic own{units, parts};
        if (products != products_name(own)) continue;
        products::check(own);
        return own;
    }
    throw InputError("products: '" + products + "' is given; it is vectors, matrix-units or emulated");
}

std::string products_name(const products::Arithmetic& arithmetic) {
    switch (arithmetic.units) {
        case Units::vectors: return "vectors";
        case Units::matrix: return "matrix-units";
        case Units::emulated: break;
    }
    return "emulated";
}

Map Map::with_products(const products::Arithmetic& arithmetic) const {
    Map own = *this;
    own.features = features->with_arithmetic(arithmetic);
    if (!own.features && !arithmetic.on_vectors())
        throw InputError("products: features of '" + mechanism->info().name +
                         "' have no products that matrix units could form");
    if (!own.features) own.features = features;
    return own;
}

Map::Map(std::shared_ptr<const Mechanism> fitted, Index draws, const std::string& scheme, std::uint64_t root)
    : mechanism(std::move(fitted)),
      count(checked(draws)),
      sampling(scheme),
      seed(root),
      draw(features::draw(mechanism->fitted(), mechanism->statistics().dimension(), count, sampling::find(scheme),
                          Stream(seed))),
      features(mechanism->fitted().map(draw)) {}

namespace {

using features::Side;

/// Whether the absolute values of all entries are at most this; NaN is not.
template <class Scalar>
bool all_within(const typename Stack<Scalar>::View& rows, Scalar bound) {
    if (rows.size() == 0) return true;
    constexpr Index rows_at_once = 1024;
    const Index tiles = (rows.rows() + rows_at_once - 1) / rows_at_once;
    const auto outside = [&](Index tile) {
        const Index first = tile * rows_at_once, n = std::min(rows_at_once, rows.rows() - first);
        const Scalar largest = rows.middleRows(first, n).cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
        return Index(largest <= bound ? 0 : 1);
    };
    return parallel::Loop(tiles, parallel::Share::evenly).run(outside) == 0;
}

/// Throws InputError naming what cannot be evaluated: rows of another dimension, or with entries that are not finite or
/// too large.
template <class Scalar>
void check_rows(const Map& map, const std::string& name, const typename Stack<Scalar>::View& rows) {
    if (rows.cols() != map.dimension())
        throw InputError(name + " has " + std::to_string(rows.cols()) + " columns; the map was drawn for " +
                         std::to_string(map.dimension()));
    const double largest = map.features->largest_entry().in<Scalar>();
    if (all_within<Scalar>(rows, static_cast<Scalar>(largest))) return;
    attention::check_finite<Scalar>(name + " has", rows);
    for (Index i = 0; i < rows.rows(); ++i)
        for (Index j = 0; j < rows.cols(); ++j)
            if (std::abs(static_cast<double>(rows(i, j))) > largest)
                throw InputError(name + " has " + shortest_text(rows(i, j)) + " at row " + std::to_string(i) +
                                 ", column " + std::to_string(j) +
                                 "; the features of this map are finite for entries "
                                 "up to " +
                                 shortest_text(largest));
}

template <class Scalar>
py::tuple evaluate(const Map& map, Side side, const Stack<Scalar>& rows, const std::string& name) {
    features::FeatureBlock<Scalar> block;
    {
        const py::gil_scoped_release others_run;
        check_rows<Scalar>(map, name, rows[0]);
        block.values = Spare<Scalar>::instance().take(rows.rows(), map.features->columns());
        map.features->evaluate(side, rows[0], block);
    }
    return py::make_tuple(owned_for_now(std::move(block.values)), owned(std::move(block.log_scale)), block.vanished);
}

/// The same bits, written into an array that the user keeps: piece by piece, each while it is in cache.
template <class Scalar>
py::tuple evaluate_into(const Map& map, Side side, const Stack<Scalar>& rows, const std::string& name,
                        const py::array& out) {
    Eigen::Map<Rows<Scalar>> values = writable<Scalar>(out, {rows.rows(), map.features->columns()});
    Vector log_scales(rows.rows());
    Index vanished = 0;
    {
        const py::gil_scoped_release others_run;
        check_rows<Scalar>(map, name, rows[0]);
        // Functions of Python may give other bits for fewer rows.
        const Index all = std::max<Index>(rows.rows(), 1),
                    piece = map.mechanism->functions() ? all : std::min<Index>(480, all);
        const auto block = [] { return features::FeatureBlock<Scalar>(); };
        vanished = parallel::Loop((rows.rows() + piece - 1) / piece, parallel::Share::evenly)
                       .run(block, [&](features::FeatureBlock<Scalar>& own, Index number) {
                           const Index first = number * piece, n = std::min(piece, rows.rows() - first);
                           map.features->evaluate(side, rows[0].middleRows(first, n), own);
                           values.middleRows(first, n) = own.values;
                           log_scales.segment(first, n) = own.log_scale;
                           return own.vanished;
                       });
    }
    return py::make_tuple(out, owned(std::move(log_scales)), vanished);
}

py::tuple features_of(const Map& map, Side side, const py::object& given, const py::object& out) {
    const std::string name = side == Side::query ? "x" : "y";
    const py::array array = real_array(given, name);
    if (!out.is_none() && !py::isinstance<py::array>(out))
        throw InputError("out: " + py::repr(out).cast<std::string>() + " is given; an array of NumPy is taken");
    if (!out.is_none() && py::module_::import("numpy").attr("may_share_memory")(array, out).cast<bool>())
        throw InputError("out: it shares memory with " + name + ", which is read while out is written");
    const auto by = [&]<class Scalar>(Scalar) {
        const auto rows = matrix<Scalar>(array, name);
        return out.is_none() ? evaluate<Scalar>(map, side, rows, name)
                             : evaluate_into<Scalar>(map, side, rows, name, out.cast<py::array>());
    };
    return is_single(array) ? by(float()) : by(double());
}

}  // namespace

void add_maps(py::module_& module) {
    py::class_<Map>(module, "Map")
        .def(py::init([](const Mechanism& mechanism, Index count, const std::string& sampling, std::uint64_t seed) {
            auto kept = std::make_shared<const Mechanism>(mechanism);
            const py::gil_scoped_release others_run;
            return Map(kept, count, sampling, seed);  // whoever throws, the last to let go of it has the lock
        }))
        .def_property_readonly("mechanism", [](const Map& map) { return *map.mechanism; })
        .def_readonly("count", &Map::count)
        .def_readonly("sampling", &Map::sampling)
        .def_readonly("seed", &Map::seed)
        .def_property_readonly("dimension", &Map::dimension)
        .def_property_readonly("columns", [](const Map& map) { return map.features->columns(); })
        .def_property_readonly("differentiable",
                               [](const Map& map) { return map.features->differentiable() != nullptr; })
        .def_property_readonly("omega", [](const Map& map) { return owned(Rows<double>(map.draw.omega)); })
        .def_property_readonly("phase",
                               [](const Map& map) -> py::object {
                                   if (map.draw.phase.size() == 0) return py::none();
                                   return owned(Vector(map.draw.phase));
                               })
        .def_property_readonly("products", [](const Map& map) { return products_name(map.features->arithmetic()); })
        .def_property_readonly("parts", [](const Map& map) { return map.features->arithmetic().parts; })
        .def("with_products", [](const Map& map, const std::string& products,
                                 int parts) { return map.with_products(arithmetic_of(products, parts)); })
        .def("_queries", [](const Map& map, const py::object& x,
                            const py::object& out) { return features_of(map, Side::query, x, out); })
        .def("_keys", [](const Map& map, const py::object& y, const py::object& out) {
            return features_of(map, Side::key, y, out);
        });
}

}  // namespace rfbench::python
