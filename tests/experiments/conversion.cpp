// conversion/recovery on networks of a few hundred parameters.
#include <cmath>
#include <fstream>

#include "catch.hpp"
#include "conversion/converted.hpp"
#include "conversion/kept_layers.hpp"
#include "conversions.hpp"
#include "rfbench/attention/uniform_map.hpp"
#include "small_images.hpp"
#include "sources/network_tasks.hpp"
#include "sources/stored_network.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::conversions;

namespace {

const Study& recovery() { return find("conversion", "recovery"); }

const std::vector<double>& of(const store::Dataset& data, const char* variable) { return values(data, variable); }

constexpr std::size_t swapped = 0, distilled = 2, tuned = 3;

/// An entry of a table, in the row that begins so.
report::Entry entry(const report::Table& table, const std::string& first, const std::string& second,
                    const std::string& column) {
    std::size_t at = 0;
    while (table.columns.at(at).title != column) ++at;
    for (const report::Row& row : table.rows)
        if (std::get<std::string>(row.entries[0]) == first && std::get<std::string>(row.entries[1]) == second)
            return row.entries.at(at);
    throw std::logic_error("there is no such row");
}

}  // namespace

TEST_CASE("conversion/recovery: softmax swapped for softmax is the teacher", "[experiments]") {
    const Trained trained(source(recall, 4));
    const auto data = computed(prepared(recovery(), yaml(source(recall, 3))), {"method=exact", "seed=1"});
    CHECK(of(data, "divergence")[swapped] == 0);
    for (std::size_t head = 0; head < 4; ++head) CHECK(of(data, "output_error")[head] == 0);
    for (std::size_t layer = 0; layer < 2; ++layer) CHECK(of(data, "hidden_error")[layer] == 0);
    CHECK(of(data, "moved")[distilled] == 0);
    CHECK(of(data, "moved")[tuned] > 0);
    // Nothing of softmax is fitted or distilled.
    CHECK(of(data, "acts") == std::vector<double>{1, 0, 0, 1});
}

TEST_CASE("conversion/recovery: features that depend on nothing that they are fitted to are not fitted",
          "[experiments]") {
    const Trained trained(source(recall, 4));
    const Sweep sweep =
        prepared(recovery(), yaml(source(recall, 1), "exact, uniform, positive, {use: optimal-positive}"));
    for (const char* method : {"method=positive", "method=optimal-positive"}) {
        INFO(method);
        const auto data = computed(sweep, {method, "seed=1"});
        const bool fitted = std::string(method) != "method=positive";
        CHECK(of(data, "acts") == std::vector<double>{1, fitted ? 1.0 : 0.0, 0, 1});
        CHECK((of(data, "loss")[swapped] != of(data, "loss")[swapped + 1]) == fitted);
    }
}

TEST_CASE("conversion/recovery: tuning by no step leaves the network as it was distilled", "[experiments]") {
    const Trained trained(source(recall, 4));
    const Sweep none =
        prepared(recovery(), yaml(source(recall, 0), "exact, uniform, {use: luna, channels: 2, hidden: 2}"));
    const Sweep some =
        prepared(recovery(), yaml(source(recall, 3), "exact, uniform, {use: luna, channels: 2, hidden: 2}"));
    const auto data = computed(none, {"method=luna", "seed=0"}), other = computed(some, {"method=luna", "seed=0"});
    CHECK(of(data, "loss")[tuned] == of(data, "loss")[distilled]);
    CHECK(of(data, "moved")[tuned] == of(data, "moved")[distilled]);
    CHECK(of(data, "tuning_loss") == std::vector<double>(2, of(data, "loss")[distilled]));
    CHECK(of(other, "loss")[distilled] == of(data, "loss")[distilled]);
    CHECK(of(other, "loss")[tuned] != of(data, "loss")[tuned]);
    // Distilling moves the parameters of heads, and brings weights nearer.
    CHECK(of(data, "moved")[distilled] > 0);
    CHECK(of(data, "divergence")[8] != of(data, "divergence")[0]);
}

