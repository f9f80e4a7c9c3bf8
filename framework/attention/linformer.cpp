#include "rfbench/attention/linformer.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/attention/exact.hpp"
#include "rfbench/products/panels.hpp"

namespace rfbench::attention {

Projections random_compression(Index k, Index keys, const Stream& stream) {
    if (k <= 0) throw std::invalid_argument("linformer: k = " + std::to_string(k) + "; it must be positive");
    if (keys < 0)
        throw std::invalid_argument("linformer: " + std::to_string(keys) + " keys; their number must not be negative");
    Projections compression(k, keys);
    fill_normal(stream, compression);
    return compression / std::sqrt(static_cast<double>(k));
}

namespace {

using products::Panels;
using products::strided;
using products::Strided;

/// Whether there is a key that is not padding.
template <class Scalar>
bool any_kept(const Inputs<Scalar>& in) {
    for (Index j = 0; j < in.keys.rows(); ++j)
        if (in.keeps(j)) return true;
    return false;
}

void check_mixing(const std::string& which, Index k, Index columns, Index length) {
    if (k == 0 || columns < length)
        throw std::invalid_argument("linformer: the " + which + " is " + std::to_string(k) + " x " +
                                    std::to_string(columns) + " for " + std::to_string(length) +
                                    " keys; it needs a row or more and a column a key");
}

/// The first columns of a mixing matrix, as many as there are keys, those of padding being zero: padding is taken out
/// of E, not of the keys, so that E K and E V are exact attention's keys and values.
template <class Scalar>
Rows<Scalar> of_kept(const std::string& which, Rows<Scalar> mixing, const Inputs<Scalar>& in) {
    check_finite<Scalar>("linformer: the " + which + " has", mixing);
    for (Index j = 0; j < mixing.cols(); ++j)
        if (!in.keeps(j)) mixing.col(j).setZero();
    return mixing;
}

template <class Scalar>
Rows<Scalar> product(const Strided<Scalar>& a, const Strided<Scalar>& b) {
    Rows<Scalar> out(a.rows, b.columns);
    Panels<Scalar>(b).multiply(a, out.data(), out.cols());
    return out;
}

/// Mixed keys E K and values F V, which every query attends to, with E and F.
template <class Scalar>
struct Mixtures {
    Rows<Scalar> by_keys, by_values;  // E and F, k x n
    Rows<Scalar> keys, values;        // k x d and k x e

    Mixtures(Rows<Scalar> e, Rows<Scalar> f, const Inputs<Scalar>& in)
        : by_keys(std::move(e)),
          by_values(std::move(f)),
          keys(product(strided(by_keys), strided(in.keys))),
          values(product(strided(by_values), strided(in.values))) {}
    Mixtures(const Mixing<Scalar>& mixing, const Inputs<Scalar>& in)
        : Mixtures(of_kept<Scalar>("mixing of keys", mixing.keys.leftCols(in.keys.rows()), in),
                   of_kept<Scalar>("mixing of values", mixing.values.leftCols(in.keys.rows()), in), in) {}

