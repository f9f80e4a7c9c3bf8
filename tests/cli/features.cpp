// rfbench features: what is written is what inspect shows, with all that is needed to draw it again; what is refused.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "program.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

const char* const x_rows[] = {"0.5,-0.25", "-1,0.125", "0.375,1"};
const char* const y_rows[] = {"0.25,0.75", "-0.5,0"};

/// Entry [row, column] of a variable over two axes, of so many columns.
double entry(const store::Dataset& data, const char* variable, std::size_t row, std::size_t column,
             std::size_t columns) {
    return data.variable(variable).values.at(row * columns + column);
}

/// The estimate of K(x_i, y_j): the product of their features.
double product(const store::Dataset& data, std::size_t i, std::size_t j) {
    const std::size_t columns = data.axis("column").size();
    double sum = 0;
    for (std::size_t r = 0; r < columns; ++r)
        sum += entry(data, "queries", i, r, columns) * entry(data, "keys", j, r, columns);
    return sum * std::exp(data.variable("query_log_scale").values.at(i) + data.variable("key_log_scale").values.at(j));
}

}  // namespace

TEST_CASE("products of written features are what inspect gives for what was drawn", "[cli]") {
    const TemporaryFolder folder;
    const std::string x = folder.write("x.csv", fmt::format("{}\n{}\n{}\n", x_rows[0], x_rows[1], x_rows[2]));
    const std::string y = folder.write("y.csv", fmt::format("{}\n{}\n", y_rows[0], y_rows[1]));
    struct Case {
        std::string method, more, given;
    };
    const Case cases[] = {{"positive", "--sampling orthogonal", ""},
                          {"trigonometric", "", ""},
                          {"optimal-positive", "--set A=-0.125", "--set A=-0.125"},
                          {"'{use: poisson, lambda: 0.5}'", "--sampling sobol", "--set lambda=0.5"}};
    for (const Case& one : cases) {
        const std::string out = folder.file("features.h5");
        const Outcome run = run_program("features " + one.method + " --x " + x + " --y " + y +
                                        " --columns 4 --seed 3 --out " + out + " " + one.more);
        INFO(one.method << ": " << run.out);
        REQUIRE(run.code == 0);
        const store::Dataset data = store::read(out);
        CHECK(data.attributes.at("seed") == "3");
        CHECK(data.attributes.at("x_sha256") == store::sha256_file(x));
        CHECK(data.attributes.at("y_sha256") == store::sha256_file(y));
        CHECK(data.attributes.contains("version"));
        CHECK(data.axis("column").size() == 4);
        const std::size_t draws = data.axis("draw").size();
        CHECK(draws == (one.method == "trigonometric" ? 2 : 4));
        const std::string name = contains(one.method, "poisson") ? "poisson" : one.method;
        for (const std::size_t i : {0, 2})
            for (const std::size_t j : {0, 1}) {
                double mean = 0;
                for (std::size_t m = 0; m < draws; ++m) {
                    const Outcome looked = run_program(
                        fmt::format("inspect {} --x={} --y={} --omega={},{} {}", name, x_rows[i], y_rows[j],
                                    entry(data, "omega", 0, m, draws), entry(data, "omega", 1, m, draws), one.given));
                    INFO(looked.out);
                    REQUIRE(looked.code == 0);
                    mean += nlohmann::json::parse(looked.out)["product"].get<double>() / static_cast<double>(draws);
                }
                CHECK(product(data, i, j) == Approx(mean).epsilon(1e-12));
            }
    }
}

TEST_CASE("features of a pair are fitted as inspect fits them, queries apart from keys", "[cli]") {
    const TemporaryFolder folder;
    const std::string x = folder.write("x.csv", "0.5,-0.25\n"), y = folder.write("y.csv", "0.25,0.75\n");
    for (const char* method :
         {"dense-asymmetric", "generalized-exponential", "poisson-shifted", "cosine-phase", "regularized"}) {
        const std::string out = folder.file("features.h5");
        const Outcome run =
            run_program(std::string("features ") + method + " --x " + x + " --y " + y + " --columns 2 --out " + out);
        INFO(method << ": " << run.out);
        REQUIRE(run.code == 0);
        const store::Dataset data = store::read(out);
        const std::size_t draws = data.axis("draw").size();
        double mean = 0;
        for (std::size_t m = 0; m < draws; ++m) {
            const bool phase = std::string(method) == "cosine-phase";
            const Outcome looked = run_program(fmt::format(
                "inspect {} --x=0.5,-0.25 --y=0.25,0.75 --omega={},{} {}", method, entry(data, "omega", 0, m, draws),
                entry(data, "omega", 1, m, draws),
                phase ? fmt::format("--set phase={}", data.variable("phase").values.at(m)) : std::string()));
            INFO(looked.out);
            REQUIRE(looked.code == 0);
            mean += nlohmann::json::parse(looked.out)["product"].get<double>() / static_cast<double>(draws);
        }
        CHECK(product(data, 0, 0) == Approx(mean).epsilon(1e-10));
    }
}

