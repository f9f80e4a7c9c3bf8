// A Transformer over patches of images (Dosovitskiy et al. 2021) trained to classify them, by each method without and
// with a mask of relative places that is learned: accuracy against steps and on images held out (Figures 4.4 and 6.6
// left of the thesis, in small), the masks that were learned, and attention matrices of trained heads (as in Figures
// 3.13 to 3.15).
#include "sources/images.hpp"

#include <algorithm>
#include <cmath>
#include <future>

#include "sources/image_baselines.hpp"
#include "training/attention_picture.hpp"
#include "training/baselines.hpp"
#include "training/image_report.hpp"
#include "training/network_training.hpp"
#include "training/training_memory.hpp"

namespace rfbench::experiments {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Index at_once = 256;  ///< images that are sequences where they are classified only

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = image_keys("4");
    for (KeyRule& rule : network_keys()) all.push_back(std::move(rule));
    all.push_back(defaulted("judged", integer(1, 1'000'000), "1000", "validation images"));
    all.push_back(defaulted("held_out", integer(1, 1'000'000), "10000", "images of the test set that are classified"));
    return all;
}

struct Setting {
    std::shared_ptr<const Images> images;
    std::shared_future<ImageBaselines> without_attention;  ///< made by the first who asks
    NetworkSetting network;
    Index judged, held_out;
    Stream stream;

    networks::TransformerShape shape() const {
        networks::TransformerShape own = network.sizes;
        own.inputs = images->inputs();
        own.positions = images->tokens();
        own.class_token = true;
        own.visible = attention::Visible::all;
        own.read_out = networks::ReadOutOf::class_token;
        own.outputs = images->classes;
        return own;
    }

    /// A training; images as sequences; and pictures, until they are stored.
    double bytes() const {
        const auto& sizes = network.sizes;
        const Index tokens = images->tokens() + 1;
        const double given = static_cast<double>(std::max<Index>(network.descent.batch, std::min(at_once, held_out)) *
                                                 images->tokens() * images->inputs());
        const double pictures = static_cast<double>(sizes.layers * sizes.heads * tokens * tokens);
        // A mask's numbers in both precisions, of each head and sequence.
        const double numbers = static_cast<double>((2 * images->grid_rows() - 1) * (2 * images->grid_columns() - 1));
        const double masks =
            static_cast<double>(sizes.layers * sizes.heads) * (1 + 300.0 / static_cast<double>(tokens));
        return training_bytes(shape(), network.methods, network.columns) + sizeof(float) * given +
               2 * sizeof(double) * (pictures + masks * numbers);
    }
};

/// Pictures of a trained network: masks of all layers, averaged over their heads, and the attention of the last layer's
/// heads to one image.
class Pictures {
public:
    Pictures(const Setting& setting, bool kept)
        : setting_(setting),
          shape_(setting.shape()),
          down_(2 * setting.images->grid_rows() - 1),
          right_(2 * setting.images->grid_columns() - 1),
          masks_(static_cast<std::size_t>(shape_.layers * down_ * right_), nan),
          class_weights_(static_cast<std::size_t>(shape_.layers), nan),
          attention_(shape_, setting.images->tokens() + 1, kept) {}

    void take(const networks::Transformer& network, const networks::Weights<float>& weights, bool masked) {
        if (masked)
            for (Index layer = 0; layer < shape_.layers; ++layer) take_masks(network, weights, layer);
        attention_.take(network, weights, setting_.images->sequence(setting_.images->test, 0));
    }

    void add(store::Dataset& data) const {
        const auto places = [](Index count) {
            std::vector<double> all;
            for (Index i = 0, middle = count / 2; i < count; ++i) all.push_back(static_cast<double>(i - middle));
            return all;
        };
        std::vector<double> layers;
        for (Index i = 1; i <= shape_.layers; ++i) layers.push_back(static_cast<double>(i));
        data.axes.push_back({"layer", layers, "", "of the network"});
        data.axes.push_back({"down", places(down_), "", "rows of the grid from key to query"});
        data.axes.push_back({"right", places(right_), "", "columns of the grid from key to query"});
        data.variables.push_back(
            {"mask", {"layer", "down", "right"}, masks_, "", "of a head over its mean over offsets; mean over heads"});
        data.variables.push_back({"class_weight", {"layer"}, class_weights_, "", "of the class token, likewise"});
        attention_.add(data, "the first image of the test set; token 0 is the class token");
    }

private:
    /// A mask times a number is the same mask: each head's counts over its own mean.
    void take_masks(const networks::Transformer& network, const networks::Weights<float>& weights, Index layer) {
        Points sum = Points::Zero(down_, right_);
        double of_class = 0;
        for (const networks::Parameter& parameter : network.layer(layer).attention().head_parameters()) {
            // As a head takes them: weights are absolute values of what is trained (training/masked_head.cpp).
            const Vector z = weights[parameter].reshaped().cast<double>().cwiseAbs();
            const attention::ToeplitzMask mask(setting_.network.grid.shape, true, z);
            const double mean = z.head(down_ * right_).mean();
            for (Index number = 0; number < down_ * right_; ++number) {
                const auto offset = mask.offset(number);
                // Offsets have both signs: that of a patch to itself stands in the middle.
                sum(offset[1] + down_ / 2, offset[2] + right_ / 2) += z[number] / mean;
            }
            of_class += *mask.class_token() / mean;
        }
        sum /= static_cast<double>(shape_.heads);
        std::copy_n(sum.data(), sum.size(), masks_.begin() + layer * sum.size());
        class_weights_[static_cast<std::size_t>(layer)] = of_class / static_cast<double>(shape_.heads);
    }
    const Setting& setting_;
    networks::TransformerShape shape_;
    Index down_, right_;
    std::vector<double> masks_, class_weights_;
    AttentionPicture attention_;
};

