#pragma once
// Classes of images told without attention.
#include <future>
#include <memory>

#include "sources/images.hpp"

namespace rfbench::experiments {

/// Shares of the test set that are right: of all images the class that most training images have; of each that of a
/// linear map of its pixels, by least squares of indicators.
struct ImageBaselines {
    double majority, linear;
};

ImageBaselines image_baselines(const Images&);
/// The same, made by the first who asks: plans need none, and all cells have the same.
std::shared_future<ImageBaselines> image_baselines_once(std::shared_ptr<const Images>);

}  // namespace rfbench::experiments
