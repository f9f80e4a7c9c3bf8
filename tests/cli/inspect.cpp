// rfbench inspect: names, JSON members, values that follow from formulas by hand, and what is refused.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "program.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;
using Catch::Matchers::Contains;

namespace {

/// The most kilobytes that the program held, with its answer.
std::pair<long, std::string> peak_of(const std::string& arguments, const std::string& out) {
    const std::string command = std::string("exec ") + RFBENCH_PROGRAM + " " + arguments + " > " + out;
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        ::_exit(127);
    }
    int status = 0;
    struct rusage usage {};
    ::wait4(child, &status, 0, &usage);
    CHECK(status == 0);
    return {usage.ru_maxrss, bytes_of(out)};
}

const std::string pair = " --x 0.5,-0.25 --y 0.25,0.75";

/// The number of that name; NaN for null.
double member(const std::string& text, const std::string& key) {
    const nlohmann::json value = nlohmann::json::parse(text).at(key);
    return value.is_null() ? NAN : value.get<double>();
}

}  // namespace

TEST_CASE("Every mechanism answers for a pair with all members", "[cli]") {
    const char* const names[] = {"trigonometric",    "cosine-phase",
                                 "positive",         "regularized",
                                 "hybrid",           "generalized-exponential",
                                 "optimal-positive", "centred-optimal-positive",
                                 "poisson",          "geometric",
                                 "poisson-shifted",  "geometric-shifted",
                                 "optimal-discrete", "negative-binomial",
                                 "dense-asymmetric", "dense-symmetric",
                                 "dense-centred"};
    for (const std::string name : names) {
        const Outcome run = run_program("inspect " + name + pair + " --omega 1,2 --count 8");
        INFO(name << ": " << run.out);
        CHECK(run.code == 0);
        for (const char* key : {"mechanism", "dimension", "kernel", "parameters", "query", "key", "product", "mean",
                                "log_second_moment", "variance", "sampling", "count", "estimator_variance"})
            CHECK(contains(run.out, std::string("\"") + key + "\": "));
        CHECK(member(run.out, "kernel") == Approx(std::exp(-0.5 * (0.0625 + 1))).epsilon(1e-15));
        CHECK(member(run.out, "estimator_variance") ==
              Approx(member(run.out, "variance") / 8).epsilon(1e-12).margin(1e-300));
    }
}

TEST_CASE("A name of the papers is told what it stands for", "[cli]") {
    const Outcome method = run_program("inspect FAVOR++" + pair);
    CHECK(method.code == 2);
    CHECK_THAT(method.out, Contains("give the mechanism, optimal-positive, and --sampling"));
    CHECK(run_program("inspect luna" + pair).code == 0);
    // No paper has given these words as names.
    CHECK_THAT(run_program("inspect ours" + pair).out, Contains("there is no mechanism 'ours'"));
    CHECK_THAT(run_program("plan variance/regimes --set methods=[ours]").out, Contains("must be"));
    const Outcome planned =
        run_program("plan variance/regimes --cells --set \"methods=[OPRF, SDERF, {use: GERF, label: mine}]\"");
    INFO(planned.out);
    CHECK(planned.code == 0);
    CHECK_THAT(planned.out, Contains("method=OPRF") && Contains("method=SDERF") && Contains("method=mine"));
}

TEST_CASE("What has no closed form is null, and features are shown all the same", "[cli]") {
    const Outcome run = run_program("inspect learned-points" + pair + " --omega 1,2");
    INFO(run.out);
    CHECK(run.code == 0);
    for (const char* key : {"mean", "log_second_moment", "variance", "estimator_variance"})
        CHECK(std::isnan(member(run.out, key)));
    // w.x = 0, w.y = 1.75, |x|^2 = 0.3125, |y|^2 = 0.625
    CHECK(member(run.out, "product") == Approx(std::exp(1.75 - 0.3125 - 0.625)).epsilon(1e-14));
}

TEST_CASE("Numbers that are infinite or none are texts, apart from what has no formula", "[cli]") {
    const auto read = [](const std::string& arguments) {
        const Outcome run = run_program("inspect " + arguments);
        INFO(run.out);
        REQUIRE(run.code == 0);
        return nlohmann::json::parse(run.out);
    };
    // The variance is of size exp(4 x.y), which no double holds; so is the feature exp(w.y - |y|^2).
    const nlohmann::json large = read("positive --x 1e3 --y 1 --omega 1000 --count 2");
    CHECK(large["log_variance"] == 4000);
    CHECK(large["variance"] == "inf");
    CHECK(large["estimator_variance"] == "inf");
    CHECK(large["key"] == nlohmann::json({{"re", "inf"}, {"im", 0.0}}));
    CHECK(large["product"] == "inf");
    const nlohmann::json zero = read("positive --x 0 --y 0");
    CHECK(zero["variance"] == 0);
    CHECK(zero["log_variance"] == "-inf");
    CHECK(zero["query"].is_null());
    const nlohmann::json fitted = read("optimal-positive --x 1e200 --y 1");
    CHECK(fitted["parameters"]["A"] == "-inf");
    CHECK(fitted["log_second_moment"] == "nan");
}

