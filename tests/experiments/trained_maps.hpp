#pragma once
// Maps that learned/match trains, in a result file, for tests of the studies that read them.
#include <string>

#include "catch.hpp"
#include "learned/layers.hpp"
#include "parsed.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/engine/run.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "support/temporary_folder.hpp"

namespace rfbench::trained_maps {

using namespace rfbench::experiments;

constexpr Index d = 3;

inline const Study& match() { return find("learned", "match"); }

inline const std::string training =
    "methods: [positive, {use: luna, label: positive out, output: elu+1, channels: 4, hidden: 3, envelope: channels}, "
    "{use: luna, label: 'signed, small', output: identity, activation: tanh, channels: 2, projections: 3}, "
    "{use: luna, label: waves, functions: [cos, tanh]}]\n"
    "length: 12\ndimension: 3\ncolumns: 8\nscales: [0.5, 1]\ntraining: 6\nheld_out: 2\nsteps: 12\nrate: 0.02\n"
    "repeats: 2\n";

/// The result of a configuration, by the way that `rfbench run` takes.
inline std::string run(const Study& study, const config::Value& config, const tests::TemporaryFolder& folder) {
    const Sweep sweep = study.prepare(config);
    engine::Options options;
    options.folder = folder.path();
    options.progress = engine::ProgressMode::quiet;
    return engine::run(
               plan({&study, "small", "test.yaml", config}, sweep, {}),
               [&](const engine::Cell& cell) { return computed(sweep, cell); }, options)
        .collected.string();
}

inline store::Dataset collected(const Study& study, const config::Value& config, const tests::TemporaryFolder& folder) {
    return store::read(run(study, config, folder));
}

/// The maps of `training`, in a folder of their own.
struct Trained {
    tests::TemporaryFolder folder;
    config::Value config = parsed(match(), training);
    Sweep sweep = match().prepare(config);
    std::string file = run(match(), config, folder);

    /// The map of a cell as training left it, computed again and not read.
    features::LearnedMap map(std::size_t scale, std::size_t method, std::size_t repeat) const {
        const auto all = computed(sweep, {"", {scale, method, repeat}}).variable("head_parameters").values;
        const Layers layers(config);
        const features::MapShape shape = *layers.trained(layers.axis().values[method]);
        return {shape, Eigen::Map<const Vector>(all.data(), shape.parameters())};
    }
};

inline void says(const std::string& text, const std::string& part) {
    INFO("said: " << text << "\nnot:  " << part);
    CHECK(text.find(part) != std::string::npos);
}

}  // namespace rfbench::trained_maps
