#include "rfbench/features/maps/learned_map.hpp"

#include <limits>

#include "rfbench/errors.hpp"
#include "support/gradients.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

/// Smooth activations: finite differences say nothing at a kink.
MapShape smooth_shape(Envelope envelope, const std::string& output = "elu+1") {
    return {
        .dimension = 3, .projections = 2, .channels = network_channels({3, 4, "tanh", output}), .envelope = envelope};
}

Vector parameters(const MapShape& shape) {
    return shape.start(Stream(1)) + 0.3 * normal_vector(shape.parameters(), Stream(2));
}

/// For the loss sum weights . values(rows): the gradient of the rows; that of the parameters is added.
Points pulled_back(const MapShape& shape, const Vector& at, const Points& rows, const Points& weights,
                   Vector& gradient) {
    const LearnedMap map(shape, at);
    FeatureBlock<double> block;
    map.evaluate(Side::query, rows, block);
    Points out;
    // The pullback takes the scales, which it holds, out of the gradient.
    map.pullback(Side::query, rows, block, block.log_scale.array().exp().matrix().asDiagonal() * weights, out,
                 gradient);
    return out;
}

}  // namespace

TEST_CASE("features are h(x) / sqrt(m) psi_l(w_i.x + b_i), L a projection and mL stacked (erratum 44)") {
    for (const Envelope envelope : {Envelope::none, Envelope::token, Envelope::channels}) {
        const MapShape shape = smooth_shape(envelope);
        const Vector p = parameters(shape);
        const Points rows = normal_points(5, 3, Stream(3));
        const LearnedMap map(shape, p);
        const Points values = map.values(rows);
        REQUIRE(map.columns() == 6);
        REQUIRE(values.cols() == 6);
        const Index gates = 3 * 2 + 2, first = gates + (3 + 1) * shape.gates();
        REQUIRE(p.size() == first + 3 * 13);
        for (Index r = 0; r < 5; ++r)
            for (Index i = 0; i < 2; ++i)
                for (Index l = 0; l < 3; ++l) {
                    const double u = rows.row(r).dot(p.segment(3 * i, 3)) + p[6 + i];
                    const Vector own = p.segment(first + 13 * l, 13);
                    double sum = own[12];
                    for (Index h = 0; h < 4; ++h) sum += own[8 + h] * std::tanh(own[h] * u + own[4 + h]);
                    double expected = (sum > 0 ? sum + 1 : std::exp(sum)) / std::sqrt(2.0);
                    if (shape.gates() > 0) {
                        const Index gate = shape.gates() == 1 ? 0 : l;
                        const double score =
                            rows.row(r).dot(p.segment(gates + 3 * gate, 3)) + p[gates + 3 * shape.gates() + gate];
                        expected /= 1 + std::exp(-score);
                    }
                    CHECK(values(r, 3 * i + l) == Approx(expected).epsilon(1e-13));
                }
    }
}

TEST_CASE("blocks hold the features over the largest, and rows of zeros are counted") {
    const MapShape shape{.dimension = 3, .projections = 2, .channels = network_channels({3, 4, "relu", "relu"})};
    Vector p = parameters(shape);
    const Points rows = normal_points(200, 3, Stream(4));
    const LearnedMap map(shape, p);
    FeatureBlock<double> block;
    map.evaluate(Side::key, rows, block);
    CHECK(
        (block.log_scale.array().exp().matrix().asDiagonal() * block.values - map.values(rows)).cwiseAbs().maxCoeff() <
        1e-14);
    CHECK(block.values.minCoeff() >= 0);
    CHECK(block.values.maxCoeff() <= 1);
    FeatureBlock<float> narrow;
    map.evaluate(Side::key, rows.cast<float>().eval(), narrow);
    // Rows lose 2^-24 of themselves and features of order one move as much as rows do.
    CHECK((narrow.values.cast<double>() - block.values).cwiseAbs().maxCoeff() < 1e-5);

    p.tail(3 * 13).setConstant(-1);  // relu of what is negative
    LearnedMap(shape, p).evaluate(Side::key, rows, block);
    CHECK(block.vanished == 200);
    CHECK(block.log_scale.cwiseAbs().maxCoeff() == 0);
}

TEST_CASE("gradients of the map with respect to all its parameters and its rows are those of finite differences") {
    const Points rows = normal_points(4, 3, Stream(5));
    for (const Envelope envelope :
         {Envelope::none, Envelope::token, Envelope::channels, Envelope::gaussian, Envelope::softmax})
        for (const char* output : {"identity", "exp", "sigmoid"}) {
            INFO(output << ", envelope " << static_cast<int>(envelope));
            MapShape shape = smooth_shape(envelope, output);
            // One network for all channels, and scaled channels, each once.
            if (envelope == Envelope::channels) shape.channel_rms = true;
            if (envelope == Envelope::gaussian) shape.channels = network_channels({3, 4, "tanh", output, true});
            const Vector at = parameters(shape);
            const Points weights = normal_points(4, shape.columns(), Stream(6));
            Vector gradient = Vector::Zero(at.size());
            const Points by_rows = pulled_back(shape, at, rows, weights, gradient);
            check_gradient(
                [&](const Vector& p) { return LearnedMap(shape, p).values(rows).cwiseProduct(weights).sum(); }, at,
                gradient);
            check_gradient(
                [&](const Vector& x) {
                    const Points moved = x.reshaped<Eigen::RowMajor>(4, 3);
                    return LearnedMap(shape, at).values(moved).cwiseProduct(weights).sum();
                },
                rows.reshaped<Eigen::RowMajor>(), by_rows.reshaped<Eigen::RowMajor>());
        }
}

