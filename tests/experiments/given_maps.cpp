// Trained maps in the studies that find features themselves: attention/causal and dof/error.
#include <cmath>

#include "attention/heads.hpp"
#include "cells.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/report/slice.hpp"
#include "sources/heads.hpp"
#include "trained_maps.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::trained_maps;
using attention::Visible;

namespace {

std::string luna_entry(const Trained& trained) {
    return "{use: luna, from: {file: " + trained.file + ", scale: 1, method: positive out, repeat: 0}}";
}

const Study& causal() { return find("attention", "causal"); }
const Study& error() { return find("dof", "error"); }

/// |O^ - O| / |O| of causal attention.
double output_error(const features::FeatureMap& map, const attention::Inputs<double>& in) {
    Points exact, estimate;
    attention::exact(in, Visible::causal, exact);
    attention::linear(map, in, Visible::causal, estimate);
    return (estimate - exact).norm() / exact.norm();
}

std::string causal_yaml(const std::string& methods, const std::string& dimensions = "3") {
    return "methods: [" + methods + "]\nheads: {use: normal, length: 40, dimension: " + dimensions +
           "}\ncolumns: [4, 8]\nfirst: 16\nrepeats: 2\n";
}

const std::string iid = "{use: positive, sampling: iid, label: iid}";

std::string error_yaml(const std::string& methods, const std::string& dimension = "3") {
    return "methods: [" + methods +
           "]\nheads: {use: decaying, scales: 1, decays: [0, 1], length: 24, sequences: 4, dimension: " + dimension +
           "}\nallocations: [Fix, DoF]\ncolumns: 12\npoints: 64\ntests: 1\nrepeats: 2\n";
}

}  // namespace

TEST_CASE("attention/causal: a trained map is beside the fits, which stay what they are", "[experiments]") {
    const Trained trained;
    const std::string fits =
        "optimal-positive, {use: optimal-positive, fit: previous, label: previous}, {use: optimal-positive, fit: "
        "whole, label: whole}";
    const auto config = parsed(causal(), causal_yaml(fits + ", " + luna_entry(trained)));
    const Sweep with = causal().prepare(config), without = causal().prepare(parsed(causal(), causal_yaml(fits)));
    const auto all = cells::values(cells::computed_at(with, "repeat=0"), "relative_output_error");
    const auto others = cells::values(cells::computed_at(without, "repeat=0"), "relative_output_error");
    REQUIRE((others.size() == 6 && all.size() == 8));
    CHECK(std::equal(others.begin(), others.end(), all.begin()));

    const Stream seed = study_stream(config, "attention/causal").child(0).child(std::uint64_t(d));
    const HeadSequence head = draw_head(40, d, 1, seed.child("head"));
    for (const std::size_t at : {6, 7})  // its columns are its own
        CHECK(all[at] == Approx(output_error(trained.map(1, 1, 0), head.inputs())).epsilon(1e-12));

    const Report report = causal().report(collected(causal(), config, trained.folder));
    CHECK(report.tables.front().columns.size() == 2 + 4);
    CHECK(report.figures.front().panels.front().series.size() == 4);
    CHECK(plan({&causal(), "small", "test.yaml", config}, with, {}).data_hash.size() == 64);
}

TEST_CASE("attention/causal: a map of another dimension is refused where it stands", "[experiments]") {
    const Trained trained;
    says(refused(causal(), causal_yaml("positive, " + luna_entry(trained), "5")),
         "'luna' was trained for rows of dimension 3; here they have 5");
}

TEST_CASE("dof/error: a trained map is measured once, on every head, at its own cost", "[experiments]") {
    const Trained trained;
    const auto config = parsed(error(), error_yaml(iid + ", " + luna_entry(trained) + ", optimal-positive"));
    const Sweep with = error().prepare(config), without = error().prepare(parsed(error(), error_yaml(iid)));
    std::size_t found = 0, luna = 0, fitted = 0;
    const auto values = [](const Sweep& sweep, const engine::Cell& cell) {
        std::vector<double> all;
        for (const store::Variable& one : computed(sweep, cell).variables) all.push_back(one.values.front());
        return all;
    };
    const auto source = head_source(config, study_stream(config, "dof/error"));
    for (const engine::Cell& cell : with.cells()) {
        INFO(cell.key);
        const auto own = values(with, cell);  // features, kernel, divergence, output
        CHECK(std::isfinite(own[2]));
        // Its products estimate no kernel.
        CHECK(std::isnan(own[1]) == (cell.coordinates[3] == 1));
        CHECK((cell.key.find("allocation=as given") != std::string::npos) == (cell.coordinates[3] == 1));
        if (cell.coordinates[3] == 0) {
            REQUIRE(without.cells()[found].key == cell.key);
            CHECK(values(without, without.cells()[found++]) == own);
            continue;
        }
        ++(cell.coordinates[3] == 1 ? luna : fitted);
        if (cell.coordinates[3] == 2) {
            if (cell.coordinates[2] == 0) CHECK(own[0] == 12);
            continue;
        }
        const auto map = trained.map(1, 1, 0);
        const HeadSequence test = source->sequence(0, static_cast<Index>(cell.coordinates[1]), 3);
        CHECK(static_cast<Index>(own[0]) == map.columns());
        CHECK(own[3] == Approx(output_error(map, {test.tokens.queries, test.tokens.keys, test.values})).epsilon(1e-12));
    }
    CHECK(found == without.cells().size());
    CHECK((luna == 2 && fitted == 2 * 2 * 2));
    CHECK(plan({&error(), "small", "test.yaml", config}, with, {}).data_hash.size() == 64);

    const Report report = error().report(collected(error(), config, trained.folder));
    REQUIRE(report.tables.size() == 4);
    for (std::size_t i = 0; i < 3; ++i) {  // methods by allocation
        CHECK(report.tables[i].columns.size() == 1 + 2);
        CHECK(report.tables[i].rows.size() == 2 + 1);
    }
    const auto& rows = report.tables.back().rows;
    REQUIRE(rows.size() == 1);
    CHECK(std::isnan(std::get<report::Estimate>(rows[0].entries[2]).error));
    CHECK(std::holds_alternative<report::Missing>(rows[0].entries[3]));
    REQUIRE(report.figures.front().panels.size() == 3);
    CHECK(report.figures.front().panels[0].series.size() == 2);
    CHECK(report.figures.front().panels[2].series.size() == 1);
    CHECK(
        error().report(collected(error(), parsed(error(), error_yaml(iid)), tests::TemporaryFolder())).tables.size() ==
        3);
    // Alone, it leaves the tables of allocations out.
    const auto alone = parsed(error(), error_yaml(luna_entry(trained)));
    CHECK(error().report(collected(error(), alone, tests::TemporaryFolder())).tables.size() == 1);
}

TEST_CASE("dof/error: methods that fit no head are refused where they stand", "[experiments]") {
    const Trained trained;
    const auto said = [](const std::string& list, const std::string& dimension = "3") {
        return refused(error(), error_yaml(list, dimension));
    };
    says(said("positive, " + luna_entry(trained), "5"),
         "test.yaml:3:21: methods.1: 'luna' was trained for rows of dimension 3; here they have 5");
    says(said("positive, {use: positive, label: positive}"), "the label 'positive' is taken by an earlier method");
    says(said("linformer"), "'linformer'");
    says(said("{use: positive, columns: 3}"), "columns");
    CHECK(said("poisson, discrete-cosine, relu, {use: positive, label: three}") == "accepted");
}
