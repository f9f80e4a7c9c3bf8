#pragma once
#include <memory>

#include "rfbench/features/catalogue.hpp"

namespace rfbench::tests {

/// A mechanism fitted to the rows and drawn independently.
inline std::unique_ptr<features::FeatureMap> drawn(const char* name, const Points& rows, Index count,
                                                   std::uint64_t seed = 9) {
    const auto mechanism = features::fit(features::find(name), features::statistics(rows, rows));
    return mechanism->map(features::draw(*mechanism, rows.cols(), count, sampling::find("iid"), Stream(seed)));
}

}  // namespace rfbench::tests