TEST_CASE("features are drawn by their seed, and are the same in either form", "[cli]") {
    const TemporaryFolder folder;
    const std::string x = folder.write("x.csv", "1,2\n3,4\n");
    const auto written = [&](const std::string& more) {
        const std::string out = folder.file("f.h5");
        REQUIRE(run_program("features positive --x " + x + " --columns 4 --out " + out + " " + more).code == 0);
        return store::read(out).variable("queries").values;
    };
    CHECK(written("--seed 5") == written("--seed 5"));
    CHECK(written("--seed 5") != written("--seed 6"));
    const std::vector<double> queries = written("--seed 5");
    const Outcome run =
        run_program("features positive --x " + x + " --columns 4 --seed 5 --out " + folder.file("f.npy"));
    INFO(run.out);
    REQUIRE(run.code == 0);
    const std::string bytes = bytes_of(folder.file("f.queries.npy"));
    REQUIRE(bytes.size() > queries.size() * sizeof(double));
    CHECK(bytes.substr(bytes.size() - queries.size() * sizeof(double)) ==
          std::string(reinterpret_cast<const char*>(queries.data()), queries.size() * sizeof(double)));
    const auto facts = nlohmann::json::parse(bytes_of(folder.file("f.json")));
    CHECK((facts["seed"] == "5" && facts["sampling"] == "iid" && facts["x_sha256"] == store::sha256_file(x)));
}

TEST_CASE("where whole draws have fewer columns than are asked for, or more, that is said", "[cli]") {
    const TemporaryFolder folder;
    const std::string more = " --x " + folder.write("x.csv", "1,2\n3,4\n") + " --out " + folder.file("f.h5") + " ";
    CHECK(run_program("features hybrid --columns 6" + more).out == folder.file("f.h5") + "\n");
    CHECK(contains(run_program("features hybrid --columns 7" + more).out,
                   "note: one draw takes 6 columns, so that 6 are written, not 7\n"));
    CHECK(contains(run_program("features trigonometric --columns 1" + more).out,
                   "note: one draw takes 2 columns, so that 2 are written, not 1\n"));
}

TEST_CASE("what features cannot be is refused", "[cli]") {
    const TemporaryFolder folder;
    const std::string x = folder.write("x.csv", "1,2\n3,4\n"), wide = folder.write("wide.csv", "1,2,3\n");
    const std::string good = " --x " + x + " --out " + folder.file("f.h5");
    const std::pair<std::string, std::string> cases[] = {
        {"postive" + good,
         "rfbench: features: METHOD: must be the name of a method, not 'postive'. Did you mean 'positive'"},
        {"exact" + good,
         "rfbench: features: METHOD: 'exact' has no features that could be written; 'rfbench list mechanisms' shows "
         "what has some\n"},
        {"luna" + good,
         "rfbench: features: METHOD: 'luna' has no features that could be written before it is trained: name the file"},
        {"poisson --set lamda=1" + good,
         "rfbench: features: --set lamda: 'poisson' takes no such key. Did you mean 'lambda'"},
        {"'{use: poisson, lamda: 1}'" + good, "rfbench: features: METHOD: lamda: 'poisson' takes no such key."},
        {"positive --sampling orthogon" + good,
         "rfbench: features: --sampling: 'orthogon' is not allowed. Did you mean 'orthogonal'"},
        {"'{use: positive'" + good, "rfbench: features: METHOD: this is not YAML"},
        {"poisson --set lambda" + good, "'lambda' is not PARAMETER=VALUE"},
        {"poisson --sampling orthogonal" + good, "needs directions"},
        {"positive --columns 0" + good, "columns"},
        {"positive --x " + x + " --out " + folder.file("f.csv"), "must end in .h5 or .npy"},
        {"optimal-positive --x " + folder.write("large.csv", "1e200,0\n") + " --out " + folder.file("f.h5"),
         "large.csv: point 1 has the coordinate 1e+200; squared lengths must be below 1.8e+308, where double ends"},
        {"positive --x " + folder.file("large.csv") + " --out " + folder.file("f.h5"), "the coordinate 1e+200;"},
        {"positive --y " + wide + good, "they must have the same dimension"},
        {"positive --x " + folder.file("none") + " --out " + folder.file("f.h5"), "there is no such file"},
        {"positive --x " + folder.write("bad", "1,nan\n") + " --out " + folder.file("f.h5"), "bad:1:2: "},
    };
    for (const auto& [arguments, sentence] : cases) {
        const Outcome run = run_program("features " + arguments);
        INFO(arguments << "\n" << run.out);
        CHECK((run.code == 1 || run.code == 2));
        CHECK(contains(run.out, sentence));
        CHECK_FALSE(std::filesystem::exists(folder.file("f.h5")));
    }
}

