#pragma once
// Handwritten digits as points of dimension 64, for Figure 6.4 of the thesis: images of 8 x 8 pixels.
#include <string>
#include <vector>

#include "rfbench/datasets/load.hpp"
#include "rfbench/matrix.hpp"

namespace rfbench::datasets {

struct Digits {
    Points points;            ///< n x 64, an image a row in row-major order, grey values in [0, 1]
    std::vector<int> labels;  ///< n, the digits 0 .. 9
    std::string sha256;       ///< of the file the images came from: the data hash of results
};

/// The data sets that digits() knows: optdigits, mnist-test.
std::vector<std::string> digit_sets();

/// optdigits: pixel / 16. mnist-test: the 28 x 28 pixels shrunk to 8 x 8 by exact area averaging (a small pixel is the
/// mean of the 3.5 x 3.5 large ones it covers; image.hpp), divided by 255, so that the mean grey of an image does not
/// change. Throws DataError for another data set, for one that is not on this machine (see locate), and for malformed
/// files.
Digits digits(const std::string& name, const Manifest&, const Places&, const Warn& warn);

/// The points of a table of images with `rows` x `columns` pixels whose grey values are whole numbers from 0 to
/// `brightest` (at most 255). Throws DataError, naming the image and the pixel, when one is not, or when the table's
/// width is another.
Points digit_points(const Table&, std::size_t rows, std::size_t columns, unsigned brightest);

}  // namespace rfbench::datasets
