// Trained maps in the studies that find features themselves: attention/causal and dof/error.
#include <cmath>

#include "attention/heads.hpp"
#include "attention/studies.hpp"
#include "sources/heads.hpp"
#include "dof/studies.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/report/slice.hpp"
#include "trained_maps.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::trained_maps;
using attention::Visible;

namespace {

std::string luna(const Trained& trained) {
    return "{name: luna, from: {file: " + trained.file + ", scale: 1, method: positive out, sample: 0}}";
}

/// |O^ - O| / |O| of causal attention.
double output_error(const features::FeatureMap& map, const attention::Inputs<double>& in) {
    Points exact, estimate;
    attention::exact(in, Visible::causal, exact);
    attention::linear(map, in, Visible::causal, estimate);
    return (estimate - exact).norm() / exact.norm();
}

std::string causal_yaml(const std::string& beside, const std::string& dimensions = "3") {
    return "mechanism: optimal-positive\n" + beside + "length: 40\ndimensions: " + dimensions +
           "\nscales: 1\nreal_columns: [4, 8]\nfirst: 16\nsamples: 2\n";
}

std::string error_yaml(const std::string& mechanisms) {
    return mechanisms +
           "scales: 1\ndecays: [0, 1]\ndimension: 3\nlength: 24\nsequences: 4\nmethods: iid\nallocations: [Fix, DoF]\n"
           "cost: 12\npoints: 64\ntests: 1\nsamples: 2\n";
}

}  // namespace

TEST_CASE("attention/causal: a trained map is beside the fits, which stay what they are", "[experiments]") {
    const Trained trained;
    const Study study = causal_study();
    const auto config = parsed(study, causal_yaml("beside: [trigonometric, " + luna(trained) + "]\n"));
    const Sweep with = study.prepare(config), without = study.prepare(parsed(study, causal_yaml("")));
    const store::Dataset data = with.compute(with.cells.front());
    const auto all = data.variable("relative_output_error").values;
    const auto fits = without.compute(without.cells.front()).variable("relative_output_error").values;
    REQUIRE((fits.size() == 8 && all.size() == 12));
    CHECK(std::equal(fits.begin(), fits.end(), all.begin()));
    CHECK(report::words(data, "fit").back() == "luna");

    const Stream seed = study_stream(config, "attention/causal").child(0).child(std::uint64_t(d));
    const Head head = draw_head(40, d, 1, seed.child("head"));
    CHECK(all[8] != all[9]);
    for (const std::size_t at : {10, 11})  // its columns are its own
        CHECK(all[at] ==
              Approx(output_error(trained.map(1, 1, 0), {head.queries, head.keys, head.values})).epsilon(1e-12));

    const Report report = study.report(collected(study, config, trained.folder));
    CHECK(report.tables.front().columns.size() == 3 + 6);
    CHECK(report.figures.front().panels.front().series.size() == 6);
    says(report.figures.front().caption, "A trained map has its own number of columns");
    CHECK(plan({&study, "small", "test.yaml", config}, with, {}).data_hash.size() == 64);
}

TEST_CASE("attention/causal: what would have to be fitted is refused where it stands", "[experiments]") {
    const Trained trained;
    const auto said = [](const std::string& list, const std::string& dimensions = "3") {
        const Study study = causal_study();
        return refused([&] { study.prepare(parsed(study, causal_yaml("beside: [" + list + "]\n", dimensions))); });
    };
    says(said("positive, optimal-positive"),
         "test.yaml:4:20: beside.1: 'optimal-positive' would have to be fitted, and to what is the question of this "
         "study");
    CHECK(said("positive, hybrid, {name: optimal-positive, set: {A: -0.1}}").empty());
    // Their weights are fitted, whatever their parameters are.
    says(said("positive-weighted"), "test.yaml:4:10: beside.0: 'positive-weighted' would have to be fitted");
    says(said("{name: dense-symmetric, set: {A: '-0.1,-0.2,-0.3'}}"), "'dense-symmetric' would have to be fitted");
    says(said("{name: poisson, set: {lambda: 1}}"), "sampling 'orthogonal' needs directions");
    says(said("{name: positive, label: prefix}"),
         "test.yaml:4:10: beside.0: the label 'prefix' is a fit of this study");
    says(said("positive, " + luna(trained), "[3, 5]"),
         "test.yaml:4:20: beside.1: 'luna' was trained for rows of dimension 3; here they have 5");
}

