// The list of claims asks for what there is: configurations, and labels of their sweeps. That variables are there is
// seen where each configuration is computed (smallest.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "catch.hpp"
#include "rfbench/claims/claim.hpp"
#include "rfbench/claims/judge.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench_places.hpp"
#include "study/configuration.hpp"
#include "study/foundation.hpp"
#include "teachers.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

const std::filesystem::path source_folder(RFBENCH_SOURCE_DIR);

struct Axes {
    std::vector<store::Axis> axes;
    bool full = true;  ///< of the whole configuration, else of its smoke profile
};

/// Axes of a configuration's sweep. What reads trained networks has those of its smoke profile, since networks are
/// trained no longer than that here.
Axes axes_of(const std::filesystem::path& file) {
    const Configuration full = load_configuration(file, {});
    if (foundations(full.value).empty()) return {full.study->prepare(full.value).axes, true};
    const Configuration smoke = load_configuration(file, {"smoke", {}});
    return {smoke.study->prepare(smoke.value).axes, false};
}

bool has(const store::Axis& axis, const report::Label& label) {
    if (const auto* word = std::get_if<std::string>(&label.value)) {
        const auto* words = std::get_if<std::vector<std::string>>(&axis.labels);
        return words && std::find(words->begin(), words->end(), *word) != words->end();
    }
    const auto* numbers = std::get_if<std::vector<double>>(&axis.labels);
    const double wanted = std::get<double>(label.value);
    return numbers && std::any_of(numbers->begin(), numbers->end(), [&](double number) {
               return std::abs(number - wanted) <= 1e-12 * std::max(std::abs(number), std::abs(wanted));
           });
}

}  // namespace

TEST_CASE("Claims are at least those that were listed, and each configuration and label exists") {
    const tests::Teachers teachers;
    const claims::ClaimList list = claims::read_claims(source_folder / "data" / "claims.yaml");
    CHECK(list.claims.size() >= 190);
    std::map<std::string, Axes> known;
    for (const claims::Claim& claim : list.claims)
        for (const auto& [name, query] : claim.values) {
            INFO(claim.where << ", value " << name << " of " << query.configuration);
            const auto file = source_folder / "configs" / (query.configuration + ".yaml");
            REQUIRE(std::filesystem::exists(file));
            if (!known.contains(query.configuration)) known[query.configuration] = axes_of(file);
            const Axes& axes = known.at(query.configuration);
            for (const claims::Part& part : query.parts) {
                const auto axis = std::find_if(axes.axes.begin(), axes.axes.end(),
                                               [&](const store::Axis& one) { return one.name == part.axis; });
                // Others belong to variables that a cell computes. Data need not be on this machine.
                if (axis == axes.axes.end() || part.axis == "dataset" || part.axis == "regime") continue;
                for (const report::Label& label : part.labels)
                    if (axes.full) CHECK(has(*axis, label));
            }
        }
}

/// The sentence of what a claim asks and the file has not, unless the file's `left_out` names it.
std::string what_lacks(const claims::Query& query, const store::Dataset& data, const std::string& left_out) {
    try {
        claims::values(query, data);
        return "";
    } catch (const std::exception& error) {
        static const std::regex lacking("(?:is called|has no label) ('[^']*'|[0-9]+)");
        const std::string sentence = error.what();
        std::smatch name;
        const bool named = std::regex_search(sentence, name, lacking) && left_out.find(name[1]) != std::string::npos;
        return named ? "" : sentence;
    }
}

TEST_CASE("What claims ask of reference results is there") {
    const claims::ClaimList list = claims::read_claims(source_folder / "data" / "claims.yaml");
    const auto reference = source_folder / "results" / "reference";
    for (const claims::Claim& claim : list.claims)
        for (const auto& [name, query] : claim.values) {
            const auto file = reference / (query.configuration + ".h5");
            if (!std::filesystem::exists(file)) continue;
            INFO(claim.where << ", value " << name);
            const store::Dataset data = store::read(file);
            // A part of a configuration, as --set makes it, need not have all labels.
            if (data.attributes.contains("left_out"))
                CHECK(what_lacks(query, data, data.attributes.at("left_out")) == "");
            else if (data.attributes.at("overrides") == "none")
                CHECK_NOTHROW(claims::values(query, data));
            else
                CHECK_NOTHROW(data.variable(query.variable));
        }
}
