#include "rfbench/engine/result_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "rfbench/engine/collect.hpp"
#include "rfbench/engine/journal_summary.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/journal.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::engine {

ResultFile::ResultFile(const Plan& plan, const Layout& at, const Recipes& recipes, const store::CellStore& store,
                       Status& status, bool keep_stale)
    : plan_(plan), at_(at), recipes_(recipes), store_(store), status_(status), keep_stale_(keep_stale) {}

bool ResultFile::collects(std::size_t cell) const {
    const State state = status_.cells[cell].state;
    return state == State::done || (state == State::stale && keep_stale_);
}

const store::Entry& ResultFile::entry(std::size_t cell) const {
    const CellStatus& status = status_.cells[cell];
    // A stale cell has another identity than the plan asks for: it is found by its place.
    return *(status.state == State::stale ? store_.newest_at(recipes_.place(plan_.cells[cell]))
                                          : store_.find(status.identity));
}

store::Dataset ResultFile::read(std::size_t cell) const {
    store::StoredCell stored = store_.read(entry(cell));
    stored.data.attributes.insert(stored.provenance.begin(), stored.provenance.end());
    return std::move(stored.data);
}

// Names the stale cells that are kept, and why they are stale.
void ResultFile::mark_stale(store::Dataset& whole) const {
    std::set<std::string> reasons;
    for (const CellStatus& cell : status_.cells)
        if (cell.state == State::stale) reasons.insert(cell.reason);
    if (reasons.empty()) return;
    whole.attributes["stale_cells"] = std::to_string(status_.count(State::stale));
    whole.attributes["stale_since"] = fmt::format("{}", fmt::join(reasons, "\n"));
}

store::Dataset ResultFile::collected() const {
    std::vector<bool> absent;
    for (std::size_t i = 0; i < plan_.cells.size(); ++i) absent.push_back(!collects(i));
    store::Dataset whole = collect(plan_, absent, [&](std::size_t i) { return read(i); });
    if (keep_stale_) mark_stale(whole);
    return whole;
}

// From which cells it was collected, for whoever asks which are needed.
std::string ResultFile::list() const {
    std::string text;
    for (std::size_t i = 0; i < plan_.cells.size(); ++i)
        if (collects(i)) text += store::hex(entry(i).record.identity) + "\n";
    return text;
}

bool ResultFile::is_current() const {
    const JournalSummary past = history(at_.folder);
    if (!collected_is_current(plan_, at_, past, status_, keep_stale_)) return false;
    try {
        // A file that no list names cannot be verified: it is made again, and its list with it.
        const store::Checksums listed = store::read_checksums(at_.folder);
        const auto sum = listed.find(past.collected.file);
        return sum != listed.end() && sum->second == past.collected.sha256 && listed.contains(cell_list);
    } catch (const store::Error&) {
        return false;  // a list that is damaged is made again
    }
}

std::filesystem::path ResultFile::make(const std::filesystem::path& folder) {
    std::filesystem::path file = folder / at_.collected.filename();
    made_ = store::write(file, collected());
    // The list changes with the file: prune() keeps what lists name.
    store::write_file(folder / cell_list, list());
    return file;
}

bool ResultFile::is_other() const {
    return !std::filesystem::exists(at_.collected) || store::sha256_file(at_.collected) != made_;
}

void ResultFile::report() {
    store::Event event;
    event.event = "collected";
    event.file = at_.collected.lexically_relative(at_.folder).generic_string();
    event.sha256 = made_;
    event.identity = collection_identity(plan_, status_, keep_stale_);
    event.seconds = status_.seconds() / double(std::max<std::size_t>(1, status_.count(State::done)));
    store::append(at_.journal, event);
    status_.collected = true;
}

std::vector<std::size_t> ResultFile::failing(const std::function<void(std::size_t)>& look) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < plan_.cells.size(); ++i) {
        if (!collects(i)) continue;
        try {
            look(i);
        } catch (const store::Error& error) {
            status_.cells[i].state = State::damaged;
            status_.cells[i].reason = error.what();
            found.push_back(i);
        }
    }
    return found;
}

std::vector<std::size_t> ResultFile::damaged() {
    return failing([&](std::size_t i) { read(i); });
}

std::vector<std::size_t> ResultFile::changed() {
    return failing([&](std::size_t i) { store_.check_bytes(entry(i)); });
}

}  // namespace rfbench::engine
