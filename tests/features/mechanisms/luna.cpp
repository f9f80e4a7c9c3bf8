#include "rfbench/features/mechanisms/luna.hpp"

#include <cmath>

#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "support/gradients.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

constexpr Index d = 3;

const MapShape shape{.dimension = d,
                     .projections = 2,
                     .channels = network_channels({3, 4, "tanh", "elu+1"}),
                     .envelope = Envelope::token};

Settings settings(const Vector& parameters) {
    return {{"head_parameters", std::vector<double>(parameters.begin(), parameters.end())},
            {"dimension", 3.0},
            {"projections", 2.0},
            {"channels", 3.0},
            {"hidden", 4.0},
            {"activation", "tanh"},
            {"output", "elu+1"},
            {"envelope", "token"}};
}

Vector parameters() { return shape.start(Stream(1)) + 0.3 * normal_vector(shape.parameters(), Stream(2)); }

std::unique_ptr<FeatureMap> read_map() {
    const auto mechanism = fit(luna(), {}, settings(parameters()));
    return mechanism->map(draw(*mechanism, d, 1, sampling::find("iid"), Stream(3)));
}

std::string refused(const Settings& given) {
    return tests::refusal<std::invalid_argument>([&] { fit(luna(), {}, given); });
}

}  // namespace

TEST_CASE("luna is the trained map at d^(1/4) x, times exp(-|x|^2 / 2)", "[features]") {
    const Points rows = normal_points(5, d, Stream(4));
    FeatureBlock<double> block;
    read_map()->evaluate(Side::query, rows, block);
    const Points expected = LearnedMap(shape, parameters()).values(std::pow(3.0, 0.25) * rows);
    for (Index i = 0; i < 5; ++i)
        for (Index r = 0; r < 6; ++r)
            CHECK(block.values(i, r) * std::exp(block.log_scale[i]) ==
                  Approx(expected(i, r) * std::exp(-0.5 * rows.row(i).squaredNorm())).epsilon(1e-13));
}

TEST_CASE("luna: gradients with respect to rows", "[features]") {
    const Points row = normal_points(1, d, Stream(5)), weights = normal_points(1, 6, Stream(6));
    const auto map = read_map();
    FeatureBlock<double> block;
    map->evaluate(Side::key, row, block);
    Rows<double> gradient;
    map->differentiable()->pullback(Side::key, row, block, weights, gradient);
    const auto loss = [&](const Vector& at) {
        FeatureBlock<double> moved;
        map->evaluate(Side::key, Points(at.transpose()), moved);
        return std::exp(moved.log_scale[0] - block.log_scale[0]) * moved.values.cwiseProduct(weights).sum();
    };
    check_gradient(loss, row.transpose(), gradient.transpose());
}

TEST_CASE("luna without parameters begins at the projections drawn, L features each", "[features]") {
    const auto mechanism = fit(luna(), {}, {{"channels", 5.0}});
    CHECK(mechanism->columns(4) == 20);
    CHECK_FALSE(mechanism->dimension());
    const Draw own = draw(*mechanism, d, 4, sampling::find("orthogonal"), Stream(7));
    const Points rows = normal_points(2, d, Stream(8));
    FeatureBlock<double> block, other;
    mechanism->map(own)->evaluate(Side::key, rows, block);
    Draw moved = own;
    moved.omega.col(3) *= 2;
    mechanism->map(moved)->evaluate(Side::key, rows, other);
    const Vector scale = (other.log_scale - block.log_scale).array().exp();
    // Only the columns i L + l of i = 3 change.
    const Points change = scale.asDiagonal() * other.values - block.values;
    CHECK(change.leftCols(15).cwiseAbs().maxCoeff() <= 1e-14);
    CHECK(change.rightCols(5).cwiseAbs().minCoeff() > 0);
}

TEST_CASE("luna: parameters that do not fit their shape are refused", "[features]") {
    Settings given = settings(parameters());
    CHECK(refused(given) == "accepted");
    auto& list = std::get<std::vector<double>>(given["head_parameters"]);
    list.push_back(std::nan(""));  // where a file keeps longer ones too
    CHECK(refused(given) == "accepted");
    list.back() = 0;
    CHECK(refused(given) == "luna: head_parameters has 52 numbers; d = 3, m = 2 and these channels need 51");
    list.resize(51);
    list[7] = std::nan("");
    CHECK(refused(given) == "luna: not all of head_parameters are finite");
    list.resize(50);
    CHECK(refused(given) == "luna: head_parameters has 50 numbers; d = 3, m = 2 and these channels need 51");
    given = settings(parameters());
    given.insert_or_assign("channels", 0.5);
    CHECK(refused(given).find("luna: channels is 0.5") == 0);
    given.insert_or_assign("channels", 3.0);
    given.insert_or_assign("envelope", "gate");
    CHECK(refused(given) == "luna: envelope is 'gate'; none, token, channels, gaussian and softmax are allowed");
    given.insert_or_assign("envelope", "none");
    given.insert_or_assign("output", "rellu");
    CHECK(refused(given).find("'relu'") != std::string::npos);
    CHECK(refused({{"dimension", 3.0}}).find("head_parameters, which are not given") != std::string::npos);
}
