#pragma once
// Parts of a training that every study of learned features keeps: the losses, the parameters, the channels (Figure 3).
#include <optional>

#include "learned/layers.hpp"
#include "rfbench/report/figure.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::experiments {

/// One training, to be stored on axes that all methods share: shorter ones leave NaN.
class TrainedParts {
public:
    TrainedParts(const Layers&, int steps);

    /// How large those axes are, in words: what is stored of a method depends on the others only by it.
    std::string sizes() const;

    /// Adds axes step, parameter, channel and point, and the variables loss, head_parameters, input, channel and
    /// input_density of a method that trains this map, or none. `inputs`: queries and keys that the head is given; read
    /// for a map only.
    void add(store::Dataset&, const std::optional<features::MapShape>&, const std::vector<double>& losses,
             const Vector& head_parameters, const std::vector<Points>& inputs) const;

private:
    std::size_t steps_, parameters_ = 0, channels_ = 0;
};

/// Mean over repeats and half its 95 % interval.
report::Estimate mean_over_repeats(const store::Dataset&, const char* variable, const report::Fixed& fixed);

/// How losses fell, means over repeats and over a fiftieth of the steps; a panel for each label of `panel_axis`.
report::Figure loss_figure(const store::Dataset&, const std::string& panel_axis, const report::Fixed& fixed);

/// Figure 3: the channels of the first learned method with their inputs' histogram, one repeat; a panel a channel.
/// Nothing where no method has channels.
std::optional<report::Figure> channel_figure(const store::Dataset&, const std::string& name, const std::string& title,
                                             const report::Fixed& fixed);

}  // namespace rfbench::experiments
