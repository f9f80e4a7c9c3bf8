// attention/depth and cost/attention on small configurations, and reports of results that are known.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "cost/attention_report.hpp"
#include "parsed.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/report/slice.hpp"
#include "support/normal_points.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::tests;

TEST_CASE("attention/depth: errors are there from the first layer; sizes that do not fit are refused") {
    const Study study = find("attention", "depth");
    const Sweep sweep = study.prepare(parsed(study,
                                             "methods: [positive]\nsamplings: [iid]\nlength: 20\nlayers: 2\nheads: 2\n"
                                             "hidden: 8\nfeed_forward: 16\ncolumns: [8, 4096]\nrepeats: 2\n"));
    for (const engine::Cell& cell : sweep.cells()) {
        const auto errors = computed(sweep, cell).variable("relative_error").values;
        CHECK(errors.size() == 2);
        CHECK(errors[0] > 0);
        CHECK(errors[0] < 1);
    }
    CHECK_THROWS_WITH(study.prepare(parsed(study,
                                           "methods: [positive]\nlength: 20\nheads: 3\nhidden: 8\n"
                                           "columns: 8\nrepeats: 2\n")),
                      "test.yaml:6:9: hidden: 8 is not a multiple of heads, 3");
}

TEST_CASE("attention through features that nothing is fitted to is causal through the same features from token 0 on") {
    const auto config = parsed(find("attention", "error"),
                               "methods: [positive, trigonometric, hybrid]\nheads: {use: normal, dimension: 3, length: "
                               "20}\ncolumns: 8\nrepeats: 2\n");
    const Points queries = normal_points(20, 3, Stream(1)), keys = normal_points(20, 3, Stream(2));
    const Points values = normal_points(20, 2, Stream(3));
    const attention::Inputs<double> inputs{queries, keys, values};
    for (const MethodChoice& choice : methods(config, find("attention", "error").methods)) {
        INFO(choice.label);
        const sampling::Scheme& scheme = sampling::find("iid");
        Points out, expected;
        choice->outputs()->attention({20, 3, 8}, scheme, Stream(4))->attend(inputs, attention::Visible::causal, out);
        attention::linear<double>(*choice->head_features()->features(queries, keys)(8, scheme, Stream(4)), inputs,
                                  attention::Visible::causal, expected);
        CHECK(same_bits(out, expected));
    }
}

TEST_CASE("columns of one method are refused where columns are swept") {
    const std::string entry = "methods: [trigonometric, {use: positive, columns: 64}]\n";
    const std::string sizes = "samplings: [iid]\ncolumns: 8\nrepeats: 2\n";
    const std::string heads = "heads: {use: normal, dimension: 4, length: 8}\n";
    const char* const answer = "'positive' takes no such key";
    CHECK_THROWS_WITH(parsed(find("attention", "depth"), entry + sizes + "length: 8\nheads: 1\nhidden: 4\n"),
                      Catch::Contains("test.yaml:3:42") && Catch::Contains(answer));
    for (const char* name : {"error", "negative"})
        CHECK_THROWS_WITH(parsed(find("attention", name), entry + sizes + heads), Catch::Contains(answer));
}

namespace {

const char* const cost_yaml =
    "methods:\n"
    "  - copy\n"
    "  - {use: exact, longest: 128}\n"
    "  - positive\n"
    "  - optimal-positive\n"
    "  - {use: positive, label: gradient, pass: backward}\n"
    "  - {use: exact, label: exact gradient, pass: backward}\n"
    "  - {use: linformer, label: linformer gradient, pass: backward}\n"
    "  - {use: positive, label: masked, pass: masked}\n"
    "  - elu+1\n"
    "  - linear-transformer\n"
    "  - linformer\n"
    "  - {use: lsh, bucket: 32, hashes: 2}\n"
    "  - nystrom\n"
    "columns: 16\n"
    "lengths: [128, 256]\ndimension: 8\nthreads: [1]\nrepeats: 2\nmin_seconds: 1e-4\n";

/// A result of cost: exact takes 1e-9 L^2 seconds, and "linear" 1e-6 L; their gradients take three and four times as
/// long; all of them in round r longer by the factor 1 + r / 100.
store::Dataset power_laws() {
    struct Law {
        const char* name;
        double pass, exact, factor, exponent;
    };
    const std::vector<Law> laws{{"exact", 0, 1, 1e-9, 2},
                                {"linear", 0, 0, 1e-6, 1},
                                {"exact, gradient", 1, 1, 3e-9, 2},
                                {"linear, gradient", 1, 0, 4e-6, 1}};
    store::Dataset data;
    const std::vector<double> lengths{256, 512, 1024, 2048, 4096};
    std::vector<std::string> names;
    for (const Law& law : laws) names.push_back(law.name);
    data.axes = {{"threads", std::vector<double>{1}, "", ""},
                 {"length", lengths, "", ""},
                 {"method", names, "", ""},
                 {"visible", std::vector<std::string>{"all", "causal"}, "", ""},
                 {"repeat", std::vector<double>{0, 1, 2}, "", ""}};
    const std::vector<std::string> by_method{"threads", "length", "method"};
    store::Variable seconds{"seconds", {"threads", "length", "method", "visible", "repeat"}, {}, "s", ""};
    store::Variable bytes{"peak_bytes", {"threads", "length", "method", "visible"}, {}, "B", ""};
    store::Variable pass{"pass", by_method, {}, "", ""}, exact{"exact", by_method, {}, "", ""};
    for (const double length : lengths)
        for (const Law& law : laws) {
            pass.values.push_back(law.pass);
            exact.values.push_back(law.exact);
            for (int visible = 0; visible < 2; ++visible) {
                bytes.values.push_back(1048576 * length);
                for (int round = 0; round < 3; ++round)
                    seconds.values.push_back(law.factor * std::pow(length, law.exponent) * (1 + 0.01 * round));
            }
        }
    data.variables = {seconds, bytes, pass, exact};
    return data;
}

bool starts_with_exact(const report::Row& row) { return std::get<std::string>(row.entries[0]).substr(0, 5) == "exact"; }

}  // namespace

