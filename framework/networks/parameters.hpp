#pragma once
// The parameters of a network are one vector; matrices are views of it. Optimizers see only the vector.
#include <string>
#include <vector>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/products/panels.hpp"

namespace rfbench::networks {

using attention::Column;  ///< of all parameters, or of their gradients

/// Orientation of a factor W: products are x W or, for an embedding table that is tied to the outputs, x W'.
enum class Factor { straight, transposed };

/// A matrix within the vector of all parameters, row after row from entry `first`.
struct Parameter {
    std::string name;               ///< as in GPT-2's files: "h.0.attn.c_attn.weight"
    Index rows = 0;                 ///< 1 of a vector
    Index columns = 0;              ///< entries of a row
    Index first = 0;                ///< entry of the vector of all
    Index factor = -1;              ///< index among the factors (Layout::add_factor); -1: not a factor
    Factor how = Factor::straight;  ///< orientation, of a factor

    /// Its entries.
    Index size() const { return rows * columns; }
};

/// Which matrices there are, in the order of the vector.
class Layout {
public:
    /// A matrix, or a vector with one row. Throws std::invalid_argument for sizes that are not positive, and for a name
    /// that is taken.
    Parameter add(const std::string& name, Index rows, Index columns);
    /// One that rows are multiplied with.
    Parameter add_factor(const std::string& name, Index rows, Index columns, Factor = Factor::straight);

    Index size() const { return size_; }  ///< entries of the vector
    /// Matrices that rows are multiplied with, how many.
    Index factors() const { return factors_; }
    /// In the order in which they were added.
    const std::vector<Parameter>& all() const { return all_; }
    /// Throws std::invalid_argument naming the parameter when there is none of that name.
    const Parameter& find(const std::string& name) const;

private:
    std::vector<Parameter> all_;
    Index size_ = 0, factors_ = 0;
};

/// A parameter's matrix within the vector, without a copy.
template <class Scalar>
Eigen::Map<const Rows<Scalar>> view(const Column<Scalar>& all, const Parameter& p) {
    return {all.data() + p.first, p.rows, p.columns};
}
/// A parameter's matrix within the vector, which may be written.
template <class Scalar>
Eigen::Map<Rows<Scalar>> view(Column<Scalar>& all, const Parameter& p) {
    return {all.data() + p.first, p.rows, p.columns};
}

/// Passes that a network computes: outputs alone, or gradients too.
enum class Passes { forward, both };

/// Values of all parameters, and the factors among them packed for products (products/panels.hpp). They are packed once
/// after each change, for all sequences and threads.
template <class Scalar>
class Weights {
public:
    /// Packs. Throws std::invalid_argument unless there are as many values as the layout has, all finite, naming the
    /// first parameter that has another.
    Weights(const Layout&, Column<Scalar> values, Passes);

    /// All values, as the layout orders them.
    const Column<Scalar>& values() const { return values_; }
    /// The values of one parameter as its matrix.
    Eigen::Map<const Rows<Scalar>> operator[](const Parameter& p) const { return view(values_, p); }
    /// W, which rows are multiplied with; p must be a factor (Layout::add_factor).
    const products::Panels<Scalar>& factor(const Parameter& p) const { return at(factors_, p); }
    /// W', which gradients are multiplied with, where there are Passes::both; p must be a factor.
    const products::Panels<Scalar>& transposed(const Parameter& p) const { return at(transposed_, p); }

    /// Lets `change(values)` change the values, and packs them again.
    template <class Change>
    void change(Change change) {
        change(values_);
        pack();
    }

private:
    void pack();
    static const products::Panels<Scalar>& at(const std::vector<products::Panels<Scalar>>& panels, const Parameter& p) {
        return panels[static_cast<std::size_t>(p.factor)];
    }

    std::vector<Parameter> packed_;
    Column<Scalar> values_;
    Passes passes_;
    std::vector<products::Panels<Scalar>> factors_, transposed_;
};

}  // namespace rfbench::networks
