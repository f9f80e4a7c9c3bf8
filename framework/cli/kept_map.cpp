#include "kept_map.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rfbench/errors.hpp"

namespace rfbench::cli {
namespace {

using namespace rfbench::features;

store::Axis numbered(const std::string& name, Index size, const char* description) {
    std::vector<double> labels(static_cast<std::size_t>(size));
    std::iota(labels.begin(), labels.end(), 0.0);
    return {name, labels, "", description};
}

template <class Numbers>
std::vector<double> entries(const Numbers& numbers) {
    return {numbers.data(), numbers.data() + numbers.size()};
}

Vector vector_of(const store::Dataset& data, const std::string& name) {
    const std::vector<double>& values = data.variable(name).values;
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

/// A matrix, its rows along the first axis of the variable.
Points matrix_of(const store::Dataset& data, const std::string& name) {
    const store::Variable& variable = data.variable(name);
    const auto rows = static_cast<Index>(data.axis(variable.axes.at(0)).size());
    return Eigen::Map<const Points>(variable.values.data(), rows, static_cast<Index>(variable.values.size()) / rows);
}

/// One set's statistics. Poisson moments of the coordinates are as long as the longest, NaN after the others' ends.
void add_statistics(store::Dataset& data, const std::string& set, const SetStatistics& of) {
    const auto add = [&](const char* what, std::vector<std::string> axes, std::vector<double> values,
                         const char* description) {
        data.variables.push_back({set + "_" + what, std::move(axes), std::move(values), "", description});
    };
    data.attributes[set + "_rows"] = std::to_string(of.rows);
    add("mean", {"coordinate"}, entries(of.mean), "mean of these points");
    add("mean_absolute", {"coordinate"}, entries(of.mean_absolute), "mean of |x_l|");
    add("minimum", {"coordinate"}, entries(of.minimum), "smallest x_l");
    add("second_moment", {"coordinate", "other_coordinate"}, entries(of.second_moment), "mean of x x', symmetric");
    if (of.log_poisson_moments.empty()) return;
    Index terms = 0;
    for (const Vector& one : of.log_poisson_moments) terms = std::max(terms, one.size());
    data.axes.push_back(numbered(set + "_power", terms, "k"));
    std::vector<double> moments;
    for (const Vector& one : of.log_poisson_moments) {
        moments.insert(moments.end(), one.data(), one.data() + one.size());
        moments.resize(moments.size() + static_cast<std::size_t>(terms - one.size()), NAN);
    }
    add("log_poisson_moments", {"coordinate", set + "_power"}, std::move(moments), "log E[exp(-x_l^2) x_l^(2k) / k!]");
}

SetStatistics statistics_of(const store::Dataset& data, const std::string& set) {
    SetStatistics result;
    result.rows = std::stol(data.attributes.at(set + "_rows"));
    result.mean = vector_of(data, set + "_mean");
    result.mean_absolute = vector_of(data, set + "_mean_absolute");
    result.minimum = vector_of(data, set + "_minimum");
    // Columns of the matrix were written as rows: its bits need not be symmetric.
    result.second_moment = matrix_of(data, set + "_second_moment").transpose();
    if (!data.has_variable(set + "_log_poisson_moments")) return result;
    // Named, since a loop over rows of a temporary outlives it.
    const Points moments = matrix_of(data, set + "_log_poisson_moments");
    for (const auto& row : moments.rowwise()) {
        Index length = row.size();
        while (length > 0 && std::isnan(row[length - 1])) --length;
        result.log_poisson_moments.emplace_back(row.head(length).transpose());
    }
    return result;
}

}  // namespace

void add_map(store::Dataset& data, const KeptMap& map) {
    const Draw& draw = map.draw;
    data.attributes["method"] = map.entry;
    data.axes.push_back(numbered("coordinate", draw.omega.rows(), "of a point"));
    data.axes.push_back(numbered("other_coordinate", draw.omega.rows(), "of a point"));
    data.axes.push_back(numbered("draw", draw.omega.cols(), "omega"));
    data.variables.push_back(
        {"omega", {"coordinate", "draw"}, entries(Rows<double>(draw.omega)), "", "what was drawn"});
    if (draw.phase.size() > 0) data.variables.push_back({"phase", {"draw"}, entries(draw.phase), "", "drawn as well"});
    add_statistics(data, "x", map.statistics.x);
    add_statistics(data, "y", map.statistics.y);
}

KeptMap kept_map(const store::Dataset& data, const std::filesystem::path& file) {
    try {
        KeptMap map{data.attributes.at("method"), {statistics_of(data, "x"), statistics_of(data, "y")}, {}};
        map.draw.omega = matrix_of(data, "omega");
        if (data.has_variable("phase")) map.draw.phase = vector_of(data, "phase");
        return map;
    } catch (const std::logic_error&) {  // something is not there
        throw FileError(file.string() + ": holds no map; 'rfbench features METHOD --out FILE.h5' writes one");
    }
}

}  // namespace rfbench::cli
