#pragma once
#include <stdexcept>
#include <string>

#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// Heads without parameters.
template <class Head>
class WithoutParameters : public HeadAttentionOf<Head> {
public:
    Index parameters() const override { return 0; }
    Vector start(const Stream&) const override { return {}; }

protected:
    /// Throws std::invalid_argument where there are parameters.
    template <class Scalar>
    static void check_none(const ColumnView<Scalar>& parameters) {
        if (parameters.size() > 0)
            throw std::invalid_argument("attention: " + std::to_string(parameters.size()) +
                                        " parameters for a method that has none");
    }
};

}  // namespace rfbench::training
