// The studies of gradients slice by slice on small configurations.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "catch.hpp"
#include "cells.hpp"
#include "given_results.hpp"
#include "rfbench/memory/high_water_mark.hpp"
#include "rfbench/models/gpt2.hpp"
#include "rfbench/report/slice.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/temporary_folder.hpp"
#include "training/one_step.hpp"
#include "training/sliced_networks.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::tests;

namespace {

const std::string sizes =
    "methods: [square, {use: positive, label: FAVOR+}]\ndimension: 8\ncolumns: 8\nvocabulary: 16\n";

/// All rounds are measured, however slow a busy machine is.
std::string networks_yaml(const std::string& more = "slices: [16, 64]") {
    return sizes + "repeats: 2\nmax_seconds: 1e6\nnetworks:\n  - {label: long, length: 512, layers: 1, width: 16, " +
           more + "}\n  - {label: deep, length: 64, layers: 2, width: 16, slices: [10]}\n";
}

const std::string discrepancy_yaml = sizes + "length: 60\nslices: [4, 60]\ngains: [1]\nwidth: 16\nseeds: 2\n";

std::string changed_gain(std::string yaml) {
    const std::string gain = "gains: [1]";
    return yaml.replace(yaml.find(gain), gain.size(), "gains: [3]");
}

std::string training_yaml(const std::string& file, const std::string& more = "recovery: subtraction\n") {
    return "methods: [square, {use: positive, redraw: 3}]\ntasks: [{use: copying, length: 12, vocabulary: 6}, "
           "{use: text, text: " +
           file +
           ", length: 12, validation_share: 0.1, test_share: 0.1}]\nslices: [5]\ntuning_slice: 4\ntuning_rates: [0.1, "
           "1]\nlayers: 1\nheads: 2\nwidth: 8\ninner: 12\ncolumns: 8\nsteps: 6\nbatch: 3\nwarmup_steps: 2\nrates: "
           "[0.01]\n"
           "evaluations: 6\nseeds: 2\npieces: 2\n" +
           more;
}

std::string lines() {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "line " + std::to_string(i * i) + " of forty\n";
    return text;
}

}  // namespace

TEST_CASE("cost/low-memory: every network is measured with its own slices, and slices take less memory",
          "[experiments]") {
    const Study& study = find("cost", "low-memory");
    const Sweep sweep = prepared(study, networks_yaml());
    CHECK(sweep.alone);
    CHECK(sweep.cells().size() == 6);
    const auto data = computed(sweep, {"method=square", "network=long", "slice=16"});
    CHECK(data.attributes.count("measured") == 1);
    for (const double time : values(data, "seconds")) CHECK(time > 0);
    CHECK(values(data, "seconds").size() == 14);
    const auto bytes = [&](const char* way) {
        return report::slice(data, "peak_bytes", {{"way", way}}).values.front();
    };
    // Layers leave eight matrices at least to their backward passes, of all tokens or of a slice.
    CHECK(bytes("whole sequence") > sizeof(float) * 8 * 512 * 16);
    CHECK(bytes("subtraction") < bytes("whole sequence") / 4);
    CHECK(bytes("one slice alone") < bytes("checkpoints"));
    CHECK(bytes("subtraction") < bytes("checkpoints"));
    CHECK(bytes("checkpoints") < bytes("all stored"));
    CHECK(value(data, "length") == 512);

    // 512 tokens of two heads with 8 x 9 sums each, and backwards again in one head after the other; blocks of 60
    // tokens have memory of their own that prefix sums do without.
    const double sums = 4.0 * 512 * 2 * 8 * 9;
    CHECK(value(data, "printed_sum_bytes") == sums);
    CHECK(bytes("whole sequence, prefix sums") - bytes("whole sequence") > 0.8 * sums);
    CHECK(bytes("whole sequence, prefix sums") - bytes("whole sequence") < 1.6 * sums);
}

