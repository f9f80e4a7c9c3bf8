#include "study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rfbench/config/sweep.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/text/nearest.hpp"
#include "studies.hpp"
#include "study/former_names.hpp"

namespace rfbench::experiments {

const std::vector<Study>& catalogue() {
    static const std::vector<Study> studies = all_studies();
    return studies;
}

const Study& find(std::string_view experiment, std::string_view study) {
    std::vector<std::string> names;
    for (const Study& known : catalogue()) {
        if (known.experiment == experiment && known.name == study) return known;
        names.push_back(known.experiment + "/" + known.name);
    }
    const std::string given = std::string(experiment) + "/" + std::string(study), now = present_name(given);
    if (now != given) throw InputError("the study '" + given + "' is called '" + now + "' now.");
    throw InputError("there is no study '" + given + "'." + did_you_mean(given, names) +
                     " 'rfbench list experiments' shows them all.");
}

Stream study_stream(const config::Value& configuration, const std::string& name) {
    return Stream(static_cast<std::uint64_t>(configuration.at("seed").integer())).child(name);
}

Index whole(const config::Value& configuration, const char* key) {
    return static_cast<Index>(configuration.at(key).integer());
}

namespace {

/// As it stands in the key of a cell.
std::string label(const store::Axis& axis, std::size_t index) {
    if (const auto* words = std::get_if<std::vector<std::string>>(&axis.labels)) return (*words)[index];
    return fmt::format("{}", std::get<std::vector<double>>(axis.labels)[index]);
}

}  // namespace

Point Sweep::point(const std::vector<std::size_t>& coordinates, engine::Checkpoint* checkpoint) const {
    std::vector<std::string> names;
    for (const store::Axis& axis : axes) names.push_back(axis.name);
    return {std::make_shared<const std::vector<std::string>>(std::move(names)), coordinates, checkpoint};
}

store::Dataset Sweep::measure(const Point& at) const {
    store::Dataset result = compute(at);
    if (!finite_but) return result;
    for (const store::Variable& variable : result.variables) {
        const auto& values = variable.values;
        if (std::find(finite_but->begin(), finite_but->end(), variable.name) != finite_but->end()) continue;
        const auto wrong = std::find_if(values.begin(), values.end(), [](double one) { return !std::isfinite(one); });
        if (wrong != values.end())
            throw NotFinite(fmt::format(
                "'{}' comes out as {}: what it is divided by is zero, or numbers of the points or heads are so "
                "large, or so small, that their squares or exponentials leave the range of double",
                variable.name, std::isnan(*wrong) ? "NaN" : fmt::format("{}", *wrong)));
    }
    return result;
}

std::vector<engine::Cell> Sweep::cells() const {
    std::vector<config::SweepAxis> sizes;
    for (const store::Axis& axis : axes) sizes.push_back({axis.name, axis.size()});
    std::vector<engine::Cell> result;
    for (const std::vector<std::size_t>& at : config::product(sizes)) {
        // A point that a study leaves out has no cell: it is neither computed nor missed.
        if (keep && !keep(point(at))) continue;
        std::string key;
        for (std::size_t a = 0; a < axes.size(); ++a)
            key += (a == 0 ? "" : ",") + axes[a].name + "=" + label(axes[a], at[a]);
        result.push_back({key, at});
    }
    return result;
}

}  // namespace rfbench::experiments