TEST_CASE("conversion/recovery: gradients are shortened while heads are distilled, too", "[experiments]") {
    const Trained trained(source(recall, 4));
    const std::string text = yaml(source(recall, 0), "exact, uniform, {use: luna, channels: 2, hidden: 2}");
    // So short that Adam's step feels the number that it adds to lengths, 1e-8.
    const auto one = computed(prepared(recovery(), text), {"method=luna", "seed=0"}),
               shortened =
                   computed(prepared(recovery(), text + "max_gradient_norm: 1e-9\n"), {"method=luna", "seed=0"});
    CHECK(of(shortened, "loss")[swapped] == of(one, "loss")[swapped]);
    CHECK(of(shortened, "moved")[distilled] < of(one, "moved")[distilled]);
}

TEST_CASE("conversion/recovery: softmax recovers all and uniform attention nothing", "[experiments]") {
    const Trained trained(source(recall, 30));
    const Report report = recovery().report(collected(recovery(), yaml(source(recall, 3))));
    const report::Table& table = report.tables.at(0);
    for (const char* column : {"recovered before tuning", "recovered when tuned"}) {
        INFO(column);
        const auto value = [&](const char* method) {
            const report::Entry one = entry(table, "recall", method, column);
            return std::holds_alternative<report::Estimate>(one) ? std::get<report::Estimate>(one).value
                                                                 : std::get<double>(one);
        };
        CHECK(value("exact") == 1);
        CHECK(value("uniform") == 0);
    }
}

TEST_CASE("conversion/recovery: what has no causal form has no cell where tokens see those before them alone",
          "[experiments]") {
    const Trained trained(source(recall, 2) + ", " + source(lists, 2));
    const std::string text = yaml(source(recall, 1) + ", " + source(lists, 1), "exact, uniform, linformer");
    for (const engine::Cell& cell : prepared(recovery(), text).cells())
        CHECK_FALSE((has(cell, "source=recall") && has(cell, "method=linformer")));
    const report::Table table = recovery().report(collected(recovery(), text)).tables.at(0);
    CHECK(report::entry_text(entry(table, "recall", "linformer", "tuned"), {}) == "–");
    CHECK(report::entry_text(entry(table, "lists", "linformer", "tuned"), {}) != "–");
    REQUIRE(table.notes.size() == 1);
    CHECK(table.notes[0].starts_with("'linformer' has no causal form"));
}

namespace {

/// A source of a text whose last tenth, which is held out, is made of this.
std::string text_ending(const tests::TemporaryFolder& folder, const std::string& name, const std::string& last) {
    std::string text;
    for (int i = 0; i < 120; ++i) text += "abc" + std::string(1 + i % 3, 'd') + " ";
    text.resize(500);
    for (int i = 0; i < 40; ++i) text += last;
    std::ofstream(folder / name) << text.substr(0, 600);
    return "{use: text, label: text, text: '" + (folder / name).string() +
           "', length: 8, batch: 2, validation_share: 0.05, test_share: 0.1";
}

}  // namespace

TEST_CASE("conversion/recovery: the true end of a passage is chosen where it is likelier than another's",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string begun = text_ending(folder, "one.txt", "abcdd abcbda cb");
    const Trained trained(source(begun.c_str(), 20));
    const std::string text = yaml(source(begun.c_str(), 0));
    const auto data = computed(prepared(recovery(), text), {"method=exact", "seed=1"});
    const config::Value config = parsed(recovery(), text);
    const auto passages =
        network_tasks(config, study_stream(config, "conversion/recovery")).axis.values.at(0).held_out(5);
    const StoredNetwork teacher = read_network(trained.data(), "text", 1);
    double chosen = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        // The last three tokens are those of the passage or of the second one behind it.
        const auto likelihood = [&](const networks::Sequence<float>& end) {
            networks::Sequence<float> one{passages[i].tokens};
            for (std::size_t t = 5; t < 8; ++t) one.tokens[t] = end.tokens[t];
            const Points outputs = teacher.network.outputs(teacher.weights, one).cast<double>();
            double sum = 0;
            for (Index t = 5; t < 8; ++t)
                sum += outputs(t - 1, one.tokens[static_cast<std::size_t>(t)]) -
                       std::log(outputs.row(t - 1).array().exp().sum());
            return sum;
        };
        if (likelihood(passages[i]) > likelihood(passages[(i + 2) % 5])) ++chosen;
    }
    CHECK(of(data, "chosen")[swapped] == chosen / 5);
    CHECK(chosen > 0);
    CHECK(chosen < 5);
}

