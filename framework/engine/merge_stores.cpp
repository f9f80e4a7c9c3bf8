#include "rfbench/engine/merge_stores.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rfbench/engine/recipe.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/error.hpp"

namespace rfbench::engine {
namespace {

std::string of_cell(const store::CellStore& store, const store::Entry& entry) {
    std::string recipe = store.recipe(entry).whole();
    std::replace(recipe.begin(), recipe.end(), '\n', ';');
    return recipe;
}

[[noreturn]] void refuse(const store::CellStore& a, const store::Entry& in_a, const store::CellStore& b,
                         const store::Entry& in_b) {
    throw FileError(fmt::format(
        "two cells have one identity and other values, and nothing is taken: in {} and in {}. One of the two was not "
        "computed as it says, or on a broken machine; compute it again with --fresh where it is wrong. It is the cell: "
        "{}",
        a.packs().at(in_a.pack).string(), b.packs().at(in_b.pack).string(), of_cell(a, in_a)));
}

// Digests cover what computed the cell, too: where they differ the values are compared.
bool differ(const store::CellStore& a, const store::Entry& in_a, const store::CellStore& b, const store::Entry& in_b) {
    return in_a.record.content != in_b.record.content && !is_measured(a.recipe(in_a).common) &&
           !a.has_values(in_a, b.read(in_b).data);
}

std::vector<const store::Entry*> sorted(const store::CellStore& store) {
    std::vector<const store::Entry*> all;
    for (const auto& [identity, entry] : store.cells()) all.push_back(&entry);
    std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->record.identity < b->record.identity; });
    return all;
}

}  // namespace

MergeSummary merge_stores(const store::CellStore& from, store::CellStore& to) {
    MergeSummary result;
    result.damaged = from.damaged();
    // First all that both have is compared: nothing is taken before it is known that nothing is refused.
    std::vector<const store::Entry*> fresh;
    for (const store::Entry* entry : sorted(from)) {
        const store::Entry* ours = to.find(entry->record.identity);
        if (!ours) {
            fresh.push_back(entry);
            continue;
        }
        ++result.there;
        try {
            if (differ(to, *ours, from, *entry)) refuse(to, *ours, from, *entry);
        } catch (const store::Error& error) {
            result.damaged.push_back(error.what());
        }
    }
    for (const store::Entry* entry : fresh) {
        try {
            // A store from elsewhere may claim any identity: that of the recipe is computed here.
            const store::StoredRecipe recipe = from.read(*entry).recipe;
            if (identity(recipe.common, recipe.own) != entry->record.identity)
                throw store::Error(fmt::format("{}: the identity of the cell at byte {} is not that of its recipe",
                                               from.packs().at(entry->pack).string(), entry->record.offset));
            to.copy(from, *entry);
            ++result.taken;
        } catch (const store::Error& error) {
            result.damaged.push_back(error.what());
        }
        if (to.waiting() > store::CellStore::max_waiting) to.commit();
    }
    to.commit();
    return result;
}

}  // namespace rfbench::engine
