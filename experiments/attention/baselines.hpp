#pragma once
#include <memory>
#include <string>
#include <vector>

#include "rfbench/attention/methods.hpp"

namespace rfbench::experiments {

/// linear-transformer, linformer, lsh, nystrom: they estimate softmax attention's output, if anything, and no kernel.
const std::vector<std::string>& baseline_names();

/// The baseline at about the cost of linear attention with so many real columns: linformer mixes keys to so many rows,
/// nystrom has so many landmarks, and a query of lsh meets so many keys, in 4 hashes. linear-transformer has d columns.
std::unique_ptr<attention::Method> baseline(const std::string& name, Index length, Index dimension, Index columns,
                                            const Stream&);

/// LSH whose buckets hold `bucket` tokens on the average.
std::unique_ptr<attention::Method> lsh_of_buckets(Index length, Index dimension, Index bucket, Index hashes,
                                                  const Stream&);

}  // namespace rfbench::experiments
