// Methods whose parameters are read from a result file.
#include "methods/stored_map.hpp"

#include "attention/sequences.hpp"
#include "catch.hpp"
#include "datasets/scene.hpp"
#include "parsed.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/dof/weighted_features.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "training/orthogonal_heads.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

constexpr Index d = 3, count = 4;

/// Two layers of learned features: z_lm = layer + 10 l + m / 10, log alpha_m = -m.
void write_learned(const std::string& file) {
    store::Dataset data;
    data.axes = {{"layer", std::vector<double>{1, 2}, "", ""},
                 {"method", std::vector<std::string>{"learned-softmax"}, "", ""},
                 {"coordinate", std::vector<double>{1, 2, 3}, "", ""},
                 {"feature", std::vector<double>{1, 2, 3, 4}, "", ""}};
    store::Variable points{"points", {"layer", "method", "coordinate", "feature"}, {}, "", ""};
    store::Variable weights{"log_weights", {"layer", "method", "feature"}, {}, "", ""};
    for (int layer = 1; layer <= 2; ++layer) {
        for (int l = 0; l < d; ++l)
            for (int m = 0; m < count; ++m) points.values.push_back(layer + 0.1 * l - 0.5 * m);
        for (int m = 0; m < count; ++m) weights.values.push_back(-m);
    }
    data.variables = {points, weights};
    store::write(file, data);
}

const Study& study() { return find("attention", "error"); }

std::string yaml(const std::string& from) {
    return "heads: {use: normal, dimension: 3, length: 16}\ncolumns: 4\nrepeats: 2\nmethods: [positive, {use: "
           "learned-points, from: {" +
           from + "}}]\n";
}