TEST_CASE("cost/low-memory: counts of section 5.5 are beside those of the algorithm", "[experiments]") {
    const Sweep sweep = prepared(find("cost", "low-memory"), networks_yaml());
    const auto data = computed(sweep, {"method=square", "network=long", "slice=16"});
    const auto of = [&](const char* name, const char* way) {
        return report::slice(data, name, {{"way", way}}).values.front();
    };
    CHECK(of("forward_passes", "whole sequence") == 1);
    CHECK(of("backward_passes", "whole sequence") == 1);
    CHECK(of("additions", "whole sequence") == 0);
    // All but the last of 32 slices go forwards twice; neither the first nor the last has to be taken back.
    CHECK(of("forward_passes", "subtraction") == 2 - 1.0 / 32);
    CHECK(of("backward_passes", "subtraction") == 1);
    CHECK(of("additions", "subtraction") == 30.0 / 32 * value(data, "printed_additions"));
    CHECK(of("forward_passes", "all stored") == 2 - 1.0 / 32);
    CHECK(of("forward_passes", "checkpoints") > 2.5);
    // L s M (d + 1) h with L = 512, M = d = 8 and two heads; 11 L d_hid^2 printed, and 12 with the output projection.
    CHECK(value(data, "printed_additions") == 512 * 8 * 9 * 2);
    CHECK(value(data, "printed_layer_operations") == 11 * 512 * 16 * 16);
    CHECK(value(data, "layer_operations") == 12 * 512 * 16 * 16);
    // Two states of 2 x 8 x 9 numbers: as many as 2 d_hid (M + 1) where M = d, in double.
    CHECK(value(data, "printed_state_bytes") == 4 * 2 * 16 * 9);
    CHECK(value(data, "state_bytes") == 2 * value(data, "printed_state_bytes"));
}

TEST_CASE("cost/low-memory: prefix sums that take too much are left out, and so are rounds of large networks",
          "[experiments]") {
    // Those of the whole take 512 x 2 x 8 x 9 floats, those of a slice a 32nd of them.
    const Sweep sweep =
        prepared(find("cost", "low-memory"), networks_yaml("slices: [16], repeats: 1") + "max_prefix_bytes: 100000\n");
    const auto data = computed(sweep, {"method=square", "network=long", "slice=16"});
    const auto of = [&](const char* name, const char* way) { return report::slice(data, name, {{"way", way}}).values; };
    CHECK(std::isnan(of("seconds", "whole sequence, prefix sums")[0]));
    CHECK(std::isnan(of("peak_bytes", "whole sequence, prefix sums")[0]));
    CHECK(std::isnan(of("forward_passes", "whole sequence, prefix sums")[0]));
    CHECK(of("seconds", "subtraction, prefix sums")[0] > 0);
    CHECK(std::isnan(of("seconds", "whole sequence")[1]));
    CHECK(contains(refused(find("cost", "low-memory"), networks_yaml("slices: [16], repeats: 3")),
                   "networks.0.repeats: 3 are more than 'repeats' of all, 2"));
}

TEST_CASE("cost/low-memory: planned memory is what cells take, within a factor of two", "[experiments]") {
    for (const char* network : {"{label: long, length: 4096, layers: 1, width: 64, slices: [64]}",
                                "{label: wide, length: 64, layers: 2, width: 256, slices: [64]}"}) {
        const Sweep sweep =
            prepared(find("cost", "low-memory"),
                     "methods: [square]\nthreads: 1\nrepeats: 1\nnetworks: [" + std::string(network) + "]\n");
        // A mark is taken within the cell, and there is one at a time: what the cell says is beside its parameters and
        // their packed copies.
        const auto data = computed(sweep, sweep.cells().front());
        const auto& bytes = values(data, "peak_bytes");
        const double peak =
            *std::max_element(bytes.begin(), bytes.end()) + 3 * sizeof(float) * value(data, "parameters");
        INFO(network << ": " << peak << " of " << sweep.bytes);
        CHECK(peak / sweep.bytes > 0.5);
        CHECK(peak / sweep.bytes < 2);
    }
}

