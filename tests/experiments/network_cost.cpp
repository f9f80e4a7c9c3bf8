// cost/network and cost/decoding on small configurations, and reports of results that are known.
#include <cmath>

#include "catch.hpp"
#include "cost/decoding_report.hpp"
#include "cost/network_report.hpp"
#include "parsed.hpp"
#include "rfbench/report/slice.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

const std::string sizes = "width: 16\ninner: 32\nheads: 2\nvocabulary: 10\ncolumns: 8\nrepeats: 2\nmin_seconds: 1e-5\n";

std::vector<double> values(const store::Dataset& data, const char* variable, const report::Fixed& fixed) {
    return report::slice(data, variable, fixed).values;
}

/// Dataset of the only cell.
store::Dataset first_cell(const char* study, const std::string& yaml) {
    const Study& own = find("cost", study);
    const Sweep sweep = own.prepare(parsed(own, yaml));
    REQUIRE(sweep.cells().size() == 1);
    CHECK(sweep.alone);
    return computed(sweep, sweep.cells().front());
}

/// A result of cost/network: forward passes of copy take 1e-6 L seconds a layer, of exact 1e-9 L^2, of linear 2e-6 L;
/// gradients of exact three times as long, of the others four times.
store::Dataset power_laws() {
    const std::vector<double> lengths{256, 512, 1024, 2048, 4096}, layers{1, 4};
    const std::vector<std::string> methods{"copy", "exact", "linear"};
    store::Dataset data{{{"length", lengths, "", ""},
                         {"batch", std::vector<double>{1}, "", ""},
                         {"method", methods, "", ""},
                         {"layers", layers, "", ""},
                         {"pass", network_passes, "", ""},
                         {"repeat", std::vector<double>{0, 1}, "", ""}},
                        {},
                        {{"threads", "2"}, {"visible", "causal"}}};
    const std::vector<std::string> axes{"length", "batch", "method", "layers", "pass"};
    store::Variable seconds{"seconds", axes, {}, "s", ""}, bytes{"peak_bytes", axes, {}, "B", ""};
    store::Variable left_out{"left_out", axes, {}, "", ""}, exact{"exact", {"length", "batch", "method"}, {}, "", ""};
    seconds.axes.push_back("repeat");
    for (const double length : lengths)
        for (const std::string& method : methods) {
            exact.values.push_back(method == "exact" ? 1 : 0);
            for (const double count : layers)
                for (const bool gradient : {false, true}) {
                    // Four layers of exact attention are left out at the greatest length, since they take too long.
                    const bool measured = method != "exact" || count == 1 || length < 4096;
                    const double factor = gradient ? (method == "exact" ? 3 : 4) : 1;
                    const double one = method == "exact"    ? 1e-9 * length * length
                                       : method == "linear" ? 2e-6 * length
                                                            : 1e-6 * length;
                    for (int round = 0; round < 2; ++round)
                        seconds.values.push_back(measured ? factor * count * one : std::nan(""));
                    bytes.values.push_back(measured ? 1048576 * length * count * (method == "copy" ? 1 : 3)
                                                    : std::nan(""));
                    left_out.values.push_back(measured ? 0 : static_cast<double>(LeftOut::time));
                }
        }
    data.variables = {seconds, bytes, left_out, exact};
    return data;
}

}  // namespace