TEST_CASE("conversion/recovery: no end is told of passages whose tokens are hidden and seen from both sides",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    std::string hidden = text_ending(folder, "one.txt", "abcdd abcbda cb");
    hidden.replace(hidden.find("use: text"), 9, "use: masked-text");
    const Trained trained(source(hidden.c_str(), 1));
    const auto data = computed(prepared(recovery(), yaml(source(hidden.c_str(), 0))), {"method=exact", "seed=0"});
    CHECK(std::isnan(of(data, "chosen")[swapped]));
    CHECK(of(data, "accuracy")[swapped] >= 0);
}

TEST_CASE("conversion/recovery: text held out moves nothing that is fitted, and moves what is measured",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string one = text_ending(folder, "one.txt", "abcd abcd "),
                      other = text_ending(folder, "other.txt", "dcba dcba ");
    const Trained trained(source(one.c_str(), 3));
    const std::string methods = "exact, uniform, optimal-positive, {use: luna, channels: 2, hidden: 2}";
    for (const char* method : {"method=optimal-positive", "method=luna"}) {
        const auto before = computed(prepared(recovery(), yaml(source(one.c_str(), 2), methods)), {method, "seed=0"});
        const auto after = computed(prepared(recovery(), yaml(source(other.c_str(), 2), methods)), {method, "seed=0"});
        CHECK(of(before, "moved") == of(after, "moved"));
        CHECK(of(before, "moved")[tuned] > 0);
        for (const std::size_t stage : {swapped, distilled, tuned})
            CHECK(of(before, "loss")[stage] != of(after, "loss")[stage]);
    }
}

TEST_CASE("conversion/recovery: the class token's row has the entropy of its weights", "[experiments]") {
    const tests::TemporaryFolder folder;
    // Images of 6 x 6 pixels in patches of 2 x 2: nine tokens, and the class token.
    const std::string begun = "{use: images, label: images, images: {use: file, training: " +
                              tests::SmallImages(30, 6).written(folder, "training") +
                              ", test: " + tests::SmallImages(12, 6, 50).written(folder, "test") +
                              "}, patch: 2, batch: 3";
    const Trained trained(source(begun.c_str(), 10) + ", " + source(recall, 1));
    const Sweep sweep = prepared(recovery(), yaml(source(begun.c_str(), 1) + ", " + source(recall, 1)));
    const auto uniform = computed(sweep, {"source=images", "method=uniform", "seed=0"});
    for (const double entropy : of(uniform, "class_entropy")) CHECK(std::abs(entropy - std::log(10.0)) < 1e-12);
    const auto exact = computed(sweep, {"source=images", "method=exact", "seed=0"});
    for (const double entropy : of(exact, "class_entropy")) {
        CHECK(entropy > 0);
        CHECK(entropy < std::log(10.0));
    }
    // Tokens of other sources have none.
    const auto none = computed(sweep, {"source=recall", "method=exact", "seed=0"});
    for (const double entropy : of(none, "class_entropy")) CHECK(std::isnan(entropy));
    const Report report = recovery().report(collected(recovery(), yaml(source(begun.c_str(), 1))));
    const report::Table& table = report.tables.back();
    REQUIRE(table.name == "recovery-class-row");
    const report::Entry uniform_row = entry(table, "images", "uniform", "swapped");
    CHECK(std::abs(std::get<report::Estimate>(uniform_row).value - std::log(10.0)) < 1e-12);
}

