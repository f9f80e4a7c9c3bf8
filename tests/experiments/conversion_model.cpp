// A GPT-2 folder of the user's as what is converted.
#include <fstream>

#include "catch.hpp"
#include "conversions.hpp"
#include "rfbench/models/gpt2_folder.hpp"
#include "sources/network_tasks.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::conversions;

namespace {

const Study& of_models() { return find("conversion", "recovery"); }

/// A folder with a network over bytes, as training begins, and a text.
class Model {
public:
    Model() {
        networks::TransformerShape shape;
        shape.vocabulary = models::byte_tokens;
        shape.positions = 12;
        shape.layers = 1;
        shape.heads = 2;
        shape.width = 8;
        shape.inner = 8;
        const networks::Transformer network(models::gpt2_shape(shape));
        values = network.start({}, Stream(3)).cast<float>();
        models::write_gpt2(folder_.path() / "model", network, values);
        write(text(), 400);
    }

    std::string text() const { return (folder_ / "text.txt").string(); }
    std::string model() const { return (folder_ / "model").string(); }
    void write(const std::string& file, int lines) const {
        std::ofstream out(file);
        for (int i = 0; i < lines; ++i) out << "line " << i * i << " of a text\n";
    }
    std::string source(const std::string& more = ", length: 8") const {
        return "{use: model, folder: '" + model() + "', text: '" + text() + "', batch: 2, steps: 2" + more + "}";
    }

    networks::Column<float> values;

private:
    tests::TemporaryFolder folder_;
};

/// Without networks that another configuration has trained.
std::string alone(std::string yaml) {
    const std::string from = "from: training/teachers\n";
    return yaml.erase(yaml.find(from), from.size());
}

}  // namespace

TEST_CASE("conversion/recovery: a model of the user's is converted as it is, in its own tokens", "[experiments]") {
    const Model model;
    const std::string text = alone(yaml(model.source(), "exact, uniform, positive"));
    const config::Value config = parsed(of_models(), text);
    const NetworkTask task = network_tasks(config, study_stream(config, "conversion/recovery")).axis.values.at(0);
    // The model itself, its first positions.
    const auto read = models::read_gpt2<float>(model.model());
    const auto held_out = task.held_out(5);
    networks::Workspace<float> work;
    const networks::Loss loss = read.network.evaluate<float>(read.weights, held_out, work).loss;
    const auto data = computed(prepared(of_models(), text), {"method=exact", "seed=1"});
    CHECK(values(data, "loss")[0] == Approx(loss.mean()).epsilon(1e-6));
    // A token is a byte here, and a byte a character.
    CHECK(values(data, "bits_per_character")[0] == Approx(values(data, "loss")[0] / std::log(2.0)).epsilon(1e-12));
    CHECK(values(data, "moved")[3] > 0);
    // One network for all seeds is told.
    const Report report = of_models().report(collected(of_models(), text));
    const auto& notes = table_named(report, "recovery").notes;
    CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
        return note.find("is one network: its intervals are over draws") != std::string::npos;
    }));
    // Characters are those of what is held out: of two bytes, whatever comes before.
    model.write(model.text(), 400);
    {
        std::ofstream out(model.text(), std::ios::app);
        for (int i = 0; i < 2000; ++i) out << "\xc3\xa9";
    }
    const NetworkTask accented = network_tasks(config, study_stream(config, "conversion/recovery")).axis.values.at(0);
    CHECK(accented.bits * std::log(2.0) == Approx(2).epsilon(0.01));
    model.write(model.text(), 400);
    // Another text is other data, and another model, too.
    const auto identity = [&] { return prepared(of_models(), text).data.at(0); };
    const auto before = identity();
    model.write(model.text(), 401);
    CHECK(identity() != before);
}

TEST_CASE("conversion/recovery: models stand beside trained networks of as many layers and heads", "[experiments]") {
    const Model model;
    const Trained trained(source(recall, 2));
    const std::string both = yaml(model.source() + ", " + source(recall, 1));
    CHECK(refused(of_models(), alone(both)).find("'from' must name the configuration") != std::string::npos);
    CHECK(refused(of_models(), both)
              .find("the network of 'recall' has 2 layers of 2 heads, and that of 'model' 1 of 2") !=
          std::string::npos);
}

TEST_CASE("conversion/recovery: models and texts that cannot be are refused at their place", "[experiments]") {
    const Model model;
    const auto said = [&](const std::string& source) { return refused(of_models(), alone(yaml(source))); };
    CHECK(said(model.source(", length: 13")).find("length: 13 tokens; the model takes 12 at most") !=
          std::string::npos);
    model.write(model.text(), 5);
    CHECK(said(model.source()).find("and must have more than a sequence") != std::string::npos);
    CHECK(said("{use: model, folder: '" + model.model() + "-not', text: '" + model.text() + "', steps: 1}")
              .find("folder: ") != std::string::npos);
    model.write(model.text(), 400);
    CHECK(refused(find("training", "teachers"), "sources: [" + model.source() + "]\n")
              .find("'model' is trained already") != std::string::npos);
    // 400 lines: a twentieth of their bytes is held out, in pieces of eight tokens.
    std::string many = alone(yaml(model.source()));
    many.replace(many.find("judged: 5"), 9, "judged: 5000");
    CHECK(refused(of_models(), many).find("judged: 5000 sequences are asked for, and 'model' has ") !=
          std::string::npos);
    CHECK(refused(of_models(), alone(yaml(model.source(), "exact, uniform, {use: positive, low_rank: 9}")))
              .find("low_rank: 9; projections are 8 wide") != std::string::npos);
    CHECK(refused(of_models(), alone(yaml(model.source(), "exact, uniform, {use: positive, keep: importance}")))
              .find("keep: no layer stays softmax attention") != std::string::npos);
    std::ofstream(model.model() + "/config.json") << R"({"model_type": "gpt2", "n_embd": 8})";
    CHECK(said(model.source()).find("config.json") != std::string::npos);
}
