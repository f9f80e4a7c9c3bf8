#include "rfbench/attention/number_format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "rfbench/errors.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::attention {

double NumberFormat::rounded(double x) const {
    if (!std::isfinite(x) || x == 0) return x;
    double result;
    const int dropped = std::numeric_limits<double>::digits - digits;
    if (std::abs(x) < smallest_normal) {
        // The last place of a double of this size is that of the smallest normal number of the format.
        const double shift = 1.5 * smallest_normal * static_cast<double>(std::uint64_t{1} << dropped);
        result = (x + shift) - shift;
    } else {
        // Half a place is added to the bits of the significand, less one where the last place is even.
        auto bits = std::bit_cast<std::uint64_t>(x);
        bits += (std::uint64_t{1} << (dropped - 1)) - 1 + (bits >> dropped & 1);
        result = std::bit_cast<double>(bits & ~((std::uint64_t{1} << dropped) - 1));
    }
    return std::abs(result) > largest ? std::copysign(std::numeric_limits<double>::infinity(), x) : result;
}

void NumberFormat::round(Eigen::Ref<Points> all) const {
    for (Index i = 0; i < all.rows(); ++i)
        for (Index j = 0; j < all.cols(); ++j) all(i, j) = rounded(all(i, j));
}

const std::vector<NumberFormat>& number_formats() {
    static const std::vector<NumberFormat> all{{"float32", 24, 0x1p-126, 0x1.fffffep127},
                                               {"bfloat16", 8, 0x1p-126, 0x1.fep127},
                                               {"float16", 11, 0x1p-14, 65504}};
    return all;
}

const NumberFormat& number_format(const std::string& name) {
    const auto& all = number_formats();
    const auto found = std::find_if(all.begin(), all.end(), [&](const NumberFormat& one) { return one.name == name; });
    if (found != all.end()) return *found;
    std::vector<std::string> names;
    for (const NumberFormat& one : all) names.push_back(one.name);
    throw InputError("there is no number format '" + name + "'." + did_you_mean(name, names));
}

}  // namespace rfbench::attention
