#include "rfbench/datasets/encoding.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::datasets;

namespace {

Table small() {
    Table table;
    table.columns = {{"colour", ColumnType::category, {"red", "green", "blue"}}, {"size", ColumnType::number, {}}};
    table.values = Points{{2, 10}, {0, 20}, {1, 30}};
    table.classes = {0, 1, 0};
    table.class_names = {"a", "b"};
    return table;
}

}  // namespace

TEST_CASE("Categories become columns, or their codes", "[encoding]") {
    CHECK(encode(small(), Encoding::one_hot) == Points{{0, 0, 1, 10}, {1, 0, 0, 20}, {0, 1, 0, 30}});
    CHECK(encode(small(), Encoding::ordinal) == Points{{2, 10}, {0, 20}, {1, 30}});
}

TEST_CASE("Scales are those of the training rows", "[encoding]") {
    const Points training{{1, 5, 7}, {3, 9, 7}};
    const Points standardized = fit_scale(training, Scaling::standardized).apply(training);
    CHECK(standardized == Points{{-1, -1, 0}, {1, 1, 0}});
    const Points others{{2, 13, 8}};
    CHECK(fit_scale(training, Scaling::standardized).apply(others) == Points{{0, 3, 1}});
    CHECK(fit_scale(training, Scaling::min_max).apply(others) == Points{{0.5, 2, 1}});
    CHECK(fit_scale(training, Scaling::raw).apply(others) == others);
    CHECK_THROWS_AS(fit_scale(Points(0, 2), Scaling::raw), std::invalid_argument);
}

TEST_CASE("Scaled rows are the same for columns of any size", "[encoding]") {
    // 2^k x has the scaled rows of x, to the bit, as long as no entry of it is subnormal or infinite: |x| lies between
    // 2^-7 and 1, so that k may be -1015 to 1023.
    Points training(50, 3);
    for (Index i = 0; i < training.size(); ++i) training.data()[i] = std::sin(static_cast<double>(1 + i));
    for (const auto scaling : {Scaling::standardized, Scaling::min_max}) {
        const Points expected = fit_scale(training, scaling).apply(training);
        for (const int k : {-1015, -600, -500, -30, 30, 500, 600, 1023}) {
            const Points other = training.unaryExpr([k](double x) { return std::ldexp(x, k); });
            INFO("times 2^" << k);
            CHECK(fit_scale(other, scaling).apply(other) == expected);
        }
    }

    // The textbook's formulas, to the bit.
    const Points standardized = fit_scale(training, Scaling::standardized).apply(training);
    for (Index c = 0; c < training.cols(); ++c) {
        const auto gaps = training.col(c).array() - training.col(c).mean();
        CHECK((standardized.col(c).array() == gaps / std::sqrt(gaps.square().mean())).all());
    }
}

TEST_CASE("The ends of double's range are scaled", "[encoding]") {
    const double largest = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
    const auto rows = [](Scaling scaling, const Points& column) { return fit_scale(column, scaling).apply(column); };
    for (const double end : {1e-170, 1e200, largest, least}) {
        INFO("from 0 to " << end);
        CHECK(rows(Scaling::standardized, Points{{0}, {end}}) == Points{{-1}, {1}});
        CHECK(rows(Scaling::standardized, Points{{-end}, {end}}) == Points{{-1}, {1}});
        CHECK(rows(Scaling::min_max, Points{{0}, {end}}) == Points{{0}, {1}});
        CHECK(rows(Scaling::min_max, Points{{-end}, {0}, {end}}) == Points{{0}, {0.5}, {1}});
    }
    // Constant columns keep their unit.
    CHECK(fit_scale(Points{{1e300}, {1e300}}, Scaling::standardized).apply(Points{{0}}) == Points{{-1e300}});
}
