#include "rfbench/engine/status.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "rfbench/engine/progress.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/text/counted.hpp"

namespace rfbench::engine {
namespace {

bool has_bytes(const std::filesystem::path& file, const std::string& sha256) {
    return std::filesystem::exists(file) && store::sha256_file(file) == sha256;
}

// Why a cell that is stored at this place is no longer what the plan asks for.
std::string staleness(const Recipes& recipes, const Cell& cell, const store::CellStore& store,
                      const store::Entry& before) {
    try {
        return difference(recipes.common() + recipes.own(cell), store.recipe(before).whole());
    } catch (const store::Error& error) {
        return error.what();
    }
}

CellStatus look(const Cell& cell, const Recipes& recipes, const store::CellStore& store,
                const JournalSummary& history) {
    CellStatus result;
    result.identity = recipes.identity(cell);
    // The store is asked first: what failed once may have been computed since.
    if (const store::Entry* there = store.find(result.identity)) {
        result.state = State::done;
        result.content = there->record.content;
        result.seconds = there->record.seconds;
        return result;
    }
    // The digits of an identity are spared where nothing failed, as of a million cells.
    const auto failure =
        history.failed.empty() ? history.failed.end() : history.failed.find(store::hex(result.identity));
    if (failure != history.failed.end()) {
        result.state = State::failed;
        result.reason = failure->second.reason;
        result.seconds = failure->second.seconds;
    } else if (const store::Entry* before = store.newest_at(recipes.place(cell))) {
        result.state = State::stale;
        result.reason = staleness(recipes, cell, store, *before);
        result.content = before->record.content;
        result.seconds = before->record.seconds;
    }
    return result;
}

// How many cells that could be collected the file was not collected from.
std::size_t lacking(const Layout& at, const Status& status) {
    if (!std::filesystem::exists(at.list)) return 0;
    std::unordered_set<std::string> listed;
    std::istringstream text(store::read_whole(at.list));
    for (std::string line; std::getline(text, line);) listed.insert(line);
    return std::size_t(std::count_if(status.cells.begin(), status.cells.end(), [&](const CellStatus& cell) {
        return cell.state != State::failed && !listed.contains(store::hex(cell.identity));
    }));
}

// In what the file's attributes are not those that the plan would give it.
std::string differing_facts(const Plan& plan, const std::map<std::string, std::string>& there) {
    std::string now, before;
    const auto add = [](std::string& text, const std::string& name, std::string value) {
        std::replace(value.begin(), value.end(), '\n', ' ');
        text += fmt::format("{}: {}\n", name, value);
    };
    for (const auto& [name, value] : plan.attributes) {
        add(now, name, value);
        if (const auto found = there.find(name); found != there.end()) add(before, name, found->second);
    }
    const auto config = there.find("config");
    return difference(plan.resolved + now, (config == there.end() ? "" : config->second) + before);
}

// Fault of the collected file that is there, or its difference from what would be collected now.
std::string otherwise(const Plan& plan, const Layout& at, const JournalSummary& past, const Status& status) {
    std::map<std::string, std::string> there;
    try {
        there = store::read(at.collected).attributes;
    } catch (const store::Error& error) {
        return error.what();
    }
    if (collected_is_current(plan, at, past, status, true)) return "it has stale cells as they are (--keep-stale)";
    std::vector<std::string> findings;
    if (const std::size_t cells = lacking(at, status); cells > 0)
        findings.push_back(fmt::format("it lacks {} of these cells", cells));
    if (const std::string facts = differing_facts(plan, there); !facts.empty()) findings.push_back(facts);
    if (findings.empty())
        findings.emplace_back(
            "it has these cells as they were before, or as another version of rfbench collected them");
    return fmt::format("{}", fmt::join(findings, "; "));
}

constexpr std::array states = {State::done, State::failed, State::damaged, State::stale, State::missing};

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

double Status::seconds() const {
    double sum = 0;
    for (const auto& cell : cells)
        if (cell.state == State::done) sum += cell.seconds;
    return sum;
}

Status cell_statuses(const Plan& plan, const Recipes& recipes, const store::CellStore& store,
                     const JournalSummary& history) {
    Status now;
    now.cells.reserve(plan.cells.size());
    for (const Cell& cell : plan.cells) now.cells.push_back(look(cell, recipes, store, history));
    return now;
}

Status status(const Plan& plan, const std::filesystem::path& results) {
    check(plan);
    const Layout at(results, plan);
    const JournalSummary past = history(at.folder);
    Status now = cell_statuses(plan, Recipes(plan), store::CellStore(at.cells), past);
    now.collected = collected_is_current(plan, at, past, now);
    if (!now.collected && std::filesystem::exists(at.collected)) now.result_file = otherwise(plan, at, past, now);
    return now;
}

bool collected_is_current(const Plan& plan, const Layout& at, const JournalSummary& past, const Status& status,
                          bool kept) {
    const store::Event& last = past.collected;
    return last.event == "collected" && last.identity == collection_identity(plan, status, kept) &&
           has_bytes(at.collected, last.sha256);
}

std::string collection_identity(const Plan& plan, const Status& status, bool kept) {
    store::Sha256 hash;
    // Every field with its length before it, so that no two lists of fields read the same.
    const auto add = [&](const std::string& field) {
        const std::string text = fmt::format("{}:{}\n", field.size(), field);
        hash.add(std::as_bytes(std::span(text)));
    };
    for (const auto& field : {plan.experiment, plan.config, plan.resolved, plan.data_hash}) add(field);
    add(std::to_string(plan.schema_version));
    for (const auto& axis : plan.axes) {
        for (const auto& field : {axis.name, axis.unit, axis.description}) add(field);
        if (const auto* numbers = std::get_if<std::vector<double>>(&axis.labels))
            // In hexadecimal every double has one text, which is exact.
            for (const double label : *numbers) add(fmt::format("{:a}", label));
        else
            for (const auto& label : std::get<std::vector<std::string>>(axis.labels)) add(label);
    }
    for (const auto& [key, value] : plan.attributes) add(key), add(value);
    // Takes the names of the provenance; its values are the cells', and this program's only if there is no cell.
    const bool of_cells = status.count(State::done) > 0 || (kept && status.count(State::stale) > 0);
    for (const auto& [key, value] : plan.provenance) add(key), add(of_cells ? "" : value);
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        const CellStatus& cell = status.cells[i];
        add(plan.cells[i].key);
        for (const auto coordinate : plan.cells[i].coordinates) add(std::to_string(coordinate));
        add(name(cell.state));
        // By the digest of its values: a cell that was computed again, and differs, makes another file.
        if (cell.state == State::done || (kept && cell.state == State::stale)) hash.add(cell.content);
        if (kept && cell.state == State::stale) add(cell.reason);
    }
    return hash.digest();
}

std::string table(const Plan& plan, const Status& status, std::size_t most) {
    std::string text = fmt::format("{}: {}", place(plan), counted(status.cells.size(), "cell"));
    for (const State state : states)
        if (status.count(state) > 0) text += fmt::format(", {} {}", status.count(state), name(state));
    text += fmt::format("; {} in cells; {}\n", duration(status.seconds()),
                        status.collected             ? "collected"
                        : status.result_file.empty() ? "not collected"
                                                     : "collected otherwise");
    // Cells that share a state and a reason are named by the first of them.
    std::map<std::pair<State, std::string>, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < status.cells.size(); ++i) {
        const CellStatus& cell = status.cells[i];
        if (cell.state != State::done && cell.state != State::missing) groups[{cell.state, cell.reason}].push_back(i);
    }
    std::size_t listed = 0;
    for (const auto& [what, cells] : groups) {
        if (listed++ == most) {
            text += fmt::format("  and {}\n", counted(groups.size() - most, "more reason"));
            break;
        }
        const std::string more = cells.size() > 1 ? fmt::format(" and {} more", cells.size() - 1) : "";
        std::string line = fmt::format("{:<8} {}{}{}{}", name(what.first), plan.cells[cells.front()].key, more,
                                       what.second.empty() ? "" : ": ", what.second);
        std::replace(line.begin(), line.end(), '\n', ' ');
        text += fmt::format("  {}\n", line);
    }
    if (!status.result_file.empty()) text += fmt::format("  result file: {}\n", status.result_file);
    return text;
}

std::string counts(const Plan& plan, const Status& status) {
    nlohmann::ordered_json counts = {{"experiment", plan.experiment}, {"config", plan.config}};
    if (!plan.profile.empty()) counts["profile"] = plan.profile;
    counts["cells"] = status.cells.size();
    for (const State state : states) counts[name(state)] = status.count(state);
    counts["collected"] = status.collected;
    if (!status.result_file.empty()) counts["result_file"] = status.result_file;
    counts["seconds"] = status.seconds();
    std::set<std::string> reasons;
    for (const CellStatus& cell : status.cells)
        if (cell.state == State::stale) reasons.insert(cell.reason);
    if (!reasons.empty()) counts["stale_since"] = reasons;
    return json_line(counts);
}

}  // namespace rfbench::engine