TEST_CASE("Means over pairs leave out those of no variance alone, and there are none where no other is", "[cli]") {
    const TemporaryFolder folder;
    const auto read = [&](const std::string& x, const std::string& y) {
        const Outcome run = run_program("inspect positive --x-file " + folder.write("x.csv", x) + " --y-file " +
                                        folder.write("y.csv", y));
        INFO(run.out);
        REQUIRE(run.code == 0);
        return nlohmann::json::parse(run.out);
    };
    const nlohmann::json none = read("0,0\n", "0,0\n");
    CHECK(none["zero_variance_pairs"] == 1);
    for (const char* mean : {"mean_log_variance", "sd_log_variance", "mean_estimator_log_variance"})
        CHECK(none[mean].is_null());
    const nlohmann::json infinite = read("1.3e154,0\n0,0\n", "1.3e154,0\n0,0\n");
    CHECK(infinite["zero_variance_pairs"] == 1);
    CHECK(infinite["mean_log_variance"] == "inf");
    CHECK(infinite["sd_log_variance"] == "nan");
}

TEST_CASE("Feature values are the formulas'", "[cli]") {
    const Outcome trigonometric = run_program("inspect trigonometric" + pair + " --omega 1,2");
    // w.x = 0, w.y = 1.75
    CHECK(nlohmann::json::parse(trigonometric.out)["query"] == nlohmann::json({{"re", 1.0}, {"im", 0.0}}));
    CHECK(member(trigonometric.out, "product") == Approx(std::cos(1.75)).epsilon(1e-14));
    CHECK(member(trigonometric.out, "variance") == Approx(0.21412573).epsilon(1e-7));
    const Outcome positive = run_program("inspect positive" + pair + " --omega 1,2");
    CHECK(member(positive.out, "product") == Approx(std::exp(-0.3125 + 1.75 - 0.625)).epsilon(1e-14));
    const Outcome poisson = run_program("inspect poisson" + pair + " --omega 1,0 --set lambda=0.5");
    CHECK(member(poisson.out, "product") ==
          Approx(std::exp(1.0 - 0.5 * (0.3125 + 0.625)) * 0.5 * 0.25 / 0.5).epsilon(1e-14));
    const Outcome general =
        run_program("inspect generalized-exponential" + pair + " --set A=-0.06+0.12i --set t=-1 --omega 1,2");
    CHECK(general.code == 0);
    CHECK(nlohmann::json::parse(general.out)["parameters"]["A"] == nlohmann::json({{"re", -0.06}, {"im", 0.12}}));
}

TEST_CASE("Sampling changes the estimator's variance where a closed form exists, else null", "[cli]") {
    const double iid = member(run_program("inspect positive" + pair + " --count 4").out, "estimator_variance");
    const double orthogonal =
        member(run_program("inspect positive" + pair + " --count 4 --sampling orthogonal").out, "estimator_variance");
    CHECK(orthogonal < iid);
    CHECK(std::isnan(
        member(run_program("inspect positive" + pair + " --count 4 --sampling sobol").out, "estimator_variance")));
}

TEST_CASE("Sets from files, CSV and the order of rows", "[cli]") {
    const TemporaryFolder folder;
    folder.write("x.csv", "a,b\n0.5,-0.25\n0.1,0.2\n");
    folder.write("y.csv", "0.25,0.75\n");
    const Outcome run = run_program("inspect optimal-positive --x-file " + folder.file("x.csv") + " --y-file " +
                                    folder.file("y.csv") + " --count 8 --sampling orthogonal");
    INFO(run.out);
    CHECK(run.code == 0);
    CHECK(member(run.out, "x_rows") == 2);
    CHECK(std::isfinite(member(run.out, "mean_log_variance")));
    CHECK(member(run.out, "mean_estimator_log_variance") < member(run.out, "mean_log_variance"));
}

TEST_CASE("Large points take no memory, and lists of parameters are given with commas", "[cli]") {
    CHECK(member(run_program("inspect positive --x 1e6 --y 1").out, "log_second_moment") == 4e6);
    const std::string diagonal = " --x 1,2 --y 2,1 --set A=-0.25,-0.25";
    CHECK(member(run_program("inspect dense-symmetric" + diagonal).out, "log_variance") ==
          Approx(member(run_program("inspect optimal-positive --x 1,2 --y 2,1 --set A=-0.25").out, "log_variance")));
}

TEST_CASE("Sets of different dimensions are named", "[cli]") {
    const TemporaryFolder folder;
    const std::string x = folder.write("x.csv", "1,2\n"), y = folder.write("y.csv", "1,2,3\n");
    CHECK(contains(run_program("inspect positive --x-file " + x + " --y-file " + y).out,
                   "x.csv has 2 columns and " + y + " has 3"));
}

