#include "sources/heads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rfbench/text/counted.hpp"
#include "sources/source_list.hpp"

namespace rfbench::experiments {
namespace {

Axis<Index> numbered(const char* name, Index size, const char* description) {
    Axis<Index> result{name, {}, std::vector<double>{}, "", description, {"heads"}};
    for (Index i = 0; i < size; ++i) {
        result.values.push_back(i);
        std::get<std::vector<double>>(result.labels).push_back(static_cast<double>(i + 1));
    }
    return result;
}

}  // namespace

HeadStreams head_streams(const Stream& study) {
    return {study, [](const Stream& own, const char* which, std::uint64_t number, std::uint64_t dimension) {
                return own.child(number).child(which).child(dimension);
            }};
}

HeadStreams dimension_first_streams(const Stream& study) {
    return {study, [](const Stream& own, const char* which, std::uint64_t number, std::uint64_t dimension) {
                return own.child(number).child(dimension).child(which);
            }};
}

config::Schema head_source_schema() {
    return config::named("head source", "use",
                         {{"normal", normal_keys()},
                          {"decaying", decaying_keys()},
                          {"network", network_head_keys()},
                          {"model", model_keys()},
                          {"file", file_keys()}},
                         {config::optional("label", config::text(), "before the names of its heads in figures")});
}

std::shared_ptr<const HeadSource> head_source(const config::Value& entry, const HeadStreams& streams) {
    const std::string& kind = entry.at("use").text();
    // Network, model and file draw nothing.
    if (kind == "network") return network_heads(entry);
    if (kind == "model") return model_heads(entry);
    if (kind == "file") return file_heads(entry);
    return kind == "normal" ? normal_heads(entry, streams) : decaying_heads(entry, streams);
}

config::KeyRule head_source_key() {
    return config::defaulted("heads", head_source_schema(), "decaying", "where queries, keys and values come from");
}

std::shared_ptr<const HeadSource> head_source(const config::Value& configuration, const Stream& study) {
    return head_source(configuration.at("heads"), head_streams(study));
}

void require_end(const HeadSource& source, const config::Value& configuration) {
    if (source.endless())
        configuration.at("heads").refuse(
            "features are trained on all sequences, and of this source there is no end; say how many there are by "
            "'sequences', as in {use: normal, sequences: 16}");
}

void require_one_sequence(const HeadSource& source, const config::Value& entry) {
    if (source.crosses())
        entry.refuse(
            fmt::format("its keys are those of other tokens than its queries (up to {} queries, {} keys), and this "
                        "study is causal: "
                        "query i sees keys 1 to i of one sequence; attention/error, attention/negative, "
                        "quasi/attention, dof/layers "
                        "and learned/match take such heads",
                        source.length(), source.key_length()));
}

Axis<Index> layer_axis(const HeadSource& source, const config::Value& configuration) {
    Axis<Index> result = numbered("layer", source.layers(), "layer");
    // Both axes stand for the key `heads`, which counts by them alone: what all heads share is said by the layer.
    const std::string common = settings_but(configuration.at("heads"), source.listing());
    for (const Index layer : result) result.contents.push_back(common + source.layer_setting(layer));
    result.data.assign(result.size(), source.data_hash());
    return result;
}

Axis<Index> head_axis(const HeadSource& source) {
    Axis<Index> result = numbered("head", source.heads(), "head of the layer");
    for (const Index head : result) result.contents.push_back(source.head_setting(head));
    return result;
}

config::KeyRule head_list_key() {
    return config::required("heads", config::one_or_more(head_source_schema()),
                            "where queries, keys and values come from; several sources stand side by side");
}

HeadList::HeadList(const config::Value& configuration, const HeadStreams& streams)
    : heads{"head", {}, std::vector<std::string>{}, "", "head of a layer", {"heads"}} {
    auto& labels = std::get<std::vector<std::string>>(heads.labels);
    std::set<std::string> taken;
    for (const config::Value& entry : configuration.at("heads").items()) {
        const auto source = head_source(entry, streams);
        sources.push_back(source);
        names.push_back(entry.at(entry.has("label") ? "label" : "use").text());
        const std::string prefix = entry.has("label") ? entry.at("label").text() + ", " : "";
        const std::string common = settings_but(entry, source->listing()), data = source->data_hash();
        for (Index layer = 0; layer < source->layers(); ++layer)
            for (Index head = 0; head < source->heads(); ++head) {
                // All sources stand on one axis, where a label is what a result is found by.
                const std::string label = prefix + source->label(layer, head);
                if (!taken.insert(label).second)
                    entry.refuse("an earlier source has a head '" + label + "' too; give this one a label");
                labels.push_back(label);
                heads.values.push_back({source, layer, head});
                heads.contents.push_back(common + source->layer_setting(layer) + ", " + source->head_setting(head));
                heads.data.push_back(data);
            }
        for (const std::string& note : source->notes()) notes.push_back(note);
    }
}

std::vector<std::string> HeadList::notes_of_repeats(std::size_t taken) const {
    std::vector<std::string> all = notes;
    for (std::size_t i = 0; i < sources.size(); ++i)
        if (const Index count = sources[i]->sequences(); count < static_cast<Index>(taken))
            all.push_back(fmt::format(
                "'{}' has {}, and repeats take {}: they come again, with other draws, and intervals of what "
                "draws nothing are too narrow",
                names[i], counted(static_cast<std::size_t>(count), "sequence"), taken));
    return all;
}

Index HeadList::longest() const {
    Index most = 0;
    for (const PlacedHead& one : heads) most = std::max({most, one.source->length(), one.source->key_length()});
    return most;
}

Index HeadList::widest() const {
    Index most = 0;
    for (const PlacedHead& one : heads) most = std::max(most, one.source->dimension());
    return most;
}

void HeadList::require_dimensions(const std::vector<MethodChoice>& methods) const {
    for (const MethodChoice& method : methods)
        for (const PlacedHead& one : heads) method.require_dimension(one.source->dimension());
}

void HeadList::require_crossing(const std::vector<MethodChoice>& methods) const {
    const bool cross = std::any_of(sources.begin(), sources.end(), [](const auto& one) { return one->crosses(); });
    for (const MethodChoice& method : methods)
        if (cross && method->outputs() && !method->outputs()->attends_across())
            method.entry.refuse(
                fmt::format("'{}' takes queries and keys of the same tokens, and there are heads whose "
                            "keys are those of others; leave it out, or these heads",
                            method.label));
}

void HeadList::require_one_sequence(const config::Value& configuration) const {
    const auto& entries = configuration.at("heads").items();
    for (std::size_t i = 0; i < sources.size(); ++i) experiments::require_one_sequence(*sources[i], entries[i]);
}

std::vector<std::size_t> chosen_numbers(const config::Value& entry, const char* key, Index there_are) {
    std::vector<std::size_t> result;
    if (entry.has(key)) {
        for (const std::int64_t number : entry.at(key).integers()) {
            if (number > there_are) entry.at(key).refuse(fmt::format("there are {} {}", there_are, key));
            result.push_back(static_cast<std::size_t>(number - 1));
        }
        return result;
    }
    for (Index i = 0; i < there_are; ++i) result.push_back(static_cast<std::size_t>(i));
    return result;
}

std::vector<config::KeyRule> choice_keys() {
    using namespace config;
    return {
        optional("layers", integers(1, 10'000), "these only, numbered from 1"),
        optional("heads", integers(1, 10'000), "these only of each layer, numbered from 1"),
    };
}

std::string summary(const HeadSource& source, const std::string& name) {
    const auto number = [](Index count, const char* what) { return counted(static_cast<std::size_t>(count), what); };
    bool padded = false;
    for (Index i = 0; i < source.sequences(); ++i)
        padded = padded || source.tokens(i) != source.length() || source.key_tokens(i) != source.key_length();
    const std::string tokens = source.crosses()
                                   ? fmt::format("{} queries and {} keys", source.length(), source.key_length())
                                   : number(source.length(), "token");
    return fmt::format("{}: {} of {}, {} of {}{}, d = {}", name, number(source.layers(), "layer"),
                       number(source.heads(), "head"), number(source.sequences(), "sequence"), padded ? "up to " : "",
                       tokens, source.dimension());
}

Index HeadSource::points(Index sequences) const {
    Index sum = 0;
    for (Index number = 0; number < sequences; ++number) sum += tokens(number) + key_tokens(number);
    return sum;
}

double HeadSource::size() const {
    double rows = static_cast<double>(points());
    for (Index number = 0; number < sequences(); ++number) rows += static_cast<double>(key_tokens(number));
    return rows * static_cast<double>(dimension());
}

Points HeadSource::sample(Index layer, Index head, Index sequences, Index count, const Stream& stream) const {
    Points all(points(sequences), dimension());
    Index row = 0;
    for (Index number = 0; number < sequences; ++number) {
        // Queries and keys count alike: both are points of the law that the sample stands for.
        const HeadSequence one = sequence(layer, head, number);
        for (const Points* part : {&one.tokens.queries, &one.tokens.keys}) {
            all.middleRows(row, part->rows()) = *part;
            row += part->rows();
        }
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
