#include "sources/point_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "rfbench/config/aliases.hpp"
#include "rfbench/config/file_path.hpp"
#include "rfbench/datasets/digits.hpp"
#include "rfbench/datasets/encoding.hpp"
#include "rfbench/datasets/points.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/text/counted.hpp"
#include "sources/normal_points.hpp"
#include "study/project.hpp"

namespace rfbench::experiments {
namespace {

/// Columns from which on matrices over them take longer than all else.
constexpr Index wide = 1000;

/// Normal points, those of y shifted alike in all coordinates; on the sphere, their directions alone.
class Gaussian final : public PointSource {
public:
    Gaussian(Index dimension, double shift_of_y, bool on_sphere)
        : dimension_(dimension), shift_(shift_of_y), on_sphere_(on_sphere) {}

    Index dimension() const override { return dimension_; }
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

/// Both sets are taken from the same rows, such as images, at most half of them each.
class OneSet final : public PointSource {
public:
    OneSet(Points points, std::string hash) : points_(std::move(points)), hash_(std::move(hash)) {}

    Index dimension() const override { return points_.cols(); }
    std::optional<Index> rows() const override { return points_.rows() / 2; }
    std::string data_hash() const override { return hash_; }
    PointSets draw(const Stream& stream, Index rows) const override {
        // x has the first half of one random order and y the second, so that no row is in both.
        const Index half = std::min(rows, *this->rows());
        const Points both = random_rows(points_, 2 * half, stream.child("images"));
        return {both.topRows(half), both.bottomRows(half)};
    }

private:
    Points points_;
    std::string hash_;
};

/// A file for each set, from which rows are drawn apart.
class TwoSets final : public PointSource {
public:
    TwoSets(PointSets sets, std::string hash) : sets_(std::move(sets)), hash_(std::move(hash)) {}

    Index dimension() const override { return sets_.x.cols(); }
    std::optional<Index> rows() const override { return std::min(sets_.x.rows(), sets_.y.rows()); }
    std::string data_hash() const override { return hash_; }
    PointSets draw(const Stream& stream, Index rows) const override {
        return {random_rows(sets_.x, std::min(rows, sets_.x.rows()), stream.child("x")),
                random_rows(sets_.y, std::min(rows, sets_.y.rows()), stream.child("y"))};
    }

private:
    PointSets sets_;
    std::string hash_;
};

/// The rows of a file of the user's, and its hash.
struct PointFile {
    Points points;
    std::string hash;

    explicit PointFile(const config::Value& text) {
        const std::string where = config::file_path(text, datasets::file_of_points);
        const std::string file = datasets::file_of_points(where);
        // A missing file is told from a malformed one: an optional source is left out for the first alone.
        if (std::error_code ignored; !std::filesystem::exists(file, ignored))
            throw datasets::MissingData(text.where() + ": " + file + ": there is no such file" +
                                        (std::filesystem::path(file).is_absolute()
                                             ? ""
                                             : ", in this configuration's folder or the working folder"));
        points = datasets::read_points(where);
        hash = store::sha256_file(file);
    }
};

/// Each column less its mean over all rows of both, divided by its standard deviation.
void standardize(Points& x, Points* y) {
    // One scale for both sets: with one each, the distances between x and y would be others.
    Points all = x;
    if (y) {
        all.resize(x.rows() + y->rows(), x.cols());
        all << x, *y;
    }
    const datasets::Scale scale = datasets::fit_scale(all, datasets::Scaling::standardized);
    x = scale.apply(x);
    if (y) *y = scale.apply(*y);
}

PointSourcePtr points_of_files(const config::Value& entry) {
    const bool standardized = entry.at("standardize").boolean();
    const std::string& where = entry.at("x").text();
    PointFile x(entry.at("x"));
    if (!entry.has("y")) {
        // Both sets come from the one file, half of its rows at most for each.
        if (x.points.rows() < 2)
            throw datasets::DataError(where + ": has one point; x and y need one each, from this file or from two");
        if (standardized) standardize(x.points, nullptr);
        return std::make_shared<OneSet>(std::move(x.points), std::move(x.hash));
    }
    PointFile y(entry.at("y"));
    if (y.points.cols() != x.points.cols())
        throw datasets::DataError(
            fmt::format("{}: has {}, but {} has {}; x and y have the same dimension", entry.at("y").text(),
                        counted(static_cast<std::size_t>(y.points.cols()), "column"), where, x.points.cols()));
    if (standardized) standardize(x.points, &y.points);
    return std::make_shared<TwoSets>(PointSets{std::move(x.points), std::move(y.points)}, x.hash + " " + y.hash);
}

PointSourcePtr images(const char* set, const datasets::Warn& warn) {
    datasets::Digits digits = datasets::digits(set, data_manifest(), data_places(), warn);
    return std::make_shared<OneSet>(std::move(digits.points), std::move(digits.sha256));
}

/// Times a number.
class Scaled final : public PointSource {
public:
    Scaled(PointSourcePtr source, double scale) : source_(std::move(source)), scale_(scale) {}