TEST_CASE("dof/error: a trained map is measured once, on every head, at its own cost", "[experiments]") {
    const Trained trained;
    const Study study = freedom_error_study();
    const auto config = parsed(study, error_yaml("mechanisms: [" + luna(trained) + ", positive]\n"));
    const Sweep with = study.prepare(config), without = study.prepare(parsed(study, error_yaml("")));
    std::size_t found = 0, luna = 0, positive = 0;
    const auto values = [](const Sweep& sweep, const engine::Cell& cell) {
        std::vector<double> all;
        for (const store::Variable& one : sweep.compute(cell).variables) all.push_back(one.values.front());
        return all;
    };
    const HeadInputs inputs(config, study_stream(config, "dof/error"));
    for (const engine::Cell& cell : with.cells) {
        INFO(cell.key);
        const auto own = values(with, cell);  // features, kernel, divergence, output
        if (cell.coordinates[3] == 0) {
            REQUIRE(without.cells[found].key == cell.key);
            CHECK(values(without, without.cells[found++]) == own);
            continue;
        }
        CHECK(cell.key.find("allocation=as given") != std::string::npos);
        ++(cell.coordinates[3] == 1 ? luna : positive);
        CHECK(std::isnan(own[1]) == (cell.coordinates[3] == 1));  // its products estimate no kernel
        CHECK(std::isfinite(own[2]));
        if (cell.coordinates[3] == 2) {
            CHECK(own[0] == 12);
            continue;
        }
        const auto map = trained.map(1, 1, 0);
        const HeadSequence test = inputs.sequence(0, static_cast<Index>(cell.coordinates[1]), 3);
        CHECK(static_cast<Index>(own[0]) == map.columns());
        CHECK(own[3] == Approx(output_error(map, {test.tokens.queries, test.tokens.keys, test.values})).epsilon(1e-12));
    }
    CHECK(found == without.cells.size());
    CHECK((luna == 2 && positive == 4));
    CHECK(plan({&study, "small", "test.yaml", config}, with, {}).data_hash.size() == 64);

    const Report report = study.report(collected(study, config, trained.folder));
    REQUIRE(report.tables.size() == 4);
    for (std::size_t i = 0; i < 3; ++i) {  // methods by allocation, as ever
        CHECK(report.tables[i].columns.size() == 1 + 2);
        CHECK(report.tables[i].rows.size() == 1 + 1);
    }
    const auto& rows = report.tables.back().rows;
    REQUIRE(rows.size() == 2);
    CHECK(std::isnan(std::get<report::Estimate>(rows[0].entries[2]).error));
    CHECK(std::holds_alternative<report::Missing>(rows[0].entries[3]));
    for (std::size_t column : {2, 3, 4}) CHECK(std::holds_alternative<report::Estimate>(rows[1].entries[column]));
    REQUIRE(report.figures.front().panels.size() == 3);
    CHECK(report.figures.front().panels[0].series.size() == 1);
    CHECK(report.figures.front().panels[2].series.size() == 2);
    CHECK(study.report(collected(study, parsed(study, error_yaml("")), scene::Folder())).tables.size() == 3);
}

TEST_CASE("dof/error: maps that fit no head are refused where they stand", "[experiments]") {
    const Trained trained;
    const auto said = [](const std::string& list, const std::string& dimension = "3") {
        const Study study = freedom_error_study();
        std::string yaml = error_yaml("mechanisms: [" + list + "]\n");
        yaml.replace(yaml.find("dimension: 3"), 12, "dimension: " + dimension);
        return refused([&] { study.prepare(parsed(study, yaml)); });
    };
    says(said("positive, " + luna(trained), "5"),
         "test.yaml:3:24: mechanisms.1: 'luna' was trained for rows of dimension 3; here they have 5");
    says(said("{name: positive, label: iid}"),
         "test.yaml:3:14: mechanisms.0: the label 'iid' is a method of this study");
    says(said("positive, {name: positive, count: 3}"), "the label 'positive' is taken by an earlier mechanism");
    CHECK(said("poisson, discrete-cosine, {name: positive, count: 3, label: three}").empty());
}
