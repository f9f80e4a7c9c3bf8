#include "sources/stored_state.hpp"

namespace rfbench::experiments {

void add_state(store::Dataset& data, const networks::Trainer<float>::State& state) {
    const auto add = [&](const char* name, std::vector<double> values) {
        data.variables.push_back({name, {}, std::move(values), "", ""});
    };
    const auto numbers = [](const auto& column) { return std::vector<double>(column.begin(), column.end()); };
    add("weights", numbers(state.weights));
    add("mean", numbers(state.adam.mean));
    add("square", numbers(state.adam.square));
    add("scalars", {static_cast<double>(state.steps), state.adam.power1, state.adam.power2});
}

networks::Trainer<float>::State stored_state(const store::Dataset& data) {
    const auto column = [&](const char* name) -> networks::Column<float> {
        const auto& all = data.variable(name).values;
        return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size())).cast<float>();
    };
    const auto& scalars = data.variable("scalars").values;
    return {
        static_cast<int>(scalars[0]), column("weights"), {column("mean"), column("square"), scalars[1], scalars[2]}};
}

}  // namespace rfbench::experiments
