#include "training/teachers_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "training/baselines.hpp"

namespace rfbench::experiments {
namespace {

/// One source of networks: its outcomes, means over seeds, and what is reached without attention.
class Source {
public:
    Source(const store::Dataset& data, std::string name) : data_(data), name_(std::move(name)) {}

    /// Texts are judged by bits, all others by the share that is right.
    bool is_text() const { return !std::isnan(shared("counts_bits")); }

    Baseline baseline() const {
        if (is_text()) return {"counts", shared("counts_bits")};
        const double linear = shared("linear");
        return std::isnan(linear) ? Baseline{"the most frequent target", shared("guess")}
                                  : Baseline{"a linear classifier", linear};
    }

    /// Others stand on single networks: each must be beyond what needs no attention, and not their mean alone.
    std::string margin() const {
        const Baseline without = baseline();
        double least = std::numeric_limits<double>::infinity(), most = -least;
        for (const double one :
             report::slice(data_, is_text() ? "bits_per_character" : "accuracy", {{"source", name_}}).values) {
            // These two pass over NaN, which networks that are missing have.
            least = std::fmin(least, is_text() ? without.value - one : one - without.value);
            most = std::fmax(most, is_text() ? without.value - one : one - without.value);
        }
        if (most < least) return name_ + ": not trained yet.";
        const double scale = is_text() ? 1 : 100;
        const bool worse = most < 0;
        return fmt::format("{}: each network is {} than {} ({:.3g}), by {:.3g} to {:.3g} {}; {:g} are asked for{}",
                           name_, worse ? "worse" : "better", without.name, scale * without.value,
                           scale * (worse ? -most : least), scale * (worse ? -least : most),
                           is_text() ? "bits per character" : "percentage points", scale * shared("margin"),
                           least < shared("margin") ? ": these networks cannot judge attention." : ".");
    }

    report::Panel panel() const {
        report::Averages curve = mean(is_text() ? "validation_loss" : "validation_accuracy");
        // Bits a character are the loss times one number of the text.
        const double scale = is_text() ? shared("bits_per_character") / shared("held_out_loss") : 1;
        for (auto* const values : {&curve.mean, &curve.standard_deviation})
            for (double& one : *values) one *= scale;
        report::Panel result{.title = name_,
                             .x = {.label = "share of the training"},
                             .y = {.label = is_text() ? "bits per character" : "accuracy"},
                             .series = {report::averaged_series("softmax", report::numbers(data_, "share"), curve,
                                                                report::Style::line_points)}};
        if (!is_text()) result.y.range = {{0, 1.05}};
        add_lines(result, {baseline()});
        return result;
    }

    report::Row row() const {
        report::Row result{{name_}};
        for (const char* variable :
             {"held_out_loss", "bits_per_character", "counts_bits", "accuracy", "guess", "linear"})
            result.entries.push_back(report::averaged_entry(mean(variable)));
        return result;
    }

private:
    double shared(const char* variable) const { return shared_value(data_, variable, {{"source", name_}}); }
    report::Averages mean(const char* variable) const {
        return report::average(data_, variable, {{"source", name_}}, "seed");
    }

    const store::Dataset& data_;
    std::string name_;
};

report::Figure figure(const store::Dataset& data) {
    report::Figure result{
        .name = "teachers",
        .title = "Softmax networks that others stand on",
        .caption =
            "Validation data against the share of the training, means over seeds: bits per character of texts, "
            "the share of targets that are right of other sources. Dashed, on data held out: counts (trigrams, "
            "or two neighbours of a hidden character on each side), a linear classifier of images, the most "
            "frequent target of other sources.",
        .interval = "Bands: " + report::interval_words("seeds"),
        .columns = 2};
    for (const std::string& source : report::words(data, "source"))
        result.panels.push_back(Source(data, source).panel());
    return result;
}

report::Table table(const store::Dataset& data) {
    const auto percent = [](const char* title) {
        return report::number_column(title, {report::Format::Kind::percent, 2});
    };
    report::Table result{
        .name = "teachers",
        .caption =
            "Softmax networks on sequences held out of their training, mean over seeds ± half its 95 % "
            "interval: mean loss of a target, the same in bits per character where targets are of a text, share "
            "of targets that are right. Beside them what needs no attention: bits by counts (trigrams, "
            "or two neighbours of a hidden one on each side), what is right without reading the sequence (the most "
            "frequent target), and by a linear classifier of images.",
        .columns = {report::word_column("source"),
                    {"loss"},
                    {"bits per character"},
                    {"counts", "bits per character"},
                    percent("right"),
                    percent("guess"),
                    percent("linear")}};
    for (const std::string& name : report::words(data, "source")) {
        const Source source(data, name);
        result.rows.push_back(source.row());
        result.notes.push_back(source.margin());
    }
    return result;
}

}  // namespace

Report teachers_report(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace rfbench::experiments
