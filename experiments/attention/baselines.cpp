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
    const Index bucket = std::max<Index>(1, columns / hashes);
    return attention::lsh_method(attention::draw_hashing(
        dimension, 2 * std::max<Index>(1, length / (2 * bucket)), hashes, stream));
}

}  // namespace rfbench::experiments