TEST_CASE("training/low-memory-discrepancy: gradients of slices are beside those of the whole", "[experiments]") {
    const Study& study = find("training", "low-memory-discrepancy");
    const Sweep sweep = prepared(study, discrepancy_yaml);
    for (const char* method : {"method=square", "method=FAVOR+"}) {
        const auto data = computed(sweep, {method, "gain=1", "seed=0"});
        const double rounding = value(data, "rounding");
        CHECK(rounding > 1e-8);
        CHECK(rounding < 1e-4);
        for (const char* way : {"checkpoints", "subtraction", "double sums"}) {
            const auto by_slice = report::slice(data, "relative_discrepancy", {{"way", way}}).values;
            // One slice is equal to the bit; others are rounded in another order, and by subtraction more often.
            CHECK(by_slice[1] == 0);
            CHECK(by_slice[0] > 1e-9);
            CHECK(by_slice[0] < 15 * 15 * 8 * rounding);
        }
    }
    // Some keys weigh far more than others: subtracted floats have forgotten more than doubles.
    const Sweep weighty = prepared(study, changed_gain(discrepancy_yaml));
    const auto far = computed(weighty, {"method=FAVOR+", "gain=3", "seed=0"});
    const auto at = [&](const char* way) {
        return report::slice(far, "relative_discrepancy", {{"way", way}}).values.front();
    };
    CHECK(at("double sums") < at("subtraction"));

    omp_set_num_threads(1);
    const memory::HighWaterMark mark;
    const Sweep larger = prepared(study,
                                  "methods: [square]\nlength: 1024\nslices: [64]\ngains: [1]\nwidth: 64\n"
                                  "layers: 1\nseeds: 2\n");
    computed(larger, larger.cells().front());
    omp_set_num_threads(omp_get_num_procs());
    CHECK(static_cast<double>(mark.bytes()) / larger.bytes > 0.5);
    CHECK(static_cast<double>(mark.bytes()) / larger.bytes < 2);
}

TEST_CASE("training/low-memory-training: slices change a training by roundings alone, from where they begin",
          "[experiments]") {
    const TemporaryFolder folder;
    const Study& study = find("training", "low-memory-training");
    const Sweep sweep = prepared(study, training_yaml(folder.write("lines.txt", lines())));
    for (const char* task : {"task=copying", "task=text"}) {
        const auto run = [&](const char* regime) {
            return computed(sweep, {"method=positive", task, std::string("regime=") + regime, "seed=1"});
        };
        const auto whole = run("whole sequences"), sliced = run("slices of 5"), after = run("slices of 5 after half");
        const auto &losses = values(whole, "loss"), &by_slices = values(sliced, "loss"), &late = values(after, "loss");
        CHECK(late != losses);
        CHECK(by_slices != losses);
        REQUIRE(losses.size() == 6);
        for (std::size_t step = 0; step < 6; ++step) {
            if (step < 3) CHECK(late[step] == losses[step]);
            // Adam's first steps are as large for small gradients as for large ones, so roundings may grow a
            // hundredfold.
            CHECK(std::abs(by_slices[step] - losses[step]) < 1e-4 * losses[step]);
            CHECK(std::abs(late[step] - losses[step]) < 1e-4 * losses[step]);
        }
        CHECK(value(sliced, "bits_per_character") == Approx(value(whole, "bits_per_character")).epsilon(1e-4));
        const auto tuned = [&](const char* step, double rate) {
            return report::slice(whole, "second_half", {{"tuning", step}, {"tuning_rate", rate}}).values.front();
        };
        if (std::string(task) == "task=copying") {
            CHECK(std::isnan(tuned("none", 1)));
            continue;
        }
        CHECK(tuned("none", 0.1) == tuned("none", 1));
        CHECK(tuned("whole", 0.1) != tuned("none", 0.1));
        CHECK(tuned("whole", 0.1) != tuned("whole", 1));
        CHECK(tuned("slices of 4", 1) == Approx(tuned("whole", 1)).epsilon(1e-4));
        CHECK(tuned("slices of 4", 1) != tuned("whole", 1));
    }
}

