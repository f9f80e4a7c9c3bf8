#pragma once
// Maps that learned/match trains, in a result file, for tests of the studies that read them.
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "configuration.hpp"
#include "datasets/scene.hpp"
#include "learned/methods.hpp"
#include "learned/studies.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/engine/run.hpp"
#include "rfbench/store/hdf5_file.hpp"

namespace rfbench::trained_maps {

using namespace rfbench::experiments;

constexpr Index d = 3;

inline const char* const training =
    "experiment: learned\nstudy: match\n"
    "methods: [positive, {name: learned, label: positive out, output: elu+1, channels: 4, hidden: 3, envelope: "
    "channels}, "
    "{name: learned, label: 'signed, small', output: identity, activation: tanh, channels: 2, projections: 3}, "
    "{name: bank, label: waves, functions: [cos, tanh]}]\n"
    "length: 12\ndimension: 3\ncolumns: 8\nscales: [0.5, 1]\ntraining: 6\nheld_out: 2\nsteps: 12\nrate: 0.02\nsamples: "
    "2\n";

inline config::Value parsed(const Study& study, const std::string& yaml) {
    return config::parse("experiment: " + study.experiment + "\nstudy: " + study.name + "\n" + yaml, "test.yaml",
                         schema_of(study));
}

/// The result of a configuration, by the way that `rfbench run` takes.
inline std::string run(const Study& study, const config::Value& config, const scene::Folder& folder) {
    const Sweep sweep = study.prepare(config);
    engine::Options options;
    options.folder = folder.path();
    options.progress = engine::ProgressMode::quiet;
    return engine::run(plan({&study, "small", "test.yaml", config}, sweep, {}), sweep.compute, options)
        .collected.string();
}

inline store::Dataset collected(const Study& study, const config::Value& config, const scene::Folder& folder) {
    return store::read(run(study, config, folder));
}

/// The maps of `training`, in a folder of their own.
struct Trained {
    scene::Folder folder;
    config::Value config = config::parse(training, "training.yaml", schema_of(match_study()));
    Sweep sweep = match_study().prepare(config);
    std::string file = run(match_study(), config, folder);

    /// The map of a cell as training left it, computed again and not read.
    features::LearnedMap map(std::size_t scale, std::size_t method, std::size_t sample) const {
        for (const engine::Cell& cell : sweep.cells)
            if (cell.coordinates == std::vector<std::size_t>{scale, method, sample}) {
                const auto all = sweep.compute(cell).variable("head_parameters").values;
                const Method own = methods(config)[method];
                features::MapShape shape = own.shape;
                shape.dimension = d;
                return own.map(d, Eigen::Map<const Vector>(all.data(), shape.parameters()));
            }
        throw std::logic_error("no such cell");
    }
};

template <class Call>
std::string refused(Call call) {
    try {
        call();
    } catch (const config::Error& error) {
        return error.what();
    }
    return {};
}

inline void says(const std::string& text, const std::string& part) {
    INFO("said: " << text << "\nnot:  " << part);
    CHECK(text.find(part) != std::string::npos);
}

}  // namespace rfbench::trained_maps
