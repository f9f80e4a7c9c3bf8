// rfbench reproduce: cells of a result file once more, from what the file says of itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <numbers>
#include <numeric>

#include "provenance.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/parallel/loop.hpp"
#include "rfbench/process/temporary_folder.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/instruction_set.hpp"
#include "study/configuration.hpp"
#include "study/former_names.hpp"
#include "study/foundation.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

namespace {

constexpr double tolerance = 1e-6;  ///< relative, on another instruction set

std::string fact(const store::Dataset& data, const char* name) {
    const auto found = data.attributes.find(name);
    return found == data.attributes.end() ? "" : found->second;
}

/// So many cells, spread over all that did not fail. Their number and the step have no common divisor: a step over
/// whole axes would take one label again and again.
std::vector<engine::Cell> chosen(const experiments::Sweep& sweep, const store::Dataset& data, std::size_t count) {
    const std::string failed = "\n" + fact(data, "failed_cells") + "\n";
    std::vector<engine::Cell> all = sweep.cells(), some;
    std::erase_if(all,
                  [&](const engine::Cell& cell) { return failed.find("\n" + cell.key + "\n") != std::string::npos; });
    count = std::min(count, all.size());
    if (all.empty()) return some;
    auto step = static_cast<std::size_t>(static_cast<double>(all.size()) / std::numbers::phi);
    while (std::gcd(step, all.size()) != 1) ++step;
    for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * step % all.size()]);
    return some;
}

/// Values of a cell in the file and computed once more.
struct Again {
    std::size_t values = 0, other = 0;
    double worst = 0;  ///< relative difference
    std::string variable = {};
    std::vector<std::string> absent = {};  ///< variables that the file lacks
};

void compare(const store::Variable& now, const store::Variable& before, std::size_t first, Again& again) {
    for (std::size_t i = 0; i < now.values.size(); ++i) {
        const double a = before.values[first + i], b = now.values[i];
        ++again.values;
        if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b)))
            continue;
        ++again.other;
        const double relative = std::abs(a - b) / std::max(std::abs(a), std::abs(b));
        // A difference that is no number is the largest.
        if (again.variable.empty() || !(relative <= again.worst)) {
            again.worst = relative;
            again.variable = now.name;
        }
    }
}

/// Index of a label of one axis on another; the other's size if it is not there.
std::size_t place_in(const store::Axis& other, const store::Axis& axis, std::size_t index) {
    return std::visit(
        [&](const auto& labels) {
            const auto* there = std::get_if<std::decay_t<decltype(labels)>>(&other.labels);
            if (there == nullptr) return other.size();
            return static_cast<std::size_t>(std::find(there->begin(), there->end(), labels[index]) - there->begin());
        },
        axis.labels);
}

/// Labels of the file that this machine does not compute, such as data sets that it lacks.
void say_what_is_missing(const experiments::Sweep& sweep, const store::Dataset& file) {
    for (const store::Axis& own : sweep.axes) {
        const store::Axis& axis = file.axis(own.name);
        std::vector<std::string> missing;
        for (std::size_t i = 0; i < axis.size(); ++i)
            if (place_in(own, axis, i) == own.size())
                missing.push_back(
                    std::visit([&](const auto& labels) { return fmt::format("{}", labels[i]); }, axis.labels));
        if (!missing.empty())
            std::cerr << fmt::format("note: {} {} of the file cannot be computed here\n", own.name,
                                     fmt::join(missing, ", "));
    }
}

Again compared(const store::Dataset& now, const store::Dataset& file, const experiments::Sweep& sweep,
               const engine::Cell& cell) {
    Again again;
    for (const store::Variable& variable : now.variables) {
        const auto found = std::find_if(file.variables.begin(), file.variables.end(),
                                        [&](const auto& one) { return one.name == variable.name; });
        if (found == file.variables.end()) {
            again.absent.push_back(variable.name);
            continue;
        }
        const store::Variable& before = *found;
        // The file's axes are those of the sweep, then the cell's own. The sweep may lack some of the file's labels.
        std::size_t at = 0;
        for (std::size_t k = 0; k < cell.coordinates.size(); ++k) {
            const store::Axis& axis = file.axis(before.axes[k]);
            const std::size_t place = place_in(axis, sweep.axes[k], cell.coordinates[k]);
            if (place == axis.size())
                throw FileError(fmt::format("axis {} of the file lacks a label that this program computes", axis.name));
            at = at * axis.size() + place;
        }
        if ((at + 1) * variable.values.size() > before.values.size())
            throw FileError(
                fmt::format("variable {} of the file has another shape than this program computes", variable.name));
        compare(variable, before, at * variable.values.size(), again);
    }
    return again;
}

