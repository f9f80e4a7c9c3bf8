#include "experiment.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "attention/studies.hpp"
#include "concentration/studies.hpp"
#include "dof/studies.hpp"
#include "learned/studies.hpp"
#include "quasi/studies.hpp"
#include "regression/studies.hpp"
#include "rfbench/config/sweep.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/text/nearest.hpp"
#include "variance/studies.hpp"

namespace rfbench::experiments {

const std::vector<Study>& catalogue() {
    static const std::vector<Study> studies = [] {
        std::vector<Study> all = variance_studies();
        for (const Study& study : regression_studies()) all.push_back(study);
        for (const Study& study : attention_studies()) all.push_back(study);
        for (const Study& study : concentration_studies()) all.push_back(study);
        for (const Study& study : dof_studies()) all.push_back(study);
        for (const Study& study : quasi_studies()) all.push_back(study);
        for (const Study& study : learned_studies()) all.push_back(study);
        return all;
    }();
    return studies;
}

const Study& find(std::string_view experiment, std::string_view study) {
    std::vector<std::string> names;
    for (const Study& known : catalogue()) {
        if (known.experiment == experiment && known.name == study) return known;
        names.push_back(known.experiment + "/" + known.name);
    }
    const std::string given = std::string(experiment) + "/" + std::string(study);
    throw InputError("there is no study '" + given + "'." + did_you_mean(given, names) +
                     " 'rfbench list experiments' shows them all.");
}

Stream study_stream(const config::Value& configuration, const std::string& name) {
    return Stream(static_cast<std::uint64_t>(configuration.at("seed").integer())).child(name);
}

std::vector<double> as_labels(const std::vector<std::int64_t>& integers) { return {integers.begin(), integers.end()}; }

std::vector<double> numbered(std::int64_t count) {
    std::vector<double> labels;
    for (std::int64_t i = 0; i < count; ++i) labels.push_back(static_cast<double>(i));
    return labels;
}

namespace {

std::string label(const store::Axis& axis, std::size_t index) {
    if (const auto* words = std::get_if<std::vector<std::string>>(&axis.labels)) return (*words)[index];
    return fmt::format("{}", std::get<std::vector<double>>(axis.labels)[index]);
}

}  // namespace

std::vector<engine::Cell> product_cells(const std::vector<store::Axis>& axes,
                                        const std::function<bool(const std::vector<std::size_t>&)>& keep) {
    std::vector<config::SweepAxis> sizes;
    for (const store::Axis& axis : axes) sizes.push_back({axis.name, axis.size()});
    std::vector<engine::Cell> cells;
    for (const std::vector<std::size_t>& at : config::product(sizes)) {
        if (keep && !keep(at)) continue;
        std::string key;
        for (std::size_t a = 0; a < axes.size(); ++a)
            key += (a == 0 ? "" : ",") + axes[a].name + "=" + label(axes[a], at[a]);
        cells.push_back({key, at});
    }
    return cells;
}

}  // namespace rfbench::experiments
