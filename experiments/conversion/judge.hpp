#pragma once
// How near a converted network is to its teacher, on sequences that nothing was fitted to.
#include "conversion/converted.hpp"

namespace rfbench::experiments {

/// Measures of one stage; NaN where the network gave numbers that are not finite.
struct StageMeasures {
    double loss, accuracy;  ///< over targets
    double nonpositive;     ///< share of denominators
    double chosen;          ///< share of passages whose true continuation is likelier than another's; of texts alone
    /// KL divergence of the attention weights, share of weight that it leaves out (training::Divergence::lost), and
    /// |O^ - O| / |O|, by layer and head. The attention of each layer has the teacher's input of that layer.
    std::vector<double> divergence, lost, output_error;
    /// By layer and head, where sequences have a class token: the entropy in nats of its row of attention, -sum_j A_0j
    /// log A_0j, in the network as it is (Shahbazi et al. 2025, Figure 4); NaN where a weight is negative.
    std::vector<double> class_entropy;
    /// |X^ - X| / |X| after each layer, errors of the layers before it included.
    std::vector<double> hidden_error;

    /// Weights of the first sequence, mean over all heads of the network as it is, to a 1024th: queries x keys, the
    /// first `pictured` of each, NaN beyond the sequence.
    std::vector<double> picture;

    /// As many NaN.
    StageMeasures(const networks::TransformerShape&, Index pictured);
};

class Judge {
public:
    /// The first `compared` of the sequences are looked at head by head. Where targets are the next tokens, the last
    /// `continuation` tokens of each sequence are what it is continued by; 0: nothing is.
    Judge(const StoredNetwork& teacher, std::vector<networks::Sequence<float>> held_out, Index compared,
          Index continuation, Index pictured);

    const std::vector<networks::Sequence<float>>& held_out() const { return held_out_; }
    StageMeasures measure(const Converted&) const;
    /// Loss of all targets held out; of none where the network gives numbers that are not finite.
    networks::Loss loss(const Converted&) const;

private:
    double share_chosen(const networks::Transformer&, const networks::Weights<float>&) const;
    void compare_heads(const Converted&, StageMeasures&) const;
    void compare_layers(const Converted&, StageMeasures&) const;
    void look_at_class_row(const Converted&, StageMeasures&) const;
    void take_picture(const Converted&, StageMeasures&) const;

    const StoredNetwork& teacher_;
    std::vector<networks::Sequence<float>> held_out_;
    std::size_t compared_;
    Index continuation_, pictured_;
};

}  // namespace rfbench::experiments
