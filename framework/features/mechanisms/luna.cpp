#include "rfbench/features/mechanisms/luna.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/text/number.hpp"

namespace rfbench::features {
namespace {

/// phi(d^(1/4) x) exp(-|x|^2 / 2), the second factor in the log scale.
class FromSoftmax final : public FeatureMapOf<FromSoftmax>, public DifferentiableMapOf<FromSoftmax> {
public:
    explicit FromSoftmax(std::shared_ptr<const LearnedMap> own)
        : own_(std::move(own)), root_(std::pow(static_cast<double>(own_->shape().dimension), 0.25)) {}

    std::shared_ptr<const FeatureMap> of_softmax(double) const override { return own_; }
    Index columns() const override { return own_->columns(); }
    LargestEntry largest_entry() const override {
        const LargestEntry own = own_->largest_entry();
        return LargestEntry().both({own.wide / root_, own.narrow / root_});
    }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        const Rows<Scalar> queries = static_cast<Scalar>(root_) * rows;
        own_->evaluate(side, RowsView<Scalar>(queries), out);
        out.log_scale -= half_squares<Scalar>(rows);
    }

    template <class Scalar>
    void pull_rows_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                        const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
        const Rows<Scalar> queries = static_cast<Scalar>(root_) * rows;
        // With q = d^(1/4) x: phi's own gradient times d^(1/4), and -x f of the factor exp(-|x|^2 / 2).
        FeatureBlock<Scalar> unscaled = features;
        unscaled.log_scale += half_squares<Scalar>(rows);
        own_->pullback(side, RowsView<Scalar>(queries), unscaled, gradient, out);
        const Eigen::Matrix<Scalar, Eigen::Dynamic, 1> sums = gradient.cwiseProduct(features.values).rowwise().sum();
        out = (static_cast<Scalar>(root_) * out - sums.asDiagonal() * rows).eval();
    }

private:
    template <class Scalar>
    static auto half_squares(const RowsView<Scalar>& rows) {
        return 0.5 * rows.template cast<double>().rowwise().squaredNorm();
    }

    std::shared_ptr<const LearnedMap> own_;
    double root_;
};

template <class T>
T setting(const Settings& settings, const char* name, T otherwise) {
    const auto found = settings.find(name);
    return found == settings.end() ? otherwise : std::get<T>(found->second);
}

/// At least 1, or `otherwise` where it is not given.
Index whole(const Settings& settings, const char* name, Index otherwise) {
    const double value = setting(settings, name, static_cast<double>(otherwise));
    if (settings.contains(name) && !(value >= 1 && value <= 65536 && value == std::floor(value)))
        throw std::invalid_argument("luna: " + std::string(name) + " is " + shortest_text(value) +
                                    "; whole numbers from 1 to 65536 are allowed");
    return static_cast<Index>(value);
}

std::shared_ptr<const Channels> channels(const Settings& settings) {
    if (settings.contains("functions")) {
        std::istringstream words(std::get<std::string>(settings.find("functions")->second));
        std::vector<std::string> functions;
        for (std::string one; words >> one;) functions.push_back(one);
        return weighted_bank(functions, setting(settings, "summed", false) ? BankForm::summed : BankForm::apart);
    }
    return network_channels({.channels = whole(settings, "channels", 8),
                             .hidden = whole(settings, "hidden", 16),
                             .activation = setting<std::string>(settings, "activation", "relu"),
                             .output = setting<std::string>(settings, "output", "elu+1"),
                             .shared = setting(settings, "shared", false)});
}

Envelope envelope(const std::string& name) {
    if (name == "none") return Envelope::none;
    if (name == "token") return Envelope::token;
    if (name == "channels") return Envelope::channels;
    if (name == "gaussian") return Envelope::gaussian;
    if (name == "softmax") return Envelope::softmax;
    throw std::invalid_argument("luna: envelope is '" + name +
                                "'; none, token, channels, gaussian and softmax are allowed");
}

/// Stored parameters: NaN follow where the file keeps longer ones too.
std::shared_ptr<const LearnedMap> trained(const MapShape& shape, const std::vector<double>& stored) {
    check(shape);
    const Index own = shape.parameters(), all = static_cast<Index>(stored.size());
    const Eigen::Map<const Vector> values(stored.data(), all);
    if (all < own || !values.tail(all - own).array().isNaN().all())
        throw std::invalid_argument(
            "luna: head_parameters has " + std::to_string(all) + " numbers; d = " + std::to_string(shape.dimension) +
            ", m = " + std::to_string(shape.projections) + " and these channels need " + std::to_string(own));
    if (!values.head(own).allFinite()) throw std::invalid_argument("luna: not all of head_parameters are finite");
    return std::make_shared<const LearnedMap>(shape, values.head(own));
}

