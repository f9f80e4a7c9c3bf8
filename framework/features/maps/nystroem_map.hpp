#pragma once
#include "rfbench/features/feature_map.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::features {

/// Features of the Gaussian kernel K(x, y) = exp(-|x - y|^2 / 2) from m landmarks Z (Williams and Seeger 2001, (6) to
/// (8)): phi(x) = K(x, Z) K(Z, Z)^{-1/2}, so that phi(x) . phi(y) = K(x, Z) K(Z, Z)^{-1} K(Z, y). Between landmarks it
/// is the kernel itself. Nothing is drawn: features follow from the landmarks. Rows far from all of these do not
/// underflow, their smallness is in the log scale.
///
/// Eigenvalues of K(Z, Z) not above m times the precision of double times the largest are rounding. Nothing is added to
/// them: such directions, which landmarks that coincide or nearly do have, are left out and counted.
class NystroemMap final : public FeatureMapOf<NystroemMap> {
public:
    /// m x d. Throws std::invalid_argument without any, or where an entry is not finite.
    explicit NystroemMap(Points landmarks);

    Index columns() const override { return landmarks_.rows(); }
    /// Directions that are left out: m minus the rank of K(Z, Z).
    Index singular() const { return singular_; }

    template <class Scalar>
    void evaluate_rows(Side, const RowsView<Scalar>&, FeatureBlock<Scalar>&) const;

private:
    Points landmarks_;
    Eigen::MatrixXd root_;  // K(Z, Z)^{-1/2}, symmetric
    Index singular_;
};

/// `count` of the rows without repetition, in random order (Fisher and Yates 1938), all of them where there are fewer:
/// fewer landmarks of one stream are the first of more.
Points draw_landmarks(const PointsView& rows, Index count, Stream);

}  // namespace rfbench::features
