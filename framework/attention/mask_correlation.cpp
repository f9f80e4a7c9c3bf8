#include "rfbench/attention/mask_correlation.hpp"

#include <algorithm>
#include <vector>

#include "rfbench/attention/mask_blocks.hpp"
#include "rfbench/parallel/in_order.hpp"
#include "rfbench/transforms/fourier.hpp"

namespace rfbench::attention {
namespace {

using parallel::InOrder;
using parallel::Loop;
using parallel::Share;

template <class Scalar>
using Spectrum = std::vector<transforms::ComplexLanes<Scalar>>;

/// The grid of a mask, with room for all offsets.
template <class Scalar>
class OffsetGrid {
public:
    explicit OffsetGrid(const ToeplitzMask& mask) : mask_(mask), grid_(room(mask)), fourier_(grid_) {
        const auto& lengths = mask.lengths();
        for (Index a = 0; a < lengths[0]; ++a)
            for (Index b = 0; b < lengths[1]; ++b)
                for (Index c = 0; c < lengths[2]; ++c) places_.push_back(place({a, b, c}));
    }
    std::size_t points() const { return static_cast<std::size_t>(fourier_.points()); }

    /// The transforms of rows_im (columns_ic + i columns_i,c+1), one m a lane, beginning with `first`.
    void transform(const Rows<Scalar>& rows, Index first, const Rows<Scalar>& columns, Index c,
                   Spectrum<Scalar>& out) const {
        const Index n = std::min(transforms::lanes<Scalar>, rows.cols() - first), before = mask_.before();
        std::fill(out.begin(), out.end(), transforms::ComplexLanes<Scalar>{});
        for (std::size_t t = 0; t < places_.size(); ++t) {
            auto& entry = out[places_[t]];
            const Index token = before + static_cast<Index>(t);
            const Scalar real = columns(token, c), imaginary = c + 1 < columns.cols() ? columns(token, c + 1) : 0;
            for (Index lane = 0; lane < n; ++lane) {
                entry.real[lane] = rows(token, first + lane) * real;
                entry.imaginary[lane] = rows(token, first + lane) * imaginary;
            }
        }
        fourier_.forward(out.data());
    }

    /// Adds conj(Y) Z to a spectrum.
    static void add_product(const Spectrum<Scalar>& y, const Spectrum<Scalar>& z, Spectrum<Scalar>& sum) {
        for (std::size_t k = 0; k < sum.size(); ++k) {
            sum[k].real += y[k].real * z[k].real + y[k].imaginary * z[k].imaginary;
            sum[k].imaginary += y[k].real * z[k].imaginary - y[k].imaginary * z[k].real;
        }
    }

    /// The real parts of the correlations that have this spectrum, summed over the lanes, at the mask's offsets.
    void correlations(Spectrum<Scalar>& spectrum, Column<Scalar>& by_numbers) const {
        fourier_.back(spectrum.data());
        const Index offsets = mask_.numbers() - mask_.before();
        const Scalar scale = 1 / static_cast<Scalar>(points());
        for (Index number = 0; number < offsets; ++number) {
            auto offset = mask_.offset(number);
            for (std::size_t level = 0; level < 3; ++level)
                if (offset[level] < 0) offset[level] += grid_[level];
            by_numbers[number] = scale * transforms::sum_of_lanes<Scalar>(spectrum[place(offset)]).real();
        }
    }

private:
    static ToeplitzMask::Offset room(const ToeplitzMask& mask) {
        ToeplitzMask::Offset grid{};
        for (std::size_t level = 0; level < 3; ++level)
            // Room for all offsets: with less, some would come to lie on one another.
            grid[level] = smooth_length(std::max<Index>(1, 2 * mask.lengths()[level] - 1));
        return grid;
    }
    std::size_t place(const ToeplitzMask::Offset& at) const {
        return static_cast<std::size_t>((at[0] * grid_[1] + at[1]) * grid_[2] + at[2]);
    }

    const ToeplitzMask& mask_;
    ToeplitzMask::Offset grid_;
    transforms::Fourier<Scalar> fourier_;
    std::vector<std::size_t> places_;  // of tokens
};

/// The sum over all pairs that have the class token.
template <class Scalar>
Scalar of_class_token(const Rows<Scalar>& a, const Rows<Scalar>& b, const Rows<Scalar>& g, const Rows<Scalar>& u) {
    const Column<Scalar> to_all = (b * a.row(0).transpose()).cwiseProduct(u * g.row(0).transpose());
    const Column<Scalar> from_all = (a * b.row(0).transpose()).cwiseProduct(g * u.row(0).transpose());
    return to_all.sum() + from_all.sum() - to_all[0];
}

}  // namespace

template <class Scalar>
void mask_correlation(const ToeplitzMask& mask, const Rows<Scalar>& a, const Rows<Scalar>& b, const Rows<Scalar>& g,
                      const Rows<Scalar>& u, Column<Scalar>& by_numbers) {
    by_numbers.setZero(mask.numbers());
    if (mask.class_token()) by_numbers[mask.numbers() - 1] = of_class_token(a, b, g, u);
    if (mask.length() == mask.before()) return;
    const OffsetGrid<Scalar> grid(mask);
    // With z = x + i x' and y = w + i w', the correlation of z with conj(y) has the real part corr(x, w) + corr(x',
    // w'): two columns a transform. Spectra are summed over all columns, the pairs in their order, before the only way
    // back.
    Spectrum<Scalar> all(grid.points());
    InOrder turns;
    struct Own {
        Spectrum<Scalar> y, z, sum;
    };
    const auto spectrum = [&] { return Spectrum<Scalar>(grid.points()); };
    const auto make = [&] { return Own{spectrum(), spectrum(), spectrum()}; };
    Loop loop((g.cols() + 1) / 2, Share::in_order);
    loop.run(make, [&](Own& own, Index pair) {
        std::fill(own.sum.begin(), own.sum.end(), transforms::ComplexLanes<Scalar>{});
        for (Index m = 0; m < a.cols(); m += transforms::lanes<Scalar>) {
            grid.transform(a, m, g, 2 * pair, own.z);
            grid.transform(b, m, u, 2 * pair, own.y);
            grid.add_product(own.y, own.z, own.sum);
        }
        turns.run(loop, pair, [&] {
            for (std::size_t k = 0; k < all.size(); ++k) all[k] = all[k] + own.sum[k];
        });
    });
    grid.correlations(all, by_numbers);
}

template void mask_correlation(const ToeplitzMask&, const Rows<float>&, const Rows<float>&, const Rows<float>&,
                               const Rows<float>&, Column<float>&);
template void mask_correlation(const ToeplitzMask&, const Rows<double>&, const Rows<double>&, const Rows<double>&,
                               const Rows<double>&, Column<double>&);

}  // namespace rfbench::attention
