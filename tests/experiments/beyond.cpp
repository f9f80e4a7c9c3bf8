// Another text, on which networks trained on a text are evaluated: training/text and training/masked-text.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/report/table.hpp"
#include "sources/texts.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::tests;

namespace {

const Study& study_of(const char* name) { return find("training", name); }

/// Lines with a character of two bytes, more of them towards the end.
std::string accented_lines() {
    std::string text;
    for (int i = 0; i < 60; ++i)
        text += "line " + std::to_string(i * i) + (i < 48 ? " of sixty\n" : " caf\xc3\xa9 caf\xc3\xa9\n");
    return text;
}

std::string small_yaml(const std::string& file, const std::string& more) {
    return "text: " + file +
           "\nmethods: [exact]\nlength: 12\nlayers: 1\nheads: 2\nwidth: 8\ninner: 12\ncolumns: 8\nsteps: 4\nbatch: 3\n"
           "warmup_steps: 2\nrates: [0.02]\nevaluations: 2\nseeds: 2\npieces: 3\nvalidation_share: 0.2\ntest_share: "
           "0.2\n" +
           more;
}

/// The text held out, given as another text too, has the same bits; those of validation text are of its own characters.
void check_equals_held_out(const char* name, const std::string& more) {
    const TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", accented_lines());
    const Text whole(parsed(study_of(name), small_yaml(file, more)));
    const std::string other = folder.write("other.txt", whole.test);
    const std::string yaml = small_yaml(file, more + "beyond: " + other + "\n");
    const Text both = *text_and_beyond(parsed(study_of(name), yaml));
    CHECK(both.training == whole.training);
    CHECK(both.beyond == whole.test);
    REQUIRE(bytes_per_character(both.test) > 1.01 * bytes_per_character(both.validation));
    const Sweep sweep = prepared(study_of(name), yaml);
    const auto data = computed(sweep, {"method=exact", "seed=1"});
    CHECK(value(data, "beyond_bits") == Approx(value(data, "bits_per_character")).epsilon(1e-12));
    for (std::size_t i = 0; i < values(data, "validation_bits").size(); ++i)
        CHECK(values(data, "validation_bits")[i] ==
              Approx(values(data, "validation_loss")[i] * bytes_per_character(both.validation) / std::log(2.0))
                  .epsilon(1e-12));
    REQUIRE(values(data, "counts_beyond_bits").size() == values(data, "counts_bits").size());
    for (std::size_t i = 0; i < values(data, "counts_bits").size(); ++i)
        CHECK(values(data, "counts_beyond_bits")[i] == Approx(values(data, "counts_bits")[i]).epsilon(1e-12));
    // Nothing else knows of it, and cells with it are others.
    const Sweep without = prepared(study_of(name), small_yaml(file, more));
    CHECK(value(computed(without, {"method=exact", "seed=1"}), "bits_per_character") ==
          value(data, "bits_per_character"));
    CHECK(without.data_hash != sweep.data_hash);
    folder.write("other.txt", whole.test + "more\n");
    CHECK(prepared(study_of(name), yaml).data_hash != sweep.data_hash);
}

}  // namespace

TEST_CASE("training/text: a text beyond has bits of its own characters, by networks and by counts", "[experiments]") {
    check_equals_held_out("text", "");
}

TEST_CASE("training/masked-text: a text beyond has bits of its own hidden characters", "[experiments]") {
    // All twelve tokens are hidden, so that it does not matter which.
    check_equals_held_out("masked-text", "hidden: 0.99\n");
}

TEST_CASE("training: a text beyond is a column of tables, and no column where there is none", "[experiments]") {
    const TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", accented_lines()),
                      other = folder.write("other.txt", "Ganz andere Buchstaben, ohne eine Zahl.\n");
    for (const char* name : {"text", "masked-text"}) {
        INFO(name);
        const auto column = [&](const std::string& more) {
            const store::Dataset data = collected(study_of(name), small_yaml(file, more));
            const report::Table table = study_of(name).report(data).tables.at(0);
            const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                            [](const report::Column& one) { return one.title == "beyond"; });
            const auto at = static_cast<std::size_t>(found - table.columns.begin());
            // The network in the first row, counts in the last.
            if (at < table.columns.size()) {
                CHECK(std::get<report::Estimate>(table.rows.front().entries[at]).value ==
                      Approx(report::average(data, "beyond_bits", {{"method", "exact"}}, "seed").mean[0]));
                CHECK(std::get<double>(table.rows.back().entries[at]) ==
                      data.variable("counts_beyond_bits").values[name == std::string("text") ? 5 : 2]);
            }
            return at < table.columns.size();
        };
        CHECK(column("beyond: " + other + "\n"));
        CHECK_FALSE(column(""));
    }
}

TEST_CASE("training: a text beyond that cannot be read is refused at its place", "[experiments]") {
    const TemporaryFolder folder;
    const std::string file = folder.write("lines.txt", accented_lines());
    const auto said = [&](const std::string& beyond) {
        return refused(study_of("text"), small_yaml(file, "beyond: " + beyond + "\n"));
    };
    CHECK(contains(said("no-such-text"), "beyond: 'no-such-text' is neither a file"));
    const std::string small = folder.write("small.txt", "twelve bytes");
    CHECK(contains(said(small), "beyond: '" + small + "' has 12 bytes; a sequence has 12 tokens and one more to tell"));
    CHECK(contains(said(folder.write("empty.txt", "")), "is empty"));
    CHECK(contains(said(folder.write("latin.txt", "na\xefve, and more than that")), "is no UTF-8 at byte 2"));
    // Studies that evaluate no network on it have no such key.
    CHECK(contains(refused(find("training", "teachers"),
                           "sources: [{use: text, text: " + file + ", steps: 1, beyond: " + file + "}]\n"),
                   "beyond"));
}