TEST_CASE("cost/attention: every method has times and its memory, up to its longest length") {
    const Study study = find("cost", "attention");
    const Sweep sweep = study.prepare(parsed(study, cost_yaml));
    CHECK(sweep.alone);
    REQUIRE(sweep.cells().size() == 2);
    for (std::size_t at = 0; at < 2; ++at) {
        const store::Dataset data = computed(sweep, sweep.cells()[at]);
        CHECK(data.attributes.count("measured") == 1);
        const double output = (at == 0 ? 128 : 256) * 8 * sizeof(float);
        for (const std::string& method : report::words(data, "method"))
            for (const char* visible : {"all", "causal"}) {
                INFO(method << ", " << visible);
                const auto seconds = report::slice(data, "seconds", {{"method", method}, {"visible", visible}}).values;
                const double bytes =
                    report::slice(data, "peak_bytes", {{"method", method}, {"visible", visible}}).values[0];
                // Those that mix all tokens have no causal form.
                const bool mixes = method.substr(0, 9) == "linformer" || method == "nystrom";
                const bool measured = method == "exact" ? at == 0 : !mixes || std::string(visible) == "all";
                for (const double time : seconds) CHECK((measured ? time > 0 : std::isnan(time)));
                if (!measured) continue;
                // The copy holds its output, which the allocator rounds up, and nothing else.
                CHECK(bytes >= output);
                if (method == "copy") CHECK(bytes < output + 4096 + 64);
            }
    }
}

TEST_CASE("cost/attention: exponents, crossovers and ratios of power laws are theirs") {
    const Report report = cost_report(power_laws());
    REQUIRE(report.tables.size() == 2);
    for (const report::Row& row : report.tables[0].rows) {
        const std::string method = std::get<std::string>(row.entries[0]);
        const bool exact = starts_with_exact(row);
        const double factor =
            method.find("gradient") == std::string::npos ? (exact ? 1e-9 : 1e-6) : (exact ? 3e-9 : 4e-6);
        CHECK(std::get<double>(row.entries[5]) == 3);
        const auto exponent = std::get<report::Estimate>(row.entries[6]);
        CHECK(exponent.value == Approx(exact ? 2 : 1).epsilon(1e-12));
        CHECK(exponent.error < 1e-12);
        CHECK(std::get<double>(row.entries[7]) ==
              Approx(1e3 * 1.01 * factor * std::pow(4096, exact ? 2 : 1)).epsilon(1e-12));
        CHECK(std::get<double>(row.entries[8]) == Approx(1).epsilon(1e-12));
        CHECK(std::get<double>(row.entries[9]) == Approx(4096).epsilon(1e-12));
    }
    REQUIRE(report.tables[1].rows.size() == 4);
    for (const report::Row& row : report.tables[1].rows) {
        // Gradients are compared with gradients, forward passes with forward passes.
        const bool gradient = std::get<std::string>(row.entries[0]) == "linear, gradient";
        CHECK(std::get<std::string>(row.entries[1]) == (gradient ? "exact, gradient" : "exact"));
        const double crossing = gradient ? 4000.0 / 3 : 1000;
        CHECK(std::get<report::Estimate>(row.entries[4]).value == Approx(crossing).epsilon(1e-12));
        CHECK(std::get<report::Estimate>(row.entries[6]).value == Approx(4096 / crossing).epsilon(1e-12));
    }
}

TEST_CASE("cost/attention: masked attention is compared with exact attention, what has no partner with nothing") {
    store::Dataset data = power_laws();
    for (store::Variable& variable : data.variables)
        if (variable.name == "pass")
            for (double& pass : variable.values) pass = pass == 1 ? 2 : pass;
    for (store::Variable& variable : data.variables)
        if (variable.name == "exact")
            for (std::size_t i = 0; i < variable.values.size(); ++i) variable.values[i] = i % 4 == 0 ? 1 : 0;
    const Report masked = cost_report(data);
    for (const report::Row& row : masked.tables[1].rows) CHECK(std::get<std::string>(row.entries[1]) == "exact");
    CHECK(masked.tables[1].rows.size() == 6);
    for (store::Variable& variable : data.variables)
        if (variable.name == "exact") variable.values.assign(variable.values.size(), 0);
    CHECK(cost_report(data).tables.size() == 1);
}

