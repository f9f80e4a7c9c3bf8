#pragma once
// How near a converted network is to its teacher, on sequences that nothing was fitted to.
#include "conversion/converted.hpp"

namespace rfbench::experiments {

/// Measures of one stage; NaN where the network gave numbers that are not finite.
struct StageMeasures {
    double loss, accuracy;  ///< over targets
    double nonpositive;     ///< share of denominators
    /// By layer and head, where each layer's attention is given what the teacher's is given there: divergence of the
    /// weights, the share of weight that is lost in it, and |O^ - O| / |O|.
    std::vector<double> divergence, lost, output_error;
    /// |X^ - X| / |X| behind each layer, errors of the layers before it included.
    std::vector<double> hidden_error;

    /// As many NaN.
    explicit StageMeasures(const networks::TransformerShape&);
};

class Judge {
public:
    /// The first `compared` of the sequences are looked at head by head.
    Judge(const StoredNetwork& teacher, std::vector<networks::Sequence<float>> held_out, Index compared);

    const std::vector<networks::Sequence<float>>& held_out() const { return held_out_; }
    StageMeasures measure(const Converted&) const;

private:
    void compare_heads(const Converted&, StageMeasures&) const;
    void compare_layers(const Converted&, StageMeasures&) const;

    const StoredNetwork& teacher_;
    std::vector<networks::Sequence<float>> held_out_;
    std::size_t compared_;
};

}  // namespace rfbench::experiments
