#pragma once
#include <memory>

#include "rfbench/features/map_family.hpp"
#include "rfbench/features/maps/affine_product.hpp"
#include "rfbench/features/maps/channels.hpp"

namespace rfbench::features {

/// Factor of all features of a token.
enum class Envelope {
    none,      ///< nothing, as the paper ends with (Table 5, "no gate")
    token,     ///< one sigmoid(v.x + c): that of a query cancels in attention, so only keys are gated
    channels,  ///< one for each channel, sigmoid(v_l.x + c_l) (Table 5, "envelope-gated")
    gaussian,  ///< exp(-|x|^2 / (2 sqrt d)): positive features (Performer) are members, by the bank {exp}
    softmax,   ///< exp(|x|^2 / (2 sqrt d)): random Fourier features of the softmax kernel are, by the bank {cos, sin}
};

/// The shape of a learned map: how many parameters there are, and which of them are what.
struct MapShape {
    Index dimension = 0;                            ///< d
    Index projections = 8;                          ///< m
    std::shared_ptr<const Channels> channels = {};  ///< psi, L of them
    Envelope envelope = Envelope::none;             ///< h
    bool projections_trained = true;                ///< W and b too; else they stay where they begin
    /// Whether each channel is scaled to a root mean square of 0.1 at most (Listing 1, ch_rms). The listing takes the
    /// mean over the batch, which lets a token see later ones; here it is that over u ~ N(0, 1).
    bool channel_rms = false;

    Index columns() const { return projections * channels->count(); }  ///< m L
    Index gates() const;                                               ///< 0, 1 or L
    Index parameters() const;  ///< W (d x m, by columns), b, V (d x gates), c, then those of the channels
    Index trained() const;     ///< parameters that training changes
    /// W ~ N(0, 1/d), b = 0 (Listing 1), V = 0, c = 0, and the channels' own.
    Vector start(const Stream&) const;
};

/// Throws std::invalid_argument unless d and m are positive and there are channels.
void check(const MapShape&);

/// The learned map (Shahbazi et al. 2025, (11)): feature (i, l) of a row x, column i L + l, is
///
///     h_l(x) / sqrt(m) psi_l(w_i.x + b_i),
///
/// the same for queries and keys. What it estimates is whatever it was trained for. A block holds features over the
/// row's largest, whose logarithm is the log scale; a row of zeros has scale 0 and is counted as vanished. Rows go
/// through the channels in their own precision: features and gradients throw NotFinite for rows whose channels leave
/// it, exp of projections above 88 in float.
class LearnedMap final : public FeatureMapOf<LearnedMap>, public ParametricMapOf<LearnedMap> {
public:
    /// Throws as check(), and std::invalid_argument unless there are shape.parameters() parameters, all finite.
    LearnedMap(const MapShape& shape, Vector parameters);

    Index columns() const override { return shape_.columns(); }
    Index num_parameters() const override { return shape_.parameters(); }
    LargestEntry largest_entry() const override;
    /// As it was given.
    const MapShape& shape() const { return shape_; }
    /// As they were given, in the order of MapShape::parameters().
    const Vector& parameters() const { return parameters_; }

    /// Features of rows, n x d, in double or float. Called by FeatureMap::evaluate.
    template <class Scalar>
    void evaluate_rows(Side, const RowsView<Scalar>&, FeatureBlock<Scalar>&) const;
    /// From the gradient with respect to the features, n x m L: that with respect to the rows, n x d, written, and that
    /// with respect to the parameters, added to `by_parameters`. Called by DifferentiableMap::pullback.
    template <class Scalar>
    void pull_all_back(Side, const RowsView<Scalar>&, const FeatureBlock<Scalar>&, const Rows<Scalar>&, Rows<Scalar>&,
                       Vector& by_parameters) const;

    /// w_i.x + b_i, n x m: what the channels are given.
    Points projected(const PointsView& rows) const;
    /// The features themselves, n x m L. Throws std::invalid_argument for rows that are not d wide.
    Points values(const PointsView& rows) const;

private:
    template <class Scalar>
    struct Tile;

    template <class Scalar>
    void fill(const RowsView<Scalar>& rows, Tile<Scalar>&) const;
    void scale_channels();
    void send_back_scales(const Vector& by_scales, Vector& by_parameters) const;
    auto channel_parameters() const { return parameters_.tail(shape_.channels->parameters()); }
    /// c of the envelope exp(c |x|^2); 0 for others.
    double curvature() const;

    MapShape shape_;
    Vector parameters_;
    DoubleAndFloat<AffineProduct> product_, gates_;
    Vector scales_;  // of the channels, where there are some
};

/// The maps of a shape. Throws as check().
std::shared_ptr<const MapFamily> learned_maps(const MapShape&);

}  // namespace rfbench::features