class Luna final : public Mechanism {
public:
    /// `map` is null where nothing was trained.
    Luna(MapShape shape, std::shared_ptr<const LearnedMap> map, Settings reported)
        : shape_(std::move(shape)), map_(std::move(map)), reported_(std::move(reported)) {}

    Settings parameters() const override { return reported_; }
    std::optional<Index> dimension() const override {
        return map_ ? std::optional(shape_.dimension) : std::optional<Index>{};
    }
    Index columns(Index count) const override { return map_ ? map_->columns() : count * shape_.channels->count(); }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        if (!map_) return std::make_unique<FromSoftmax>(beginning(draw.omega));
        if (draw.omega.rows() != shape_.dimension)
            throw std::invalid_argument("luna: the map was trained for rows of " + std::to_string(shape_.dimension) +
                                        " coordinates, these have " + std::to_string(draw.omega.rows()));
        return std::make_unique<FromSoftmax>(map_);
    }

private:
    /// W = omega / sqrt(d), N(0, 1/d).
    std::shared_ptr<const LearnedMap> beginning(const Projections& omega) const {
        MapShape shape = shape_;
        shape.dimension = omega.rows();
        shape.projections = omega.cols();
        Vector parameters = shape.start(Stream(0));
        parameters.head(omega.size()) = omega.reshaped() / std::sqrt(static_cast<double>(omega.rows()));
        return std::make_shared<const LearnedMap>(shape, std::move(parameters));
    }

    MapShape shape_;
    std::shared_ptr<const LearnedMap> map_;
    Settings reported_;
};

std::unique_ptr<Mechanism> fit_luna(const Statistics&, const Settings& settings) {
    const MapShape shape = luna_shape(settings);
    const auto stored = setting(settings, "head_parameters", std::vector<double>{});
    if (stored.empty() && shape.dimension + shape.projections > 0)
        throw std::invalid_argument(
            "luna: dimension and projections are those of head_parameters, which are not given");
    if (stored.empty()) return std::make_unique<Luna>(shape, nullptr, settings);
    auto map = trained(shape, stored);
    // Without what follows in the file where another map has more parameters.
    Settings reported = settings;
    std::get<std::vector<double>>(reported["head_parameters"]).resize(static_cast<std::size_t>(shape.parameters()));
    return std::make_unique<Luna>(shape, std::move(map), std::move(reported));
}

}  // namespace

MapShape luna_shape(const Settings& settings) {
    return {.dimension = whole(settings, "dimension", 0),
            .projections = whole(settings, "projections", 0),
            .channels = channels(settings),
            .envelope = envelope(setting<std::string>(settings, "envelope", "none")),
            .channel_rms = setting(settings, "channel_rms", false)};
}

const MechanismInfo& luna() {
    using enum ParameterInfo::Type;
    static const MechanismInfo info{
        .name = "luna",
        .paper_name = "LUNA",
        .summary = "features of a trained map, from the result file of a training; biased",
        .features =
            "f(x) = phi(d^(1/4) x) exp(-|x|^2/2) on both sides: attention sees phi itself, "
            "phi_(i,l)(q) = h_l(q) psi_l(w_i.q + b_i) / sqrt(m)",
        .variance = "none: the map is what training left behind, for whatever it was trained for",
        .reference = "Shahbazi et al. 2025, (11)",
        .cost = "no fit; one draw is all m L real columns; O(d) a projection, O(hidden) a feature",
        .parameters =
            {{"head_parameters",
              list,
              "finite numbers, as many as the shape has",
              "W, b, gates and channels, as features/learned_map.hpp has them; default: where training begins, "
              "with the projections drawn",
              {"parameter"}},
             {"dimension", integer, "an integer from 1 on", "d, which head_parameters are for"},
             {"projections", integer, "an integer from 1 on", "m of head_parameters"},
             {"channels", integer, "an integer from 1 on", "L; default: 8"},
             {"hidden", integer, "an integer from 1 on", "units of each channel; default: 16"},
             {"activation", word, "a nonlinearity", "of the hidden units; default: relu"},
             {"output", word, "a nonlinearity", "of the channels; default: elu+1"},
             {"functions", word, "nonlinearities with spaces between them",
              "of a bank, psi_l = c_l g_l, in place of networks"},
             {"shared", boolean, "true or false", "whether channels share hidden units; default: false"},
             {"summed", boolean, "true or false", "whether the functions of a bank are added up; default: false"},
             {"envelope", word, "none, token, channels, gaussian or softmax", "h; default: none"},
             {"channel_rms", boolean, "true or false", "whether channels are scaled; default: false"}},
        .unbiased = false,
        .estimates_kernel = false,
        .differentiable = true,
        .fit = fit_luna};
    return info;
}

}  // namespace rfbench::features