/// Outcome on `most` images of a part, or as many as it has, at equal distances.
networks::BatchOutcome outcome_of(networks::Trainer<float>& trainer, const Images& images, const ImagePart& part,
                                  Index most) {
    networks::BatchOutcome outcome;
    const std::vector<Index> numbers = Images::spread_numbers(part.count(), most);
    const auto count = static_cast<Index>(numbers.size());
    for (Index first = 0; first < count; first += at_once) {
        std::vector<networks::Sequence<float>> some;
        for (Index i = first; i < std::min(count, first + at_once); ++i)
            some.push_back(images.sequence(part, numbers[static_cast<std::size_t>(i)]));
        const networks::BatchOutcome own = trainer.evaluate(some);
        outcome.loss += own.loss;
        outcome.rows += own.rows;
    }
    return outcome;
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const MethodChoice& method = at[setting.network.methods];
    // The same beginning and the same mini-batches for all methods and rates.
    const Stream seed = setting.stream.child(at[setting.network.seeds]);
    const networks::TransformerShape shape = setting.shape();
    const double rows = static_cast<double>(shape.layers * shape.heads * (setting.images->tokens() + 1));
    double accuracy = nan, tested = nan, nonpositive = nan;
    // Pictures are of the first seed, and patterns of all.
    Pictures pictures(setting, at[setting.network.seeds] == 0);

    const TrainedNetwork trained = train_network(
        setting.network, shape, method, seed, at.checkpoint(),
        {.next = [&](const Stream& own) { return setting.images->batch(setting.network.descent.batch, own); },
         .validation =
             [&](networks::Trainer<float>& trainer) {
                 return outcome_of(trainer, *setting.images, setting.images->validation, setting.judged).loss;
             },
         .keep =
             [&](const networks::Transformer& network, networks::Trainer<float>& trainer) {
                 const auto outcome = outcome_of(trainer, *setting.images, setting.images->test, setting.held_out);
                 const auto targets = static_cast<double>(outcome.loss.targets);
                 accuracy = static_cast<double>(outcome.loss.right) / targets;
                 tested = outcome.loss.sum / targets;
                 nonpositive = static_cast<double>(outcome.rows.nonpositive) / (targets * rows);
                 pictures.take(network, trainer.weights(), setting.network.masked(method));
             }});

    const ImageBaselines& without = setting.without_attention.get();
    store::Dataset data{
        {},
        {{"accuracy", {}, {accuracy}, "", "share of images of the test set whose class has the largest output"},
         {"test_loss", {}, {tested}, "", "mean over images of the test set"},
         {"nonpositive", {}, {nonpositive}, "", "share of denominators that are not positive, on the test set"},
         {"majority",
          {},
          {without.majority(setting.held_out)},
          "",
          "share of the same images that the most frequent class is right of"},
         {"linear",
          {},
          {without.linear(setting.held_out)},
          "",
          "share of the same images that a linear classifier of pixels is right of"}},
        {}};
    trained.add(data, setting.network);
    pictures.add(data);
    return data;
}

Sweep prepare(const config::Value& config) {
    const auto images = std::make_shared<const Images>(config);
    const Setting setting{
        images,
        // Deferred: plans need none, and all cells have the same.
        image_baselines_once(images),
        NetworkSetting(config, masked_methods, {{images->grid_rows(), images->grid_columns()}, true}),
        whole(config, "judged"),
        whole(config, "held_out"),
        study_stream(config, "training/images"),
    };
    Sweep sweep = Sweep::over(setting.network.methods, setting.network.seeds);
    sweep.data_hash = images->data_hash;
    note_softmax(sweep, setting.network);
    sweep.bytes = setting.bytes();
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

}  // namespace

Study images_study() {
    return {"training",
            "images",
            "a Transformer over patches of images trained to classify them, by each method, with and without a mask",
            "Likhosherstov 2022, Figures 4.4, 6.6 (left) and 3.13 to 3.15",
            2,
            masked_methods,
            keys,
            prepare,
            image_report};
}

}  // namespace rfbench::experiments
