#include "training/drawn_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rfbench::experiments {
namespace {

/// Numbers a token takes between a forward and a backward pass (networks/layer.hpp): of each layer nine rows of the
/// width and two of the feed-forward part; of the rest of the network six.
double kept_a_token(const networks::TransformerShape& s) {
    return static_cast<double>(s.layers * (9 * s.width + 2 * s.inner) + 6 * s.width);
}

}  // namespace

std::vector<networks::Sequence<float>> drawn_sequences(const DrawnSequence& draw, Index count, const Stream& stream) {
    std::vector<networks::Sequence<float>> all;
    for (Index i = 0; i < count; ++i) all.push_back(draw(i, stream.child(static_cast<std::uint64_t>(i))));
    return all;
}

networks::TransformerShape drawn_task_shape(const NetworkSetting& setting, Index vocabulary, Index length,
                                            Index convolution) {
    networks::TransformerShape shape = setting.sizes;
    shape.vocabulary = shape.outputs = vocabulary;
    shape.positions = length;
    shape.convolution = convolution;
    return shape;
}

NetworkRun train_on_drawn(const NetworkSetting& setting, const networks::TransformerShape& shape,
                          const MethodChoice& method, double rate, const Stream& study, std::uint64_t seed,
                          Index validation, engine::Draft& draft, const DrawnSequence& draw,
                          const std::function<void(networks::Trainer<float>&)>& finish) {
    const Stream own = study.child(seed);
    const auto looked_at = drawn_sequences(draw, validation, study.child("validation"));
    return train_network(
        setting, shape, method, rate, own, draft,
        [&](int step) {
            return drawn_sequences(draw, setting.descent.batch,
                                   own.child("batches").child(static_cast<std::uint64_t>(step)));
        },
        [&](networks::Trainer<float>& trainer) { return trainer.evaluate(looked_at).loss; },
        [&](const networks::Transformer&, networks::Trainer<float>& trainer) { finish(trainer); });
}

Index part_rows(Index length, Index batch) { return std::max(length, std::min(batch, 256 / length) * length); }

double gradient_bytes(const networks::TransformerShape& shape, Index rows) {
    // What is kept, and about as much as one layer works on.
    networks::TransformerShape layer = shape;
    layer.layers = 1;
    return sizeof(float) * static_cast<double>(rows) * (kept_a_token(shape) + kept_a_token(layer));
}

double training_bytes(const networks::TransformerShape& shape) {
    const double parameters = static_cast<double>(shape.layers * shape.width * (4 * shape.width + 2 * shape.inner) +
                                                  (shape.vocabulary + shape.positions) * shape.width);
    // Values, their gradient and that of a part, two means of Adam, and factors packed in both orders.
    return sizeof(float) * 7 * parameters + gradient_bytes(shape, std::max<Index>(256, shape.positions));
}

report::Averages at_best_rate(const store::Dataset& data, const std::string& variable, const std::string& method,
                              const report::Fixed& where, const report::Fixed& more) {
    const report::Fixed fixed = report::joined({{"method", method}, {"rate", best_rate(data, method, where)}}, where);
    return report::average(data, variable, report::joined(fixed, more), "seed");
}

report::Table rates_table(const store::Dataset& data, const std::string& name, std::vector<report::Column> first,
                          const std::vector<TableLine>& lines) {
    using enum report::Format::Kind;
    report::Table result{.name = name,
                         .caption =
                             "Share of validation targets that are right after the last step, at every rate of the "
                             "grid, mean over the seeds that did not diverge ± half its 95 % interval; the rate whose "
                             "validation loss is least, which the other tables and the figure have; and what diverged.",
                         .columns = std::move(first)};
    const double last = report::numbers(data, "look").back();
    const auto& rates = report::numbers(data, "rate");
    for (const double rate : rates)
        result.columns.push_back({fmt::format("rate {}", rate), "", report::Alignment::right, {percent, 1}});
    result.columns.push_back({"chosen"});
    result.columns.push_back(report::word_column("diverged"));
    for (const TableLine& line : lines) {
        report::Row row{line.entries};
        const double best = best_rate(data, line.method, line.where);
        std::string diverged;
        for (const double rate : rates) {
            const report::Fixed fixed =
                report::joined({{"method", line.method}, {"rate", rate}, {"look", last}}, line.where);
            row.entries.push_back(report::averaged_entry(report::average(data, "validation_accuracy", fixed, "seed")));
            const std::string words = divergence_words(data, line.method, rate, line.where);
            if (!words.empty()) diverged += fmt::format("{}{}: {}", diverged.empty() ? "" : "; ", rate, words);
        }
        row.entries.push_back(best);
        row.entries.push_back(diverged);
        result.rows.push_back(std::move(row));
    }
    return result;
}

}  // namespace rfbench::experiments
