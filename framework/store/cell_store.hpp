#pragma once
// The cells of all sweeps, found by a digest of what their values depend on: packs in one folder, which any number of
// processes on any number of machines add to side by side.
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rfbench/store/dataset.hpp"
#include "rfbench/store/pack.hpp"

namespace rfbench::store {

/// Everything that the values of a cell depend on, "name: text", a line each: lines that the cells of a sweep share,
/// stored once a pack, and the cell's own.
struct StoredRecipe {
    std::string common, own;

    std::string whole() const { return common + own; }
};

/// Stored content of a cell.
struct StoredCell {
    StoredRecipe recipe;
    std::map<std::string, std::string> provenance;  ///< of the program that computed it
    Dataset data;
};

/// A digest is uniform, so its first eight bytes serve as the hash.
struct DigestHash {
    std::size_t operator()(const Digest&) const;
};

/// A record and the pack it is in.
struct Entry {
    std::size_t pack;
    Record record;
};

/// For one thread at a time.
class CellStore {
public:
    /// Reads what is there; a folder that does not exist is empty. Throws Error when a pack cannot be read.
    explicit CellStore(std::filesystem::path folder);

    /// The newest cell of this identity, or null.
    const Entry* find(const Digest& identity) const;
    /// The newest cell that was stored at a place, whatever its identity, or null.
    const Entry* newest_at(std::uint64_t place) const;

    /// Throws Error naming the pack when it cannot be read or its bytes are not those that were written.
    StoredCell read(const Entry&) const;
    /// Its recipe alone.
    StoredRecipe recipe(const Entry&) const;
    /// Throws Error if its bytes, or those that it shares with others, are not those that were written.
    void check_bytes(const Entry&) const;
    /// Whether these are its values to the bit, whichever program computed them. Throws Error as read() does.
    bool has_values(const Entry&, const Dataset&) const;

    /// Adds a cell, which is newer than all before it of its identity or place; commit() makes it and all before it
    /// last. What cells share (provenance, common lines of recipes, names and labels) is stored once a pack. Returns
    /// the digest of all that is stored of it.
    Digest add(const Digest& identity, std::uint64_t place, double seconds, const StoredCell&);
    void commit();
    std::size_t waiting() const { return writer_.waiting(); }
    /// Who copies many cells commits when more bytes wait.
    static constexpr std::size_t max_waiting = std::size_t{1} << 24;

    /// Takes over a cell of another store as it is.
    void copy(const CellStore& from, const Entry&);

    const std::unordered_map<Digest, Entry, DigestHash>& cells() const { return cells_; }
    const std::vector<std::filesystem::path>& packs() const { return packs_; }
    /// Faults of packs, a sentence each.
    const std::vector<std::string>& damaged() const { return damaged_; }
    /// Packs with bytes that are no records, without the end of their last one, or without any.
    const std::vector<std::filesystem::path>& faulty() const { return faulty_; }
    /// Packs without the end of their last record: it is being written, or its writer was stopped, or the file was cut.
    const std::vector<std::filesystem::path>& torn() const { return torn_; }
    /// Files without any record that are not called as packs are: somebody else's.
    const std::vector<std::filesystem::path>& foreign() const { return foreign_; }

    const std::filesystem::path& folder() const { return folder_; }

private:
    bool read_packs();
    void take(std::size_t pack, const Record&);
    void take_text(const Entry&);
    void note_damage(const std::filesystem::path& pack, const PackContents&);
    std::int64_t time_of_next(const Digest& identity, std::uint64_t place) const;
    std::size_t own_pack();
    std::string payload(const Entry&) const;
    const std::string& text(const Digest&) const;
    Digest store_text(std::string_view);

    std::filesystem::path folder_;
    std::vector<std::filesystem::path> packs_;
    std::vector<std::string> damaged_;
    std::vector<std::filesystem::path> faulty_, torn_, foreign_;
    std::unordered_map<Digest, Entry, DigestHash> cells_;
    std::unordered_map<Digest, std::vector<Entry>, DigestHash> texts_;  ///< all copies, the newest last
    std::unordered_map<std::uint64_t, Digest> places_;                  ///< of the newest cell there
    mutable std::unordered_map<Digest, std::string, DigestHash> read_texts_;
    mutable std::unique_ptr<PayloadReader> reader_;
    PackWriter writer_;
    std::optional<std::size_t> own_pack_;
    std::unordered_set<Digest, DigestHash> written_texts_;  ///< to the pack of our own
};

}  // namespace rfbench::store
