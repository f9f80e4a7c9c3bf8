#pragma once
#include <stdexcept>
#include <string>

#include "rfbench/attention/linear.hpp"

namespace rfbench::attention {

/// Form of attention that is linear in its features.
struct LinearForm {
    Norm norm = Norm::quotient;   ///< of outputs
    bool positions = false;       ///< whether queries and keys get their position 0, 1, ... as a last column
    bool causal_alone = false;    ///< whether there is no form but the causal one
    std::string name = "linear";  ///< in what is refused

    /// Throws std::invalid_argument where all keys are asked for of a form that is causal alone.
    void require(Visible visible) const {
        if (causal_alone && visible != Visible::causal)
            throw std::invalid_argument(name +
                                        ": there is a causal form of it alone, in which queries see earlier "
                                        "keys; ask for that");
    }
};

/// Inputs whose queries and keys have their position after them, first, first + 1, ..., as a last column: for features
/// that depend on it (features/maps/positional_maps.hpp). Positions up to 2^24 are exact in float.
template <class Scalar>
class WithPositions {
public:
    /// Copies queries and keys, n x d, to n x (d + 1); values and padding of `in` must outlive it.
    WithPositions(const Inputs<Scalar>& in, Index first)
        : queries_(placed(in.queries, first)), keys_(placed(in.keys, first)), values_(in.values), kept_(in.kept) {}

    /// Views of the copies, which must outlive them.
    Inputs<Scalar> inputs() const { return {queries_, keys_, values_, kept_}; }

private:
    static Rows<Scalar> placed(const RowsView<Scalar>& rows, Index first) {
        Rows<Scalar> all(rows.rows(), rows.cols() + 1);
        all.leftCols(rows.cols()) = rows;
        for (Index i = 0; i < rows.rows(); ++i) all(i, rows.cols()) = static_cast<Scalar>(first + i);
        return all;
    }

    Rows<Scalar> queries_, keys_;
    RowsView<Scalar> values_;
    std::span<const unsigned char> kept_;
};

/// linear() in this form.
template <class Scalar>
Outcome linear(const features::FeatureMap& map, const LinearForm& form, const Inputs<Scalar>& in, Visible visible,
               Rows<Scalar>& out) {
    form.require(visible);
    if (!form.positions) return linear(map, in, visible, out, form.norm);
    check(in, visible, out);
    return linear(map, WithPositions<Scalar>(in, 0).inputs(), visible, out, form.norm);
}

}  // namespace rfbench::attention
