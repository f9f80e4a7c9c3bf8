// Errors and times of features, attention and gradients whose products of float are formed by vector registers, or by
// matrix units in one to three parts of bfloat16. Its results are times: its files differ from run to run, and say so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost/products_report.hpp"
#include "cost/tokens.hpp"
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "rfbench/store/instruction_set.hpp"
#include "study/measured_runs.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;
using products::Arithmetic;
using products::Units;

enum class Computed { features, exact, linear };

/// A computation, and whether its gradients are computed as well.
struct ProductTask {
    const char* name;
    Computed what;
    Visible visible = Visible::all;
    bool gradients = false;
};
constexpr ProductTask product_tasks[]{
    {"features", Computed::features},
    {"exact", Computed::exact},
    {"exact-causal", Computed::exact, Visible::causal},
    {"linear", Computed::linear},
    {"linear-causal", Computed::linear, Visible::causal},
    {"exact-gradients", Computed::exact, Visible::all, true},
    {"linear-gradients", Computed::linear, Visible::all, true},
    {"linear-causal-gradients", Computed::linear, Visible::causal, true},
};

/// A task on one head, and buffers that stay from run to run.
template <class Scalar>
class Computation {
public:
    Computation(const ProductTask& task, const attention::SoftmaxMap& map, const Tokens& tokens, const Arithmetic& own)
        : task_(task),
          arithmetic_(own),
          map_(map.with_arithmetic(own)),
          queries_(tokens.queries.cast<Scalar>()),
          keys_(tokens.keys.cast<Scalar>()),
          values_(tokens.values.cast<Scalar>()) {}

    /// The values stand for the output's gradient, too: any numbers of its shape do.
    void run() {
        const attention::Inputs<Scalar> in{queries_, keys_, values_};
        if (task_.what == Computed::features) {
            map_->evaluate(features::Side::query, queries_, block_);
        } else if (task_.what == Computed::exact) {
            attention::exact<Scalar>(in, task_.visible, out_, log_sums_, arithmetic_);
            if (task_.gradients)
                attention::exact_backward<Scalar>(in, task_.visible, out_, log_sums_, values_, gradients_, arithmetic_);
        } else if (task_.gradients) {
            attention::backward<Scalar>(*map_, in, task_.visible, values_, gradients_);
        } else {
            attention::linear<Scalar>(*map_, in, task_.visible, out_);
        }
    }

    /// The matrices that the last run computed.
    std::vector<Points> results() const {
        if (task_.what == Computed::features)
            return {block_.log_scale.array().exp().matrix().asDiagonal() * block_.values.template cast<double>()};
        if (!task_.gradients) return {out_.template cast<double>()};
        return {gradients_.queries.template cast<double>(), gradients_.keys.template cast<double>(),
                gradients_.values.template cast<double>()};
    }

private:
    ProductTask task_;
    Arithmetic arithmetic_;
    std::shared_ptr<const features::FeatureMap> map_;
    Rows<Scalar> queries_, keys_, values_, out_;
    features::FeatureBlock<Scalar> block_;
    attention::Column<Scalar> log_sums_;
    attention::Gradients<Scalar> gradients_;
};

/// |A - B| over |B|, Frobenius, of all matrices together.
double relative_error(const std::vector<Points>& a, const std::vector<Points>& b) {
    double error = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        error += (a[i] - b[i]).squaredNorm();
        size += b[i].squaredNorm();
    }
    return std::sqrt(error / size);
}

struct ProductSweep {
    Axis<ProductTask> tasks;
    Axis<Arithmetic> products;
    Axis<std::uint64_t> repeats;  ///< inside a cell
    Rounds rounds;
    Index dimension, columns, length, judged, threads;
    Stream seed;

    Tokens tokens(Index count) const { return {count, dimension, seed.child("tokens")}; }
    attention::SoftmaxMap map() const {
        return attention::softmax_map(*features::fit(features::find("positive"), {}), dimension, columns,
                                      sampling::find("orthogonal"), seed.child("features"));
    }
};

/// Matrix units as they are there: an emulation with their bits, and no times, on processors that have none.
Arithmetic available(Arithmetic wanted) {
    if (wanted.units == Units::matrix && !products::has_matrix_units()) wanted.units = Units::emulated;
    return wanted;
}

/// Errors beside the same in double.
std::vector<double> errors(const ProductSweep& sweep, const ProductTask& task) {
    const Tokens tokens = sweep.tokens(sweep.judged);
    const attention::SoftmaxMap map = sweep.map();
    Computation<double> expected(task, map, tokens, {});
    expected.run();
    std::vector<double> all;
    for (const Arithmetic& wanted : sweep.products) {
        Computation<float> own(task, map, tokens, available(wanted));
        own.run();
        all.push_back(relative_error(own.results(), expected.results()));
    }
    return all;
}

/// Seconds [products][repeat]; NaN of what is emulated.
std::vector<double> times(const ProductSweep& sweep, const ProductTask& task) {
    const Tokens tokens = sweep.tokens(sweep.length);
    const attention::SoftmaxMap map = sweep.map();
    std::vector<MeasuredRun> all;
    for (const Arithmetic& wanted : sweep.products) {
        const bool emulated = available(wanted).units == Units::emulated;
        all.push_back(emulated ? MeasuredRun()
                               : MeasuredRun([own = std::make_shared<Computation<float>>(task, map, tokens,
                                                                                         wanted)] { own->run(); },
                                             sweep.rounds));
    }
    return seconds_in_turns(all, sweep.rounds);
}