TEST_CASE("conversion/recovery: layers that stay softmax are the teacher's", "[experiments]") {
    const Trained trained(source(recall, 20));
    const auto at = [&](const std::string& more) {
        return computed(prepared(recovery(), yaml(source(recall, 1), "exact, uniform, {use: positive" + more + "}")),
                        {"method=positive", "seed=0"});
    };
    const auto none = at(""), one = at(", kept: 1"), all = at(", kept: 2"), most = at(", kept: 1, keep: importance");
    // The second of two layers is the middle of the depth.
    for (std::size_t head = 0; head < 2; ++head) {
        CHECK(of(one, "output_error")[head] == of(none, "output_error")[head]);
        CHECK(of(one, "output_error")[head] > 0);
        CHECK(of(one, "output_error")[2 + head] == 0);
    }
    CHECK(of(all, "loss")[swapped] ==
          value(computed(prepared(recovery(), yaml(source(recall, 1))), {"method=exact", "seed=0"}), "loss"));
    CHECK(of(all, "hidden_error")[1] == 0);
    CHECK(std::isnan(value(all, "features")));
    CHECK(value(one, "features") == 8);
    CHECK(value(one, "state_bytes") == 2 * 8 * (4 + 1) * 4 + 2 * 12 * 8 * 4);
    // One layer of the two is the teacher's, whichever it is.
    CHECK((of(most, "output_error")[0] == 0) != (of(most, "output_error")[2] == 0));
    CHECK(refused(recovery(), yaml(source(recall, 1), "exact, uniform, {use: positive, kept: 3}"))
              .find("3 layers are to stay softmax, and the networks have 2") != std::string::npos);
}

TEST_CASE("conversion/recovery: the layer that matters most is where uniform attention raises the loss most",
          "[experiments]") {
    const Trained trained(source(recall, 60));
    const config::Value config =
        parsed(recovery(), yaml(source(recall, 1), "exact, uniform, {use: positive, kept: 1, keep: importance}"));
    const auto given = network_tasks(config, Stream(1)).axis.values.at(0).mini_batch(Stream(2));
    const std::shared_ptr<const training::HeadAttention> uniform =
        training::fixed_attention(std::make_shared<attention::UniformMap>());
    for (const double seed : {0, 1}) {
        const StoredNetwork teacher = read_network(trained.data(), "recall", seed);
        const auto loss = [&](Index layer) {
            networks::Heads heads = networks::softmax_heads(4);
            for (const Index head : {0, 1}) heads[static_cast<std::size_t>(2 * layer + head)] = uniform;
            networks::Workspace<float> work;
            return networks::Transformer(teacher.network.shape(), heads)
                .evaluate<float>(teacher.weights, given, work)
                .loss.mean();
        };
        REQUIRE(loss(0) != loss(1));
        CHECK(kept_layers(config.at("methods").items().at(2), teacher, given, Stream(3)) ==
              std::vector<Index>{loss(0) > loss(1) ? 0 : 1});
    }
}

TEST_CASE("conversion/recovery: a cell that is interrupted before every head and step ends with the same bits",
          "[experiments]") {
    const Trained trained(source(recall, 4));
    // Before each of seven steps from scratch, of four heads, or of two steps that train all of them, and before each
    // of three steps of tuning, the first of all left out.
    const auto [method, expected] =
        GENERATE(std::pair("{use: luna, channels: 2, hidden: 2, label: trained}", 6),
                 std::pair("{use: luna, channels: 2, hidden: 2, label: trained, scratch: true}", 13),
                 std::pair("{use: learned-points, distil: direct, label: trained}", 4),
                 std::pair("{use: hedgehog, distil: hidden, tune: logits, low_rank: 2, label: trained}", 4));
    const Sweep sweep = prepared(recovery(), yaml(source(recall, 3), "exact, uniform, " + std::string(method)));
    const auto cells = sweep.cells();
    const engine::Cell& cell = *std::find_if(cells.begin(), cells.end(), [](const engine::Cell& one) {
        return has(one, "method=trained") && has(one, "seed=1");
    });
    const store::Dataset whole = sweep.compute(sweep.point(cell.coordinates));
    const tests::TemporaryFolder folder;
    int interruptions = 0;
    std::optional<store::Dataset> pieces;
    while (!pieces) {
        // One head or step further each time.
        int offers = 0;
        engine::Checkpoint checkpoint(folder / "checkpoint", 1e9, [&] { return ++offers == 2; });
        try {
            pieces = sweep.compute(sweep.point(cell.coordinates, &checkpoint));
        } catch (const engine::StopRequested&) {
            ++interruptions;
        }
    }
    CHECK(interruptions == expected);
    for (const store::Variable& variable : whole.variables) {
        INFO(variable.name);
        CHECK(tests::same_bits(pieces->variable(variable.name).values, variable.values));
    }
}

