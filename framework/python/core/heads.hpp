#pragma once
// Heads along the leading axes of arrays, each attended by itself.
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "map.hpp"
#include "rfbench/attention/inputs.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/parallel/loop.hpp"

namespace rfbench::python {

/// Queries, keys and values as they are given, (..., L, d), (..., L', d), (..., L', e), and keys that are kept, uint8
/// of
/// (..., L') or None.
struct GivenHeads {
    py::array q, k, v;
    std::optional<py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>> kept;

    GivenHeads(const py::object& queries, const py::object& keys, const py::object& values, const py::object& mask)
        : q(real_array(queries, "q")), k(real_array(keys, "k")), v(real_array(values, "v")) {
        if (!mask.is_none()) kept.emplace(mask);
    }
    bool single() const { return is_single(q) && is_single(k) && is_single(v); }
};

/// The place of a head in its leading axes, as an array is indexed.
inline std::string place_text(Index number, const Shape& leading) {
    Shape place(leading.size());
    for (std::size_t axis = leading.size(); axis-- > 0; number /= leading[axis]) place[axis] = number % leading[axis];
    return shape_text(place);
}

/// The same in one precision.
template <class Scalar>
class HeadInputs {
public:
    /// Throws InputError when the leading axes differ.
    explicit HeadInputs(const GivenHeads& given)
        : q_(given.q, "q"), k_(given.k, "k"), v_(given.v, "v"), kept_(given.kept) {
        require_leading("k", k_.leading());
        require_leading("v", v_.leading());
        if (!kept_) return;
        Shape mask = leading();
        mask.push_back(k_.rows());
        if (const Shape own{kept_->shape(), kept_->shape() + kept_->ndim()}; own != mask)
            throw InputError("mask: an array of shape " + shape_text(own) + " is given; " + shape_text(mask) +
                             " is taken, an entry for each key");
        first_kept_ = kept_->data();
    }

    const Shape& leading() const { return q_.leading(); }
    Index count() const { return q_.count(); }
    Index length() const { return q_.rows(); }
    Index keys() const { return k_.rows(); }
    Index dimension() const { return q_.columns(); }
    Index value_columns() const { return v_.columns(); }
    /// leading x rows x columns
    Shape shape(Index rows, Index columns) const {
        Shape all = leading();
        all.push_back(rows);
        all.push_back(columns);
        return all;
    }

    attention::Inputs<Scalar> operator[](Index head) const {
        attention::Inputs<Scalar> in{q_[head], k_[head], v_[head]};
        const auto n = static_cast<std::size_t>(keys());
        if (first_kept_) in.kept = {first_kept_ + static_cast<std::size_t>(head) * n, n};
        return in;
    }

    /// body(inputs, head) for each head, which share the threads; the place of a head is in what is thrown for it.
    /// Returns the sum of what it returns. The interpreter's lock is not held.
    template <class Body>
    auto each(Body body) const {
        const py::gil_scoped_release others_run;
        const auto one = [&](Index head) {
            try {
                return body((*this)[head], head);
            } catch (const std::invalid_argument& error) {
                if (leading().empty()) throw;
                throw InputError("head " + place_text(head, leading()) + ": " + error.what());
            }
        };
        // One head's own loops share the threads.
        return parallel::Loop(count(), parallel::Share::in_order, parallel::threads_if(count() > 1)).run(one);
    }

private:
    void require_leading(const char* name, const Shape& own) const {
        if (own != leading())
            throw InputError(std::string(name) + " has the leading axes " + shape_text(own) + " and q " +
                             shape_text(leading()) + "; they must be the same");
    }

    Stack<Scalar> q_, k_, v_;
    std::optional<py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>> kept_;
    const std::uint8_t* first_kept_ = nullptr;
};

/// Outputs of all heads in one array, leading x rows x columns.
template <class Scalar>
class HeadOutputs {
public:
    explicit HeadOutputs(const Shape& shape)
        : array_(shape), data_(array_.mutable_data()), rows_(shape[shape.size() - 2]), columns_(shape.back()) {}

    void put(Index head, const Rows<Scalar>& rows) {
        Eigen::Map<Rows<Scalar>>(data_ + head * rows_ * columns_, rows_, columns_) = rows;
    }
    const py::array_t<Scalar>& array() const { return array_; }

private:
    py::array_t<Scalar> array_;
    Scalar* data_;
    Index rows_, columns_;
};

/// run(scalar) in the precision of what is given.
template <class Run>
auto by_precision(const GivenHeads& given, Run run) {
    return given.single() ? run(float{}) : run(double{});
}

inline attention::Visible visible(bool causal) { return causal ? attention::Visible::causal : attention::Visible::all; }

/// The map's features of the softmax kernel. Throws InputError when it was drawn for another dimension.
inline attention::SoftmaxMap softmax_features(const Map& map, Index dimension) {
    if (map.dimension() != dimension)
        throw InputError("q has " + std::to_string(dimension) + " columns; the map was drawn for " +
                         std::to_string(map.dimension()));
    return attention::SoftmaxMap(map.features, dimension);
}

/// Counts of all heads.
struct Counts {
    Index nonpositive = 0;  ///< rows whose denominator is not positive
    Index left_out = 0;     ///< rows that sent no gradient
    Counts& operator+=(const Counts& other) {
        nonpositive += other.nonpositive;
        left_out += other.left_out;
        return *this;
    }
};

}  // namespace rfbench::python