    Inputs<Scalar> seen_by(const RowsView<Scalar>& queries) const { return {queries, keys, values}; }
};

template <class Scalar>
void check(const Mixing<Scalar>& mixing, const Inputs<Scalar>& in) {
    check_mixing("mixing of keys", mixing.keys.rows(), mixing.keys.cols(), in.keys.rows());
    check_mixing("mixing of values", mixing.values.rows(), mixing.values.cols(), in.keys.rows());
    if (mixing.keys.rows() != mixing.values.rows() || mixing.keys.cols() != mixing.values.cols())
        throw std::invalid_argument("linformer: the mixing of keys is " + std::to_string(mixing.keys.rows()) + " x " +
                                    std::to_string(mixing.keys.cols()) + ", that of values " +
                                    std::to_string(mixing.values.rows()) + " x " +
                                    std::to_string(mixing.values.cols()) + "; they must be alike");
}

}  // namespace

template <class Scalar>
Outcome linformer(const Projections& compression, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    check(in, Visible::all, out);
    const Index length = in.keys.rows();
    check_mixing("compression", compression.rows(), compression.cols(), length);
    // Without a kept key the result is that of exact attention.
    if (!any_kept(in)) return exact(in, Visible::all, out);
    const Rows<Scalar> e = of_kept<Scalar>("compression", compression.leftCols(length).template cast<Scalar>(), in);
    const Mixtures<Scalar> mixtures(e, e, in);
    return exact(mixtures.seen_by(in.queries), Visible::all, out);
}

template <class Scalar>
Outcome linformer(const Mixing<Scalar>& mixing, const Inputs<Scalar>& in, Rows<Scalar>& out, Column<Scalar>& log_sums) {
    check(in, Visible::all, out);
    check(mixing, in);
    if (!any_kept(in)) return exact(in, Visible::all, out, log_sums);
    const Mixtures<Scalar> mixtures(mixing, in);
    return exact(mixtures.seen_by(in.queries), Visible::all, out, log_sums);
}

template <class Scalar>
void linformer_backward(const Mixing<Scalar>& mixing, const Inputs<Scalar>& in, const Rows<Scalar>& out,
                        const Column<Scalar>& log_sums, const RowsView<Scalar>& output_gradient, Gradients<Scalar>& to,
                        Eigen::Ref<Column<Scalar>, 0, Eigen::InnerStride<1>> by_mixing) {
    check(in, Visible::all);
    check(mixing, in);
    if (by_mixing.size() != mixing.keys.size() + mixing.values.size())
        throw std::invalid_argument("linformer: " + std::to_string(by_mixing.size()) +
                                    " gradients of mixing matrices that have " +
                                    std::to_string(mixing.keys.size() + mixing.values.size()) + " entries");
    if (!any_kept(in)) return exact_backward(in, Visible::all, out, log_sums, output_gradient, to);
    const Mixtures<Scalar> mixtures(mixing, in);
    Gradients<Scalar> by;
    exact_backward(mixtures.seen_by(in.queries), Visible::all, out, log_sums, output_gradient, by);
    check_gradients(in, output_gradient, to);
    to.queries = std::move(by.queries);
    to.keys = product(strided(mixtures.by_keys).transposed(), strided(by.keys));
    to.values = product(strided(mixtures.by_values).transposed(), strided(by.values));
    to.left_out = 0;

    // Padding was mixed with weight zero, whatever its columns hold: they have no gradient.
    const Index rows = mixing.keys.rows(), columns = mixing.keys.cols();
    Eigen::Map<Rows<Scalar>> by_e(by_mixing.data(), rows, columns);
    Eigen::Map<Rows<Scalar>> by_f(by_mixing.data() + by_e.size(), rows, columns);
    const Rows<Scalar> of_keys = product(strided(by.keys), strided(in.keys).transposed());
    const Rows<Scalar> of_values = product(strided(by.values), strided(in.values).transposed());
    for (Index j = 0; j < in.keys.rows(); ++j) {
        if (!in.keeps(j)) continue;
        by_e.col(j) += of_keys.col(j);
        by_f.col(j) += of_values.col(j);
    }
}

template Outcome linformer(const Projections&, const Inputs<float>&, Rows<float>&);
template Outcome linformer(const Projections&, const Inputs<double>&, Rows<double>&);
template Outcome linformer(const Mixing<float>&, const Inputs<float>&, Rows<float>&, Column<float>&);
template Outcome linformer(const Mixing<double>&, const Inputs<double>&, Rows<double>&, Column<double>&);
template void linformer_backward(const Mixing<float>&, const Inputs<float>&, const Rows<float>&, const Column<float>&,
                                 const RowsView<float>&, Gradients<float>&,
                                 Eigen::Ref<Column<float>, 0, Eigen::InnerStride<1>>);
template void linformer_backward(const Mixing<double>&, const Inputs<double>&, const Rows<double>&,
                                 const Column<double>&, const RowsView<double>&, Gradients<double>&,
                                 Eigen::Ref<Column<double>, 0, Eigen::InnerStride<1>>);

}  // namespace rfbench::attention
