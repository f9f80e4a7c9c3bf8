// Maps that one experiment trains and others name by their result file.
#include <cstring>
#include <fstream>

#include "attention/sequences.hpp"
#include "attention/studies.hpp"
#include "catch.hpp"
#include "choices.hpp"
#include "configuration.hpp"
#include "quasi/studies.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "trained_maps.hpp"
#include "variance/studies.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::trained_maps;

namespace {

std::string error_yaml(const std::string& from, const std::string& dimensions = "3") {
    return "length: 16\ndimensions: " + dimensions +
           "\nreal_columns: 4\nsamples: 2\nmechanisms: [positive, "
           "{name: luna, from: {" +
           from + "}}]\n";
}

config::Value error_config(const std::string& from, const std::string& dimensions = "3") {
    return parsed(attention_error_study(), error_yaml(from, dimensions));
}

MechanismChoice luna_from(const std::string& from) { return mechanisms(error_config(from).at("mechanisms")).back(); }

bool same_bits(const features::FeatureBlock<double>& a, const features::FeatureBlock<double>& b) {
    return a.values.size() == b.values.size() &&
           std::memcmp(a.values.data(), b.values.data(), sizeof(double) * static_cast<std::size_t>(a.values.size())) ==
               0 &&
           a.log_scale == b.log_scale;
}

}  // namespace

TEST_CASE("features read by name and file have the bits of the trained map's", "[experiments]") {
    const Trained trained;
    const Points rows = normal_points(150, d, Stream(2));
    const std::vector<std::string> labels{"positive", "positive out", "'signed, small'", "waves"};
    for (std::size_t scale : {0, 1})
        for (std::size_t method : {1, 2, 3})
            for (std::size_t sample : {0, 1}) {
                INFO(labels[method] << ", scale " << scale << ", sample " << sample);
                const auto choice = luna_from("file: " + trained.file + ", scale: " + (scale == 0 ? "0.5" : "1") +
                                              ", method: " + labels[method] + ", sample: " + std::to_string(sample));
                const auto mechanism = features::fit(*choice.info, {}, choice.settings);
                const auto expected = trained.map(scale, method, sample);
                REQUIRE(mechanism->dimension() == d);
                REQUIRE(mechanism->columns(1) == expected.columns());
                const auto read = attention::softmax_map(*mechanism, d, 1, sampling::find("iid"), Stream(1));
                features::FeatureBlock<double> own, other;
                read.evaluate(features::Side::key, rows, own);
                expected.evaluate(features::Side::key, rows, other);
                CHECK(same_bits(own, other));
            }
}

TEST_CASE("studies of attention take a trained map, and the training study measures what it did", "[experiments]") {
    const Trained trained;
    const std::string from = "{file: " + trained.file + ", scale: 1, method: positive out, sample: 0}";
    const Sweep sweep = attention_error_study().prepare(error_config(from.substr(1, from.size() - 2)));
    for (const engine::Cell& cell : sweep.cells) {
        const store::Dataset data = sweep.compute(cell);
        CHECK(std::isfinite(data.variable("relative_output_error").values.at(0)));
        // Its products estimate no kernel.
        CHECK(std::isnan(data.variable("relative_kernel_error").values.at(0)) == (cell.coordinates[2] == 1));
    }

    // Alone it leaves no curve in the figure of the kernel's error, and so no figure.
    const auto alone = parsed(attention_error_study(),
                              "length: 16\ndimensions: 3\nreal_columns: 4\nsamples: 2\n"
                              "mechanisms: [{name: luna, from: " +
                                  from + "}]\n");
    CHECK(attention_error_study().report(collected(attention_error_study(), alone, trained.folder)).figures.size() ==
          2);

    const Study quasi = quasi_attention_study();
    const Sweep other = quasi.prepare(parsed(quasi,
                                             "length: 16\ndimensions: 3\nscales: 1\nreal_columns: 4\nsamples: 2\n"
                                             "estimators: [{mechanism: luna, sampling: iid, from: " +
                                                 from + "}]\n"));
    CHECK(std::isfinite(other.compute(other.cells.front()).variable("relative_output_error").values.front()));

    // The same sequences through the map that was trained on them: the error that its own cell has.
    std::string again = training;
    again.replace(again.find("[positive"), std::strlen("[positive"), "[{name: luna, from: " + from + "}");
    const Sweep match = match_study().prepare(config::parse(again, "again.yaml", schema_of(match_study())));
    const auto error = [](const Sweep& all, const std::vector<std::size_t>& at) {
        for (const engine::Cell& cell : all.cells)
            if (cell.coordinates == at) return all.compute(cell).variable("error").values.at(0);
        throw std::logic_error("no such cell");
    };
    CHECK(error(match, {1, 0, 0}) == Approx(error(trained.sweep, {1, 1, 0})).epsilon(1e-12));
}

