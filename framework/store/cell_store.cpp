#include "rfbench/store/cell_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "rfbench/store/dataset_bytes.hpp"
#include "rfbench/store/error.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

// A cell's payload: the digests of two texts that cells share (recipe's beginning and provenance; frame), then what is
// the cell's own, the rest of its recipe and its values.
struct Parts {
    Digest origin{}, frame{};
    std::string recipe;
    std::string_view values;
};

std::string_view as_text(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

std::string joined(const Parts& parts) {
    std::string payload(as_text(parts.origin));
    payload += as_text(parts.frame);
    const std::string recipe = text_bytes({parts.recipe});
    const std::uint64_t size = recipe.size();
    payload.append(reinterpret_cast<const char*>(&size), sizeof size);
    return payload.append(recipe).append(parts.values);
}

Parts parts_of(std::string_view payload) {
    constexpr std::size_t digests = 2 * sizeof(Digest), begin = digests + sizeof(std::uint64_t);
    if (payload.size() < begin) throw Error("a stored cell ends too early");
    Parts parts;
    std::memcpy(parts.origin.data(), payload.data(), sizeof(Digest));
    std::memcpy(parts.frame.data(), payload.data() + sizeof(Digest), sizeof(Digest));
    std::uint64_t size = 0;
    std::memcpy(&size, payload.data() + digests, sizeof size);
    // Compared by a difference: a wrong size could overflow a sum.
    if (size > payload.size() - begin) throw Error("a stored cell ends too early");
    const auto recipe = texts_from(payload.substr(begin, size));
    if (recipe.size() != 1) throw Error("a stored cell has no recipe");
    parts.recipe = recipe.front();
    parts.values = payload.substr(begin + size);
    return parts;
}

// The time after that of a record; that of the last moment has none.
std::int64_t next(const Entry& before) {
    return before.record.time == std::numeric_limits<std::int64_t>::max() ? before.record.time : before.record.time + 1;
}

std::string origin_bytes(const std::string& recipe, const std::map<std::string, std::string>& provenance) {
    std::vector<std::string> texts{recipe};
    for (const auto& [name, value] : provenance) texts.push_back(name), texts.push_back(value);
    return text_bytes(texts);
}

}  // namespace

std::size_t DigestHash::operator()(const Digest& digest) const {
    std::size_t value = 0;
    std::memcpy(&value, digest.data(), sizeof value);
    return value;
}

CellStore::CellStore(fs::path folder) : folder_(std::move(folder)), writer_(folder_) {
    std::error_code problem;
    if (!fs::is_directory(folder_, problem)) return;
    constexpr int max_readings = 100;
    for (int readings = 1; !read_packs(); ++readings)
        if (readings == max_readings) throw Error(folder_.string() + ": packs of cells keep going away");
}

/// False where another process mends or prunes a pack meanwhile, whose cells are in a newer one then.
bool CellStore::read_packs() {
    packs_.clear(), damaged_.clear(), faulty_.clear(), torn_.clear(), foreign_.clear();
    cells_.clear(), texts_.clear(), places_.clear();
    for (const auto& file : fs::directory_iterator(folder_))
        if (file.path().extension() == pack_extension) packs_.push_back(file.path());
    // Sorted, so that among cells stored at one moment the last pack wins, in whatever order the folder is read.
    std::sort(packs_.begin(), packs_.end());
    for (std::size_t i = 0; i < packs_.size(); ++i) {
        try {
            const PackContents contents = read_pack(packs_[i]);
            for (const Record& record : contents.records) take(i, record);
            note_damage(packs_[i], contents);
        } catch (const Error&) {
            std::error_code ignored;
            if (fs::exists(fs::symlink_status(packs_[i], ignored))) throw;
            return false;
        }
    }
    return true;
}

void CellStore::note_damage(const fs::path& pack, const PackContents& contents) {
    for (const auto& gap : contents.damaged)
        damaged_.push_back(
            fmt::format("{}: {} bytes from byte {} are no records", pack.string(), gap.size, gap.offset));
    // Files without any record are not removed unless they are called as packs are.
    const bool empty = contents.records.empty();
    if (empty && contents.damaged.empty())
        damaged_.push_back(pack.string() + ": it has no record; it was cut or emptied");
    if (contents.torn && !empty) torn_.push_back(pack);
    if (!contents.damaged.empty() || contents.torn || empty)
        (empty && !has_name_of_pack(pack) ? foreign_ : faulty_).push_back(pack);
}

/// Copies of a text, each pack's own: a damaged one has others beside it.
void CellStore::take_text(const Entry& entry) {
    auto& copies = texts_[entry.record.identity];
    copies.insert(std::upper_bound(copies.begin(), copies.end(), entry,
                                   [](const Entry& a, const Entry& b) { return a.record.time < b.record.time; }),
                  entry);
}

void CellStore::take(std::size_t pack, const Record& record) {
    if (record.kind != RecordKind::cell) return take_text({pack, record});
    // The newest record of an identity counts, and the newest cell at a place; at equal `time` the later pack
    // counts.
    const auto [at, fresh] = cells_.try_emplace(record.identity, Entry{pack, record});
    if (!fresh && record.time >= at->second.record.time) at->second = {pack, record};
    const auto [there, first] = places_.try_emplace(record.place, record.identity);
    if (!first && record.time >= cells_.at(there->second).record.time) there->second = record.identity;
}

