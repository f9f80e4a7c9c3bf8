#include "rfbench/networks/affine.hpp"

#include "catch.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::networks;
using namespace rfbench::tests;

TEST_CASE("products are those of whole matrices, however many rows go through them at a time") {
    for (const Index rows : {1, 7, 119, 120, 121, 250, 500}) {
        // Columns of x are shared by threads when there are many.
        const Index columns = rows == 250 ? 200 : 5;
        const Points x = normal_points(rows, columns, Stream(1)), b = normal_points(columns, 3, Stream(2)),
                     y = normal_points(rows, 3, Stream(3));
        const products::Panels<double> panels(products::strided(b));
        Points product;
        multiply<double>(x, panels, nullptr, product);
        // Terms of size one, each rounded, some hundreds at most.
        CHECK((product - x * b).cwiseAbs().maxCoeff() < 1e-11);
        const Points before = normal_points(columns, 3, Stream(4));
        Points sums = before;
        add_outer<double>(x, y, {sums.data(), sums.rows(), sums.cols()});
        CHECK((sums - before - x.transpose() * y).cwiseAbs().maxCoeff() < 1e-11);
    }
}
