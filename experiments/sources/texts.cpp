#include "sources/texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "rfbench/config/file_path.hpp"
#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/locate.hpp"
#include "rfbench/models/word_pieces.hpp"
#include "rfbench/statistics/context_counts.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/text/utf8.hpp"
#include "study/project.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

constexpr std::size_t max_text_file_bytes = std::size_t{1} << 30;

/// The text of this name in the manifest; nothing where there is none.
std::optional<std::string> manifest_text(const std::string& name) {
    const datasets::Manifest manifest = data_manifest();
    for (const datasets::Entry& entry : manifest.entries)
        if (entry.name == name && entry.format == datasets::Format::plain)
            return datasets::locate(entry, data_places(), [](const std::string&) {}).at(0).contents;
    return {};
}

/// The text of a name: of a data set, or of a file that is there.
std::string contents(const config::Value& name) {
    // The manifest comes first: a file of the same name, wherever the program is started, does not hide its text.
    if (auto text = manifest_text(name.text())) return *std::move(text);
    const std::string path = config::file_path(name);
    if (std::filesystem::exists(path)) return datasets::file_bytes(path, max_text_file_bytes);
    std::string known;
    for (const datasets::Entry& entry : data_manifest().entries)
        if (entry.format == datasets::Format::plain) known += (known.empty() ? "" : ", ") + entry.name;
    name.refuse(
        fmt::format("'{}' is neither a file, in this configuration's folder or the working folder, nor a text of the "
                    "manifest; there are {}",
                    name.text(), known));
}

/// The same of a text that must be UTF-8, with a character at least.
std::string characters(const config::Value& name) {
    std::string all;
    try {
        all = contents(name);
        models::WordPieces(all, name.text()).next();  // which looks whether all of it is UTF-8
    } catch (const datasets::DataError& error) {
        name.refuse(error.what());
    }
    if (all.empty()) name.refuse(fmt::format("'{}' is empty", name.text()));
    return all;
}

networks::Sequence<float> piece(std::string_view bytes) {
    // The target of a token is the byte after it, so that a piece has a byte more than tokens.
    networks::Sequence<float> one;
    for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
        one.tokens.push_back(static_cast<unsigned char>(bytes[i]));
        one.targets.push_back({static_cast<Index>(i), static_cast<unsigned char>(bytes[i + 1])});
    }
    return one;
}

}  // namespace

NamedText named_text(const config::Value& name) {
    if (auto text = manifest_text(name.text())) return {name.text(), *std::move(text)};
    const std::string file = config::existing_path(name);
    return {file, datasets::file_bytes(file, max_text_file_bytes)};
}