TEST_CASE("conversion/recovery: more columns are swapped in and distilled, and not tuned", "[experiments]") {
    const Trained trained(source(recall, 2));
    const Sweep sweep = prepared(recovery(), yaml(source(recall, 1)) + "more_columns: [4]\n");
    const auto few = computed(sweep, {"method=positive", "columns=4", "seed=0"});
    CHECK(value(few, "features") == 4);
    CHECK(std::isnan(of(few, "loss")[tuned]));
    CHECK(std::isfinite(of(few, "loss")[distilled]));
    const auto many = computed(sweep, {"method=positive", "columns=8", "seed=0"});
    CHECK(value(many, "features") == 8);
    CHECK(std::isfinite(of(many, "loss")[tuned]));
    // Softmax has no budget: it is measured once.
    for (const engine::Cell& cell : sweep.cells()) CHECK_FALSE((has(cell, "method=exact") && has(cell, "columns=4")));
    // A column of 4 heads has 8 values and a number, 4 bytes each; softmax has 12 tokens of 8 numbers in each.
    CHECK(value(many, "state_bytes") == 4 * 8 * (4 + 1) * 4);
    CHECK(value(computed(sweep, {"method=exact", "seed=0"}), "state_bytes") == 4 * 12 * 8 * 4);
}

TEST_CASE("conversion/recovery: keys without effect are told before networks are trained", "[experiments]") {
    const tests::TemporaryFolder empty;
    const FoundationFolder nothing_trained(empty.path());
    for (const char* method : {"{use: learned-points, points_held: true}", "{use: learned-points, distil: none}",
                               "{use: exact, label: again, kept: 1}", "{use: positive, keep: random}"}) {
        const std::string said = refused(recovery(), yaml(source(recall, 1), std::string("exact, uniform, ") + method));
        INFO(said);
        CHECK(said.find("methods.2") != std::string::npos);
    }
}

TEST_CASE("conversion/recovery: what it cannot convert is refused at its place", "[experiments]") {
    const Trained trained(source(recall, 2));
    CHECK(refused(recovery(), yaml(source(lists, 1))).find("recall") != std::string::npos);
    CHECK(refused(recovery(), yaml("{use: recall, length: 16, vocabulary: 8, pairs: 2, steps: 1}"))
              .find("has length 12 where the source has 16") != std::string::npos);
    CHECK(refused(recovery(), yaml(source(recall, 1), "exact, positive")).find("there is no 'uniform'") !=
          std::string::npos);
    CHECK(refused(recovery(), yaml(source(recall, 1), "uniform, positive")).find("there is no 'exact'") !=
          std::string::npos);
    CHECK(refused(recovery(), yaml(source(recall, 1), "exact, {use: positive, label: uniform}"))
              .find("there is no 'uniform'") != std::string::npos);
    const auto one = [](const char* method) {
        return refused(recovery(), yaml(source(recall, 1), std::string("exact, uniform, ") + method));
    };
    for (const char* method : {"{use: positive, distil: outputs}", "{use: linear-transformer, distil: direct}",
                               "{use: exact, label: again, distil: none}"})
        CHECK(one(method).find("have no parameters that could be trained before the network is") != std::string::npos);
    CHECK(one("{use: learned-points, distil: outputs}").find("are found from the teacher's heads") !=
          std::string::npos);
    CHECK(one("{use: learned-points, points_held: true}").find("points are held while heads are trained with") !=
          std::string::npos);
    CHECK(one("{use: exact, label: again, kept: 1}").find("'exact' is softmax attention in every layer") !=
          std::string::npos);
    // Before a cell is computed, not by the cell.
    CHECK(refused(recovery(), yaml(source(recall, 1), "exact, uniform, {use: luna, channels: 7, columns: 8}"))
              .find("columns, 8, are not a multiple of the channels, 7") != std::string::npos);
}

TEST_CASE("conversion/recovery: a source that holds out what its network has learned is refused", "[experiments]") {
    const tests::TemporaryFolder folder;
    std::string text = text_ending(folder, "one.txt", "abcdd abcbda cb");
    const Trained of_text(source(text.c_str(), 1));
    CHECK(refused(recovery(), yaml(source(text.c_str(), 1))) == "accepted");
    text.replace(text.find("test_share: 0.1"), 15, "test_share: 0.3");
    CHECK(refused(recovery(), yaml(source(text.c_str(), 1)))
              .find("test_share 0.3, and its network was trained with 0.1: what is held out must not be") !=
          std::string::npos);
}
