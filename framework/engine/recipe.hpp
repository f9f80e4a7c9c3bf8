#pragma once
// Recipe of a cell, everything that its values depend on, and the digest by which they are known: whoever computed
// them, where and when.
#include <cstdint>
#include <string>
#include <vector>

#include "rfbench/engine/plan.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::engine {

/// The recipes of a plan's cells. A recipe has the plan's common lines, then for each axis its name and the label, and
/// the lines of the label's content with the axis' name before them.
class Recipes {
public:
    explicit Recipes(const Plan&);

    /// The lines that all cells share.
    const std::string& common() const { return common_; }
    /// The lines of the cell's own.
    std::string own(const Cell&) const;
    /// SHA-256 of both recipes: the shared one and the cell's own.
    store::Digest identity(const Cell&) const;
    /// Hash of a cell's place, the plan's folder and the cell's key, whatever its values depend on.
    std::uint64_t place(const Cell&) const;

private:
    std::string common_, folder_;
    store::Digest of_common_;
    std::vector<std::vector<std::string>> lines_;  ///< by axis and label
};

/// The digest that such a recipe has: of the lines in common and of the cell's own.
store::Digest identity(const std::string& common, const std::string& own);

/// The line that a recipe has whose values are times of a machine: computing them again gives others.
inline constexpr const char* measured_line = "measured: ";
bool is_measured(const std::string& recipe);

/// In which lines a recipe differs from an earlier one: "seed: 2 (was 1)", joined by "; ". Digests are not written out,
/// and of a long line no more than what differs.
std::string difference(const std::string& now, const std::string& before);

}  // namespace rfbench::engine
