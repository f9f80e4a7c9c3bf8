#include "training/orthogonal_heads.hpp"

namespace rfbench::experiments {

networks::Heads orthogonal_heads(const MethodChoice& choice, const networks::TransformerShape& shape, Index columns,
                                 const Stream& stream) {
    networks::Heads all;
    AttentionSize size{shape.positions, shape.width / shape.heads, choice.columns_within(columns)};
    for (Index h = 0; h < shape.layers * shape.heads; ++h) {
        size.layer = h / shape.heads;
        size.head = h % shape.heads;
        all.push_back(choice->layers()->layer(size, choice.scheme(sampling::find("orthogonal")),
                                              stream.child(static_cast<std::uint64_t>(h))));
    }
    return all;
}

}  // namespace rfbench::experiments