store::Dataset compute(const ProductSweep& sweep, const Point& at) {
    const parallel::OpenMpThreads team(static_cast<int>(sweep.threads));
    const ProductTask& task = at[sweep.tasks];
    std::map<std::string, std::string> attributes = measured_attributes();
    store::Variable emulated{"emulated", {"products"}, {}, "", "1: by an emulation of matrix units; 0: not"};
    for (const Arithmetic& wanted : sweep.products) {
        const Arithmetic own = available(wanted);
        emulated.values.push_back(own.units == Units::emulated ? 1 : 0);
        if (own.units == Units::matrix) attributes["instruction_set"] = store::instruction_set() + " and matrix units";
    }
    return {{sweep.products.stored(), sweep.repeats.stored()},
            {{"error", {"products"}, errors(sweep, task), "", "Frobenius norm of the error over that of the result"},
             {"seconds", {"products", "repeat"}, times(sweep, task), "s", "time of one run; NaN: emulated"},
             emulated},
            attributes};
}

Axis<ProductTask> task_axis(const config::Value& config) {
    Axis<ProductTask> axis{"task", {}, config.at("tasks").texts(), "", "what is computed"};
    axis.keys = {"tasks"};
    for (const std::string& name : config.at("tasks").texts())
        axis.values.push_back(*std::find_if(std::begin(product_tasks), std::end(product_tasks),
                                            [&](const ProductTask& task) { return task.name == name; }));
    return axis;
}

/// Vector registers, then matrix units by each number of parts, as far as `products` names them.
Axis<Arithmetic> products_axis(const config::Value& config) {
    Axis<Arithmetic> axis{"products", {}, std::vector<std::string>{}, "", "how products of float are formed"};
    auto& labels = std::get<std::vector<std::string>>(axis.labels);
    for (const std::string& name : config.at("products").texts()) {
        if (name == "vectors") {
            axis.values.push_back({});
            labels.emplace_back("vector registers");
            continue;
        }
        for (const std::int64_t parts : config.at("parts").integers()) {
            axis.values.push_back({Units::matrix, static_cast<int>(parts)});
            labels.push_back(fmt::format("matrix units, {} part{}", parts, parts == 1 ? "" : "s"));
        }
    }
    return axis;
}

Sweep prepare(const config::Value& config) {
    const ProductSweep own{task_axis(config),
                           products_axis(config),
                           repeat_axis("repeat", config.at("repeats").integer(), "round of samples"),
                           Rounds(config),
                           whole(config, "dimension"),
                           whole(config, "columns"),
                           whole(config, "length"),
                           whole(config, "judged"),
                           whole(config, "threads"),
                           study_stream(config, "cost/products")};
    Sweep sweep = Sweep::over(own.tasks);
    sweep.alone = true;
    if (!products::has_matrix_units())
        for (const Arithmetic& wanted : own.products)
            if (wanted.units == Units::matrix) {
                sweep.notes = {
                    "this processor has no matrix units: their errors come from an emulation that has the same bits, "
                    "and they have no times"};
                break;
            }
    // Inputs, outputs and gradients of all products, and features of each.
    const auto longest = static_cast<double>(std::max(own.length, own.judged));
    sweep.bytes = longest * static_cast<double>(own.products.size() + 1) *
                  static_cast<double>(7 * own.dimension + own.columns) * sizeof(double);
    sweep.compute = [own](const Point& at) { return compute(own, at); };
    return sweep;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<std::string> tasks;
    std::string every;
    for (const ProductTask& task : product_tasks) {
        tasks.emplace_back(task.name);
        every += (every.empty() ? "[" : ", ") + tasks.back();
    }
    std::vector<KeyRule> all{
        defaulted("tasks", list_of(one_of(tasks)), every + "]", "what is computed"),
        defaulted("products", list_of(one_of({"vectors", "matrix-units"})), "[vectors, matrix-units]",
                  "what forms products of float; without matrix units an emulation gives errors, and no times"),
        defaulted("parts", integers(1, 3), "[1, 2, 3]", "parts of bfloat16 of every entry, on matrix units"),
        defaulted("dimension", integer(1, 1024), "64", "d of queries, keys and values"),
        defaulted("columns", integer(1, 65536), "256", "M of positive features"),
        defaulted("length", integer(1, 100'000'000), "8192", "tokens of what is timed"),
        defaulted("judged", integer(1, 1'000'000), "1024", "tokens of which errors are computed"),
        defaulted("threads", integer(1, 1024), "1", "OpenMP threads"),
    };
    for (KeyRule& rule : rounds_keys()) all.push_back(std::move(rule));
    return all;
}

}  // namespace

Study products_study() {
    return {"cost",
            "products",
            "errors and times of products on vector registers and on matrix units",
            "Intel's matrix units (AMX), in parts of bfloat16",
            1,
            {},
            keys,
            prepare,
            products_report};
}

}  // namespace rfbench::experiments