    Index dimension() const override { return source_->dimension(); }
    std::optional<Index> rows() const override { return source_->rows(); }
    std::string data_hash() const override { return source_->data_hash(); }
    std::vector<std::string> notes() const override { return source_->notes(); }
    PointSets draw(const Stream& stream, Index rows) const override {
        PointSets sets = source_->draw(stream, rows);
        sets.x *= scale_;
        sets.y *= scale_;
        return sets;
    }

private:
    PointSourcePtr source_;
    double scale_;
};

PointSourcePtr source_as_it_is(const config::Value& entry, const Stream& study, const datasets::Warn& warn) {
    const std::string& kind = entry.at("use").text();
    if (kind == "digits") return images("optdigits", warn);
    if (kind == "mnist") return images("mnist-test", warn);
    if (kind == "file") return points_of_files(entry);
    if (kind == "heads") return head_points(entry, study);
    return std::make_shared<Gaussian>(whole(entry, "dimension"), kind == "heterogeneous" ? 1 : 0, kind == "sphere");
}

}  // namespace

Points random_rows(const Points& all, Index count, Stream shuffle) {
    // Fisher and Yates, as far as it is needed.
    std::vector<Index> order(static_cast<std::size_t>(all.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    Points rows(count, all.cols());
    for (Index i = 0; i < count; ++i) {
        const Index j = i + static_cast<Index>(shuffle.below(static_cast<std::uint64_t>(all.rows() - i)));
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
        rows.row(i) = all.row(order[static_cast<std::size_t>(i)]);
    }
    return rows;
}

config::Schema point_source_schema() {
    using namespace config;
    const std::vector<KeyRule> drawn{defaulted("dimension", integer(1, 4096), "64", "d")};
    const std::vector<KeyRule> files{
        required("x", text(), "points, one a row: CSV, .npy, .npz or HDF5 (file.h5:/dataset)"),
        optional("y", text(), "the same; without it both sets are rows of x"),
        defaulted("standardize", boolean(), "false",
                  "each column is brought to mean 0 and standard deviation 1 over all rows of both"),
    };
    std::vector<KeyRule> common = source_keys();
    common.push_back(optional("scale", real(above(0).at_most(1e6)), "that points are multiplied by, else 1"));
    return named("point source", "use",
                 {{"normal", drawn},
                  {"sphere", drawn},
                  {"heterogeneous", drawn},
                  {"digits", {}},
                  {"mnist", {}},
                  {"file", files},
                  {"heads", head_point_keys()}},
                 common, {{"heterogen", "{use: heterogeneous}"}});
}

std::string draw_key(const std::string& label) { return label == "heterogeneous" ? "heterogen" : label; }

PointSourcePtr point_source(const config::Value& entry, const Stream& study, const datasets::Warn& warn) {
    auto source = source_as_it_is(entry, study, warn);
    for (const std::string& note : source->notes()) warn(note);
    if (const Index d = source->dimension(); d >= wide)
        warn(fmt::format(
            "points of {} columns: parameters that are matrices of {} x {}, as those of dense-symmetric, take "
            "time as the cube of it, a minute or more a cell at 3000",
            d, d, d));
    if (!entry.has("scale")) return source;
    return std::make_shared<Scaled>(std::move(source), entry.at("scale").number());
}

SourceList<PointSourcePtr> point_sources(const Key& key, Axis<PointSourcePtr> axis, const Stream& study) {
    return source_list(
        key, std::move(axis),
        [&](const config::Value& entry, const std::string&, const datasets::Warn& warn) {
            return point_source(entry, study, warn);
        },
        [](const PointSourcePtr& source) { return source->data_hash(); });
}

void note_few_rows(SourceList<PointSourcePtr>& sources, Index rows, Index repeats) {
    const auto& labels = std::get<std::vector<std::string>>(sources.axis.labels);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::optional<Index> most = sources.axis.values[i]->rows();
        if (!most || rows * repeats <= *most) continue;
        std::string note = fmt::format("'{}' has {} rows for x and as many for y", labels[i], *most);
        if (rows > *most) note += fmt::format(", fewer than the {} asked for", rows);
        if (repeats > 1)
            note += "; its repeats share rows, so that their spread is that of choosing rows, not of other data";
        sources.notes.push_back(std::move(note));
    }
}

}  // namespace rfbench::experiments
