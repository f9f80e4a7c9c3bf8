// FeatureMap::largest_entry() against the features of such rows.
#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/maps/weighted_rows.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

// From here on cosine directions have fast transforms.
constexpr Index d = 256;

std::shared_ptr<const FeatureMap> drawn(const MechanismInfo& info, const Settings& settings, const char* sampling) {
    const auto mechanism = fit(info, {}, settings);
    return mechanism->map(draw(*mechanism, d, 2, sampling::find(sampling), Stream(1)));
}

/// Whether all features are finite of rows whose entries are the largest, of one sign and of any.
template <class Scalar>
bool finite_up_to_largest(const FeatureMap& map, bool numbered) {
    const auto high = static_cast<Scalar>(map.largest_entry().in<Scalar>());
    Rows<Scalar> rows = (high * normal_points(6, d, Stream(2)).array().sign().template cast<Scalar>()).matrix();
    rows.row(0).setConstant(high);
    if (numbered) rows.conservativeResizeLike(Rows<Scalar>::Zero(6, d + 1));
    for (const Side side : {Side::query, Side::key}) {
        FeatureBlock<Scalar> block;
        map.evaluate(side, rows, block);
        if (!block.values.allFinite() || !block.log_scale.allFinite()) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("features are finite up to the largest entry that a map states") {
    const auto check = [](const char* name, const FeatureMap& map, bool numbered = false) {
        INFO(name);
        CHECK(finite_up_to_largest<float>(map, numbered));
        CHECK(finite_up_to_largest<double>(map, numbered));
    };
    const auto dense = drawn(positive(), {}, "iid");
    check("positive", *dense);
    check("positive with weights", *weighted_rows(dense, Vector::Zero(6), Vector::Zero(6)), true);
    check("hybrid", *drawn(hybrid(), {}, "iid"));
    check("cosine-phase", *drawn(cosine_phase(), {}, "iid"));
    check("discrete-cosine", *drawn(discrete_cosine(), {{"softmax", true}}, "iid"));
    check("discrete-cosine, transformed", *drawn(discrete_cosine(), {{"softmax", true}}, "dct"));
    check("luna", *drawn(luna(), {{"functions", "abs"}}, "iid"));
}