TEST_CASE("training/low-memory-training: a step that is too long has no loss, and its rate is passed over",
          "[experiments]") {
    networks::TransformerShape shape;
    shape.vocabulary = 8;
    shape.positions = 4;
    shape.layers = 1;
    shape.heads = 2;
    shape.width = 8;
    shape.inner = 8;
    const networks::Transformer network(models::gpt2_shape(shape));
    const networks::Column<float> values = network.start({}, Stream(1)).cast<float>();
    networks::Column<float> gradient = networks::Column<float>::Zero(values.size());
    const networks::Parameter& projections = network.layout().find("h.0.attn.c_attn.weight");
    gradient.segment(projections.first, projections.size()) =
        1e30F * values.segment(projections.first, projections.size());
    networks::Sequence<float> one;
    one.tokens = {1, 2, 3, 4};
    one.targets = {{0, 2}, {1, 3}};
    networks::Workspace<float> work;
    const auto after = [&](double rate) { return loss_after_step(network, values, gradient, rate, {one}, work); };
    CHECK(std::isfinite(after(1e-30)));
    // Queries and keys of some 1e28 have scores beyond the largest float, 3e38; 1e40 times 1e28 is beyond it itself.
    CHECK(std::isnan(after(1)));
    CHECK(std::isnan(after(1e10)));

    const TemporaryFolder folder;
    const Study& study = find("training", "low-memory-training");
    store::Dataset data = collected(study, training_yaml(folder.write("lines.txt", lines())));
    store::Variable& chosen = *std::find_if(data.variables.begin(), data.variables.end(), [](const auto& variable) {
        return variable.name == "validation_second_half";
    });
    // The first rate is the best of the one seed that it is not too long for.
    for (std::size_t i = 0; i < chosen.values.size(); ++i) {
        std::map<std::string, std::size_t> at;
        std::size_t rest = i;
        for (auto axis = chosen.axes.rbegin(); axis != chosen.axes.rend(); ++axis) {
            const std::size_t length = data.axis(*axis).size();
            at[*axis] = rest % length;
            rest /= length;
        }
        if (std::isnan(chosen.values[i])) continue;
        chosen.values[i] = at["tuning_rate"] == 1 ? 2 : at["seed"] == 1 ? std::nan("") : 1;
    }
    for (const report::Row& row : given_results::table(study.report(data), "low-memory-tuning").rows)
        if (std::get<std::string>(row.entries.at(3)) != "none") CHECK(std::get<double>(row.entries.at(4)) == 1);
}

TEST_CASE("training/low-memory-training: bits are bits, of validation sequences and of those held out",
          "[experiments]") {
    const TemporaryFolder folder;
    const Study& study = find("training", "low-memory-training");
    const std::string text = lines();
    const Sweep sweep = prepared(study, training_yaml(folder.write("lines.txt", text)));
    for (const char* task : {"task=copying", "task=text"}) {
        INFO(task);
        const auto data = computed(sweep, {"method=positive", task, "regime=whole sequences", "seed=1"});
        // Losses are in nats a token. All characters of the text are bytes.
        const auto &nats = values(data, "validation_loss"), &bits = values(data, "validation_bits");
        REQUIRE(nats.size() == bits.size());
        for (std::size_t look = 0; look < nats.size(); ++look)
            CHECK(bits[look] == Approx(nats[look] / std::log(2.0)).epsilon(1e-12));
        // After six small steps the network tells all sequences about equally badly: within a fifth, and nats would be
        // three tenths less.
        CHECK(value(data, "bits_per_character") == Approx(bits.back()).epsilon(0.2));
        CHECK(value(data, "bits_per_character") != bits.back());
        if (std::string(task) == "task=copying") continue;
        for (const char* halves : {"validation_second_half", "second_half"})
            CHECK(report::slice(data, halves, {{"tuning", "none"}, {"tuning_rate", 0.1}}).values.front() ==
                  Approx(bits.back()).epsilon(0.2));
    }
}

TEST_CASE("training/low-memory-training: texts held out move no training and no choice, validation texts no result",
          "[experiments]") {
    const Study& study = find("training", "low-memory-training");
    const std::string text = lines();
    const std::size_t held_out = text.size() / 10;
    // Letters that stand elsewhere: as long a text, of as many characters.
    const auto with_other = [&](std::size_t first, std::size_t end) {
        std::string other = text;
        std::reverse(other.begin() + static_cast<std::ptrdiff_t>(first),
                     other.begin() + static_cast<std::ptrdiff_t>(end));
        return other;
    };
    const auto of = [&](const std::string& whole) {
        const TemporaryFolder folder;
        return computed(prepared(study, training_yaml(folder.write("lines.txt", whole))),
                        {"method=positive", "task=text", "regime=slices of 5", "seed=1"});
    };
    const auto before = of(text), tested = of(with_other(text.size() - held_out, text.size())),
               validated = of(with_other(text.size() - 2 * held_out, text.size() - held_out));
    const std::vector<std::string> trained{"loss"},
        chosen{"validation_loss", "validation_bits", "validation_second_half"},
        judged{"bits_per_character", "second_half"};
    for (const std::string& name : trained) {
        CHECK(values(tested, name) == values(before, name));
        CHECK(values(validated, name) == values(before, name));
    }
    for (const std::string& name : chosen) {
        INFO(name);
        CHECK(values(tested, name) == values(before, name));
        CHECK(values(validated, name) != values(before, name));
    }
    for (const std::string& name : judged) {
        INFO(name);
        CHECK(values(tested, name) != values(before, name));
        CHECK(values(validated, name) == values(before, name));
    }
}

