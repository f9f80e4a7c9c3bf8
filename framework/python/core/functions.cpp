#include "functions.hpp"

#include <cmath>

#include "arrays.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::python {
namespace {

using features::FeatureBlock;
using features::Side;

/// Shared by maps that any thread may drop: they are let go of under the interpreter's lock.
std::shared_ptr<const Functions> kept(const Functions& functions) {
    return {new Functions(functions), [](const Functions* own) {
                const py::gil_scoped_acquire lock;
                delete own;
            }};
}

/// f(rows, omega) as real columns: [Re, Im] of complex queries, [Re, -Im] of complex keys.
Rows<double> columns_of(const Functions& functions, Side side, const RowsView<double>& rows, const Projections& omega) {
    const std::string name = side == Side::query ? "features_x" : "features_y";
    const py::object& function = side == Side::query ? functions.features_x : functions.features_y;
    const py::array given = py::array::ensure(function(owned(Rows<double>(rows)), owned(Rows<double>(omega))));
    if (!given || given.ndim() != 2 || given.shape(0) != rows.rows())
        throw InputError(name + " of '" + functions.name + "' gives " +
                         (given ? "an array of shape " + shape_text({given.shape(), given.shape() + given.ndim()})
                                : std::string("no array")) +
                         " for " + std::to_string(rows.rows()) + " rows; (n, R) is taken, a row for each");
    if (given.dtype().kind() != 'c') return Stack<double>(real_array(given, name), name)[0];
    const py::array_t<double> re(given.attr("real")), im(given.attr("imag"));
    const Stack<double> real(re, name), imaginary(im, name);
    Rows<double> both(rows.rows(), 2 * real.columns());
    both << real[0], (side == Side::query ? 1.0 : -1.0) * imaginary[0];
    return both;
}

class FunctionMap final : public features::FeatureMapOf<FunctionMap> {
public:
    FunctionMap(std::shared_ptr<const Functions> functions, const Projections& omega, Index columns)
        : functions_(std::move(functions)), omega_(omega), columns_(columns) {}

    Index columns() const override { return columns_; }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        const py::gil_scoped_acquire lock;
        Rows<double> values = columns_of(*functions_, side, rows.template cast<double>(), omega_);
        if (values.cols() != columns_)
            throw InputError("features_x and features_y of '" + functions_->name + "' give " +
                             std::to_string(columns_) + " and " + std::to_string(values.cols()) +
                             " real columns; they must give as many");
        if (!values.allFinite()) throw InputError("features of '" + functions_->name + "' are not finite; all must be");
        out.log_scale.setConstant(rows.rows(), -0.5 * std::log(static_cast<double>(omega_.cols())));
        out.vanished = 0;
        for (Index i = 0; i < rows.rows(); ++i) {
            const double largest = columns_ > 0 ? values.row(i).cwiseAbs().maxCoeff() : 0.0;
            if (largest == 0) {
                ++out.vanished;
                continue;
            }
            values.row(i) /= largest;
            out.log_scale[i] += std::log(largest);
        }
        out.values = values.template cast<Scalar>();
    }

private:
    std::shared_ptr<const Functions> functions_;
    Projections omega_;
    Index columns_;
};

class FunctionMechanism final : public features::Mechanism {
public:
    FunctionMechanism(std::shared_ptr<const Functions> functions, Index dimension)
        : functions_(std::move(functions)), dimension_(dimension) {}

    features::Settings parameters() const override { return {}; }
    std::optional<Index> dimension() const override { return dimension_; }
    std::function<double(Index, double)> quantile() const override {
        const py::gil_scoped_acquire lock;
        if (functions_->quantile.is_none()) return {};
        return [functions = functions_](Index l, double u) {
            const py::gil_scoped_acquire own;
            return functions->quantile(l, u).cast<double>();
        };
    }
    Index columns(Index count) const override {
        const py::gil_scoped_acquire lock;
        return columns_of(*functions_, Side::query, Points::Zero(1, dimension_), Projections::Zero(dimension_, count))
            .cols();
    }
    std::unique_ptr<features::FeatureMap> map(const features::Draw& draw) const override {
        return std::make_unique<FunctionMap>(functions_, draw.omega, columns(draw.omega.cols()));
    }

private:
    std::shared_ptr<const Functions> functions_;
    Index dimension_;
};

}  // namespace

std::shared_ptr<const features::Mechanism> mechanism_of(const Functions& functions, Index dimension) {
    return std::make_shared<FunctionMechanism>(kept(functions), dimension);
}

}  // namespace rfbench::python