TEST_CASE("cost/attention: a sweep whose first length is not measured yet has the rows of the others") {
    store::Dataset data = power_laws();
    // The first of five lengths.
    for (store::Variable& variable : data.variables)
        std::fill_n(variable.values.begin(), variable.values.size() / 5, std::nan(""));
    const Report report = cost_report(data);
    REQUIRE(report.tables.size() == 2);
    for (const report::Row& row : report.tables[0].rows) CHECK(std::get<double>(row.entries[3]) == 512);
    // As of the whole sweep: gradients beside gradients.
    REQUIRE(report.tables[1].rows.size() == 4);
    for (const report::Row& row : report.tables[1].rows)
        CHECK(std::get<std::string>(row.entries[1]) ==
              (std::get<std::string>(row.entries[0]) == "linear" ? "exact" : "exact, gradient"));
}

TEST_CASE("cost/attention: rounds are as many as there is time for, and one at least") {
    const Study study = find("cost", "attention");
    const auto rounds = [&](const char* most) {
        const Sweep sweep = study.prepare(parsed(study,
                                                 "methods: [positive]\ncolumns: 16\nlengths: 128\n"
                                                 "threads: 1\nrepeats: 3\nmin_seconds: 1e-4\nmax_seconds: " +
                                                     std::string(most) + "\n"));
        const auto seconds = report::slice(computed(sweep, sweep.cells()[0]), "seconds", {{"visible", "all"}}).values;
        return std::count_if(seconds.begin(), seconds.end(), [](double time) { return time > 0; });
    };
    CHECK(rounds("100") == 3);
    CHECK(rounds("1e-9") == 1);
}

TEST_CASE("cost/attention: lengths that have fewer rounds are in no interval that they cannot have") {
    store::Dataset data = power_laws();
    for (store::Variable& variable : data.variables) {
        if (variable.name != "seconds") continue;
        // One round of 4096 tokens is left, and two of 2048.
        for (std::size_t at = 0; at < variable.values.size(); ++at)
            if (at % 3 > (at / 24 == 4 ? 0u : at / 24 == 3 ? 1u : 2u)) variable.values[at] = std::nan("");
    }
    const Report report = cost_report(data);
    for (const report::Row& row : report.tables[0].rows) {
        CHECK(std::get<double>(row.entries[5]) == 1);
        const auto exponent = std::get<report::Estimate>(row.entries[6]);
        CHECK(exponent.value == Approx(starts_with_exact(row) ? 2 : 1).epsilon(1e-12));
        CHECK(std::isnan(exponent.error));
    }
    // The crossing is at 1000 tokens, which have all three rounds; the ratio at 4096 has one.
    for (const report::Row& row : report.tables[1].rows) {
        if (std::get<std::string>(row.entries[0]) != "linear") continue;
        const auto crossing = std::get<report::Estimate>(row.entries[4]);
        const auto ratio = std::get<report::Estimate>(row.entries[6]);
        CHECK(crossing.value == Approx(1000).epsilon(1e-12));
        CHECK(crossing.error < 1e-9);
        CHECK(ratio.value == Approx(4.096).epsilon(1e-12));
        CHECK(std::isnan(ratio.error));
    }
}

TEST_CASE("cost/attention: labels differ, and there must be a processor for each thread") {
    const Study study = find("cost", "attention");
    const auto refusal = [&](const std::string& yaml) { return refused(study, yaml); };
    const auto says = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(says(refusal("methods: [{use: positive, columns: 8}, {use: positive, columns: 16}]\nlengths: 128\n"),
               "the label 'positive' is taken by an earlier method"));
    CHECK(says(refusal("methods: [{use: poisson, pass: backward}]\nlengths: 128\n"),
               "'poisson' is no layer of a network that is trained"));
    for (const features::MechanismInfo& info : features::catalogue()) {
        if (std::any_of(info.parameters.begin(), info.parameters.end(),
                        [](const auto& one) { return !one.axes.empty(); }))
            continue;  // what a training leaves behind
        INFO(info.name);
        const bool none = info.discrete || info.name == "hybrid";
        CHECK(says(refusal("methods: [{use: " + info.name + ", pass: backward}]\nlengths: 128\n"),
                   "is no layer of a network that is trained") == none);
    }
    CHECK(says(refusal("methods: [{use: lsh, pass: masked}]\nlengths: 128\n"), "'lsh' has no feature map"));
    CHECK(says(refusal("methods: [copy]\nlengths: 128\nthreads: 1024\n"),
               "none of them is at most the number of processors"));
}
