// Every study says how far a cell has come.
#include "rfbench/parallel/parts.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "catch.hpp"
#include "experiments/teachers.hpp"
#include "rfbench_places.hpp"
#include "study/configuration.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

/// Cells that are one decomposition, one product or a closed form, or train features of one head without a look
/// between.
const std::set<std::string> in_one_piece{"attention/causal",  "attention/negative", "concentration/parametrization",
                                         "dof/bound",         "dof/density",        "dof/layers",
                                         "dof/learned",       "learned/match",      "quasi/attention",
                                         "quasi/discrepancy", "regression/svm",     "variance/bias",
                                         "variance/gain"};

/// Shares that cells of the configuration tell, of the first that tells some.
std::vector<double> shares_of(const std::filesystem::path& file) {
    std::vector<std::string> overrides;
    // Sets that Debian has, instead of some that are fetched.
    if (file.parent_path().filename() == "regression") overrides = {"datasets=[iris, wine]"};
    const Configuration configuration = load_configuration(file, {"smoke", overrides});
    const Sweep sweep = configuration.study->prepare(configuration.value);
    std::vector<double> shares;
    const auto tell = [&](double share) { shares.push_back(share); };
    // Exact methods may have no parts, where others do.
    for (const engine::Cell& cell : sweep.cells()) {
        engine::Checkpoint checkpoint(
            {}, 1e9, [] { return false; }, [&](double share, const std::string&) { tell(share); });
        const parallel::PartsListener listener(tell);
        sweep.measure(sweep.point(cell.coordinates, &checkpoint));
        if (!shares.empty() || in_one_piece.contains(configuration.study->experiment + "/" + configuration.study->name))
            break;
    }
    return shares;
}

}  // namespace

TEST_CASE("cells of every study tell the share of their work that is done, but for those of one piece",
          "[experiments]") {
    const tests::Teachers teachers;
    const std::filesystem::path configs = RFBENCH_SOURCE_DIR "/configs";
    std::set<std::string> seen;
    for (const auto& file : configuration_files(configs, {})) {
        const Study& study = *load_configuration(file, {"smoke", {}}).study;
        const std::string name = study.experiment + "/" + study.name;
        if (!seen.insert(name).second) continue;
        INFO(name);
        const std::vector<double> shares = shares_of(file);
        CHECK(shares.empty() == in_one_piece.contains(name));
        CHECK(std::is_sorted(shares.begin(), shares.end()));
        CHECK(std::all_of(shares.begin(), shares.end(), [](double one) { return one > 0 && one <= 1 + 1e-12; }));
    }
    CHECK(seen.size() == catalogue().size());
}