TEST_CASE("training/low-memory-training: a cell that is interrupted before every step ends with the same bits",
          "[experiments]") {
    const TemporaryFolder folder;
    const Sweep sweep =
        prepared(find("training", "low-memory-training"), training_yaml(folder.write("lines.txt", lines())));
    for (const auto& cell : sweep.cells()) {
        if (!has(cell, "method=square") || !has(cell, "task=text") || !has(cell, "seed=0")) continue;
        INFO(cell.key);
        const auto whole = sweep.compute(sweep.point(cell.coordinates));
        std::optional<store::Dataset> pieces;
        int interruptions = 0;
        while (!pieces) {
            int offers = 0;
            engine::Checkpoint checkpoint(folder.path() / std::to_string(cell.coordinates[2]), 1e9,
                                          [&] { return ++offers == 2; });
            try {
                pieces = sweep.compute(sweep.point(cell.coordinates, &checkpoint));
            } catch (const engine::StopRequested&) {
                ++interruptions;
            }
        }
        CHECK(interruptions == 5);
        for (std::size_t v = 0; v < whole.variables.size(); ++v)
            CHECK(same_bits(pieces->variables[v].values, whole.variables[v].values));
    }
}

TEST_CASE("cost/low-memory: slices, sizes and methods that do not fit are refused at their place", "[experiments]") {
    const Study &measured = find("cost", "low-memory"), &exact = find("training", "low-memory-discrepancy"),
                &trained = find("training", "low-memory-training");
    const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
        return text.replace(text.find(from), from.size(), to);
    };
    CHECK(contains(refused(measured, networks_yaml("slices: [16, 600]")),
                   "networks.0.slices: sliced gradient: slices are of 600 tokens; they can be of 1 to 512"));
    CHECK(contains(refused(measured, networks_yaml("slices: [0]")), "networks.0.slices"));
    // 512 tokens in 32 slices of 16: 31 states of two heads of 8 x 9 doubles each.
    CHECK(refused(measured, networks_yaml() + "max_state_bytes: 35712\n") == "accepted");
    CHECK(contains(refused(measured, networks_yaml() + "max_state_bytes: 35711\n"),
                   "max_state_bytes: 'all stored' of network 'long' through 'square': sliced gradient: 31 states of 32 "
                   "slices of 16 tokens take 35712 bytes; 35711 are allowed"));
    CHECK(contains(refused(measured, replaced(networks_yaml(), "width: 16", "width: 20")),
                   "networks.0.width: 20 is not a multiple of 'dimension', 8"));
    CHECK(contains(refused(measured, replaced(networks_yaml(), "label: deep", "label: long")),
                   "an earlier network is called 'long' too"));
    CHECK(contains(refused(exact, replaced(discrepancy_yaml, "slices: [4, 60]", "slices: [61]")),
                   "slices: sliced gradient: slices are of 61 tokens; they can be of 1 to 60"));
    const std::string stateless = "has no state that slices could hand on";
    const TemporaryFolder folder;
    const std::string training = training_yaml(folder.write("lines.txt", lines()));
    for (const char* method : {"exact", "optimal-positive"}) {
        CHECK(contains(refused(measured, replaced(networks_yaml(), "square", method)), stateless));
        CHECK(contains(refused(exact, replaced(discrepancy_yaml, "square", method)), stateless));
        CHECK(contains(refused(trained, replaced(training, "square", method)), stateless));
    }
    CHECK(refused(exact, replaced(discrepancy_yaml, "square", "{use: optimal-positive, A: -0.05}")) == "accepted");
    CHECK(contains(refused(trained, replaced(training, "slices: [5]", "slices: [13]")),
                   "slices: slices of 13 tokens; sequences of 'copying' have 12"));
    CHECK(contains(refused(trained, replaced(training, "tuning_slice: 4", "tuning_slice: 7")),
                   "tuning_slice: slices of 7 tokens; sequences of 'text' have 6"));
}