namespace {

/// The name that begins each line of `rfbench list mechanisms`, but of those that only a training makes.
std::vector<std::string> mechanisms_without_training() {
    std::istringstream lines(run_program("list mechanisms").out);
    std::vector<std::string> names;
    for (std::string line, name; std::getline(lines, line);)
        if (std::istringstream(line) >> name && name != "luna" && name != "learned-points") names.push_back(name);
    return names;
}

/// Features of some rows by the first call are those of just these rows by a call with --map, up to the rounding of
/// logarithms and powers, whose last bit depends on which rows are computed together; those of all rows bit for bit.
void require_same_features(const std::string& method, const TemporaryFolder& folder) {
    const std::vector<std::string> queries{"0.5,-0.25,0.5", "-1,0.125,0.25", "0.375,1,-0.5", "0.1,0.2,0.3"};
    const auto csv = [](const std::vector<std::string>& rows) { return fmt::format("{}\n", fmt::join(rows, "\n")); };
    const std::string x = folder.write("x.csv", csv(queries)), y = folder.write("y.csv", "0.25,0.75,0\n-0.5,0,1\n");
    const std::string some = folder.write("some.csv", csv({queries[2], queries[0]}));
    const std::string all = folder.file("all.h5"), again = folder.file("again.h5");

    const Outcome first =
        run_program(fmt::format("features {} --x {} --y {} --columns 24 --seed 7 --out {}", method, x, y, all));
    INFO(method << "\n" << first.out);
    REQUIRE(first.code == 0);
    const Outcome second = run_program(fmt::format("features --map {} --x {} --out {}", all, some, again));
    INFO(second.out);
    REQUIRE(second.code == 0);
    const store::Dataset before = store::read(all), after = store::read(again);
    const std::size_t columns = before.axis("column").size();
    REQUIRE(after.axis("column").size() == columns);
    for (const auto& [row, place] : {std::pair<std::size_t, std::size_t>(0, 2), {1, 0}}) {
        const double log_scale = before.variable("query_log_scale").values[place];
        CHECK(after.variable("query_log_scale").values[row] == Approx(log_scale).epsilon(1e-12));
        for (std::size_t r = 0; r < columns; ++r)
            CHECK(entry(after, "queries", row, r, columns) ==
                  Approx(entry(before, "queries", place, r, columns)).epsilon(1e-11).margin(1e-15));
    }
    // The second file holds the same map: keys of the first call come out of it, too.
    REQUIRE(run_program(fmt::format("features --map {} --x {} --y {} --out {}", again, x, y, folder.file("third.h5")))
                .code == 0);
    const store::Dataset third = store::read(folder.file("third.h5"));
    for (const char* name : {"queries", "keys", "query_log_scale", "key_log_scale"})
        CHECK(third.variable(name).values == before.variable(name).values);
}

}  // namespace

TEST_CASE("features --map applies the map that a file holds: every mechanism", "[cli]") {
    const TemporaryFolder folder;
    const std::vector<std::string> names = mechanisms_without_training();
    REQUIRE(names.size() > 15);
    for (const std::string& name : names) require_same_features(name, folder);
    require_same_features("positive --sampling orthogonal", folder);
    require_same_features("'{use: poisson, lambda: 0.5, sampling: sobol}'", folder);
}

TEST_CASE("features --map applies the map that a file holds: as many points and coordinates as users have", "[cli]") {
    const TemporaryFolder folder;
    // Coordinates of several sizes have Poisson moments of several lengths.
    std::string text;
    for (int i = 0; i < 200; ++i)
        for (int l = 0; l < 8; ++l) text += fmt::format("{:.3f}{}", (l + 1) * std::sin(i + l) / 4, l < 7 ? ',' : '\n');
    const std::string x = " --x " + folder.write("many.csv", text) + " --out ";
    const std::string file = folder.file("many.h5"), again = folder.file("many-again.h5");
    for (const char* name : {"optimal-discrete", "dense-centred", "geometric-shifted"}) {
        INFO(name);
        REQUIRE(run_program(std::string("features ") + name + x + file).code == 0);
        REQUIRE(run_program("features --map " + file + x + again).code == 0);
        const store::Dataset before = store::read(file), after = store::read(again);
        for (const char* variable : {"queries", "keys", "query_log_scale", "key_log_scale"})
            CHECK(after.variable(variable).values == before.variable(variable).values);
    }
}

