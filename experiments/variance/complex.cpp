// Open question 1(a) of the thesis: whether a complex A of generalized exponential features ever has less variance than
// the better of the two real ones, t = +1 and t = -1, over |x + y|^2, |x - y|^2 and d. Descents look for such an A, and
// bounds on boxes of A prove that there is none.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/features/mechanisms/complex_certificate.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_optimum.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/slice.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("dimensions", integers(1, 4096), "d"),
        required("square_sums", numbers(at_least(1e-3).at_most(1000)), "|x + y|^2"),
        required("square_differences", numbers(at_least(1e-3).at_most(1000)), "|x - y|^2"),
        defaulted("tolerance", real(at_least(1e-4).at_most(1)), "0.01",
                  "log of the gain that is proved to be out of reach"),
        defaulted("max_boxes", integer(1, 100'000'000), "1000000", "boxes of A after which the proof is given up"),
    };
}

store::Dataset compute(Index d, double plus, double minus, double tolerance, std::size_t max_boxes) {
    using namespace features;
    const double positive = real_optimum(1, plus, d).log_relative, signed_ = real_optimum(-1, minus, d).log_relative;
    const double real = std::min(positive, signed_);
    const double found = std::min(complex_optimum(1, plus, d).log_relative, complex_optimum(-1, minus, d).log_relative);
    parallel::Parts certificates(2);
    const Certificate one = certify_least_variance(1, plus, d, real - tolerance, max_boxes);
    certificates.done();
    const Certificate other = certify_least_variance(-1, minus, d, real - tolerance, max_boxes);
    return {
        {},
        {{"log_positive", {}, {positive}, "", "log Var / K^2 at the best real A, t = +1"},
         {"log_signed", {}, {signed_}, "", "log Var / K^2 at the best real A, t = -1"},
         {"found", {}, {real - found}, "", "log of the variance of the better real A over that of the best A found"},
         {"proved", {}, {one.proved && other.proved ? 1.0 : 0.0}, "", "1: no A gains more than the tolerance"},
         {"boxes", {}, {static_cast<double>(one.boxes + other.boxes)}, "", "boxes of A that were looked at"}},
        {}};
}

Sweep prepare(const config::Value& config) {
    const auto dimensions = whole_axis("dimension", Key{config, "dimensions"}, "d");
    const auto sums = axis("square_sum", Key{config, "square_sums"}, "|x + y|^2");
    const auto differences = axis("square_difference", Key{config, "square_differences"}, "|x - y|^2");
    Sweep sweep = Sweep::over(dimensions, sums, differences);
    sweep.compute = [=, tolerance = config.at("tolerance").number(),
                     max_boxes = static_cast<std::size_t>(whole(config, "max_boxes"))](const Point& at) {
        return compute(at[dimensions], at[sums], at[differences], tolerance, max_boxes);
    };
    sweep.attributes = {{"tolerance", fmt::format("{}", config.at("tolerance").number())}};
    return sweep;
}

/// Which of the two real optima is better, a panel a dimension.
report::Figure map_of(const store::Dataset& data) {
    report::Figure figure{
        .name = "complex",
        .title = "Signed (t = -1) against positive features (t = +1)",
        .caption =
            "Natural log of the variance at the best real A with t = -1 (signed features) over that "
            "with t = +1 (positive features). Blue: signed features are better; colours end at ±10. No complex A is "
            "better than both.",
        .columns = 2};
    const auto logs = [](std::vector<double> values) {
        for (double& value : values) value = std::log10(value);
        return values;
    };
    for (const double d : report::numbers(data, "dimension")) {
        const auto positive = report::slice(data, "log_positive", {{"dimension", d}});
        const auto other = report::slice(data, "log_signed", {{"dimension", d}});
        report::Panel panel{.title = fmt::format("d = {}", d)};
        panel.x = {.label = "log10 |x + y|²"};
        panel.y = {.label = "log10 |x - y|²"};
        std::vector<double> ratio;
        for (std::size_t i = 0; i < positive.values.size(); ++i) ratio.push_back(other.values[i] - positive.values[i]);
        panel.map = report::HeatMap{logs(positive.numbers("square_sum")),
                                    logs(positive.numbers("square_difference")),
                                    ratio,
                                    "ln of the ratio",
                                    {0},
                                    report::Palette::diverging};
        // One scale for all panels, so that a colour is one ratio; the largest ones are beyond it.
        panel.map->range = {{-10, 10}};
        // A map of one row or column shows nothing that the table has not.
        if (panel.map->x.size() > 1 && panel.map->y.size() > 1) figure.panels.push_back(panel);
    }
    return figure;
}

report::Table verdicts(const store::Dataset& data) {
    const std::string& tolerance = data.attributes.at("tolerance");
    report::Table table{
        .name = "complex",
        .caption = "Complex A against the better of the two real ones.",
        .columns = {{"d"},
                    {"pairs"},
                    {"signed better"},
                    report::number_column("largest gain found, ln", {report::Format::Kind::significant, 2}),
                    {"gain above " + tolerance + " ruled out"},
                    {"boxes, most"}}};
    for (const double d : report::numbers(data, "dimension")) {
        const auto at = [&](const char* variable) { return report::slice(data, variable, {{"dimension", d}}).values; };
        const auto found = at("found"), proved = at("proved"), boxes = at("boxes"), positive = at("log_positive"),
                   other = at("log_signed");
        double better = 0, sum = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            better += other[i] < positive[i];
            sum += proved[i];
        }
        table.rows.push_back(
            {{d, static_cast<double>(found.size()), better, *std::max_element(found.begin(), found.end()), sum,
              *std::max_element(boxes.begin(), boxes.end())}});
    }
    table.notes = {
        "Gain: log of the variance at the better real A over that at a complex one. Ruled out: boxes that cover all A "
        "with |log Re(1 - 8A)| up to 12 have variances no lower than the real optimum's less " +
        tolerance + ", by bounds in double precision that do not round outwards."};
    return table;
}

Report report_of(const store::Dataset& data) {
    const report::Figure map = map_of(data);
    return {map.panels.empty() ? std::vector<report::Figure>{} : std::vector{map}, {verdicts(data)}};
}

}  // namespace

Study complex_study() {
    return {"variance",
            "complex",
            "whether a complex A ever has less variance than the better real one",
            "Likhosherstov 2022, chapter 7, question 1(a)",
            1,
            {},
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
