// A label is whatever a user writes: reports find methods by what they are, and say the same under any labels.
#include "study/method_identity.hpp"

#include <regex>

#include "catch.hpp"
#include "experiments/parsed.hpp"
#include "rfbench/engine/collect.hpp"
#include "rfbench/report/figure_json.hpp"
#include "study/configuration.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

store::Dataset collected(const std::string& experiment, const std::string& study, const std::string& yaml) {
    const Configuration configuration{&find(experiment, study), study, {}, parsed(find(experiment, study), yaml)};
    const Sweep sweep = configuration.study->prepare(configuration.value);
    const engine::Plan plan = experiments::plan(configuration, sweep, {});
    return engine::collect(plan, std::vector<bool>(plan.cells.size(), false),
                           [&](std::size_t i) { return computed(sweep, plan.cells[i]); });
}

/// The same result of a configuration in which each method has its label, with `mark` before it.
const std::string mark = "qqq";
store::Dataset marked(store::Dataset data) {
    for (store::Axis& axis : data.axes)
        if (axis.name == "method")
            for (std::string& label : std::get<std::vector<std::string>>(axis.labels)) label.insert(0, mark);
    std::string& config = data.attributes.at("config");
    std::string written;
    for (const MethodIdentity& one : method_identities(data)) {
        // The entries of a canonical list stand in its order, and "use" is the first key of each.
        const std::size_t at = config.find("{use: " + one.name);
        REQUIRE(at != std::string::npos);
        written += config.substr(0, at) + "{label: \"" + mark + one.label + "\", use: " + one.name;
        config.erase(0, at + ("{use: " + one.name).size());
    }
    config.insert(0, written);
    if (const auto first = data.attributes.find("first_method"); first != data.attributes.end())
        first->second.insert(0, mark);
    return data;
}

/// All that is shown of a result.
std::string shown(const store::Dataset& data) {
    const Report report = report_of(data);
    std::string text;
    for (const report::Figure& figure : report.figures) text += report::figure_json(figure);
    for (const report::Table& table : report.tables) {
        text += table.caption + "\n" + report::csv(table);
        for (const std::string& note : table.notes) text += note + "\n";
    }
    return text;
}

/// Without the marks, which labels alone have.
std::string unmarked(const std::string& text) { return std::regex_replace(text, std::regex(mark), ""); }

void check_same(const std::string& experiment, const std::string& study, const std::string& yaml) {
    INFO(experiment << "/" << study);
    const store::Dataset data = collected(experiment, study, yaml);
    const std::string plain = shown(data), labelled = shown(marked(data));
    CHECK(labelled.find(mark) != std::string::npos);
    CHECK(unmarked(labelled) == plain);
}

}  // namespace

TEST_CASE("the methods of a result are those of its configuration, whatever their labels", "[experiments]") {
    const store::Dataset data = collected(
        "variance", "regimes",
        "methods: [positive, {use: positive, label: other, columns: 4}, {use: positive, sampling: orthogonal}, "
        "{use: optimal-positive, A: -0.1}, {use: optimal-positive, label: \"a, b: c\", sampling: iid}]\n"
        "points: {use: normal, dimension: 2}\ngammas: 1\nrows: 2\nrepeats: 1\n");
    const std::vector<MethodIdentity> all = method_identities(data);
    REQUIRE(all.size() == 5);
    std::vector<std::string> labels;
    for (const MethodIdentity& one : all) labels.push_back(one.label);
    CHECK(labels == std::get<std::vector<std::string>>(data.axis("method").labels));
    CHECK((all[0].name == "positive" && all[0].sampling.empty() && all[0].plain));
    CHECK((all[1].name == "positive" && !all[1].plain));
    CHECK((all[2].label == "positive, orthogonal" && all[2].sampling == "orthogonal" && all[2].plain));
    CHECK((all[3].name == "optimal-positive" && !all[3].plain));
    CHECK((all[4].label == "a, b: c" && all[4].name == "optimal-positive" && all[4].sampling == "iid"));
    CHECK(label_of(data, "optimal-positive") == "optimal-positive");
    CHECK(label_of_plain(data, "optimal-positive") == "a, b: c");
    CHECK(label_of_plain(data, "positive") == "positive");
    CHECK_FALSE(label_of(data, "regularized"));
    CHECK_THROWS_WITH(method_identity(data, "none"), Catch::Contains("no method 'none'"));
}

TEST_CASE("variance: reports say the same of methods under labels of their own", "[experiments]") {
    // Claims of the thesis, one of each family, and biased ones.
    check_same("variance", "regimes",
               "methods: [positive, optimal-positive, trigonometric, geometric, regularized]\n"
               "points: {use: normal, dimension: 2}\ngammas: 1\nrows: 8\nrepeats: 2\n");
    check_same("variance", "gain", "dimensions: 64\nsquare_sums: [50, 100]\n");
    check_same("variance", "orthogonal",
               "methods: [positive, optimal-positive, trigonometric]\nsamplings: [orthogonal]\ndimensions: 2\n"
               "blocks: 1\ndistances: [1, 2]\ndrawn_distances: 1\nrepeats: 100\n");
    check_same("variance", "angle", "methods: [positive, hybrid]\nnorms: [1, 2]\nangles: [0, 90]\n");
    check_same("variance", "monte-carlo",
               "methods: [positive, trigonometric]\nsamplings: [iid]\ndimensions: 2\nnorm: 0.6\nblocks: 2\n"
               "repeats: 100\n");
}

TEST_CASE("concentration and quasi: reports say the same of methods under labels of their own", "[experiments]") {
    check_same("concentration", "tail",
               "methods: [positive, trigonometric]\nsamplings: [iid]\n"
               "pairs: [{label: close, dimension: 2, norms: [0.7, 0.7], angle: 30}]\n"
               "draws: [4, 8]\nerrors: [0.1, 0.5]\nrepeats: 100\n");
    check_same("quasi", "attention",
               "methods: [positive, regularized]\nheads: {use: normal, dimension: 4, length: 8}\ncolumns: [4, 8]\n"
               "repeats: 2\n");
}

TEST_CASE("regression: reports say the same of methods under labels of their own", "[experiments]") {
    check_same("regression", "accuracy",
               "methods: [positive, optimal-positive, majority]\nsamplings: [iid]\ndatasets: [car]\ngammas: [0.1]\n"
               "repeats: 2\nsplits: 2\n");
}

TEST_CASE("costs: reports say the same of methods under labels of their own", "[experiments]") {
    check_same("cost", "attention",
               "methods: [copy, exact, positive]\nlengths: [64, 128]\nthreads: 1\nrepeats: 2\n"
               "min_seconds: 1e-5\ndimension: 8\ncolumns: 8\n");
    check_same("cost", "decoding",
               "methods: [exact, positive]\npositions: [64, 128]\nrepeats: 2\ntimed: 4\ndimension: 8\ncolumns: 8\n");
    check_same("cost", "network",
               "methods: [copy, exact, positive]\nlengths: [32, 64]\nlayers: 1\nwidth: 16\ninner: 32\nheads: 2\n"
               "vocabulary: 10\ncolumns: 8\nrepeats: 2\nmin_seconds: 1e-5\n");
}