TEST_CASE("a trained map is refused, where it stands, wherever it cannot be read or used", "[experiments]") {
    const Trained trained;
    const std::string file = "file: " + trained.file, rest = ", scale: 1, method: positive out, sample: 0";
    const auto reading = [](const std::string& from) { return refused([&] { luna_from(from); }); };
    says(reading(file + rest.substr(0, rest.find(", sample"))), "test.yaml:7:");
    says(reading(file + rest.substr(0, rest.find(", sample"))),
         "'head_parameters' also varies over 'sample': say at which");
    says(reading(file + ", scale: 2, method: waves, sample: 0"), "scale");
    says(reading(file + ", scale: 1, method: positive, sample: 0"), "'positive' has no trained map in this file");
    says(reading(file + ", scale: 1, method: negative, sample: 0"), "negative");
    says(reading(file + rest + ", layer: 1"), "layer");
    says(reading("file: nowhere.h5" + rest), "nowhere.h5");
    says(reading(rest.substr(2)), "'file' is missing");

    says(refused([&] { attention_error_study().prepare(error_config(file + rest, "[3, 5]")); }),
         "'luna' was trained for rows of dimension 3; here they have 5");
    says(refused([&] { attention_error_study().prepare(error_config(file + rest, "[3, 5]")); }), "test.yaml:7:24");
    const auto mechanism = features::fit(*luna_from(file + rest).info, {}, luna_from(file + rest).settings);
    CHECK_THROWS_WITH(mechanism->map(features::draw(*mechanism, 5, 1, sampling::find("iid"), Stream(1))),
                      "luna: the map was trained for rows of 3 coordinates, these have 5");
    const std::string entry = "[{name: luna, from: {" + file + rest + "}}]\n";
    const auto studied = [](const Study& study, const std::string& yaml) {
        return refused([&] { study.prepare(parsed(study, yaml)); });
    };
    says(studied(angle_study(), "norms: [1]\nangles: [1]\nmechanisms: " + entry),
         "'luna' states no mean or variance of a feature, which this study is about");
    says(studied(quasi_rate_study(),
                 "dimensions: 3\nlengths: 1\ncounts: 4\nestimators: [{mechanism: luna, sampling: "
                 "iid, from: {" +
                     file + rest + "}}]\n"),
         "'luna' is no estimate of the kernel, which this study measures the error of");
    const std::string heads = "length: 16\ndimensions: 3\nreal_columns: 4\nsamples: 2\nmechanisms: ";
    says(studied(attention_error_study(), heads + "[{name: luna, set: {output: relu}, from: {" + file + rest + "}}]\n"),
         "'output' is read from the file that 'from' names");
    says(studied(attention_error_study(), heads + "[{name: positive, from: {" + file + "}}]\n"),
         "'positive' has no parameters that training stores");
}

TEST_CASE("a result file that was changed is refused", "[experiments]") {
    const Trained trained;
    const std::string rest = ", scale: 1, method: positive out, sample: 0";
    const store::Dataset good = store::read(trained.file);
    const auto reading = [&](const std::string& name) {
        return refused([&] { luna_from("file: " + trained.folder.file(name) + rest); });
    };
    const auto changed = [&](auto change) {
        store::Dataset data = good;
        change(data);
        store::write(trained.folder.file("other.h5"), data);
        return reading("other.h5");
    };
    const auto parameters = [](store::Dataset& data) -> std::vector<double>& {
        for (store::Variable& one : data.variables)
            if (one.name == "head_parameters") return one.values;
        throw std::logic_error("no parameters");
    };
    REQUIRE(changed([](store::Dataset&) {}).empty());

    const auto configuration = error_config("file: " + trained.folder.file("other.h5") + rest);
    const std::string before = mechanism_files_hash(configuration);
    REQUIRE(changed([&](auto& data) {
                for (double& one : parameters(data)) one += 1;
            }).empty());
    CHECK(mechanism_files_hash(configuration) != before);
    // Wherever a configuration names it.
    const Study quasi = quasi_attention_study();
    const auto estimators =
        parsed(quasi,
               "length: 16\ndimensions: 3\nscales: 1\nreal_columns: 4\nsamples: 2\nestimators: [{mechanism: luna, "
               "sampling: iid, from: {file: " +
                   trained.folder.file("other.h5") + rest + "}}]\n");
    CHECK(mechanism_files_hash(estimators) == mechanism_files_hash(configuration));

    says(changed([&](auto& data) { std::fill(parameters(data).begin(), parameters(data).end(), 1 / 0.0); }),
         "head_parameters");
    says(changed([&](auto& data) {
             // The first parameter of every cell.
             const std::size_t size = data.axis("parameter").size();
             for (std::size_t at = 0; at < parameters(data).size(); at += size) parameters(data)[at] = std::nan("");
         }),
         "luna: not all of head_parameters are finite");
    says(changed([](auto& data) { data.attributes["study"] = "dof/learned"; }),
         "the file is a result of 'dof/learned'");
    says(changed([](auto& data) {
             std::string& config = data.attributes["config"];
             config.replace(config.find("hidden: 3"), 9, "hidden: 9");
         }),
         "luna: head_parameters has");

    // One bit of the bytes.
    std::fstream bytes(trained.file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(3000);
    const char byte = static_cast<char>(bytes.get() ^ 1);
    bytes.seekp(3000);
    bytes.put(byte);
    bytes.close();
    const std::string said = refused([&] { luna_from("file: " + trained.file + rest); });
    says(said, "test.yaml:7:");
    says(said, "sha256");
}