TEST_CASE("What is refused, and how", "[cli]") {
    const std::pair<const char*, const char*> cases[] = {
        {"inspect positiv --x 1 --y 1", "Did you mean 'positive'"},
        {"inspect positive --x 1,2 --y 1", "--x has 2 numbers and --y has 1"},
        {"inspect positive --x 1 --y 1,2", "--x has 1 number and --y has 2;"},
        {"inspect positive --x 1,nan --y 1,2", "--x: number 2 is 'nan'"},
        {"inspect positive --x 1,,2 --y 1,2,3", "--x: number 2 is ''"},
        {"inspect positive --x 1", "needs either --x and --y"},
        {"inspect positive --x 1 --y 1 --all-pairs", "--all-pairs is for the pairs of two sets"},
        {"inspect positive --x 1 --y 1 --x-file x.csv", "needs either --x and --y"},
        {"inspect optimal-discrete --x 1e50 --y 1", "a coordinate has the size 1e+50"},
        {"inspect dense-symmetric --x 1 --y 1 --set A=-1,b", "'-1,b' is not allowed"},
        {"inspect positive --x 1 --y 1 --count 0", "--count is 0"},
        {"inspect positive --x 1 --y 1 --omega 1,2", "--omega has 2 numbers; 1 is needed"},
        {"inspect poisson --x 1 --y 1 --omega 0.5", "integers from 0 on"},
        {"inspect poisson --x 1 --y 1 --sampling orthogonal", "it can be drawn by iid, antithetic, sobol"},
        {"inspect positive --x 1 --y 1 --sampling orthogonl", "orthogonal"},
        {"inspect positive --x 1 --y 1 --set A=1", "has no parameter 'A'; it has none"},
        {"inspect optimal-positive --x 1 --y 1 --set A=abc", "'abc' is not allowed"},
        {"inspect optimal-positive --x 1 --y 1 --set A", "not of the form PARAMETER=VALUE"},
        {"inspect geometric --x 1 --y 1 --set q=1.5", "it must be between 0 and 1"},
        {"inspect optimal-discrete --x 1e5,2 --y 1,2", "a coordinate has the size 100000; Poisson moments"},
        {"inspect positive --x-file /nonexistent.csv --y-file /nonexistent.csv", "/nonexistent.csv"},
    };
    for (const auto& [arguments, message] : cases) {
        const Outcome run = run_program(arguments);
        INFO(arguments << ": " << run.out);
        CHECK(run.code == (contains(arguments, "-file") && contains(arguments, "nonexistent") ? 1 : 2));
        CHECK(contains(run.out, message));
        CHECK(!contains(run.out, "terminate"));
    }
}

TEST_CASE("averages over the pairs of large sets take no memory for all pairs, and are those of their parts", "[cli]") {
    const TemporaryFolder folder;
    // 3000 x 3000 numbers would be 72 megabytes. Halves of x are averaged by themselves.
    const auto rows = [](int first, int last) {
        std::string text;
        for (int i = first; i < last; ++i) text += std::to_string(i % 50) + "e-2," + std::to_string(i % 7) + "e-1\n";
        return text;
    };
    const std::string y = " --y-file " + folder.write("y.csv", rows(0, 3000));
    const auto averaged = [&](int first, int last) {
        const std::string x = folder.write("x.csv", rows(first, last));
        return peak_of("inspect positive --x-file " + x + y, folder.file("out"));
    };
    const auto [of_few, few] = averaged(0, 2);
    const auto [of_all, all] = averaged(0, 3000);
    CHECK(of_all < of_few + 36000);
    const std::string half = averaged(0, 1500).second, other = averaged(1500, 3000).second;
    for (const char* key : {"mean_log_kernel", "mean_log_variance", "zero_variance_pairs"}) {
        const double parts = key == std::string("zero_variance_pairs") ? 1 : 0.5;
        // Ten digits are printed.
        CHECK(member(all, key) == Approx(parts * (member(half, key) + member(other, key))).epsilon(1e-8));
    }
}

TEST_CASE("many pairs are sampled, which is said, with standard errors, unless all are asked for", "[cli]") {
    const TemporaryFolder folder;
    std::string text;
    for (int i = 0; i < 4100; ++i) text += std::to_string(i % 71) + "e-2," + std::to_string(i % 37) + "e-2\n";
    const std::string file = folder.write("x.csv", text);
    const std::string sets = "inspect positive --count 4 --x-file " + file + " --y-file " + file;
    const std::string note = "note: averages are over 4194304 random pairs of 16810000, with standard errors";
    const Outcome sampled = run_program(sets), all = run_program(sets + " --all-pairs");
    INFO(sampled.out << all.out);
    REQUIRE(sampled.out.starts_with(note));
    const std::string sample = sampled.out.substr(sampled.out.find('{'));
    CHECK(member(sample, "averaged_pairs") == 4194304);
    CHECK(member(all.out, "averaged_pairs") == 16810000);
    CHECK(member(all.out, "standard_error") == 0);
    CHECK(member(sample, "mean_log_kernel") == member(all.out, "mean_log_kernel"));
    for (const std::string mean : {"log_variance", "estimator_log_variance"}) {
        const double error = member(sample, mean == "log_variance" ? "standard_error" : "estimator_standard_error");
        CHECK(error > 0);
        // Independent draws: of 1024 blocks the standard error is known to a part in 45.
        CHECK(std::abs(member(sample, "mean_" + mean) - member(all.out, "mean_" + mean)) < 5 * error);
    }
}
