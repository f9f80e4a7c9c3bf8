#include "rfbench/plugin/plugin.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>

#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/function_mechanism.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/process/conversation.hpp"
#include "rfbench/process/python.hpp"
#include "rfbench/version.hpp"

namespace rfbench::plugin {
namespace {

using Json = nlohmann::json;
using process::Conversation;

/// The first Python that has the package. Throws FileError where none has.
std::string python_with_package() {
    const std::vector<std::string> all = process::pythons();
    for (const std::string& python : all) {
        const char* const look = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('rfbench'))";
        const auto outcome = process::run({.program = python, .arguments = {"-c", look}});
        if (outcome && outcome->exit_code == 0) return python;
    }
    throw FileError(fmt::format(
        "--plugin needs Python with the package rfbench, which is not found by {}: 'make python' builds it, "
        "'apt install python3-rfbench' installs it, and RFBENCH_PYTHON names another Python",
        fmt::join(all, " or ")));
}

/// Ours, with one thread in products of NumPy: as many processes run as there are threads, and sums have one order.
std::vector<std::string> environment() {
    const char* const own[] = {"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1",
                               "BLIS_NUM_THREADS=1",     "PYTHONHASHSEED=0",  "PYTHONUNBUFFERED=1"};
    std::vector<std::string> variables = process::environment();
    for (const std::string variable : own) {
        const std::string name = variable.substr(0, variable.find('=') + 1);
        std::erase_if(variables, [&](const std::string& other) { return other.starts_with(name); });
        variables.push_back(variable);
    }
    return variables;
}

template <class Array>
auto entries(Array& array) {
    return std::span(array.data(), static_cast<std::size_t>(array.size()));
}

/// Talks to a process, and says of which file it is where that fails.
template <class Talk>
auto talked(const std::string& file, Talk talk) {
    try {
        return talk();
    } catch (const FileError& error) {
        throw FileError(fmt::format("{}: {}", file, error.what()));
    }
}

/// Processes of Python that have read one file. Whoever asks takes one that is free, or starts one.
class Plugin {
public:
    explicit Plugin(const std::filesystem::path& file)
        : file_(file.string()),
          command_{.program = python_with_package(),
                   .arguments = {"-m", "rfbench.plugin", file_},
                   .environment = environment()} {
        auto first = talked(file_, [&] { return std::make_unique<Conversation>(command_); });
        greeting_ = talked(file_, [&] { return parse_json(first->line(), "the answer of Python"); });
        if (greeting_.at("version") != version)
            throw FileError(fmt::format("{}: the package rfbench of {} is of version {}, this program of {}", file_,
                                        command_.program, greeting_.at("version").get<std::string>(), version));
        if (greeting_.contains("error"))
            throw InputError(fmt::format("{}: {}", file_, greeting_.at("error").get<std::string>()));
        free_.push_back(std::move(first));
    }

    /// Name, law and so on of each mechanism.
    const Json& mechanisms() const { return greeting_.at("mechanisms"); }
    std::string digest() const { return greeting_.at("digest"); }

    /// The array that the question, with its arrays, is answered by.
    Rows<double> ask(Json question, const std::vector<Rows<double>>& arrays) const {
        question["shapes"] = Json::array();
        for (const Rows<double>& array : arrays) question["shapes"].push_back({array.rows(), array.cols()});
        std::unique_ptr<Conversation> with = talked(file_, [&] { return taken(); });
        Json answer;
        Rows<double> found;
        talked(file_, [&] {
            with->write(question.dump() + "\n");
            for (const Rows<double>& array : arrays) with->write(std::as_bytes(entries(array)));
            answer = parse_json(with->line(), "the answer of Python");
            if (answer.contains("error")) return;
            const auto shape = answer.at("shape").get<std::array<Index, 2>>();
            found.resize(shape[0], shape[1]);
            with->read(std::as_writable_bytes(entries(found)));
        });
        // One that has failed to answer is not asked again.
        const std::lock_guard hold(hold_);
        free_.push_back(std::move(with));
        if (answer.contains("error"))
            throw InputError(fmt::format("{}: {}", file_, answer.at("error").get<std::string>()));
        return found;
    }

private:
    std::unique_ptr<Conversation> taken() const {
        {
            const std::lock_guard hold(hold_);
            if (!free_.empty()) {
                std::unique_ptr<Conversation> last = std::move(free_.back());
                free_.pop_back();
                return last;
            }
        }
        auto another = std::make_unique<Conversation>(command_);
        if (parse_json(another->line(), "the answer of Python") != greeting_)
            throw FileError("it was edited while it was used; run again");
        return another;
    }

    std::string file_;
    process::Command command_;
    Json greeting_;
    mutable std::mutex hold_;
    mutable std::vector<std::unique_ptr<Conversation>> free_;
};

class PluginFunctions final : public features::MechanismFunctions {
public:
    PluginFunctions(std::shared_ptr<const Plugin> plugin, std::size_t number)
        : plugin_(std::move(plugin)), number_(number), said_(plugin_->mechanisms().at(number)) {}

    std::string name() const override { return said_.at("name"); }

    Rows<double> features(features::Side side, const Points& rows, const Projections& omega) const override {
        const char* const call = side == features::Side::query ? "features_x" : "features_y";
        return plugin_->ask({{"call", call}, {"mechanism", number_}}, {rows, omega});
    }

    std::function<double(Index, double)> quantile() const override {
        if (!said_.at("law").get<bool>()) return {};
        return [this](Index l, double u) {
            return plugin_->ask({{"call", "quantile"}, {"mechanism", number_}, {"coordinate", l}, {"probability", u}},
                                {})(0, 0);
        };
    }

    Points log_second_moments(const Points& x, const Points& y) const override {
        return plugin_->ask({{"call", "log_second_moment"}, {"mechanism", number_}}, {x, y});
    }

private:
    std::shared_ptr<const Plugin> plugin_;
    std::size_t number_;
    Json said_;
};

}  // namespace

std::vector<std::string> add_mechanisms(const std::filesystem::path& file) {
    if (!std::filesystem::is_regular_file(file))
        throw FileError(fmt::format("--plugin {}: there is no such file", file.string()));
    const auto plugin = std::make_shared<const Plugin>(file);
    std::vector<std::string> names;
    for (std::size_t number = 0; number < plugin->mechanisms().size(); ++number) {
        const Json& said = plugin->mechanisms()[number];
        const auto functions = std::make_shared<const PluginFunctions>(plugin, number);
        features::MechanismInfo info;
        info.name = functions->name();
        info.paper_name = "yours";
        info.summary = "functions of " + file.filename().string();
        info.reference = file.string();
        info.features = info.variance = "as in that file";
        info.cost = "that of Python";
        info.positive = said.at("positive");
        info.discrete = said.at("law");
        // Another version may ask the same functions otherwise.
        info.code = plugin->digest() + "-" + version;
        if (said.at("moments").get<bool>())
            info.fit = features::FitOf<features::MechanismWithMoments>(
                [functions](const features::Statistics& statistics, const features::Settings&) {
                    return features::mechanism_with_moments_of(functions, statistics.dimension());
                });
        else
            info.fit = features::FitOf<features::Mechanism>(
                [functions](const features::Statistics& statistics, const features::Settings&) {
                    return features::mechanism_of(functions, statistics.dimension());
                });
        try {
            features::add_mechanism(std::move(info));
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", file.string(), error.what()));
        }
        names.push_back(functions->name());
    }
    return names;
}

}  // namespace rfbench::plugin
