// The least that a prediction is compared with.
#include "rfbench/regression/kernel_regression.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {
namespace {

class Majority final : public Method, public Predictor {
public:
    const Predictor* predictor() const override { return this; }
    std::vector<regression::Predictions> predict(const regression::ClassifiedRows& training, const Points& rows,
                                                 const std::vector<double>& gammas) const override {
        return std::vector<regression::Predictions>(gammas.size(), regression::majority(training, rows.rows()));
    }
};

}  // namespace

std::vector<MethodInfo> majority_methods() {
    return {
        {.name = "majority",
         .summary = "the class of most training rows",
         .reference = "none: the least there is to beat",
         .keys = {},
         .abilities = abilities_of(Majority()),
         .drawn = false,
         .budgeted = false,
         .make = [](const config::Value&) -> std::shared_ptr<const Method> { return std::make_shared<Majority>(); }}};
}

}  // namespace rfbench::experiments
