// Maps that one experiment trains and others name by their result file.
#include <algorithm>
#include <cstring>
#include <fstream>

#include "attention/sequences.hpp"
#include "catch.hpp"
#include "methods/stored_map.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "trained_maps.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::trained_maps;

namespace {

const Study& error_study() { return find("attention", "error"); }
const Study& quasi_study() { return find("quasi", "attention"); }

std::string heads(const std::string& dimension = "3") {
    return "heads: {use: normal, length: 16, dimension: " + dimension + "}\ncolumns: 4\nrepeats: 2\n";
}

config::Value error_config(const std::string& from, const std::string& dimensions = "3") {
    return parsed(error_study(), heads(dimensions) + "methods: [positive, {use: luna, from: {" + from + "}}]\n");
}

MethodChoice luna_from(const std::string& from) { return methods(error_config(from), error_study().methods).back(); }

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
            for (std::size_t repeat : {0, 1}) {
                INFO(labels[method] << ", scale " << scale << ", repeat " << repeat);
                const auto choice = luna_from("file: " + trained.file + ", scale: " + (scale == 0 ? "0.5" : "1") +
                                              ", method: " + labels[method] + ", repeat: " + std::to_string(repeat));
                const auto mechanism = choice->mechanism()->fit({});
                const auto expected = trained.map(scale, method, repeat);
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
    const std::string from = "file: " + trained.file + ", scale: 1, method: positive out, repeat: 0";
    const std::string luna = "{use: luna, from: {" + from + "}}";
    const Sweep sweep = error_study().prepare(error_config(from));
    for (const engine::Cell& cell : sweep.cells()) {
        const store::Dataset data = computed(sweep, cell);
        CHECK(std::isfinite(data.variable("relative_output_error").values.at(0)));
        // Its products estimate no kernel.
        CHECK(std::isnan(data.variable("relative_kernel_error").values.at(0)) ==
              (cell.key.find("method=luna") != std::string::npos));
    }

    // Alone it leaves no curve in the figure of the kernel's error, which is left out then.
    const auto alone = parsed(error_study(), heads() + "methods: [" + luna + "]\n");
    const Report report = error_study().report(collected(error_study(), alone, trained.folder));
    CHECK(std::count_if(report.figures.begin(), report.figures.end(),
                        [](const report::Figure& figure) { return !figure.panels.at(0).series.empty(); }) == 2);

    const Sweep other = quasi_study().prepare(parsed(quasi_study(), heads() + "methods: [" + luna + "]\n"));
    CHECK(std::isfinite(computed(other, other.cells().front()).variable("relative_output_error").values.front()));

    // The same sequences through the map that was trained on them: the error that its own cell has.
    std::string again = trained_maps::training;
    again.replace(again.find("[positive"), std::strlen("[positive"), "[" + luna);
    const Sweep match_again = match().prepare(parsed(match(), again));
    const auto error = [](const Sweep& all, const std::vector<std::size_t>& at) {
        return computed(all, {"", at}).variable("error").values.at(0);
    };
    CHECK(error(match_again, {1, 0, 0}) == Approx(error(trained.sweep, {1, 1, 0})).epsilon(1e-12));
}

TEST_CASE("a trained map is refused, where it stands, wherever it cannot be read or used", "[experiments]") {
    const Trained trained;
    const std::string file = "file: " + trained.file, place = ", scale: 1, method: positive out",
                      rest = place + ", repeat: 0";
    const auto reading = [](const std::string& from) { return refused([&] { luna_from(from); }); };
    says(reading(file + place), "test.yaml:6:");
    says(reading(file + place), "'head_parameters' also varies over 'repeat': say at which");
    says(reading(file + ", scale: 2, method: waves, repeat: 0"), "scale");
    says(reading(file + ", scale: 1, method: positive, repeat: 0"), "'positive' has no trained map in this file");
    says(reading(file + ", scale: 1, method: negative, repeat: 0"), "negative");
    says(reading(file + rest + ", layer: 1"), "layer");
    says(reading("file: nowhere.h5" + rest), "nowhere.h5");
    says(reading(rest.substr(2)), "'file' is missing");

    says(refused([&] { error_study().prepare(error_config(file + rest, "5")); }),
         "'luna' was trained for rows of dimension 3; here they have 5");
    says(refused([&] { error_study().prepare(error_config(file + rest, "5")); }), "test.yaml:6:21");
    const auto mechanism = luna_from(file + rest)->mechanism()->fit({});
    CHECK_THROWS_WITH(mechanism->map(features::draw(*mechanism, 5, 1, sampling::find("iid"), Stream(1))),
                      "luna: the map was trained for rows of 3 coordinates, these have 5");
    const std::string entry = "[{use: luna, from: {" + file + rest + "}}]\n";
    const auto studied = [](const Study& study, const std::string& yaml) {
        return refused([&] { prepared(study, yaml); });
    };
    says(studied(find("variance", "angle"), "norms: [1]\nangles: [1]\nmethods: " + entry),
         "'luna' states no mean and variance of one draw");
    says(studied(find("quasi", "rate"), "dimensions: 3\nlengths: 1\ndraws: 4\nmethods: " + entry),
         "'luna' estimates no kernel");
    says(studied(error_study(), heads() + "methods: [{use: luna, output: relu, from: {" + file + rest + "}}]\n"),
         "the file that 'from' names says what it is");
    says(studied(error_study(), heads() + "methods: [{use: positive, from: {" + file + "}}]\n"), "from");
    says(studied(error_study(), heads() + "methods: [luna]\n"), "before it is trained");
}

TEST_CASE("a result file that was changed is refused", "[experiments]") {
    const Trained trained;
    const std::string rest = ", scale: 1, method: positive out, repeat: 0";
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
    REQUIRE(changed([](store::Dataset&) {}) == "accepted");

    const auto configuration = error_config("file: " + trained.folder.file("other.h5") + rest);
    const std::string before = files_hash(configuration);
    REQUIRE(changed([&](auto& data) {
                for (double& one : parameters(data)) one += 1;
            }) == "accepted");
    CHECK(files_hash(configuration) != before);
    // Wherever a configuration names it.
    const auto elsewhere =
        parsed(quasi_study(),
               heads() + "methods: [{use: luna, from: {file: " + trained.folder.file("other.h5") + rest + "}}]\n");
    CHECK(files_hash(elsewhere) == files_hash(configuration));

    says(changed([&](auto& data) { std::fill(parameters(data).begin(), parameters(data).end(), 1 / 0.0); }),
         "head_parameters");
    says(changed([&](auto& data) {
             // The first parameter of every cell.
             const std::size_t size = data.axis("parameter").size();
             for (std::size_t at = 0; at < parameters(data).size(); at += size) parameters(data)[at] = std::nan("");
         }),
         "luna: not all of head_parameters are finite");
    const auto shapes_with = [&](const std::string& shape, const std::string& other) {
        return changed([&](auto& data) {
            std::string& shapes = data.attributes["trained_maps"];
            REQUIRE(shapes.find(shape) != std::string::npos);
            shapes.replace(shapes.find(shape), shape.size(), other);
        });
    };
    says(shapes_with("\"hidden\":3", "\"hidden\":9"), "luna: head_parameters has");
    says(shapes_with("\"positive out\"", "\"another\""), "'positive out' has no trained map in this file");
    says(shapes_with("{", "["), "test.yaml:6:");

    // One bit of the bytes.
    std::fstream bytes(trained.file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(3000);
    const char byte = static_cast<char>(bytes.get() ^ 1);
    bytes.seekp(3000);
    bytes.put(byte);
    bytes.close();
    const std::string said = refused([&] { luna_from("file: " + trained.file + rest); });
    says(said, "test.yaml:6:");
    says(said, "sha256");
}
