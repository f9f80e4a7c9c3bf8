#include "rfbench/networks/parameters.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/parallel/loop.hpp"

namespace rfbench::networks {

Parameter Layout::add(const std::string& name, Index rows, Index columns) {
    if (rows < 1 || columns < 1)
        throw std::invalid_argument("network: parameter " + name + " is " + std::to_string(rows) + " x " +
                                    std::to_string(columns) + "; both must be positive");
    for (const Parameter& other : all_)
        if (other.name == name) throw std::invalid_argument("network: there is a parameter " + name + " already");
    all_.push_back({name, rows, columns, size_});
    size_ += rows * columns;
    return all_.back();
}

Parameter Layout::add_factor(const std::string& name, Index rows, Index columns, Factor how) {
    add(name, rows, columns);
    all_.back().how = how;
    all_.back().factor = factors_++;
    return all_.back();
}

const Parameter& Layout::find(const std::string& name) const {
    for (const Parameter& one : all_)
        if (one.name == name) return one;
    throw std::invalid_argument("network: there is no parameter " + name);
}

template <class Scalar>
Weights<Scalar>::Weights(const Layout& layout, Column<Scalar> values, Passes passes)
    : values_(std::move(values)), passes_(passes), factors_(static_cast<std::size_t>(layout.factors())) {
    if (values_.size() != layout.size())
        throw std::invalid_argument("network: " + std::to_string(values_.size()) + " parameters; it has " +
                                    std::to_string(layout.size()));
    for (const Parameter& one : layout.all()) {
        // Factors are numbered in the order of the layout: packed_[i] is the i-th.
        if (one.factor >= 0) packed_.push_back(one);
        const Column<Scalar> own = values_.segment(one.first, one.size());
        for (Index i = 0; i < own.size(); ++i)
            if (!std::isfinite(own[i]))
                throw std::invalid_argument("network: parameter " + one.name + " has " + std::to_string(own[i]) +
                                            " at row " + std::to_string(i / one.columns) + ", column " +
                                            std::to_string(i % one.columns) + "; all entries must be finite");
    }
    if (passes_ == Passes::both) transposed_.resize(factors_.size());
    pack();
}

template <class Scalar>
void Weights<Scalar>::pack() {
    const int threads = parallel::threads_if(values_.size() > 65536);
    parallel::Loop(static_cast<Index>(factors_.size()), parallel::Share::in_order, threads).run([&](Index number) {
        const auto i = static_cast<std::size_t>(number);
        auto matrix = products::strided((*this)[packed_[i]]);
        if (packed_[i].how == Factor::transposed) matrix = matrix.transposed();
        factors_[i].pack(matrix);
        if (passes_ == Passes::both) transposed_[i].pack(matrix.transposed());
    });
}

template class Weights<float>;
template class Weights<double>;

}  // namespace rfbench::networks
