#include "rfbench/attention/inputs.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::attention {
namespace {

template <class Matrix>
std::string shape(const Matrix& rows) {
    return std::to_string(rows.rows()) + " x " + std::to_string(rows.cols());
}

template <class Scalar>
void check_finite(const char* name, const RowsView<Scalar>& rows) {
    // 0 x is zero for every finite x and NaN for the others: a sum of vectors says whether there is something to find.
    Scalar sum = 0;
#pragma omp parallel for schedule(static) proc_bind(spread) reduction(+ : sum)
    for (Index i = 0; i < rows.rows(); ++i) sum += (Scalar(0) * rows.row(i)).sum();
    if (sum == 0) return;
    for (Index i = 0; i < rows.rows(); ++i)
        for (Index j = 0; j < rows.cols(); ++j)
            if (!std::isfinite(rows(i, j)))
                throw std::invalid_argument("attention: " + std::string(name) + " have " + std::to_string(rows(i, j)) +
                                            " at row " + std::to_string(i) + ", column " + std::to_string(j) +
                                            "; all entries must be finite");
}

}  // namespace

template <class Scalar>
void check(const Inputs<Scalar>& in, Visible visible) {
    if (in.queries.cols() == 0) throw std::invalid_argument("attention: queries have no columns; d must be positive");
    if (in.keys.cols() != in.queries.cols())
        throw std::invalid_argument("attention: keys are " + shape(in.keys) + " and queries " + shape(in.queries) +
                                    "; both need the same number of columns");
    if (in.values.rows() != in.keys.rows())
        throw std::invalid_argument("attention: values are " + shape(in.values) + " and keys " + shape(in.keys) +
                                    "; there must be one value a key");
    if (visible == Visible::causal && in.queries.rows() != in.keys.rows())
        throw std::invalid_argument("attention: causal attention needs as many queries as keys, given " +
                                    std::to_string(in.queries.rows()) + " and " + std::to_string(in.keys.rows()));
    if (!in.kept.empty() && static_cast<Index>(in.kept.size()) != in.keys.rows())
        throw std::invalid_argument("attention: the padding mask has " + std::to_string(in.kept.size()) +
                                    " entries for " + std::to_string(in.keys.rows()) + " keys");
    check_finite("queries", in.queries);
    check_finite("keys", in.keys);
    check_finite("values", in.values);
}

template void check(const Inputs<float>&, Visible);
template void check(const Inputs<double>&, Visible);

}  // namespace rfbench::attention
