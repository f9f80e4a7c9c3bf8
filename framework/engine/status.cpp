#include "rfbench/engine/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/ledger.hpp"
#include "rfbench/engine/progress.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::engine {
namespace {

// Empty when the file has the bytes that were reported, else what is wrong with it.
std::string damage(const std::filesystem::path& file, const std::string& sha256) {
    if (!std::filesystem::exists(file)) return "the file is gone: " + file.string();
    if (store::sha256_file(file) != sha256) return "the bytes differ from those reported done: " + file.string();
    return {};
}

CellStatus look(const Plan& plan, const Cell& cell, const Layout& at, const History& history) {
    CellStatus result;
    result.key = cell.key;
    const auto last = history.last.find(cell.key), done = history.done.find(cell.key);
    if (last == history.last.end()) return result;

    const std::string now = identity(plan, cell);
    result.seconds = last->second.seconds;
    if (last->second.event == "failed" && last->second.identity == now) {
        result.state = State::failed;
        result.reason = last->second.reason;
    } else if (done != history.done.end() && done->second.identity == now) {
        result.reason = damage(at.cell(cell), done->second.sha256);
        result.state = result.reason.empty() ? State::done : State::damaged;
        result.sha256 = done->second.sha256;
        result.seconds = done->second.seconds;
    } else {
        result.state = State::stale;
    }
    return result;
}

constexpr std::array states = {State::done, State::failed, State::damaged, State::stale, State::missing};

double total_seconds(const Status& status) {
    double seconds = 0;
    for (const auto& cell : status.cells)
        if (cell.state == State::done) seconds += cell.seconds;
    return seconds;
}

}  // namespace

const char* name(State state) {
    switch (state) {
        case State::done: return "done";
        case State::failed: return "failed";
        case State::damaged: return "damaged";
        case State::stale: return "stale";
        case State::missing: break;
    }
    return "missing";
}

std::size_t Status::count(State state) const {
    const auto matches = [&](const CellStatus& cell) { return cell.state == state; };
    return std::size_t(std::count_if(cells.begin(), cells.end(), matches));
}

Status status(const Plan& plan, const std::filesystem::path& results) {
    check(plan);
    const Layout at(results, plan);
    const History past = history(at.journal);
    Status now{plan.experiment, plan.config, {}, false};
    for (const Cell& cell : plan.cells) now.cells.push_back(look(plan, cell, at, past));
    now.collected = collected_is_current(plan, results, now);
    return now;
}

bool collected_is_current(const Plan& plan, const std::filesystem::path& results, const Status& status) {
    const Layout at(results, plan);
    const store::Event last = history(at.journal).collected;
    return last.event == "collected" && last.identity == collection_identity(plan, status) &&
           damage(at.collected, last.sha256).empty();
}

std::string collection_identity(const Plan& plan, const Status& status) {
    std::string text;
    const auto add = [&](const std::string& field) { text += fmt::format("{}:{}\n", field.size(), field); };
    for (const auto& field : {plan.experiment, plan.config, plan.resolved, plan.data_hash}) add(field);
    add(std::to_string(plan.schema_version));
    for (const auto& axis : plan.axes) {
        for (const auto& field : {axis.name, axis.unit, axis.description}) add(field);
        if (const auto* numbers = std::get_if<std::vector<double>>(&axis.labels))
            for (const double label : *numbers) add(fmt::format("{:a}", label));
        else
            for (const auto& label : std::get<std::vector<std::string>>(axis.labels)) add(label);
    }
    for (const auto& [key, value] : plan.attributes) add(key), add(value);
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        add(plan.cells[i].key);
        for (const auto coordinate : plan.cells[i].coordinates) add(std::to_string(coordinate));
        add(status.cells[i].state == State::done ? status.cells[i].sha256 : name(status.cells[i].state));
    }
    return store::sha256(text);
}

std::string table(const Status& status, std::size_t most) {
    std::string text = fmt::format("{}/{}: {} cells", status.experiment, status.config, status.cells.size());
    for (const State state : states)
        if (status.count(state) > 0) text += fmt::format(", {} {}", status.count(state), name(state));
    text += fmt::format("; {} in cells; {}\n", duration(total_seconds(status)),
                        status.collected ? "collected" : "not collected");
    std::size_t listed = 0, left = 0;
    for (const auto& cell : status.cells) {
        if (cell.state == State::done || cell.state == State::missing) continue;
        if (listed == most) {
            ++left;
            continue;
        }
        ++listed;
        std::string line =
            fmt::format("{:<8} {}{}{}", name(cell.state), cell.key, cell.reason.empty() ? "" : ": ", cell.reason);
        std::replace(line.begin(), line.end(), '\n', ' ');
        text += fmt::format("  {}\n", line);
    }
    if (left > 0) text += fmt::format("  and {} more\n", left);
    return text;
}

std::string counts(const Status& status) {
    nlohmann::ordered_json counts = {
        {"experiment", status.experiment}, {"config", status.config}, {"cells", status.cells.size()}};
    for (const State state : states) counts[name(state)] = status.count(state);
    counts["collected"] = status.collected;
    counts["seconds"] = total_seconds(status);
    return json_line(counts);
}

}  // namespace rfbench::engine
