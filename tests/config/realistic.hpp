#pragma once
// A configuration as experiments have them: its schema and a file.
#include <string>

#include "rfbench/config/load.hpp"

namespace rfbench::config {

inline Schema realistic_schema() {
    const Schema data = object({
        required("name", text(), "data set"),
        defaulted("rows", integer(1, 100000), "1024", "points drawn"),
        optional("scale", real(above(0).at_most(10)), "factor on the coordinates"),
    });
    const Schema mechanism = object({
        required("mechanism", one_of({"trigonometric", "positive", "generalized-exponential"}), "which"),
        optional("t", one_of({"+1", "-1"}), "sign"),
        optional("A", real(below(0.125)), "parameter"),
    });
    return object({
        required("experiment", one_of({"variance", "attention"}), "which experiment"),
        defaulted("seed", integer(0), "1", "of all streams"),
        defaulted("repeats", integer(1, 1000), "5", "draws a cell"),
        defaulted("paired", boolean(), "true", "same draws for all mechanisms"),
        optional("note", text(), "free text"),
        required("data", one_or_more(data), "inputs"),
        required("mechanisms",
                 one_or_more(any_of({one_of({"trigonometric", "positive", "generalized-exponential"}), mechanism})),
                 "what is compared"),
        defaulted("sampling", one_or_more(one_of({"iid", "orthogonal", "simplex"})), "[iid, orthogonal]", "draws"),
        required("sweep",
                 object({
                     required("gamma", numbers(above(0)), "bandwidths"),
                     defaulted("count", integers(1, 1 << 20), "{powers: [4, 64]}", "features"),
                     optional("angle", numbers(between(0, 180)), "degrees"),
                 }),
                 "axes"),
        defaulted("labels", map_of(text()), "{}", "axis names in figures"),
    });
}

inline const std::string realistic_text = R"(# Variance over bandwidth
experiment: variance
seed: 20240501
repeats: 5
paired: true
note: "thesis, figure 6.4 \u2014 'regimes'"
data:
  - {name: normal, rows: 1024}
  - name: digits
    scale: 0.5
mechanisms: [trigonometric, positive, {mechanism: generalized-exponential, A: -0.25, t: -1}]
sampling: [iid, orthogonal]
sweep:
  gamma: {linspace: [0.1, 1, 10]}
  count: &counts {powers: [4, 64]}
  angle: [0, 45, 90.5]
labels:
  gamma: |
    bandwidth
    (gamma)
  count: 'number of features'
profiles:
  smoke:
    repeats: 1
    sweep: {gamma: [0.1, 1], count: 4}
  tiny: {repeats: 2, data: {name: normal}}
)";

}  // namespace rfbench::config
