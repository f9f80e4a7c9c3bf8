#include "attention/baselines.hpp"

#include <algorithm>

#include "rfbench/attention/linformer.hpp"

namespace rfbench::experiments {

const std::vector<std::string>& baseline_names() {
    static const std::vector<std::string> all{"linear-transformer", "linformer", "lsh", "nystrom"};
    return all;
}

std::unique_ptr<attention::Method> baseline(const std::string& name, Index length, Index dimension, Index columns,
                                            const Stream& stream) {
    if (name == "linformer") return attention::linformer_method(attention::random_compression(columns, length, stream));
    if (name == "nystrom") return attention::nystrom_method(std::min(columns, length));
    if (name == "linear-transformer") return attention::linear_transformer_method(dimension);
    constexpr Index hashes = 4;
    return lsh_of_buckets(length, dimension, std::max<Index>(1, columns / hashes), hashes, stream);
}

std::unique_ptr<attention::Method> lsh_of_buckets(Index length, Index dimension, Index bucket, Index hashes,
                                                  const Stream& stream) {
    const Index buckets = 2 * std::max<Index>(1, length / (2 * bucket));
    return attention::lsh_method(attention::draw_hashing(dimension, buckets, hashes, stream));
}

}  // namespace rfbench::experiments