TEST_CASE("cost/network: every network has times and its memory, or a reason why not") {
    const store::Dataset data = first_cell(
        "network", "methods: [copy, {use: exact, longest: 60}, positive, luna]\nlengths: 64\nlayers: [3, 1]\n" + sizes);
    CHECK(data.attributes.count("measured") == 1);
    for (const std::string& method : report::words(data, "method"))
        for (const double layers : {1.0, 3.0})
            for (const std::string& pass : network_passes) {
                INFO(method << ", " << layers << " layers, " << pass);
                const report::Fixed fixed{{"method", method}, {"layers", layers}, {"pass", pass}};
                const bool measured = method != "exact";
                CHECK(values(data, "left_out", fixed)[0] == (measured ? 0 : static_cast<double>(LeftOut::length)));
                for (const double time : values(data, "seconds", fixed))
                    CHECK((measured ? time > 0 : std::isnan(time)));
                const double bytes = values(data, "peak_bytes", fixed)[0];
                if (!measured) {
                    CHECK(std::isnan(bytes));
                    continue;
                }
                // The rows that a layer leaves: what it was given, queries, keys and values, and 2 x 32 columns within.
                CHECK(bytes > 64 * (4 * 16 + 64) * sizeof(float));
                // Gradients hold all layers; copying holds less than attention does.
                if (pass == "gradient" && layers == 3)
                    CHECK(bytes >
                          1.5 * values(data, "peak_bytes", {{"method", method}, {"layers", 1.0}, {"pass", pass}})[0]);
                if (method != "copy")
                    CHECK(bytes >=
                          values(data, "peak_bytes", {{"method", "copy"}, {"layers", layers}, {"pass", pass}})[0]);
            }
}

TEST_CASE("cost/network: what does not fit is left out, and says why") {
    const std::string yaml = "methods: [copy]\nlengths: 64\nlayers: [1, 2]\n" + sizes;
    const auto codes = [&](const std::string& rule) {
        return first_cell("network", yaml + rule).variable("left_out").values;
    };
    CHECK(codes("") == std::vector<double>{0, 0, 0, 0});
    CHECK(codes("max_bytes: 100\n") == std::vector<double>{2, 2, 2, 2});
    // How long the shallowest takes is not known before; a run of one microsecond is longer than any of these.
    CHECK(codes("max_run_seconds: 1e-6\n") == std::vector<double>{0, 0, 3, 3});
}

TEST_CASE("cost/network: ratios to the bound and crossovers of power laws are theirs") {
    const Report report = network_cost_report(power_laws());
    REQUIRE(report.tables.size() == 2);
    std::size_t compared = 0;
    for (const report::Row& row : report.tables[0].rows) {
        const std::string method = std::get<std::string>(row.entries[0]);
        if (method != "linear") continue;
        ++compared;
        const bool deep = std::get<double>(row.entries[1]) == 4,
                   gradient = std::get<std::string>(row.entries[3]) == "gradient";
        CHECK(std::get<report::Estimate>(row.entries[7]).value == Approx(2).epsilon(1e-12));
        CHECK(std::get<double>(row.entries[9]) == Approx(3).epsilon(1e-12));
        // Forward passes cross at 2000 tokens, gradients at 8000 / 3; the last ratio is at what both were measured at.
        const double crossing = gradient ? 8000.0 / 3 : 2000, last = deep ? 2048 : 4096;
        const auto found = row.entries[10];
        if (crossing < last)
            CHECK(std::get<report::Estimate>(found).value == Approx(crossing).epsilon(1e-12));
        else
            CHECK(std::holds_alternative<report::Missing>(found));
        CHECK(std::get<double>(row.entries[11]) == last);
        CHECK(std::get<report::Estimate>(row.entries[12]).value == Approx(last / crossing).epsilon(1e-12));
    }
    CHECK(compared == 4);
    // Left out are exact attention, four layers, both passes, at one length.
    REQUIRE(report.tables[1].rows.size() == 2);
    for (const report::Row& row : report.tables[1].rows) {
        CHECK(std::get<std::string>(row.entries[0]) == "exact");
        CHECK(std::get<double>(row.entries[1]) == 4);
        CHECK(std::get<double>(row.entries[4]) == 4096);
        CHECK(std::get<double>(row.entries[5]) == 1);
        CHECK(std::get<std::string>(row.entries[6]) == "a run would take longer than max_run_seconds");
    }
}

TEST_CASE("cost/network: a causal network takes no method that has no causal layer") {
    const Study& study = find("cost", "network");
    CHECK(refused(study, "methods: [linformer]\nlengths: 64\n" + sizes)
              .find("'linformer' is no layer of a causal network") != std::string::npos);
    CHECK_NOTHROW(study.prepare(parsed(study, "methods: [linformer]\nlengths: 64\nvisible: all\n" + sizes)));
    CHECK(refused(study, "methods: [exact]\nlengths: 64\nwidth: 15\nheads: 2\n")
              .find("width: 15 is not a multiple of heads, 2") != std::string::npos);
}