std::vector<config::KeyRule> text_keys() {
    using namespace config;
    return {
        defaulted("text", text(), "king-james-bible", "a text of the manifest, or a UTF-8 file of yours"),
        defaulted("length", integer(2, 100'000), "128", "tokens of a sequence, which are bytes"),
        defaulted("validation_share", real(above(0).below(0.5)), "0.05", "of the text, before what is held out"),
        defaulted("test_share", real(above(0).below(0.5)), "0.05", "of the text, at its end, that is held out"),
        defaulted("within_share", real(at_least(0).below(0.5)), "0",
                  "of the rest, in blocks from all over it, that are held out besides"),
    };
}

config::KeyRule beyond_key() {
    return config::optional("beyond", config::text(),
                            "another text, of the manifest or a UTF-8 file of yours, that every trained network is "
                            "evaluated on");
}

double bytes_per_character(std::string_view part) {
    if (part.empty()) return std::nan("");
    return static_cast<double>(part.size()) / static_cast<double>(num_characters(part));
}

Text::Text(const config::Value& config) : name(config.at("text").text()), length(whole(config, "length")) {
    const std::string all = characters(config.at("text"));
    data_hash = store::sha256(all);
    const auto share = [&](const char* of) {
        return static_cast<std::size_t>(config.at(of).number() * static_cast<double>(all.size()));
    };
    const std::size_t held_out = share("test_share"), seen = share("validation_share");
    // Parts are cut from the text as it runs: shuffled pieces would be held out beside their own neighbours.
    training = all.substr(0, all.size() - held_out - seen);
    validation = all.substr(training.size(), seen);
    test = all.substr(all.size() - held_out);
    for (const auto& [part, remedy, text] : {std::tuple("training part", "", &training),
                                             {"validation part", ", a larger validation_share", &validation},
                                             {"part held out", ", a larger test_share", &test}})
        if (static_cast<Index>(text->size()) <= length)
            config.at("length").refuse(
                fmt::format("the {} of {} has {} bytes, and must have more than a sequence, {}: take a longer "
                            "text{} or a smaller length",
                            part, name, text->size(), length, remedy));
    if (config.at("within_share").number() > 0) cut_blocks(config.at("within_share"));
}

std::shared_ptr<const Text> text_and_beyond(const config::Value& config) {
    const auto text = std::make_shared<Text>(config);
    if (config.has("beyond")) text->read_beyond(config.at("beyond"));
    return text;
}

void Text::read_beyond(const config::Value& key) {
    beyond = characters(key);
    if (static_cast<Index>(beyond.size()) <= length)
        key.refuse(fmt::format("'{}' has {} bytes; a sequence has {} tokens and one more to tell", key.text(),
                               beyond.size(), length));
    data_hash = store::sha256(data_hash + store::sha256(beyond));
}

void Text::cut_blocks(const config::Value& share) {
    const auto bytes = static_cast<std::size_t>(share.number() * static_cast<double>(training.size()));
    const std::size_t block = std::min(bytes, 32 * static_cast<std::size_t>(length));
    if (static_cast<Index>(block) <= length)
        share.refuse(fmt::format("{} of {} bytes are {}; a sequence has {} tokens and one more to tell", share.number(),
                                 training.size(), bytes, length));
    const std::size_t count = bytes / block, distance = training.size() / count;
    std::string rest;
    // The rest is joined, so that a piece may run over a seam: there are few of them.
    for (std::size_t i = 0; i < count; ++i) {
        rest += training.substr(i * distance, distance - block);
        within += training.substr(i * distance + distance - block, block);
    }
    training = rest + training.substr(count * distance);
}

std::vector<networks::Sequence<float>> Text::batch(int count, Stream stream) const {
    std::vector<networks::Sequence<float>> all;
    // Pieces to train on begin at any byte, within a word or a character too, and overlap.
    const auto behind = static_cast<std::size_t>(length);
    for (int i = 0; i < count; ++i)
        all.push_back(piece(std::string_view(training).substr(stream.below(training.size() - behind), behind + 1)));
    return all;
}

Index Text::num_pieces(const std::string& part) const { return (static_cast<Index>(part.size()) - 1) / length; }

std::vector<std::string_view> Text::spread_bytes(const std::string& part, Index most) const {
    std::vector<std::string_view> all;
    // The last byte is only told. Pieces are a length apart at least, and do not overlap.
    const Index count = std::min(most, num_pieces(part));
    const Index distance = (static_cast<Index>(part.size()) - 1) / count;
    for (Index i = 0; i < count; ++i)
        all.push_back(std::string_view(part).substr(static_cast<std::size_t>(i * distance),
                                                    static_cast<std::size_t>(length) + 1));
    return all;
}

std::vector<networks::Sequence<float>> Text::spread(const std::string& part, Index most) const {
    std::vector<networks::Sequence<float>> all;
    for (const std::string_view bytes : spread_bytes(part, most)) all.push_back(piece(bytes));
    return all;
}

std::vector<double> Text::counts_bits(Index pieces, int max_order) const {
    std::vector<double> bits =
        statistics::context_bits(training, spread_bytes(validation, pieces), spread_bytes(test, pieces), max_order);
    const double bytes = bytes_per_character(test);
    for (double& one : bits) one *= bytes;
    return bits;
}

}  // namespace rfbench::experiments
