#pragma once
// Numbers of a result of conversion/recovery by seed, as its reports show them.
#include <string>
#include <vector>

#include "conversion/by_seed.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::experiments {

/// The metric is bits per character of a text, where less is better, and else the share that is right.
class Recovered {
public:
    /// The result must stay where it is.
    explicit Recovered(const store::Dataset&);

    const store::Dataset& data() const { return data_; }
    const std::vector<std::string>& sources() const { return report::words(data_, "source"); }
    const std::vector<std::string>& methods() const { return report::words(data_, "method"); }
    const std::string& exact() const { return exact_; }
    const std::string& uniform() const { return uniform_; }
    double tuned() const { return tuned_; }  ///< columns at which networks are tuned

    /// At the columns at which networks are tuned, unless others are fixed.
    BySeed values(const std::string& variable, report::Fixed at) const;
    report::Averages average(BySeed values) const { return over_seeds(data_, std::move(values)); }
    /// The same of each place of a curve.
    report::Averages averages(const std::vector<BySeed>& curve) const;
    report::Entry entry(BySeed values) const { return report::averaged_entry(average(std::move(values))); }
    bool of_text(const std::string& source) const;
    BySeed metric(const std::string& source, const std::string& method, const std::string& stage, double columns) const;
    BySeed metric(const std::string& source, const std::string& method, const std::string& stage) const {
        return metric(source, method, stage, tuned_);
    }
    /// The teacher's own: that of softmax before it is tuned on.
    BySeed teacher(const std::string& source) const { return metric(source, exact_, "swapped"); }

    /// recovered_share() at one stage.
    BySeed recovery(const std::string& source, const std::string& method, const std::string& stage,
                    double columns) const;
    /// m / s: of accuracies as printed, of bits s / m, so that more is better of both.
    BySeed ratio(const std::string& source, BySeed own, const BySeed& softmax) const;
    bool acts(const std::string& source, const std::string& method, const std::string& stage) const;

    /// The metric while a network is trained, at parts of the training, then by seed; `training` is "tuning" or
    /// "scratch".
    std::vector<BySeed> curve(const std::string& training, const std::string& source, const std::string& method) const;
    /// The same of the tuning, after what the network was before it.
    std::vector<BySeed> tuning(const std::string& source, const std::string& method) const;
    /// Tokens of tuning at those places.
    std::vector<double> tokens(const std::string& source) const;
    /// Median over seeds of the tokens after which the metric is first within a share of the teacher's; infinity where
    /// it never is.
    report::Entry tokens_to_within(const std::string& source, const std::string& method, double share) const;

private:
    const store::Dataset& data_;
    double tuned_;
    std::string exact_, uniform_;
};

inline constexpr const char* metric_words =
    "bits per character where the source is a text, of which less is better, else the share of targets that are right; "
    "all on sequences that nothing was fitted to";

}  // namespace rfbench::experiments