TEST_CASE("features --map applies the map that a file holds: trained maps, their training's file being gone", "[cli]") {
    const TemporaryFolder folder;
    const std::string maps = folder.write(
        "maps.yaml",
        "experiment: learned\nstudy: match\nlength: 8\ndimension: 3\ncolumns: 8\ntraining: 4\nheld_out: 2\nsteps: "
        "2\nrepeats: 2\nmethods: [positive, {use: luna, label: small, output: elu+1, channels: 2, projections: 2}, "
        "{use: "
        "luna, label: large, channels: 4, hidden: 3}]\n");
    const std::string points = folder.write(
        "points.yaml",
        "experiment: dof\nstudy: learned\nheads: {use: normal, dimension: 3, length: 8, scales: 1, sequences: 4}\n"
        "columns: 4\nsteps: 2\n");
    for (const std::string& file : {maps, points}) {
        const Outcome run = run_program("run " + file + " --results " + folder.file("results"));
        INFO(run.out);
        REQUIRE(run.code == 0);
    }
    const std::string trained[] = {
        "'{use: luna, from: {file: " + folder.file("results/learned/maps.h5") + ", method: small, repeat: 1}}'",
        "'{use: luna, from: {file: " + folder.file("results/learned/maps.h5") + ", method: large, repeat: 0}}'",
        "'{use: learned-points, from: {file: " + folder.file("results/dof/points.h5") +
            ", layer: 1, head: 1, method: learned-squared}}'"};
    for (const std::string& one : trained) require_same_features(one, folder);
}

TEST_CASE("what --map cannot be is refused", "[cli]") {
    const TemporaryFolder folder;
    const std::string x = folder.write("x.csv", "1,2\n3,4\n"), out = " --out " + folder.file("out.h5");
    REQUIRE(run_program("features positive --x " + x + " --out " + folder.file("map.h5")).code == 0);
    const std::string map = "--map " + folder.file("map.h5");
    store::write(folder.file("other.h5"), {{{"a", std::vector<double>{1}, "", ""}}, {{"b", {"a"}, {1}, "", ""}}, {}});
    const std::pair<std::string, std::string> cases[] = {
        {"--x " + x, "METHOD is missing: a mechanism by name, or --map FILE"},
        {"positive " + map + " --x " + x, "--map holds a whole map, so that METHOD has no effect"},
        {map + " --columns 4 --x " + x, "so that --columns has no effect"},
        {map + " --seed 4 --x " + x, "so that --seed has no effect"},
        {map + " --x " + folder.write("wide.csv", "1,2,3\n"), "is for points of 2 coordinates; these have 3"},
        {"--map " + folder.file("none.h5") + " --x " + x, "none.h5"},
        {"--map " + x + " --x " + x, "x.csv"},
        {"--map " + folder.file("other.h5") + " --x " + x, "other.h5: holds no map; 'rfbench features METHOD --out"},
    };
    for (const auto& [arguments, sentence] : cases) {
        const Outcome run = run_program("features " + arguments + out);
        INFO(arguments << "\n" << run.out);
        CHECK((run.code == 1 || run.code == 2));
        CHECK(contains(run.out, sentence));
        CHECK_FALSE(std::filesystem::exists(folder.file("out.h5")));
    }
}

TEST_CASE("data add makes a file a data set beside ours", "[cli]") {
    const TemporaryFolder folder;
    setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    std::string rows = "size,kind\n";
    for (int i = 0; i < 24; ++i) rows += fmt::format("{},{}\n", i, i % 3 == 0 ? "a" : "b");
    const std::string file = folder.write("mine.csv", rows);
    const Outcome added = run_program("data add " + file + " --label kind");
    INFO(added.out);
    CHECK(added.code == 0);
    CHECK(contains(added.out, "mine: added to " + folder.file("rfbench/manifest.yaml")));
    CHECK(contains(run_program("data list").out, "24 rows, 2 classes; present (yours)"));
    CHECK(contains(run_program("data describe mine").out, "classes   2: a (8) b (16)"));
    CHECK(contains(run_program("describe mine").out, "mine.csv"));
    CHECK(contains(run_program("completion bash").out, " mine"));
    CHECK(run_program("data verify mine").code == 0);
    for (const auto& [arguments, sentence] :
         {std::pair(file + " --label kind", "there is a data set 'mine' already"),
          std::pair(file + " --label kind --name car", "there is a data set 'car' already"),
          std::pair(file + " --name other", "data add needs --label"),
          std::pair(file + " --label kid --name other", "Did you mean 'kind'"),
          std::pair(std::string("--label kind"), "data add takes one file")}) {
        const Outcome refused = run_program("data add " + arguments);
        INFO(refused.out);
        CHECK(refused.code != 0);
        CHECK(contains(refused.out, sentence));
    }
    CHECK(run_program("data list --label kind").code == 2);
    folder.write("mine.csv", rows + "24,a\n");
    CHECK(run_program("data verify mine").code == 5);
    unsetenv("XDG_DATA_HOME");
}
