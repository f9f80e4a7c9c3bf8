// At equal cost: what allocation by degrees of freedom, the optimal densities and learning buy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "dof/error_report.hpp"
#include "dof/lambda_unit.hpp"
#include "dof/training.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/dof/allocation.hpp"
#include "rfbench/dof/spectrum.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/theory/special.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

const MethodKey taken{.abilities = {Ability::found, Ability::features},
                      .sampling = EntrySampling::drawn,
                      .default_methods =
                          "[{use: positive, sampling: iid, label: iid}, "
                          "{use: positive, sampling: orthogonal, label: orthogonal}, "
                          "{use: optimal-density, label: q-lambda}, "
                          "{use: optimal-density, lambda: infinity, label: q-inf}, "
                          "{use: fitted-weights, label: weighted}, "
                          "{use: learned-points, loss: squared, label: learned-squared}, "
                          "{use: learned-points, loss: softmax, label: learned-softmax}]"};

const std::vector<std::pair<std::string, dof::Allocation>> all_allocations{
    {"Fix", dof::Allocation::fixed},
    {"DoF", dof::Allocation::layers},
    {"DoF + Clip", dof::Allocation::clipped},
    {"DoF of each head", dof::Allocation::heads}};

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<std::string> names;
    for (const auto& [name, allocation] : all_allocations) names.push_back(name);
    std::vector<KeyRule> all{head_source_key()};
    all.push_back(defaulted("allocations", one_or_more(one_of(names)), "[Fix, DoF, DoF + Clip, DoF of each head]",
                            "how the cost is spent over layers and heads; a map that is given has its own"));
    all.push_back(defaulted("columns", integer(1, 65536), "32", "features a head in the mean; the clip as well"));
    all.push_back(defaulted("lambda", real(above(0)), "0.0625", "regularisation of the degrees of freedom"));
    all.push_back(lambda_unit_key());
    all.push_back(defaulted("points", integer(2, 8192), "256", "J, queries and keys that stand for their law"));
    all.push_back(defaulted("tests", integer(1, 100'000), "2", "sequences that nothing is fitted to, the last ones"));
    all.push_back(defaulted("repeats", integer(2, 100'000), "3", "draws of features"));
    for (KeyRule& rule : point_training_keys()) all.push_back(std::move(rule));
    return all;
}

/// None: the columns are the method's own.
using Spending = std::optional<dof::Allocation>;

Axis<Spending> allocation_axis(const config::Value& config, const std::vector<MethodChoice>& methods) {
    Axis<Spending> result{"allocation", {}, {}, "", "how the cost is spent over layers and heads", {"allocations"}};
    std::vector<std::string> labels = config.at("allocations").texts();
    for (const std::string& label : labels)
        for (const auto& [name, allocation] : all_allocations)
            if (name == label) result.values.emplace_back(allocation);
    if (std::any_of(methods.begin(), methods.end(), [](const auto& one) { return one->own_columns().has_value(); })) {
        result.values.emplace_back();
        // Maps that are given stand apart, at their own cost, which no allocation decides.
        labels.push_back(as_given);
    }
    result.labels = labels;
    return result;
}

/// Training part of the heads, from which features are found, and the number of features of each head.
class Heads {
public:
    Heads(const config::Value& config, const Stream& stream)
        : source_(head_source(config, stream)),
          training_(source_->sequences() - whole(config, "tests")),
          points_(whole(config, "points")),
          lambda_(config.at("lambda").number()),
          share_(lambda_is_share(config)),
          columns_(static_cast<int>(config.at("columns").integer())),
          settings_(point_training(config)),
          stream_(stream.child("sample")) {
        if (training_ < 1)
            config.at("tests").refuse(
                fmt::format("{} of {} sequences leave none to fit to", tests(), source_->sequences()));
        const Index most = source_->points(training_);
        if (points_ > most)
            config.at("points").refuse(
                fmt::format("{} points are asked for, but {} training sequences have {} queries and keys", points_,
                            training_, most));
    }

    const HeadSource& source() const { return *source_; }
    Index tests() const { return source_->sequences() - training_; }
    HeadSequence test(Index layer, Index head, Index number) const {
        return source_->sequence(layer, head, training_ + number);
    }

    /// Points of the training sequences.
    Points sample(Index layer, Index head) const {
        return source_->sample(layer, head, training_, points_, head_stream(stream_, layer, head));
    }

    HeadProblem problem(Index layer, Index head) const {
        HeadProblem result{{}, sample(layer, head), lambda_, settings_};
        if (share_) result.lambda *= trace(result.points);
        for (Index i = 0; i < training_; ++i) result.sequences.push_back(source_->sequence(layer, head, i).tokens);
        return result;
    }

    /// The degrees of freedom of all heads are computed once, when they are first asked for.
    Index allocated(dof::Allocation allocation, Index layer, Index head) const {
        std::call_once(once_, [this] {
            degrees_.resize(source_->layers(), source_->heads());
            for (Index l = 0; l < degrees_.rows(); ++l)
                for (Index h = 0; h < degrees_.cols(); ++h) {
                    const dof::Spectrum spectrum = dof::softmax_spectrum(sample(l, h));
                    degrees_(l, h) = share_ ? spectrum.degrees_of_share(lambda_) : spectrum.degrees(lambda_);
                }
        });
        // The features of one head depend on the degrees of freedom of all.
        return dof::allocate(degrees_, allocation, columns_, columns_)(layer, head);
    }

private:
    /// tr S: the mean of exp(|x|^2 / sqrt d).
    static double trace(const Points& points) {
        return (points.rowwise().squaredNorm() / std::sqrt(static_cast<double>(points.cols()))).array().exp().mean();
    }

    std::shared_ptr<const HeadSource> source_;
    Index training_, points_;
    double lambda_;
    bool share_;  ///< lambda is a share of tr S
    int columns_;
    training::PointTraining settings_;
    Stream stream_;
    mutable std::once_flag once_;
    mutable Eigen::ArrayXXd degrees_;
};

/// Found for the head, or drawn and, where the method has parameters to fit, fitted to its points.
std::shared_ptr<const features::FeatureMap> features_of(const MethodChoice& choice, const Heads& heads, Index layer,
                                                        Index head, Index columns, const Stream& stream) {
    const sampling::Scheme& scheme = point_scheme(choice);
    if (choice->finder())
        return choice->finder()->find(heads.problem(layer, head), columns, scheme, stream).features.map();
    // The sample stands for queries and keys alike, of training sequences alone.
    const Points points = heads.sample(layer, head);
    return choice->head_features()->features(points, points)(columns, scheme, stream);
}

/// Sums of squares over test sequences.
struct Sums {
    double error = 0, size = 0;
    double relative() const { return std::sqrt(error / size); }
};

store::Dataset compute(const Heads& heads, Index layer, Index head, const features::FeatureMap& map,
                       bool estimates_kernel) {
    Sums output;
    double log_kernel = -std::numeric_limits<double>::infinity(), divergence = 0;
    for (const Index i : parallel::Parts(heads.tests())) {
        const HeadSequence test = heads.test(layer, head, i);
        const attention::Inputs<double> in{test.tokens.queries, test.tokens.keys, test.values};
        Points exact, estimate;
        attention::exact(in, Visible::causal, exact);
        attention::linear(map, in, Visible::causal, estimate);
        output.error += (estimate - exact).squaredNorm();
        output.size += exact.squaredNorm();
        // Relative to the kernel of its sequence already: it is averaged, where squares of outputs are added up.
        log_kernel = theory::log_add(log_kernel, dof::log_squared_loss(Visible::causal, map, test.tokens));
        divergence += dof::loss(dof::Loss::softmax, Visible::causal, map, test.tokens);
    }
    const auto tests = static_cast<double>(heads.tests());
    const double kernel = estimates_kernel ? std::exp(0.5 * (log_kernel - std::log(tests))) : std::nan("");
    return {{},
            {{"features", {}, {static_cast<double>(map.columns())}, "", "real columns of this head"},
             {"relative_kernel_error", {}, {kernel}, "", "|K^ - K| / |K|, Frobenius, of test sequences"},
             {"divergence", {}, {divergence / tests}, "", "of attention weights from those of softmax, test sequences"},
             {"relative_output_error", {}, {output.relative()}, "", "|O^ - O| / |O|, Frobenius, of test sequences"}},
            {}};
}

Sweep prepare(const config::Value& config) {
    const Stream seed = study_stream(config, "dof/error");
    const auto inputs = std::make_shared<const Heads>(config, seed);
    const auto compared = method_axis(methods(config, taken), "how features are found");
    require_one_sequence(inputs->source(), config.at("heads"));
    for (const MethodChoice& choice : compared) {
        choice.require_dimension(inputs->source().dimension());
        require_points_found(choice);
        if (choice->finder()) require_end(inputs->source(), config);
    }
    auto layers = layer_axis(inputs->source(), config), heads = head_axis(inputs->source());
    // They do not stand for the key `heads`: what is allocated to one head depends on all of them.
    layers.keys = heads.keys = {};
    const auto allocations = allocation_axis(config, compared.values);
    const auto repeats = repeat_axis("repeat", Key{config, "repeats"}, "draw of features");
    Sweep sweep = Sweep::over(layers, heads, allocations, compared, repeats);
    // Given features have their own cost, and nothing of them is drawn.
    sweep.keep = [=](const Point& at) {
        const bool given = at[compared]->own_columns().has_value();
        return given == !at[allocations].has_value() && (!given || at[repeats] == 0);
    };
    sweep.notes = inputs->source().notes();
    // Tokens of all sequences, and the Gram matrix of the points with what its eigenvalues are computed in.
    const auto points = static_cast<double>(whole(config, "points"));
    sweep.bytes = sizeof(double) * (inputs->source().size() + 2 * points * points);
    // A method that estimates no kernel has no error of it.
    sweep.finite_but = {{"relative_kernel_error"}};
    sweep.compute = [=, drawn = seed.child("features")](const Point& at) {
        const MethodChoice& choice = at[compared];
        const Index layer = at[layers], head = at[heads];
        const Index columns =
            at[allocations] ? inputs->allocated(*at[allocations], layer, head) : *choice->own_columns();
        // Not keyed by allocation or method: where allocations agree on a head, so do its draws.
        const Stream own =
            head_stream(drawn, layer, head).child(static_cast<std::uint64_t>(columns)).child(at[repeats]);
        return compute(*inputs, layer, head, *features_of(choice, *inputs, layer, head, columns, own),
                       choice->finder() || choice->estimates_kernel());
    };
    return sweep;
}

}  // namespace

Study freedom_error_study() {
    return {"dof",
            "error",
            "kernel and output errors at equal cost, by allocation and kind of features",
            "Nishikawa, Higuchi and Suzuki 2025, sections 3.2, 3.3 and 4.2",
            2,
            taken,
            keys,
            prepare,
            freedom_error_report};
}

}  // namespace rfbench::experiments
