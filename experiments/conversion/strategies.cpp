#include "conversion/strategies.hpp"

#include <algorithm>
#include <cmath>

#include "rfbench/dof/spectrum.hpp"

namespace rfbench::experiments {
namespace {

const std::vector<Strategy> all_strategies{{"Fix", dof::Allocation::fixed, false},
                                           {"DoF", dof::Allocation::layers, false},
                                           {"DoF + Clip", dof::Allocation::clipped, false},
                                           {"Fix at clipped cost", dof::Allocation::fixed, true},
                                           {"DoF of each head", dof::Allocation::heads, false}};

}  // namespace

config::KeyRule strategies_key(const char* otherwise) {
    using namespace config;
    std::vector<std::string> names;
    for (const Strategy& one : all_strategies) names.push_back(one.name);
    return defaulted("strategies", one_or_more(one_of(names)), otherwise, "how they are spent over layers and heads");
}

Axis<Strategy> strategy_axis(const config::Value& config) {
    Axis<Strategy> axis{"strategy", {}, {}, "", "how features are spent over layers and heads", {"strategies"}};
    const std::vector<std::string> names = config.at("strategies").texts();
    for (const std::string& name : names)
        for (const Strategy& one : all_strategies)
            if (name == one.name) axis.values.push_back(one);
    axis.labels = names;
    return axis;
}

Eigen::ArrayXXd degrees_of(const TeacherHeads& heads, const networks::TransformerShape& shape, Index sampled,
                           double lambda) {
    Eigen::ArrayXXd degrees(shape.layers, shape.heads);
    for (Index l = 0; l < shape.layers; ++l)
        for (Index h = 0; h < shape.heads; ++h)
            degrees(l, h) =
                dof::softmax_spectrum(sample_of(heads[static_cast<std::size_t>(l * shape.heads + h)], sampled))
                    .degrees_of_share(lambda);
    return degrees;
}

HeadColumns spent(const Eigen::ArrayXXd& degrees, const Strategy& strategy, Index columns) {
    const int cost = static_cast<int>(columns);
    Eigen::ArrayXXi dimensions = dof::allocate(degrees, strategy.allocation, cost, cost);
    if (strategy.at_clipped_cost) {
        const double clipped = dof::allocate(degrees, dof::Allocation::clipped, cost, cost).cast<double>().mean();
        dimensions.setConstant(std::max(1, static_cast<int>(std::lround(clipped))));
    }
    HeadColumns all;
    for (Index l = 0; l < dimensions.rows(); ++l)
        for (Index h = 0; h < dimensions.cols(); ++h) all.push_back(dimensions(l, h));
    return all;
}

}  // namespace rfbench::experiments
