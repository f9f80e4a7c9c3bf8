// How the time of features, attention, training, regression and the engine grows with each of their sizes, beside the
// order that it is stated to have. A study whose results are times: its files differ from run to run, and say so.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "cost/growth_report.hpp"
#include "cost/growth_tasks.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "study/measured_runs.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

/// A key for the size of what does not grow.
struct HeldSize {
    const char *name, *otherwise, *meaning;
};
constexpr HeldSize held_sizes[]{{"rows", "8192", "N, where something else grows"},
                                {"length", "4096", "L, likewise"},
                                {"columns", "256", "M, likewise"},
                                {"dimension", "64", "d, likewise"}};

/// A task, and which of its sizes grows.
struct GrowthLine {
    const GrowthTask* task = nullptr;
    std::string grows;
    Index from = 1;     ///< its smallest value
    GrowthSizes sizes;  ///< of all others
};

struct GrowthSweep {
    Axis<GrowthLine> lines;
    Axis<std::uint64_t> steps, repeats;  ///< inside a cell
    Rounds rounds;
    double factor;
    Stream seed;
};

/// Sizes at a step of a line: `grows` doubles from step to step.
GrowthSizes sizes_at(const GrowthLine& line, std::uint64_t step) {
    GrowthSizes sizes = line.sizes;
    sizes[line.grows] = line.from << step;
    return sizes;
}

/// Nothing, for more threads than there are processors.
MeasuredRun measured(const GrowthSweep& sweep, const GrowthTask& task, const GrowthSizes& sizes) {
    const auto found = sizes.find("threads");
    const int threads = found == sizes.end() ? 1 : static_cast<int>(found->second);
    if (threads > omp_get_num_procs()) return {};
    return {[threads, run = task.make(sizes, sweep.seed)] {
                const parallel::OpenMpThreads team(threads);
                run();
            },
            sweep.rounds};
}

store::Dataset compute(const GrowthSweep& sweep, const Point& at) {
    const GrowthLine& line = at[sweep.lines];
    // All sizes are measured in turns: what disturbs the machine for a while moves a round's slope, and no other's.
    std::vector<MeasuredRun> all;
    store::Variable sizes{"size", {"step"}, {}, "", "what grows; NaN: not measured"};
    for (const std::uint64_t step : sweep.steps) {
        const GrowthSizes own = sizes_at(line, step);
        all.push_back(measured(sweep, *line.task, own));
        sizes.values.push_back(all.back().rounds() > 0 ? static_cast<double>(own.at(line.grows))
                                                       : std::numeric_limits<double>::quiet_NaN());
    }
    return {{sweep.steps.stored(), sweep.repeats.stored()},
            {sizes,
             {"seconds", {"step", "repeat"}, seconds_in_turns(all, sweep.rounds), "s", "time of one run"},
             {"order", {}, {line.task->exponents.at(line.grows)}, "", "exponent that the time is stated to have"}},
            measured_attributes()};
}

GrowthLine line_of(const config::Value& config, const config::Value& entry) {
    GrowthLine line;
    line.task = &*std::find_if(growth_tasks().begin(), growth_tasks().end(),
                               [&](const GrowthTask& task) { return task.name == entry.at("task").text(); });
    line.grows = entry.at("grows").text();
    line.from = whole(entry, "from");
    if (!line.task->exponents.contains(line.grows)) {
        std::string known;
        for (const auto& [name, exponent] : line.task->exponents) known += (known.empty() ? "" : ", ") + name;
        entry.at("grows").refuse(
            fmt::format("'{}' has no stated order in '{}': it has in {}", line.task->name, line.grows, known));
    }
    if (line.grows == "threads" && line.from != 1) entry.at("from").refuse("threads grow from 1");
    for (const HeldSize& one : held_sizes) line.sizes[one.name] = whole(entry.has(one.name) ? entry : config, one.name);
    return line;
}

Axis<GrowthLine> line_axis(const config::Value& config) {
    Axis<GrowthLine> axis{"line", {}, std::vector<std::string>{}, "", "task, and what grows"};
    axis.keys = {"lines"};
    auto& labels = std::get<std::vector<std::string>>(axis.labels);
    for (const config::Value& entry : config.at("lines").items()) {
        axis.values.push_back(line_of(config, entry));
        const GrowthLine& line = axis.values.back();
        const std::string label = fmt::format("{}, {}", line.task->name, line.grows);
        if (std::find(labels.begin(), labels.end(), label) != labels.end())
            entry.refuse(fmt::format("'{}' is there twice", label));
        labels.push_back(label);
        axis.contents.push_back(config::canonical_flow(entry));
    }
    return axis;
}

Sweep prepare(const config::Value& config) {
    const GrowthSweep own{line_axis(config),
                          repeat_axis("step", config.at("doublings").integer() + 1, "doublings of what grows"),
                          repeat_axis("repeat", config.at("repeats").integer(), "round of samples"),
                          Rounds(config),
                          config.at("factor").number(),
                          study_stream(config, "cost/growth")};
    Sweep sweep = Sweep::over(own.lines);
    sweep.alone = true;
    sweep.attributes = {{growth_factor, fmt::format("{}", own.factor)}};
    for (const GrowthLine& line : own.lines) {
        sweep.attributes[growth_order + line.task->name] = line.task->order;
        // Inputs, outputs and features of all steps, in float and once more where they are drawn in double.
        const GrowthSizes last = sizes_at(line, own.steps.values.back());
        const auto many = static_cast<double>(std::max(last.at("rows"), last.at("length")));
        sweep.bytes =
            std::max(sweep.bytes, many * static_cast<double>(10 * last.at("dimension") + last.at("columns")) * 8);
    }
    sweep.compute = [own](const Point& at) { return compute(own, at); };
    return sweep;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<std::string> tasks, sizes;
    for (const GrowthTask& task : growth_tasks()) {
        tasks.push_back(task.name);
        for (const auto& [size, exponent] : task.exponents)
            if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
    }
    const Schema size = integer(1, 100'000'000);
    std::vector<KeyRule> line{required("task", one_of(tasks), "what is run"),
                              required("grows", one_of(sizes), "the size that doubles"),
                              required("from", size, "its smallest value")};
    std::vector<KeyRule> all;
    for (const HeldSize& one : held_sizes) {
        line.push_back(optional(one.name, size, "in place of the configuration's"));
        all.push_back(defaulted(one.name, size, one.otherwise, one.meaning));
    }
    all.insert(all.begin(), {required("lines", list_of(object(line)), "tasks, and what grows in each"),
                             defaulted("doublings", integer(2, 20), "5", "from the smallest size to the largest"),
                             defaulted("factor", real(above(1).at_most(10)), "1.5",
                                       "how many times as long a unit of work may take at the largest size as at the "
                                       "smallest: room for caches, not for a larger exponent")});
    for (KeyRule& rule : rounds_keys()) all.push_back(std::move(rule));
    return all;
}

}  // namespace

Study growth_study() {
    return {"cost",
            "growth",
            "growth of time with every size, beside the stated orders",
            "the papers' orders of time",
            1,
            {},
            keys,
            prepare,
            growth_report};
}

}  // namespace rfbench::experiments
