#include <fmt/format.h>

#include <mutex>

#include "rfbench/networks/classifier.hpp"
#include "sources/heads.hpp"
#include "sources/sequence_tasks.hpp"

namespace rfbench::experiments {
namespace {

SequenceTask task(const config::Value& own, std::vector<std::string>& notes) {
    try {
        const config::Value& entry = own.at("task");
        return sequence_task(entry, entry.at("use").text(), [&](const auto& note) { notes.push_back(note); });
    } catch (const datasets::DataError& error) {
        own.at("task").refuse(error.what());
    }
}

/// Layers are numbers of steps and heads are beginnings, so that one sees what training makes of a head.
class TrainedHeads final : public HeadSource {
public:
    TrainedHeads(const config::Value& entry, const config::Value& configuration)
        : TrainedHeads(entry, study_stream(configuration, "dof/trained")) {}

    Index layers() const override { return static_cast<Index>(steps_.size()); }
    Index heads() const override { return heads_; }
    Index dimension() const override { return shape_.dimension; }
    Index length() const override { return shape_.tokens; }
    Index sequences() const override { return sequences_; }
    std::string label(Index layer, Index head) const override {
        return fmt::format("{} steps, head {}", steps_[static_cast<std::size_t>(layer)], head + 1);
    }
    std::vector<std::string> listing() const override { return {"steps", "heads"}; }
    std::string layer_setting(Index layer) const override {
        return fmt::format("{} steps", steps_[static_cast<std::size_t>(layer)]);
    }
    std::string head_setting(Index head) const override { return fmt::format("head {}", head); }
    std::string data_hash() const override { return task_.data_hash; }
    std::vector<std::string> notes() const override { return notes_; }

    HeadSequence sequence(Index layer, Index head, Index number) const override {
        const auto at = static_cast<std::size_t>(layer * heads_ + head);
        // Trained when a cell first asks for it: a sweep of few heads trains few.
        std::call_once(once_[at], [&] { parameters_[at] = trained(steps_[static_cast<std::size_t>(layer)], head); });
        const networks::Weights<double> weights(classifier_.layout(), parameters_[at], networks::Passes::forward);
        // A classifier has one layer with one head: `layer` and `head` here say how long and from where it was trained.
        auto rows = classifier_.heads(weights, examples_.test[static_cast<std::size_t>(number)])[0][0];
        return {{std::move(rows.queries), std::move(rows.keys)}, std::move(rows.values)};
    }

private:
    TrainedHeads(const config::Value& own, const Stream& stream)
        : task_(task(own, notes_)),
          examples_(task_.split(stream.child("data"))),
          shape_{task_.tokens,         task_.inputs, task_.classes, whole(own, "embedding"), whole(own, "dimension"),
                 whole(own, "values"), task_.pooling},
          classifier_(networks::classifier(shape_, training::softmax_attention())),
          steps_(own.at("steps").integers()),
          heads_(whole(own, "heads")),
          sequences_(whole(own, "sequences")),
          descent_{.batch = static_cast<int>(own.at("batch").integer()), .rate = own.at("rate").number()},
          stream_(stream.child("training")),
          once_(steps_.size() * static_cast<std::size_t>(heads_)),
          parameters_(once_.size()) {
        if (sequences_ > static_cast<Index>(examples_.test.size()))
            own.at("sequences")
                .refuse(fmt::format("{} sequences are asked for, but {} holds {} out of training; a larger "
                                    "'test_share' of the task holds out more",
                                    sequences_, task_.name, examples_.test.size()));
    }

    Vector trained(std::int64_t steps, Index head) const {
        // Not keyed by the steps: what is trained longer begins at the same place, with the same mini-batches.
        const Stream own = stream_.child(static_cast<std::uint64_t>(head));
        if (steps == 0) return networks::classifier_start(classifier_, own.child("start"));
        training::Descent descent = descent_;
        descent.steps = static_cast<int>(steps);
        return networks::train(classifier_, examples_.training, descent, own).parameters;
    }

    // Declared before `task_`, whose construction writes to it.
    std::vector<std::string> notes_;
    SequenceTask task_;
    SequenceTask::Split examples_;
    networks::ClassifierShape shape_;
    networks::Transformer classifier_;
    std::vector<std::int64_t> steps_;
    Index heads_, sequences_;
    training::Descent descent_;
    Stream stream_;
    mutable std::vector<std::once_flag> once_;  // by layer and head
    mutable std::vector<Vector> parameters_;
};

}  // namespace

std::vector<config::KeyRule> trained_keys() {
    using namespace config;
    return {
        defaulted("task", sequence_task_schema(), "recall", "recall: the value of a key; digits: rows of images"),
        defaulted("steps", integers(0, 1'000'000), "1500", "one a layer: mini-batches of Adam; 0: as training begins"),
        defaulted("dimension", integer(1, 1024), "16", "d"),
        defaulted("sequences", integer(2, 100'000), "8", "of each head, held out of training"),
        defaulted("heads", integer(1, 1024), "4", "of each layer: classifiers from different beginnings"),
        defaulted("embedding", integer(1, 4096), "16", "h"),
        defaulted("values", integer(1, 4096), "16", "e, columns of values"),
        defaulted("batch", integer(1, 65536), "16", "sequences a mini-batch"),
        defaulted("rate", real(above(0).at_most(10)), "0.01", "of Adam, falling to 0 along half a cosine"),
    };
}

std::shared_ptr<const HeadSource> trained_heads(const config::Value& entry, const config::Value& configuration) {
    return std::make_shared<TrainedHeads>(entry, configuration);
}

}  // namespace rfbench::experiments
