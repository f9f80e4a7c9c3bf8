#pragma once
// Classes of images told without attention.
#include <future>
#include <memory>
#include <vector>

#include "sources/images.hpp"

namespace rfbench::experiments {

/// Which images of the test set are told right: by the class that most training images have, and by a linear map of
/// pixels, of least squares of indicators.
class ImageBaselines {
public:
    explicit ImageBaselines(const Images&);

    /// Shares of the `most` images that networks are judged by, Images::spread().
    double majority(Index most) const { return share(majority_, most); }
    double linear(Index most) const { return share(linear_, most); }

private:
    double share(const std::vector<bool>& right, Index most) const;

    std::vector<bool> majority_, linear_;
};

/// The same, made by the first who asks: plans need none, and all cells have the same.
std::shared_future<ImageBaselines> image_baselines_once(std::shared_ptr<const Images>);

}  // namespace rfbench::experiments