TEST_CASE("a bank of fixed functions: values, gradients, and projections that stay where they are") {
    MapShape shape{.dimension = 3, .projections = 2, .channels = weighted_bank({"cos", "tanh", "gelu", "identity"})};
    shape.projections_trained = false;
    CHECK(shape.trained() == 4);
    const Vector at = parameters(shape);
    const Points rows = normal_points(4, 3, Stream(7)), weights = normal_points(4, 8, Stream(8));
    Vector gradient = Vector::Zero(at.size());
    pulled_back(shape, at, rows, weights, gradient);
    CHECK(gradient.head(8).cwiseAbs().maxCoeff() == 0);
    shape.projections_trained = true;
    gradient.setZero();
    pulled_back(shape, at, rows, weights, gradient);
    check_gradient([&](const Vector& p) { return LearnedMap(shape, p).values(rows).cwiseProduct(weights).sum(); }, at,
                   gradient);
    CHECK(LearnedMap(shape, at).values(rows)(1, 7) ==
          Approx(at[11] * (rows.row(1).dot(at.segment(3, 3)) + at[7]) / std::sqrt(2.0)).epsilon(1e-13));
}

TEST_CASE("learned maps refuse shapes and parameters that do not fit") {
    CHECK_THROWS_WITH(network_channels({0, 4, "relu", "relu"}),
                      "learned channels: 0 channels with 4 hidden units; both must be positive");
    CHECK_THROWS_WITH(network_channels({1, 4, "rellu", "relu"}), Catch::Contains("rellu"));
    CHECK_THROWS_WITH(weighted_bank({}), "learned channels: the bank has no functions");
    const MapShape shape = smooth_shape(Envelope::none);
    CHECK_THROWS_WITH((MapShape{.dimension = 3, .projections = 2}.start(Stream(1))), "learned map: it has no channels");
    CHECK_THROWS_WITH((MapShape{.dimension = 0, .channels = shape.channels}.start(Stream(1))),
                      "learned map: d = 0 and m = 8; both must be positive");
    Vector p = parameters(shape);
    CHECK_THROWS_WITH(LearnedMap(shape, p.head(5)), "learned map: 5 parameters; its shape has 47");
    CHECK_THROWS_WITH(LearnedMap(shape, p).values(Points::Zero(2, 4)),
                      "features: the rows have 4 coordinates, the mechanism was drawn for 3");
    p[7] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(LearnedMap(shape, p), "learned map: not all parameters are finite");
}

TEST_CASE("rows whose channels leave their precision are refused, in features and in gradients") {
    // W = 1, b = 0, the first channel's weight as given and all else 1.
    const auto refused = [](std::unique_ptr<Channels> channels, auto row, double weight = 1) {
        using Scalar = decltype(row);
        const MapShape shape{.dimension = 1, .projections = 1, .channels = std::move(channels)};
        Vector p = Vector::Ones(shape.parameters());
        p[1] = 0;
        p[2] = weight;
        const LearnedMap map(shape, p);
        const Rows<Scalar> rows = Rows<Scalar>::Constant(1, 1, row);
        CHECK(static_cast<double>(row) <= map.largest_entry().in<Scalar>());
        FeatureBlock<Scalar> block{Rows<Scalar>::Ones(1, map.columns()), Vector::Zero(1)};
        const Rows<Scalar> sent = block.values;
        Rows<Scalar> out;
        Vector by;
        const std::string by_gradient =
            refusal<NotFinite>([&] { map.pullback(Side::key, rows, block, sent, out, by); });
        const std::string by_features = refusal<NotFinite>([&] { map.evaluate(Side::key, rows, block); });
        CHECK(by_features == by_gradient);
        CHECK((by_features != "accepted" || (block.values.allFinite() && block.log_scale.allFinite())));
        return by_features;
    };
    CHECK(refused(weighted_bank({"cos", "exp"}), 100.F) ==
          "learned map: channels of rows whose projections w.x + b are up to 100 are not finite in single precision; "
          "smaller projections are allowed, or rows in double");
    // Nothing times infinity is no number.
    CHECK(contains(refused(weighted_bank({"exp"}), 100.F, 0), "single precision"));
    CHECK(refused(weighted_bank({"exp"}), 88.F) == "accepted");
    CHECK(contains(refused(weighted_bank({"exp"}), 710.0), "up to 710 are not finite in double precision"));
    CHECK(refused(weighted_bank({"exp"}), 100.0) == "accepted");
    CHECK(contains(refused(network_channels({1, 2, "square", "relu"}), 1e20F), "single precision"));
    // Squares of what float holds are in double, those of double are nowhere.
    CHECK(refused(network_channels({1, 2, "relu", "square"}), 1e20F) == "accepted");
    CHECK(contains(refused(network_channels({1, 2, "square", "square"}), 0x1p400), "double precision"));
}