const Entry* CellStore::find(const Digest& identity) const {
    const auto found = cells_.find(identity);
    return found == cells_.end() ? nullptr : &found->second;
}

const Entry* CellStore::newest_at(std::uint64_t place) const {
    const auto found = places_.find(place);
    return found == places_.end() ? nullptr : find(found->second);
}

// Cells that are read one after the other are mostly in one pack, which stays open meanwhile.
std::string CellStore::payload(const Entry& entry) const {
    const fs::path& pack = packs_.at(entry.pack);
    if (!reader_ || reader_->pack() != pack) reader_ = std::make_unique<PayloadReader>(pack);
    return reader_->read(entry.record);
}

const std::string& CellStore::text(const Digest& digest) const {
    const auto known = read_texts_.find(digest);
    if (known != read_texts_.end()) return known->second;
    const auto found = texts_.find(digest);
    if (found == texts_.end()) throw Error("a text that stored cells share is gone");
    for (auto copy = found->second.rbegin();; ++copy) {
        try {
            return read_texts_[digest] = payload(*copy);
        } catch (const Error&) {
            if (std::next(copy) == found->second.rend()) throw;
        }
    }
}

StoredCell CellStore::read(const Entry& entry) const {
    const std::string bytes = payload(entry);
    try {
        const Parts parts = parts_of(bytes);
        const std::vector<std::string> origin = texts_from(text(parts.origin));
        if (origin.size() % 2 == 0) throw Error("a stored provenance has a name without a value");
        StoredCell cell{{origin.front(), parts.recipe}, {}, dataset_from(text(parts.frame), parts.values)};
        for (std::size_t i = 1; i < origin.size(); i += 2) cell.provenance[origin[i]] = origin[i + 1];
        check(cell.data);
        return cell;
    } catch (const std::exception& problem) {
        throw Error(fmt::format("cannot read the cell at byte {} of {}: {}", entry.record.offset,
                                packs_.at(entry.pack).string(), problem.what()));
    }
}

StoredRecipe CellStore::recipe(const Entry& entry) const {
    const std::string bytes = payload(entry);
    const Parts parts = parts_of(bytes);
    return {texts_from(text(parts.origin)).at(0), parts.recipe};
}

void CellStore::check_bytes(const Entry& entry) const {
    const std::string bytes = payload(entry);
    const Parts parts = parts_of(bytes);
    text(parts.origin), text(parts.frame);
}

bool CellStore::has_values(const Entry& entry, const Dataset& data) const {
    const std::string bytes = payload(entry);
    const Parts parts = parts_of(bytes);
    return parts.frame == digest(frame_bytes(data)) && parts.values == value_bytes(data);
}

std::size_t CellStore::own_pack() {
    if (!own_pack_) {
        // The pack has a number before it has a name, which the first commit gives it.
        own_pack_ = packs_.size();
        packs_.emplace_back();
    }
    return *own_pack_;
}

// The clock may be behind that of whoever stored a cell before: all the same it is newer, for later readers too.
std::int64_t CellStore::time_of_next(const Digest& identity, std::uint64_t place) const {
    std::int64_t time = nanoseconds_now();
    for (const Entry* before : {find(identity), newest_at(place)})
        if (before != nullptr) time = std::max(time, next(*before));
    return time;
}

Digest CellStore::store_text(std::string_view text) {
    const Digest identity = digest(text);
    // Asked of our own pack alone: each pack has all texts of its cells, so that others can be removed.
    if (written_texts_.contains(identity)) return identity;
    const auto before = texts_.find(identity);
    const std::int64_t time = std::max(nanoseconds_now(), before == texts_.end() ? 0 : next(before->second.back()));
    const Record record = writer_.append({.kind = RecordKind::text, .identity = identity, .time = time}, text);
    take(own_pack(), record);
    written_texts_.insert(identity);  // known as written once it is, whatever fails before
    return identity;
}

Digest CellStore::add(const Digest& identity, std::uint64_t place, double seconds, const StoredCell& cell) {
    check(cell.data);
    Parts parts;
    parts.origin = store_text(origin_bytes(cell.recipe.common, cell.provenance));
    parts.frame = store_text(frame_bytes(cell.data));
    parts.recipe = cell.recipe.own;
    const std::string values = value_bytes(cell.data);
    parts.values = values;
    const Record record = writer_.append(
        {.identity = identity, .place = place, .seconds = seconds, .time = time_of_next(identity, place)},
        joined(parts));
    take(own_pack(), record);
    return record.content;
}

void CellStore::commit() {
    writer_.commit();
    if (own_pack_) packs_[*own_pack_] = writer_.path();
}

void CellStore::copy(const CellStore& from, const Entry& entry) {
    const std::string bytes = from.payload(entry);
    const Parts parts = parts_of(bytes);
    // The payload names its texts by their digests, and is taken over byte by byte.
    store_text(from.text(parts.origin));
    store_text(from.text(parts.frame));
    take(own_pack(), writer_.append(entry.record, bytes));
}

}  // namespace rfbench::store