TEST_CASE("cost/decoding: a cache grows with the position, sums do not") {
    const store::Dataset data = first_cell("decoding",
                                           "methods: [exact, positive, linear-transformer]\ndimension: 8\ncolumns: 16\n"
                                           "positions: [16, 64, 256]\ntimed: 4\nthreads: 1\nrepeats: 2\n");
    CHECK(data.attributes.count("measured") == 1);
    for (const double time : data.variable("seconds").values) CHECK(time > 0);
    CHECK(values(data, "state_bytes", {{"method", "exact"}}) ==
          std::vector<double>{16 * 2 * 8 * 4, 64 * 2 * 8 * 4, 256 * 2 * 8 * 4});
    for (const char* method : {"positive", "linear-transformer"}) {
        const double columns = std::string(method) == "positive" ? 16 : 8;
        for (const double bytes : values(data, "state_bytes", {{"method", method}}))
            CHECK(bytes == columns * 9 * 4 + sizeof(int));
    }
    CHECK(refused(find("cost", "decoding"), "methods: [exact]\npositions: [16, 20]\ntimed: 8\n")
              .find("16 and 20 are less than timed, 8, apart") != std::string::npos);
}

TEST_CASE("cost/decoding: speeds and crossovers of known times are theirs") {
    const std::vector<double> positions{100, 1000, 10000};
    store::Dataset data{{{"threads", std::vector<double>{1}, "", ""},
                         {"method", std::vector<std::string>{"exact", "linear"}, "", ""},
                         {"position", positions, "", ""},
                         {"repeat", std::vector<double>{0, 1}, "", ""}},
                        {},
                        {}};
    store::Variable seconds{"seconds", {"threads", "method", "position", "repeat"}, {}, "s", ""};
    store::Variable bytes{"state_bytes", {"threads", "method", "position"}, {}, "B", ""};
    for (const bool exact : {true, false})
        for (const double position : positions) {
            bytes.values.push_back(exact ? 1024 * position : 2048);
            for (int round = 0; round < 2; ++round) seconds.values.push_back(exact ? 1e-8 * position : 5e-6);
        }
    data.variables = {seconds, bytes, {"exact", {"threads", "method"}, {1, 0}, "", ""}};
    const Report report = decoding_report(data);
    const auto& rows = report.tables[0].rows;
    REQUIRE(rows.size() == 2);
    CHECK(std::get<double>(rows[0].entries[3]) == Approx(1e6));
    CHECK(std::get<double>(rows[0].entries[5]) == Approx(1e4));
    CHECK(std::get<double>(rows[0].entries[6]) == Approx(10000));
    CHECK(std::get<double>(rows[1].entries[5]) == Approx(2e5));
    CHECK(std::get<double>(rows[1].entries[6]) == Approx(2));
    CHECK(std::get<report::Estimate>(rows[1].entries[7]).value == Approx(500));
    CHECK(std::get<report::Estimate>(rows[1].entries[8]).value == Approx(20));
}

TEST_CASE("cost/decoding: a number of threads that is not measured yet has no row") {
    const double nan = std::nan("");
    const std::vector<std::string> cell{"threads", "method"}, held{"threads", "method", "position"},
        timed{"threads", "method", "position", "repeat"};
    const store::Dataset data{{{"threads", std::vector<double>{1, 2}, "", ""},
                               {"method", std::vector<std::string>{"exact"}, "", ""},
                               {"position", std::vector<double>{100, 1000}, "", ""},
                               {"repeat", std::vector<double>{0}, "", ""}},
                              {{"seconds", timed, {1e-6, 1e-5, nan, nan}, "s", ""},
                               {"state_bytes", held, {1024, 10240, nan, nan}, "B", ""},
                               {"exact", cell, {1, nan}, "", ""}},
                              {}};
    const Report report = decoding_report(data);
    REQUIRE(report.tables[0].rows.size() == 1);
    CHECK(std::get<double>(report.tables[0].rows[0].entries[1]) == 1);
}