TEST_CASE("cost/low-memory: tables of the thesis say what was measured at their slices", "[experiments]") {
    using given_results::variable;
    // I and a network a quarter as long; four times the memory beside 1e6 parameters, and eight times the time.
    const std::vector<store::Axis> axes{
        given_results::words("method", {"square"}), given_results::words("network", {"I", "short"}),
        given_results::numbers("slice", {256, 4096}),
        given_results::words(
            "way", {"whole sequence", "whole sequence, prefix sums", "one slice alone", "checkpoints", "subtraction"}),
        given_results::numbers("repeat", {0, 1})};
    const double none = std::nan("");
    const std::vector<std::string> by_way{"way", "repeat"}, ways{"repeat"};
    const auto size = [&](const char* name, double one, double quarter) {
        return variable(name, axes, {one, one, quarter, none}, by_way);
    };
    const store::Dataset data{
        axes,
        {variable("seconds", axes,
                  {8, 8, 9,    9,    1, 1, 12, 12, 16, 16, 8,    8,    9,    9,    4,    4,    9,    9,    12,   12,
                   1, 1, none, none, 1, 1, 3,  3,  4,  4,  none, none, none, none, none, none, none, none, none, none}),
         variable("peak_bytes", axes, {12e6, 40e6, 5e6, 7e6, 6e6, 12e6, 40e6, 9e6,  11e6, 10e6,
                                       6e6,  none, 5e6, 7e6, 6e6, none, none, none, none, none},
                  ways),
         variable("forward_passes", axes,
                  {1, 1, 0.1, 2.5, 1.9, 1, 1, 0.5, 1.5, 1.5, 1, none, 0.1, 2.5, 1.9, none, none, none, none, none},
                  ways),
         variable("additions", axes, {0, 0, 0, 0, 90, 0, 0, 0, 0, 50, 0, none, 0, 0, 20, none, none, none, none, none},
                  ways),
         size("length", 8192, 2048), size("layers", 1, 1), size("width", 1024, 1024), size("parameters", 1e6, 1e6),
         size("printed_additions", 100, 25), size("layer_operations", 1000, 250),
         size("printed_layer_operations", 800, 200), size("printed_state_bytes", 5e5, 5e5),
         size("printed_sum_bytes", 25e6, 6e6)},
        {{"study", "cost/low-memory"}, {"configuration_file", "cost/low-memory.yaml"}}};
    const Report report = find("cost", "low-memory").report(data);
    const report::Table printed = given_results::table(report, "low-memory-printed");
    REQUIRE(printed.rows.size() == 2);
    const auto number = [](const report::Row& row, std::size_t i) { return std::get<double>(row.entries[i]); };
    CHECK(number(printed.rows[0], 5) == Approx(1));
    CHECK(number(printed.rows[0], 7) == Approx((12e6 + 12e6) / 1e9));
    CHECK(number(printed.rows[1], 4) == Approx(0.5372 / 0.3008));
    CHECK(number(printed.rows[1], 5) == Approx(1.5));
    CHECK(number(printed.rows[1], 7) == Approx((10e6 + 12e6) / 1e9));

    const report::Table exponents = given_results::table(report, "low-memory-exponents");
    // The whole, checkpoints and subtraction: prefix sums of the short network were left out.
    REQUIRE(exponents.rows.size() == 3);
    CHECK(number(exponents.rows[0], 4) == Approx(1.5));
    CHECK(number(exponents.rows[0], 5) == Approx(1));
    CHECK(number(exponents.rows[2], 4) == Approx(1));
    CHECK(number(exponents.rows[2], 5) == Approx(0).margin(1e-12));

    const report::Table counts = given_results::table(report, "low-memory-counts");
    REQUIRE(counts.rows.size() == 3);
    CHECK(number(counts.rows[0], 3) == 1.9);
    CHECK(number(counts.rows[0], 4) == 2.5);
    CHECK(number(counts.rows[0], 5) == Approx(0.9));
    CHECK(number(counts.rows[0], 6) == Approx(0.1));
    CHECK(number(counts.rows[0], 7) == Approx(1.25));
    CHECK(number(counts.rows[0], 9) == Approx((6e6 - 5e6) / 5e5));
    CHECK(number(counts.rows[0], 11) == Approx((40e6 - 12e6) / 25e6));
    CHECK(std::isnan(number(counts.rows[2], 11)));
}
