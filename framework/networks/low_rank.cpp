#include "rfbench/networks/low_rank.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::networks {

template <class Scalar>
LowRank<Scalar>::LowRank(const Layout& layout, Index rank, const std::function<bool(const Parameter&)>& updated) {
    if (rank < 1)
        throw std::invalid_argument("training: updates of rank " + std::to_string(rank) + "; at least 1 is needed");
    for (const Parameter& one : layout.all()) {
        if (!updated(one)) continue;
        const Parameter left{one.name + ".a", one.rows, rank, size_},
            right{one.name + ".b", rank, one.columns, size_ + left.size()};
        updates_.push_back({one, left, right});
        size_ += left.size() + right.size();
    }
    if (updates_.empty()) throw std::invalid_argument("training: there is no matrix to be updated");
}

template <class Scalar>
Column<Scalar> LowRank<Scalar>::start(const Stream& stream) const {
    Column<Scalar> factors = Column<Scalar>::Zero(size_);
    for (const Update& one : updates_) {
        Eigen::VectorXd entries(one.left.size());
        fill_normal(stream.child(one.left.name), entries);
        factors.segment(one.left.first, one.left.size()) =
            (entries / std::sqrt(static_cast<double>(one.left.rows))).template cast<Scalar>();
    }
    return factors;
}

template <class Scalar>
void LowRank<Scalar>::add(const Column<Scalar>& factors, Column<Scalar>& values) const {
    for (const Update& one : updates_)
        view(values, one.whole).noalias() += view(factors, one.left) * view(factors, one.right);
}

template <class Scalar>
Column<Scalar> LowRank<Scalar>::gradient(const Column<Scalar>& factors, const Column<Scalar>& by_values) const {
    Column<Scalar> all(size_);
    for (const Update& one : updates_) {
        view(all, one.left).noalias() = view(by_values, one.whole) * view(factors, one.right).transpose();
        view(all, one.right).noalias() = view(factors, one.left).transpose() * view(by_values, one.whole);
    }
    return all;
}

template class LowRank<float>;
template class LowRank<double>;

}  // namespace rfbench::networks
