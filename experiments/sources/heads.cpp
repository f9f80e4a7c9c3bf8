#include "sources/heads.hpp"

#include <fmt/format.h>

namespace rfbench::experiments {
namespace {

Axis<Index> numbered(const char* name, Index size, const char* description) {
    Axis<Index> result{name, {}, std::vector<double>{}, "", description};
    for (Index i = 0; i < size; ++i) {
        result.values.push_back(i);
        std::get<std::vector<double>>(result.labels).push_back(static_cast<double>(i + 1));
    }
    return result;
}

}  // namespace

std::vector<config::KeyRule> head_source_keys() {
    using namespace config;
    return {
        optional("model", text(),
                 "folder of a GPT-2 model in the Hugging Face layout; without it or 'trained' heads are drawn"),
        optional("text", text(), "the UTF-8 file that the model reads"),
        optional("trained", object(trained_keys()), "classifiers that are trained here"),
        defaulted("scales", numbers(above(0).at_most(100)), "[1.5, 1.2, 1, 0.8, 0.6, 0.4]",
                  "one a drawn layer: standard deviation of the first coordinate of queries and keys"),
        defaulted("decays", numbers(between(0, 10)), "[0.25, 0.5, 1, 2]",
                  "one a drawn head: coordinate l has the standard deviation scale l^-decay"),
        defaulted("dimension", integer(1, 1024), "16", "d of a drawn or trained head"),
        defaulted("length", integer(2, 100'000), "128", "tokens of a sequence, unless a task says how many"),
        defaulted("sequences", integer(2, 100'000), "8", "of each head"),
    };
}

std::shared_ptr<const HeadSource> head_source(const config::Value& config, const Stream& stream) {
    if (config.has("model") != config.has("text"))
        config.at(config.has("model") ? "model" : "text")
            .refuse("a model and the text it reads go together: give both 'model' and 'text', or neither");
    if (config.has("model") && config.has("trained"))
        config.at("trained").refuse("heads have one source: give 'trained', or 'model' and 'text', not both");
    if (config.has("model")) return model_heads(config);
    return config.has("trained") ? trained_heads(config) : drawn_heads(config, stream);
}

Axis<Index> layer_axis(const HeadSource& source) { return numbered("layer", source.layers(), "layer"); }
Axis<Index> head_axis(const HeadSource& source) { return numbered("head", source.heads(), "head of the layer"); }

Points HeadSource::sample(Index layer, Index head, Index sequences, Index count, const Stream& stream) const {
    const Index length = this->length();
    Points all(2 * length * sequences, dimension());
    for (Index number = 0; number < sequences; ++number) {
        const HeadSequence one = sequence(layer, head, number);
        all.middleRows(2 * length * number, length) = one.tokens.queries;
        all.middleRows(2 * length * number + length, length) = one.tokens.keys;
    }
    // The first `count` of a random order (Fisher and Yates).
    Stream own = stream;
    for (Index i = 0; i < count; ++i) {
        const auto other = i + static_cast<Index>(own.below(static_cast<std::uint64_t>(all.rows() - i)));
        all.row(i).swap(all.row(other));
    }
    return all.topRows(count);
}

}  // namespace rfbench::experiments
