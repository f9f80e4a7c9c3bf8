// The map that docs/adding-a-method.md shows, from the page.
#include <cmath>

#include "catch.hpp"
#include "rfbench/training/linear_head.hpp"
#include "rfbench_page_map.hpp"
#include "support/gradients.hpp"

using namespace rfbench::tests;
using rfbench::attention::Visible;

TEST_CASE("the trained map of the page on methods has the gradients of finite differences, in a causal layer too") {
    const Index n = 7, d = 3, m = 4;
    const auto head = training::linear_attention({std::make_shared<SquareMaps>(d, m)});
    const Points queries = normal_points(n, d, Stream(1)), keys = normal_points(n, d, Stream(2));
    const Points values = normal_points(n, 2, Stream(3)), sent = normal_points(n, 2, Stream(4));
    const Vector at = head->start(Stream(5));
    REQUIRE(head->parameters() == d * m);
    for (const Visible visible : {Visible::all, Visible::causal}) {
        attention::Gradients<double> by;
        Vector by_parameters = Vector::Zero(at.size());
        head->forward(at, {queries, keys, values}, visible)->backward(sent, by, by_parameters);
        check_gradient(
            [&](const Vector& p) {
                return head->forward(p, {queries, keys, values}, visible)->output.cwiseProduct(sent).sum();
            },
            at, by_parameters);
        check_gradient(
            [&](const Vector& x) {
                const Points moved = x.reshaped<Eigen::RowMajor>(n, d);
                return head->forward(at, {queries, moved, values}, visible)->output.cwiseProduct(sent).sum();
            },
            keys.reshaped<Eigen::RowMajor>(), by.keys.reshaped<Eigen::RowMajor>());
    }
}
