// Choices by validation rows in reports of regression, on results that are given.
#include <cmath>

#include "catch.hpp"
#include "regression/accuracies.hpp"
#include "study/study.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

/// Results of two splits, of features and of a reference: by method, split and gamma, [validation, test].
store::Dataset stored(const std::vector<double>& validation, const std::vector<double>& test) {
    const std::vector<std::string> axes{"dataset", "method",   "sampling", "columns",
                                        "split",   "encoding", "scaling",  "gamma"};
    const double none = std::nan("");
    // Sampling iid, then own.
    const auto spread = [&](const std::vector<double>& of) {
        std::vector<double> all(of.begin(), of.begin() + 4);
        all.insert(all.end(), 8, none);
        all.insert(all.end(), of.begin() + 4, of.end());
        return all;
    };
    std::vector<double> features{64, 64, none, none, none, none, none, none};
    return {
        {{"dataset", std::vector<std::string>{"iris"}, "", ""},
         {"method", std::vector<std::string>{"positive", "exact"}, "", ""},
         {"sampling", std::vector<std::string>{"iid", "own"}, "", ""},
         {"columns", std::vector<double>{64}, "", ""},
         {"split", std::vector<double>{0, 1}, "", ""},
         {"encoding", std::vector<std::string>{"one-hot"}, "", ""},
         {"scaling", std::vector<std::string>{"standardized"}, "", ""},
         {"gamma", std::vector<double>{1, 2}, "", ""}},
        {{"validation_accuracy", axes, spread(validation), "", ""},
         {"test_accuracy", axes, spread(test), "", ""},
         {"undecided", axes, spread(test), "", ""},
         {"features", {"dataset", "method", "sampling", "columns", "split", "encoding", "scaling"}, features, "", ""}},
        {{"study", "regression/accuracy"}}};
}

}  // namespace

TEST_CASE("regression: gamma and lambda are those that are best on validation rows, whatever the test rows say",
          "[experiments]") {
    // On validation rows gamma = 2 is best in the first split, 1 in the second; test rows say the opposite.
    const std::vector<double> validation{0.5, 0.7, 0.8, 0.6, 0.4, 0.9, 0.9, 0.4};
    const std::vector<double> test{0.95, 0.25, 0.35, 0.99, 0.97, 0.45, 0.55, 0.98};
    const store::Dataset data = stored(validation, test);
    const auto all = contenders(data);
    REQUIRE(all.size() == 2);
    CHECK((all[0].word("sampling") == "iid" && all[1].word("sampling") == "own"));
    CHECK(!is_reference(data, "positive"));
    CHECK(is_reference(data, "exact"));
    CHECK(title(data, all[1]) == "exact");
    const auto percent = [](std::vector<double> of) {
        for (double& one : of) one *= 100;
        return of;
    };
    CHECK(tuned(data, "iris", all[0]).accuracy == percent({0.25, 0.35}));
    CHECK(tuned(data, "iris", all[1]).accuracy == percent({0.45, 0.55}));
    // The least of equally good gammas is taken, wherever it stands.
    CHECK(tuned(stored(std::vector<double>(8, 0.5), test), "iris", all[0]).accuracy == percent({0.95, 0.35}));
    store::Dataset turned = stored(std::vector<double>(8, 0.5), test);
    turned.axes.back().labels = std::vector<double>{2, 1};
    CHECK(tuned(turned, "iris", all[0]).accuracy == percent({0.25, 0.99}));
    // One that was not measured is passed over, the first as any other; a split without any has no accuracy.
    std::vector<double> missing = validation;
    missing[0] = std::nan("");
    CHECK(tuned(stored(missing, test), "iris", all[0]).accuracy == percent({0.25, 0.35}));
    missing[2] = std::nan("");
    CHECK(tuned(stored(missing, test), "iris", all[0]).accuracy == percent({0.25, 0.99}));
    missing[3] = std::nan("");
    CHECK(tuned(stored(missing, test), "iris", all[0]).accuracy.empty());
    // The table: mean of both splits, and half its interval, t of one degree of freedom with the corrected
    // variance.
    const Report report = find("regression", "accuracy").report(data);
    const auto entry = std::get<report::Estimate>(report.tables.front().rows.front().entries[2]);
    CHECK(entry.value == Approx(30));
    CHECK(entry.error == Approx(12.7062 * std::sqrt((0.5 + test_to_training) * 50)).epsilon(1e-4));

    // Ridge: gamma by lambda, where errors are to be small.
    const std::vector<std::string> axes{"dataset", "method", "sampling", "columns", "split", "gamma", "lambda"};
    const double none = std::nan("");
    const store::Dataset ridge{{{"dataset", std::vector<std::string>{"iris"}, "", ""},
                                {"method", std::vector<std::string>{"positive"}, "", ""},
                                {"sampling", std::vector<std::string>{"iid"}, "", ""},
                                {"columns", std::vector<double>{64}, "", ""},
                                {"split", std::vector<double>{0, 1}, "", ""},
                                {"gamma", std::vector<double>{1, 2}, "", ""},
                                {"lambda", std::vector<double>{1, 2}, "", ""}},
                               {{"validation_error", axes, {0.3, 0.4, 0.1, 0.2, 0.5, 0.2, 0.6, 0.7}, "", ""},
                                {"test_error", axes, {0.1, 0.05, 0.6, 0.4, 0.1, 0.5, 0.2, 0.3}, "", ""},
                                {"validation_rmse", axes, std::vector<double>(8, none), "", ""},
                                {"test_rmse", axes, std::vector<double>(8, none), "", ""},
                                {"lost", {axes.begin(), axes.end() - 1}, std::vector<double>(4, 0), "", ""},
                                {"training_rows", {axes.begin(), axes.end() - 1}, std::vector<double>(4, 90), "", ""},
                                {"features", {axes.begin(), axes.end() - 1}, std::vector<double>(4, 64), "", ""}},
                               {{"study", "regression/ridge"}}};
    const auto error =
        std::get<report::Estimate>(find("regression", "ridge").report(ridge).tables.front().rows.front().entries[2]);
    CHECK(error.value == Approx(55));  // of 0.6 and 0.5
    CHECK(error.error == Approx(12.7062 * std::sqrt((0.5 + test_to_training) * 50)).epsilon(1e-4));
}
