#include "conversion/task_training.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "rfbench/config/document.hpp"
#include "rfbench/config/number_syntax.hpp"
#include "study/former_names.hpp"

namespace rfbench::experiments {
namespace {

const config::Node& said_of(const config::Node& node, const char* key) {
    const config::Node* found = config::find(node, key);
    if (!found) throw std::invalid_argument(fmt::format("its configuration does not say '{}'", key));
    return *found;
}

double number(const config::Node& node, const char* key) {
    const config::Reading<double> read = config::read_number(said_of(node, key).text);
    if (!read.wrong.empty()) throw std::invalid_argument(fmt::format("its configuration says no number for '{}'", key));
    return read.value;
}

int whole_number(const config::Node& node, const char* key) { return static_cast<int>(number(node, key)); }

networks::InitialPositions positions_of(const config::Node& entry) {
    const config::Node* given = config::find(entry, "initial_positions");
    return given && given->text == "sinusoids" ? networks::InitialPositions::sinusoids
                                               : networks::InitialPositions::drawn;
}

config::Node document_of(const store::Dataset& teachers) {
    const auto text = teachers.attributes.find("config");
    if (text == teachers.attributes.end()) throw std::invalid_argument("it keeps no configuration");
    return config::parse_document(with_present_keys(text->second),
                                  std::make_shared<const config::Source>(config::Source{
                                      "the configuration of the networks that are converted", false, ""}));
}

/// The entry of a source by its label, or by what it uses.
const config::Node& entry_of(const config::Node& document, const std::string& source) {
    for (const config::Node& entry : said_of(document, "sources").items) {
        const config::Node* label = config::find(entry, "label");
        if ((label ? *label : said_of(entry, "use")).text == source) return entry;
    }
    throw std::invalid_argument("its configuration has no source '" + source + "'");
}

}  // namespace

std::optional<int> train_on_task(const TaskTraining& how, networks::Trainer<float>& trainer, Curve& curve,
                                 Progress& progress, engine::Checkpoint& checkpoint) {
    if (progress.state) trainer.resume(*progress.state);
    const auto evaluate = [&](int step) {
        // As many as parts of the training have ended: several at once, where parts are shorter than a step.
        while (!curve.has(how.evaluations) && static_cast<std::int64_t>(curve.loss.size() + 1) * how.steps <=
                                                  static_cast<std::int64_t>(step) * how.evaluations) {
            const networks::Loss seen = trainer.evaluate(how.held_out).loss;
            curve.loss.push_back(seen.mean());
            curve.accuracy.push_back(seen.accuracy());
        }
    };
    std::optional<int> diverged;
    try {
        for (int step = trainer.steps(); step < how.steps; ++step) {
            // Before anything of the step is done: whoever goes on from here begins with this step.
            checkpoint.save_if_due([&] {
                progress.state = trainer.state();
                return progress.kept();
            });
            const double loss =
                trainer.step(how.task.mini_batch(how.batches.child(static_cast<std::uint64_t>(step)))).loss.mean();
            checkpoint.tell(how.from + (how.to - how.from) * static_cast<double>(step + 1) / how.steps,
                            fmt::format("{}: step {} of {}, loss {:.3f}", how.words, step + 1, how.steps, loss));
            evaluate(step + 1);
        }
        evaluate(how.steps);
    } catch (const std::domain_error&) {
        // The table says so.
        diverged = trainer.steps();
    }
    progress.state.reset();
    return diverged;
}

TeacherTraining teacher_training(const store::Dataset& teachers, const std::string& source) {
    const config::Node document = document_of(teachers);
    const config::Node& entry = entry_of(document, source);
    return {whole_number(entry, "steps"),
            whole_number(entry, "batch"),
            whole_number(document, "warmup_steps"),
            number(entry, "rate"),
            number(document, "max_gradient_norm"),
            {.gain = number(entry, "gain"), .embedding = number(entry, "embedding"), .positions = positions_of(entry)}};
}

std::string held_out_otherwise(const store::Dataset& teachers, const std::string& source, const config::Value& entry) {
    if (const std::string use = entry.at("use").text(); use != "text" && use != "masked-text") return "";
    const config::Node document = document_of(teachers);
    const config::Node& trained = entry_of(document, source);
    // Nothing was trained on another text.
    if (entry.at("text").text() != said_of(trained, "text").text) return "";
    for (const char* key : {"validation_share", "test_share"})
        if (entry.at(key).number() != number(trained, key))
            return fmt::format("{} {}, and its network was trained with {}", key, entry.at(key).number(),
                               number(trained, key));
    return "";
}

int steps_from_scratch(const TeacherTraining& teacher, const NetworkTask& task) {
    const auto batch = static_cast<double>(task.mini_batch(Stream(0)).size());
    return task.steps + static_cast<int>(std::ceil(teacher.steps * static_cast<double>(teacher.batch) / batch));
}

}  // namespace rfbench::experiments
