#pragma once
#include "study/method.hpp"

namespace rfbench::experiments {

/// A method that gives outputs and nothing else.
class Baseline : public Method, public Outputs {
public:
    explicit Baseline(bool causal) : causal_(causal) {}
    const Outputs* outputs() const override { return this; }
    bool attends_causally() const override { return causal_; }

private:
    bool causal_;
};

}  // namespace rfbench::experiments
