// Verbs about methods, data and the program itself.
#include <cstdint>
#include <limits>
#include <memory>

#include "command_line.hpp"
#include "shared_options.hpp"
#include "verb.hpp"

namespace rfbench::cli {
namespace {

Run list_verb(CLI::App& app) {
    struct Given {
        std::string what;
        Selection selection;
    };
    const auto given = std::make_shared<Given>();
    app.add_option("what", given->what, "list only these")
        ->check(one_of({"experiments", "mechanisms", "samplings", "methods", "datasets"}));
    add_plugins(app, given->selection.plugins);
    return [given] { return list(given->what, with_configs(given->selection).configs); };
}

Run describe_verb(CLI::App& app) {
    struct Given {
        std::string name;
        std::vector<std::filesystem::path> plugins;
    };
    const auto given = std::make_shared<Given>();
    app.add_option("name", given->name, "its name, such as optimal-positive, FAVOR+, variance/regimes or points")
        ->required()
        ->type_name("NAME");
    add_plugins(app, given->plugins);
    return [given] { return describe(given->name); };
}

Run inspect_verb(CLI::App& app) {
    struct Given : InspectOptions {
        std::vector<std::filesystem::path> plugins;
    };
    const auto given = std::make_shared<Given>();
    app.add_option("mechanism", given->mechanism, "its name")->required()->type_name("MECHANISM");
    app.add_option("--x", given->x, "x, as in 0.5,-0.25");
    app.add_option("--y", given->y, "y, as many numbers as x");
    app.add_option("--x-file", given->x_file, "points x: text, ARFF, LIBSVM, .npy, .npz or HDF5 (file.h5:/dataset)")
        ->type_name("FILE");
    app.add_option("--y-file", given->y_file, "points y, in the same formats")->type_name("FILE");
    app.add_flag("--all-pairs", given->all_pairs,
                 "all pairs of the files; by default four million random pairs if there are more than 16.8 million");
    app.add_option("--omega", given->omega, "one omega, at which features are evaluated");
    add_settings(app, given->settings, "PARAMETER=VALUE instead of the optimum");
    app.add_option("--count", given->count, "number M of draws of the estimator");
    app.add_option("--sampling", given->sampling, "sampling of the draws")
        ->type_name("SAMPLING")
        ->capture_default_str();
    add_plugins(app, given->plugins);
    return [given] { return inspect(*given); };
}

Run inspect_data_verb(CLI::App& app) {
    struct Given {
        std::string x, y;
        bool attention = false;
    };
    const auto given = std::make_shared<Given>();
    app.add_option("file", given->x, "points, queries: text, ARFF, LIBSVM, .npy, .npz or HDF5 (file.h5:/dataset)")
        ->required()
        ->type_name("FILE");
    app.add_option("--y", given->y, "keys; if not given, every second row of the points is a key")->type_name("FILE");
    app.add_flag("--attention", given->attention,
                 "points are queries and keys: exp(q.k / sqrt d), not exp(-|x - y|^2 / 2)");
    return [given] { return inspect_data(given->x, given->y, given->attention); };
}

Run features_verb(CLI::App& app) {
    struct Given : FeaturesOptions {
        std::vector<std::filesystem::path> plugins;
    };
    const auto given = std::make_shared<Given>();
    app.add_option("method", given->method, "its name, or '{use: NAME, ...}' as in a list of methods")
        ->type_name("METHOD");
    app.add_option("--map", given->map, "a .h5 file of features: its map is applied to these points")
        ->type_name("FILE");
    app.add_option("--x", given->x, "points of queries: text, ARFF, LIBSVM, .npy, .npz or HDF5 (file.h5:/dataset)")
        ->required()
        ->type_name("FILE");
    app.add_option("--y", given->y, "points of keys, if not the same")->type_name("FILE");
    add_settings(app, given->settings, "PARAMETER=VALUE instead of the optimum");
    app.add_option("--columns", given->columns, "real feature columns, at most (one draw at least); 64 if not given")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--sampling", given->sampling, "sampling of the draws, iid if not given")->type_name("SAMPLING");
    app.add_option("--seed", given->seed, "seed of the draws; 1 if not given")
        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
    app.add_option("--out", given->out, "file to write: .h5, or .npy for a file for each array")
        ->required()
        ->type_name("FILE");
    add_plugins(app, given->plugins);
    return [given] { return features(*given); };
}

Run look_verb(CLI::App& app) {
    struct Given {
        std::string name, family;
        std::vector<std::filesystem::path> plugins;
    };
    const auto given = std::make_shared<Given>();
    app.add_option("name", given->name, "a mechanism or a sampling; another name with --family")
        ->required()
        ->type_name("MECHANISM");
    app.add_option("--family", given->family, "family in framework/drawing/looks.json; by its kind if not given");
    add_plugins(app, given->plugins);
    return [given] { return look(given->name, given->family); };
}

Run data_verb(CLI::App& app) {
    struct Given : AddOptions {
        std::string action;
        std::vector<std::string> names;
    };
    const auto given = std::make_shared<Given>();
    app.add_option("action", given->action, "list, describe, verify, fetch or add")
        ->required()
        ->check(one_of({"list", "describe", "verify", "fetch", "add"}));
    app.add_option("names", given->names,
                   "data sets, or your files to describe or to add; all if none (fetch and add need one)")
        ->type_name("DATASET");
    app.add_option("--label", given->label, "add: the column that is the class");
    app.add_option("--categories", given->categories, "add: columns of numbers that are categories, as in doors,year")
        ->delimiter(',');
    app.add_option("--ignored", given->ignored, "add: columns that are not read")->delimiter(',');
    app.add_option("--name", given->name, "add: name of the data set; the file's if not given");
    return [given] { return data(given->action, given->names, *given); };
}

Run completion_verb(CLI::App& app) {
    const auto shell = std::make_shared<std::string>();
    app.add_option("shell", *shell, "bash or zsh")->required()->type_name("SHELL");
    return [shell, &app] { return completion(*shell, known_verbs(*app.get_parent())); };
}

}  // namespace

std::vector<Verb> method_verbs() {
    return {
        {"list", "lists experiments, mechanisms, samplings, methods and data sets", list_verb},
        {"describe",
         "describes one mechanism, sampling, method, experiment, study, configuration, key of inputs or data set",
         describe_verb},
        {"inspect", "evaluates a mechanism at one pair or two sets of points, as JSON", inspect_verb},
        {"inspect-data", "describes your points or heads, and the variance of features on them", inspect_data_verb},
        {"features", "writes the features of your points, and how they were drawn", features_verb},
        {"look", "proposes a free colour and mark for a new mechanism", look_verb},
        {"data", "lists, describes, verifies, fetches or adds data sets", data_verb},
        {"completion", "prints a completion script", completion_verb},
    };
}

}  // namespace rfbench::cli
