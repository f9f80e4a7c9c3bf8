#include "sources/image_baselines.hpp"

#include <algorithm>
#include <utility>

#include "rfbench/regression/indicator_regression.hpp"

namespace rfbench::experiments {

ImageBaselines::ImageBaselines(const Images& images) {
    const Index pixels = images.rows * images.columns, at_a_time = 1000;
    regression::IndicatorRegression regression(pixels, images.classes);
    // Grey values from 0 to 1, in blocks of images.
    const auto block = [&](const ImagePart& part, Index first) -> Points {
        return part.pixels.middleRows(first, std::min(at_a_time, part.count() - first)).cast<double>() / 255;
    };
    std::vector<Index> counts(static_cast<std::size_t>(images.classes), 0);
    for (Index first = 0; first < images.training.count(); first += at_a_time) {
        const Points rows = block(images.training, first);
        const auto begin = images.training.classes.begin() + first;
        regression.add(rows, {begin, begin + rows.rows()});
    }
    for (const int own : images.training.classes) ++counts[static_cast<std::size_t>(own)];
    const auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
    const Points map = regression.fit(1e-4);
    for (Index first = 0; first < images.test.count(); first += at_a_time) {
        const std::vector<int> told = regression::largest_outputs(map, block(images.test, first));
        for (std::size_t i = 0; i < told.size(); ++i) {
            const int own = images.test.classes[static_cast<std::size_t>(first) + i];
            majority_.push_back(own == most);
            linear_.push_back(own == told[i]);
        }
    }
}

double ImageBaselines::share(const std::vector<bool>& right, Index most) const {
    const std::vector<Index> judged = Images::spread_numbers(static_cast<Index>(right.size()), most);
    const auto count = std::count_if(judged.begin(), judged.end(),
                                     [&](Index number) { return right[static_cast<std::size_t>(number)]; });
    return static_cast<double>(count) / static_cast<double>(judged.size());
}

std::shared_future<ImageBaselines> image_baselines_once(std::shared_ptr<const Images> images) {
    return std::async(std::launch::deferred, [images = std::move(images)] { return ImageBaselines(*images); }).share();
}

}  // namespace rfbench::experiments