/// Notes on the program and its libraries where others made the file.
void say_what_differs(const store::Dataset& data) {
    for (const auto& [name, now] : provenance())
        if (const std::string before = fact(data, name.c_str()); !before.empty() && before != now)
            std::cerr << fmt::format("note: {} was {} and is {}\n", name, before, now);
}

/// Whether a result is there with all its variables: those that come with rfbench may lack some, as weights of
/// networks.
bool is_whole(const std::filesystem::path& file) {
    return std::filesystem::exists(file) && !store::read(file).attributes.contains("left_out");
}

/// The folder with the results that the file stands on: its own, otherwise `results`. Reference results come without
/// the networks that some stand on.
std::filesystem::path foundation_folder(const config::Value& configuration, const std::filesystem::path& file,
                                        const std::filesystem::path& results) {
    std::filesystem::path own = std::filesystem::absolute(file).parent_path().parent_path();
    for (const config::Value& from : experiments::foundations(configuration)) {
        const std::string name = from.text() + ".h5";
        if (is_whole(own / name)) continue;
        if (is_whole(results / name)) return results;
        throw InputError(fmt::format(
            "reproduce: {} stands on {}, whose result is neither in {} nor in {}: 'rfbench run {}' computes it",
            file.string(), from.text(), own.string(), results.string(), from.text()));
    }
    return own;
}

}  // namespace

int reproduce(const std::filesystem::path& file, std::size_t cells, const std::filesystem::path& results) {
    const store::Dataset data = store::read(file);
    const std::string config = fact(data, "config"), name = fact(data, "name");
    if (config.empty() || name.empty())
        throw InputError(fmt::format("reproduce: {} does not say which configuration made it", file.string()));
    if (data.attributes.contains("measured"))
        throw InputError(fmt::format(
            "reproduce: {} has measured times and memory of a machine, which are others each time; 'rfbench "
            "compare' takes two such files",
            file.string()));
    // The file holds its whole configuration: what stands in configs/ now does not matter.
    const process::TemporaryFolder folder;
    store::write_file(folder.path() / (name + ".yaml"), experiments::with_present_keys(config));
    const auto configuration = experiments::load_configuration(folder.path() / (name + ".yaml"), {});
    const experiments::FoundationFolder foundations(foundation_folder(configuration.value, file, results));
    const experiments::Sweep sweep = configuration.study->prepare(configuration.value);
    say_what_differs(data);
    say_what_is_missing(sweep, data);
    const std::vector<engine::Cell> some = chosen(sweep, data, cells);
    std::vector<Again> all(some.size());
    parallel::Loop(static_cast<Index>(some.size()), parallel::Share::in_order).run([&](Index i) {
        const auto k = static_cast<std::size_t>(i);
        all[k] = compared(sweep.measure(sweep.point(some[k].coordinates)), data, sweep, some[k]);
        return 0;
    });

    if (!all.empty() && !all.front().absent.empty())
        std::cerr << fmt::format("note: not in the file, and so not compared: {}\n",
                                 fmt::join(all.front().absent, ", "));
    const bool same_bits_promised = fact(data, "instruction_set") == store::instruction_set();
    std::size_t differing = 0;
    for (std::size_t k = 0; k < some.size(); ++k) {
        const Again& one = all[k];
        const bool differs = same_bits_promised ? one.other > 0 : one.other > 0 && !(one.worst <= tolerance);
        differing += differs;
        if (one.other == 0)
            fmt::print("{}: {} values, the same bits\n", some[k].key, one.values);
        else
            fmt::print("{}: {} of {} values have other bits, at most {:.2g} of themselves off ({}){}\n", some[k].key,
                       one.other, one.values, one.worst, one.variable,
                       differs ? "" : ", which is within the tolerance");
    }
    fmt::print("{} of {} cells {} ({}{})\n", some.size() - differing, some.size(),
               differing == 0 ? "are what the file has" : "are what the file has; the others are not",
               same_bits_promised ? "bits, on one instruction set"
                                  : fmt::format("to {:g}, on another instruction set", tolerance),
               some.size() < sweep.cells().size()
                   ? fmt::format("; {} in all, --cells says how many", sweep.cells().size())
                   : "");
    return differing > 0 ? values_differ : success;
}

}  // namespace rfbench::cli
