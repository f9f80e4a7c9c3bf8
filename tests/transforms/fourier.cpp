#include "rfbench/transforms/fourier.hpp"

#include <cstring>
#include <set>

#include "catch.hpp"
#include "lines.hpp"

using namespace rfbench;
using namespace rfbench::transforms;

namespace {

/// One frequency of one lane; roots of the periods of a grid.
template <class Scalar>
Exact coefficient(const Line<Scalar>& line, const std::array<Index, 3>& grid, const std::array<Index, 3>& frequency,
                  Index lane, const std::array<std::vector<Exact>, 3>& roots) {
    Exact sum = 0;
    Index n = 0;
    for (Index a = 0; a < grid[0]; ++a)
        for (Index b = 0; b < grid[1]; ++b) {
            const Exact outer = roots[0][a * frequency[0] % grid[0]] * roots[1][b * frequency[1] % grid[1]];
            for (Index c = 0; c < grid[2]; ++c)
                sum += outer * roots[2][c * frequency[2] % grid[2]] * entry_of(line, n++, lane);
        }
    return sum;
}

/// The frequency that has number n.
std::array<Index, 3> frequency_at(const std::array<Index, 3>& grid, Index n) {
    return {n / grid[2] / grid[1], n / grid[2] % grid[1], n % grid[2]};
}

/// The 2-norm of the errors of every step-th frequency against the explicit sums, over that of all of them.
template <class Scalar>
double forward_error(const std::array<Index, 3>& grid, Index step, Index lane) {
    const Fourier<Scalar> fourier(grid);
    const Line<Scalar> line = drawn_line<Scalar>(fourier.points(), 1);
    const std::array roots{exact_roots(grid[0]), exact_roots(grid[1]), exact_roots(grid[2])};
    Line<Scalar> spectrum = line;
    fourier.forward(spectrum.data());
    long double squares = 0;
    for (Index n = 0; n < fourier.points(); n += step) {
        const auto frequency = frequency_at(grid, n);
        squares += std::norm(entry_of(spectrum, fourier.place(frequency), lane) -
                             coefficient(line, grid, frequency, lane, roots));
    }
    return static_cast<double>(std::sqrt(squares) /
                               (norm_of(line, lane) * std::sqrt(static_cast<long double>(fourier.points()))));
}

template <class Scalar>
bool same_lanes(const Line<Scalar>& a, Index lane, const Line<Scalar>& b, Index other) {
    for (std::size_t n = 0; n < a.size(); ++n)
        if (a[n].real[lane] != b[n].real[other] || a[n].imaginary[lane] != b[n].imaginary[other]) return false;
    return true;
}

const std::vector<std::array<Index, 3>> grids{{1, 1, 1}, {2, 3, 4},  {5, 1, 3},  {1, 16, 15}, {8, 9, 10}, {16, 1, 1},
                                              {4, 4, 4}, {7, 11, 2}, {1, 64, 9}, {30, 1, 64}, {2, 1, 1},  {3, 25, 8}};

}  // namespace

// Multiples of 7 fall on all residues of twos, threes and fives: long transforms are compared at them, the longest at
// those of 49.
TEMPLATE_TEST_CASE("transforms are the explicit sums at all lengths in use", "", float, double) {
    for (const Index n : lengths_in_use()) {
        INFO("length " << n);
        const Index lane = n % lanes<TestType>;
        CHECK(forward_error<TestType>({1, 1, n},
                                      n <= 256    ? 1
                                      : n <= 2048 ? 7
                                                  : 49,
                                      lane) <= transform_error<TestType>(n));
    }
}

TEMPLATE_TEST_CASE("transforms are the explicit sums at lengths with large primes", "", float, double) {
    for (const Index n : {67, 77, 97, 121, 169, 187, 251, 257, 499, 514, 771, 1001}) {
        INFO("length " << n);
        CHECK(forward_error<TestType>({1, 1, n}, 1, 0) <= transform_error<TestType>(n));
    }
}

TEMPLATE_TEST_CASE("transforms of grids are the explicit sums", "", float, double) {
    for (const auto& grid : grids) {
        INFO(grid[0] << " x " << grid[1] << " x " << grid[2]);
        CHECK(forward_error<TestType>(grid, 1, 1) <= transform_error<TestType>(grid[0] * grid[1] * grid[2]));
    }
}

TEMPLATE_TEST_CASE("back after forward is N times the identity", "", float, double) {
    auto all = grids;
    for (const Index n : lengths_in_use()) all.push_back({1, 1, n});
    for (const Index n : {121, 257, 771}) all.push_back({1, 1, n});
    for (const auto& grid : all) {
        const Fourier<TestType> fourier(grid);
        const Index n = fourier.points();
        INFO(grid[0] << " x " << grid[1] << " x " << grid[2]);
        const auto line = drawn_line<TestType>(n, 2);
        auto again = line;
        fourier.forward(again.data());
        fourier.back(again.data());
        for (Index lane = 0; lane < lanes<TestType>; ++lane) {
            long double squares = 0;
            for (Index k = 0; k < n; ++k)
                squares += std::norm(entry_of(again, k, lane) - static_cast<long double>(n) * entry_of(line, k, lane));
            CHECK(static_cast<double>(std::sqrt(squares)) <=
                  2 * transform_error<TestType>(n) * static_cast<double>(n) * static_cast<double>(norm_of(line, lane)));
        }
    }
}

TEST_CASE("every frequency has a place of its own") {
    for (const auto& grid : grids) {
        const Fourier<double> fourier(grid);
        std::set<Index> places;
        for (Index n = 0; n < fourier.points(); ++n) places.insert(fourier.place(frequency_at(grid, n)));
        CHECK(static_cast<Index>(places.size()) == fourier.points());
        CHECK(*places.begin() == 0);
        CHECK(*places.rbegin() == fourier.points() - 1);
    }
}

TEMPLATE_TEST_CASE("the bits of a line depend on that line only", "", float, double) {
    constexpr Index last = lanes<TestType> - 1;
    for (const Index n : {1, 5, 24, 97, 1024, 4500}) {
        const Fourier<TestType> fourier({1, 1, n});
        auto line = drawn_line<TestType>(n, 3), other = drawn_line<TestType>(n, 4);
        for (Index k = 0; k < n; ++k) {
            other[k].real[last] = line[k].real[0];
            other[k].imaginary[last] = line[k].imaginary[0];
            // Entries of another lane, even those that are not finite, are not seen.
            other[k].real[0] = std::numeric_limits<TestType>::quiet_NaN();
        }
        fourier.forward(line.data());
        fourier.forward(other.data());
        CHECK(same_lanes(line, 0, other, last));
        fourier.back(line.data());
        fourier.back(other.data());
        CHECK(same_lanes(line, 0, other, last));
    }
}

TEST_CASE("transforms may be made and used by many threads") {
    const auto line = drawn_line<double>(360, 5);
    std::vector<Line<double>> results(40, line);
#pragma omp parallel for num_threads(4)
    for (std::size_t k = 0; k < results.size(); ++k) {
        const Fourier<double> fourier({4, 9, 10});
        fourier.forward(results[k].data());
    }
    for (const auto& result : results)
        CHECK(std::memcmp(result.data(), results.front().data(), sizeof result[0] * result.size()) == 0);
}
