#include "rfbench/transforms/hadamard.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::transforms {

template <class Scalar>
void hadamard(std::vector<RealLanes<Scalar>>& x) {
    const std::size_t n = x.size();
    if (!std::has_single_bit(n))
        throw std::invalid_argument("Hadamard transform: the order is " + std::to_string(n) + ", no power of two");
    std::size_t half = 1;
    // Two steps at once read and write each entry once.
    for (; 4 * half <= n; half *= 4)
        for (std::size_t start = 0; start < n; start += 4 * half)
            for (std::size_t i = start; i < start + half; ++i) {
                auto &a = x[i].values, &b = x[i + half].values, &c = x[i + 2 * half].values,
                     &d = x[i + 3 * half].values;
                const auto sum = a + b, difference = a - b, sum2 = c + d, difference2 = c - d;
                a = sum + sum2;
                b = difference + difference2;
                c = sum - sum2;
                d = difference - difference2;
            }
    if (half < n)
        for (std::size_t i = 0; i < half; ++i) {
            const auto difference = x[i].values - x[i + half].values;
            x[i].values = x[i].values + x[i + half].values;
            x[i + half].values = difference;
        }
    const Scalar scale = 1 / std::sqrt(static_cast<Scalar>(n));
    for (auto& entry : x) entry.values = entry.values * scale;
}

template <class Scalar>
void signed_hadamard(const Rows<Scalar>& x, const std::vector<std::vector<Scalar>>& signs, Rows<Scalar>& out) {
    out.resize(x.rows(), x.cols());
    std::vector<RealLanes<Scalar>> line(static_cast<std::size_t>(x.cols()));
    for (Index first = 0; first < x.rows(); first += lanes<Scalar>) {
        const Index n = std::min(lanes<Scalar>, x.rows() - first);
        for (Index lane = 0; lane < n; ++lane)
            for (std::size_t k = 0; k < line.size(); ++k) line[k].values[lane] = x(first + lane, static_cast<Index>(k));
        for (const auto& diagonal : signs) {
            // x H D: the transform is its own transpose.
            hadamard(line);
            for (std::size_t k = 0; k < line.size(); ++k) line[k].values = line[k].values * diagonal[k];
        }
        for (Index lane = 0; lane < n; ++lane)
            for (std::size_t k = 0; k < line.size(); ++k)
                out(first + lane, static_cast<Index>(k)) = line[k].values[lane];
    }
}

template void hadamard(std::vector<RealLanes<float>>&);
template void hadamard(std::vector<RealLanes<double>>&);
template void signed_hadamard(const Rows<float>&, const std::vector<std::vector<float>>&, Rows<float>&);
template void signed_hadamard(const Rows<double>&, const std::vector<std::vector<double>>&, Rows<double>&);

}  // namespace rfbench::transforms
