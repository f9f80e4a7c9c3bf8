#include "sources/point_sets.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "normal_points.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::experiments {
namespace {

class Gaussian final : public Regime {
public:
    Gaussian(Index dimension, double shift_of_y, bool on_sphere)
        : dimension_(dimension), shift_(shift_of_y), on_sphere_(on_sphere) {}

    PointSets draw(const Stream& stream, Index rows) const override {
        PointSets sets{normal_points(stream.child("x"), rows, dimension_),
                       normal_points(stream.child("y"), rows, dimension_)};
        if (on_sphere_) {
            sets.x.rowwise().normalize();
            sets.y.rowwise().normalize();
        }
        sets.y.array() += shift_;
        return sets;
    }

private:
    Index dimension_;
    double shift_;
    bool on_sphere_;
};

class Images final : public Regime {
public:
    explicit Images(Points images) : images_(std::move(images)) {}

    PointSets draw(const Stream& stream, Index rows) const override {
        // Fisher and Yates, as far as it is needed.
        std::vector<Index> order(static_cast<std::size_t>(images_.rows()));
        std::iota(order.begin(), order.end(), Index{0});
        const Index half = std::min(rows, images_.rows() / 2);
        Stream shuffle = stream.child("images");
        PointSets sets{Points(half, images_.cols()), Points(half, images_.cols())};
        for (Index i = 0; i < 2 * half; ++i) {
            const Index j = i + static_cast<Index>(shuffle.below(static_cast<std::uint64_t>(images_.rows() - i)));
            std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
            (i < half ? sets.x : sets.y).row(i % half) = images_.row(order[static_cast<std::size_t>(i)]);
        }
        return sets;
    }

private:
    Points images_;
};

}  // namespace

std::unique_ptr<Regime> regime(const std::string& name, Index dimension) {
    if (name == "normal") return std::make_unique<Gaussian>(dimension, 0, false);
    if (name == "sphere") return std::make_unique<Gaussian>(dimension, 0, true);
    if (name == "heterogen") return std::make_unique<Gaussian>(dimension, 1, false);
    throw InputError("there is no regime '" + name + "'; there are normal, sphere and heterogen");
}

std::unique_ptr<Regime> image_regime(Points images) { return std::make_unique<Images>(std::move(images)); }

}  // namespace rfbench::experiments
