#pragma once
#include "method.hpp"

namespace rfbench::experiments {

/// A method that gives outputs and nothing else.
class Baseline : public Method {
public:
    explicit Baseline(bool causal) : causal_(causal) {}
    bool can(Ability what) const override { return what == Ability::attention || (causal_ && what == Ability::causal); }

private:
    bool causal_;
};

}  // namespace rfbench::experiments