std::string refusal(const std::string& from) {
    return refused([&] { methods(parsed(study(), yaml(from)), study().methods); });
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("learned features are those of the result file that a configuration names", "[experiments]") {
    const scene::Folder folder;
    write_learned(folder.file("learned.h5"));
    const auto config = parsed(study(), yaml("file: " + folder.file("learned.h5") + ", layer: 2"));
    const MethodChoice choice = methods(config, study().methods).back();
    CHECK(choice->own_columns() == count);
    CHECK(choice->dimension() == d);
    const Points any = normal_points(2, d, Stream(3));
    const auto drawn = choice->head_features()->features(any, any)(1, sampling::find("iid"), Stream(1));

    dof::WeightedFeatures expected{Projections(d, count), Vector(count)};
    for (int m = 0; m < count; ++m) {
        for (int l = 0; l < d; ++l) expected.points(l, m) = 2 + 0.1 * l - 0.5 * m;
        expected.log_weights[m] = -m;
    }
    const Points rows = normal_points(5, d, Stream(2));
    features::FeatureBlock<double> own, other;
    drawn->evaluate(features::Side::query, rows, own);
    expected.map()->evaluate(features::Side::query, rows, other);
    for (Index i = 0; i < 5; ++i)
        for (Index m = 0; m < count; ++m)
            CHECK(std::log(own.values(i, m)) + own.log_scale[i] ==
                  Approx(std::log(other.values(i, m)) + other.log_scale[i]).epsilon(1e-13));
}

TEST_CASE("another file is another plan: its cells are computed again", "[experiments]") {
    const scene::Folder folder;
    write_learned(folder.file("learned.h5"));
    const std::string before = files_hash(parsed(study(), yaml("file: " + folder.file("learned.h5") + ", layer: 1")));
    CHECK(before.size() == 64);
    store::Dataset changed = store::read(folder.file("learned.h5"));
    changed.variables.front().values.front() += 1;
    store::write(folder.file("learned.h5"), changed);
    CHECK(files_hash(parsed(study(), yaml("file: " + folder.file("learned.h5") + ", layer: 1"))) != before);
}

TEST_CASE("a place that the file does not have is refused where it stands", "[experiments]") {
    const scene::Folder folder;
    write_learned(folder.file("learned.h5"));
    const std::string file = "file: " + folder.file("learned.h5");
    CHECK(says(refusal(file + ", layer: 3"), "test.yaml:6:"));
    CHECK(says(refusal(file + ", layer: first"), "'first' is not a number"));
    CHECK(says(refusal(file + ", leyer: 1"), "leyer"));
    CHECK(says(refusal(file), "also varies over 'layer'"));
    CHECK(says(refusal("layer: 1"), "'file' is missing"));
    CHECK(says(refusal("file: nowhere.h5, layer: 1"), "nowhere.h5"));
}

TEST_CASE("every head of a network takes the points that were trained for it", "[experiments]") {
    const scene::Folder folder;
    store::Dataset data;
    data.axes = {{"layer", std::vector<double>{1, 2}, "", ""},
                 {"head", std::vector<double>{1, 2, 3}, "", ""},
                 {"coordinate", std::vector<double>{1, 2, 3}, "", ""},
                 {"feature", std::vector<double>{1, 2, 3, 4}, "", ""}};
    store::Variable points{"points", {"layer", "head", "coordinate", "feature"}, {}, "", ""};
    store::Variable weights{"log_weights", {"layer", "head", "feature"}, {}, "", ""};
    for (int head = 0; head < 6; ++head) {
        for (int i = 0; i < d * count; ++i) points.values.push_back(0.1 * i - 0.3 * head);
        for (int m = 0; m < count; ++m) weights.values.push_back(-m);
    }
    data.variables = {points, weights};
    store::write(folder.file("learned.h5"), data);

    const Study& recall = find("training", "recall");
    const auto taken = [&](const std::string& from) {
        const auto config =
            parsed(recall, "steps: 2\nrates: [0.1]\nseeds: 2\nmethods: [exact, {use: learned-points, from: {file: " +
                               folder.file("learned.h5") + from + "}}]\n");
        return methods(config, recall.methods).back();
    };
    const auto layer_of = [&](const std::string& from, Index layer, Index head) {
        return taken(from)->layers()->layer(
            {.length = 8, .dimension = d, .columns = count, .layer = layer, .head = head}, sampling::find("iid"),
            Stream(1));
    };
    const Points q = normal_points(5, d, Stream(2)), k = normal_points(5, d, Stream(3)),
                 v = normal_points(5, 2, Stream(4));
    const auto output = [&](const auto& head) {
        return head->forward(Vector(), attention::Inputs<double>{q, k, v}, attention::Visible::causal)->output;
    };
    for (Index layer = 0; layer < 2; ++layer)
        for (Index head = 0; head < 3; ++head)
            CHECK(output(layer_of("", layer, head)) ==
                  output(
                      layer_of(", layer: " + std::to_string(layer + 1) + ", head: " + std::to_string(head + 1), 0, 0)));
    CHECK(output(layer_of("", 1, 2)) != output(layer_of("", 1, 1)));
    // A whole network has the same heads in the same order.
    networks::TransformerShape shape;
    shape.positions = 8;
    shape.layers = 2;
    shape.heads = 3;
    shape.width = 3 * d;
    const networks::Heads all = orthogonal_heads(taken(""), shape, count, Stream(1));
    REQUIRE(all.size() == 6);
    for (Index h = 0; h < 6; ++h) CHECK(output(all[static_cast<std::size_t>(h)]) == output(layer_of("", h / 3, h % 3)));
    // A network of other layers or heads is refused before the first cell.
    const auto of_network = [&](const std::string& size) {
        return refused(recall, "steps: 2\nrates: [0.1]\nseeds: 2\nwidth: 9\n" + size +
                                   "methods: [exact, {use: learned-points, from: {file: " + folder.file("learned.h5") +
                                   "}}]\n");
    };
    CHECK(says(of_network("layers: 3\nheads: 3\n"), "was trained for 2 layers of 3 heads, and the network has 3 of 3"));
    // Heads of no network have no place in the file.
    const auto heads =
        refused([&] { methods(parsed(study(), yaml("file: " + folder.file("learned.h5"))), study().methods); });
    CHECK(says(heads, "learned-points"));
}
