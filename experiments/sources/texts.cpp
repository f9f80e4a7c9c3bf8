#include "sources/texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "project.hpp"
#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/locate.hpp"
#include "rfbench/models/word_pieces.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/text/utf8.hpp"
#include "study.hpp"

namespace rfbench::experiments {
namespace {

constexpr std::size_t largest_text_file = std::size_t{1} << 30;

/// The text of a name: of a data set, or of a file that is there.
std::string contents(const config::Value& name) {
    const datasets::Manifest manifest = data_manifest();
    // The manifest comes first: a file of the same name, wherever the program is started, does not hide its text.
    for (const datasets::Entry& entry : manifest.entries)
        if (entry.name == name.text() && entry.format == datasets::Format::plain)
            return datasets::locate(entry, data_places(), [](const std::string&) {}).at(0).contents;
    if (std::filesystem::exists(name.text())) return datasets::file_bytes(name.text(), largest_text_file);
    std::string known;
    for (const datasets::Entry& entry : manifest.entries)
        if (entry.format == datasets::Format::plain) known += (known.empty() ? "" : ", ") + entry.name;
    name.refuse(fmt::format("'{}' is neither a file nor a text of the manifest; there are {}", name.text(), known));
}

networks::Sequence<float> piece(const std::string& text, std::size_t first, Index length) {
    // The target of a token is the byte behind it, so that a piece reads one byte more than it has tokens.
    networks::Sequence<float> one;
    for (Index i = 0; i < length; ++i) {
        const std::size_t at = first + static_cast<std::size_t>(i);
        one.tokens.push_back(static_cast<unsigned char>(text[at]));
        one.targets.push_back({i, static_cast<unsigned char>(text[at + 1])});
    }
    return one;
}

}  // namespace

std::vector<config::KeyRule> text_keys() {
    using namespace config;
    return {
        defaulted("text", text(), "king-james-bible", "a text of the manifest, or a UTF-8 file of yours"),
        defaulted("length", integer(2, 100'000), "128", "tokens of a sequence, which are bytes"),
        defaulted("validation_share", real(above(0).below(0.5)), "0.05", "of the text, before what is held out"),
        defaulted("test_share", real(above(0).below(0.5)), "0.05", "of the text, at its end, that is held out"),
    };
}

Text::Text(const config::Value& config) : name(config.at("text").text()), length(whole(config, "length")) {
    const config::Value& key = config.at("text");
    std::string all;
    try {
        all = contents(key);
        models::WordPieces(all, name).next();  // which looks whether all of it is UTF-8
    } catch (const datasets::DataError& error) {
        key.refuse(error.what());
    }
    data_hash = store::sha256(all);
    const auto share = [&](const char* of) {
        return static_cast<std::size_t>(config.at(of).number() * static_cast<double>(all.size()));
    };
    const std::size_t held_out = share("test_share"), seen = share("validation_share");
    // Parts are cut from the text as it runs: shuffled pieces would be held out beside their own neighbours.
    training = all.substr(0, all.size() - held_out - seen);
    validation = all.substr(training.size(), seen);
    test = all.substr(all.size() - held_out);
    for (const auto& [part, text] : {std::pair("what is trained on", &training),
                                     {"the validation text", &validation},
                                     {"the text held out", &test}})
        if (static_cast<Index>(text->size()) <= length)
            config.at("length").refuse(
                fmt::format("{} tokens; {} has {} bytes, which must be more", length, part, text->size()));
    // Losses are of bytes, and shown of characters.
    bytes_per_character = static_cast<double>(all.size()) / static_cast<double>(num_characters(all));
}

std::vector<networks::Sequence<float>> Text::batch(int count, Stream stream) const {
    std::vector<networks::Sequence<float>> all;
    // Pieces to train on begin at any byte, within a word or a character too, and overlap.
    for (int i = 0; i < count; ++i)
        all.push_back(piece(training, stream.below(training.size() - static_cast<std::size_t>(length)), length));
    return all;
}

std::vector<networks::Sequence<float>> Text::spread(const std::string& part, Index most) const {
    std::vector<networks::Sequence<float>> all;
    // The last byte is only told. Pieces are a length apart at least, and do not overlap.
    const Index count = std::min(most, (static_cast<Index>(part.size()) - 1) / length);
    const Index distance = (static_cast<Index>(part.size()) - 1) / count;
    for (Index i = 0; i < count; ++i) all.push_back(piece(part, static_cast<std::size_t>(i * distance), length));
    return all;
}

}  // namespace rfbench::experiments
