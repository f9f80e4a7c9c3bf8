#include "rfbench/models/byte_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <queue>
#include <stdexcept>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/models/byte_alphabet.hpp"
#include "rfbench/models/word_pieces.hpp"

namespace rfbench::models {

using datasets::in_quotes;
using datasets::refuse;
using nlohmann::json;

namespace {

constexpr std::size_t max_file_bytes = std::size_t{1} << 28;
constexpr Token none = -1;

std::uint64_t pair_key(Token left, Token right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
}

/// Refuses, rather than ignores, settings by which a text has other tokens.
void refuse_other_tokens(const json& all, const json& model, const std::string& file) {
    const auto refuse_key = [&](const char* key, const json& value) {
        refuse({file}, fmt::format("{} is {}, which is not computed here", key, json_shown(value)));
    };
    if (const json found = all.value("normalizer", json()); !found.is_null()) refuse_key("normalizer", found);
    const json split = all.value("pre_tokenizer", json());
    const bool plain = split.is_null() || (split.is_object() && split.value("type", json()) == "ByteLevel" &&
                                           split.value("add_prefix_space", json(true)) == json(false) &&
                                           split.value("use_regex", json(true)) == json(true));
    if (!plain) refuse_key("pre_tokenizer", split);
    const json after = all.value("post_processor", json());
    if (!after.is_null() && (!after.is_object() || after.value("type", json()) != "ByteLevel"))
        refuse_key("post_processor", after);
    if (model.value("ignore_merges", json(false)) == json(true)) refuse_key("ignore_merges", true);
    for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
        if (const json found = model.value(key, json()); !found.is_null() && found != "" && found != 0.0)
            refuse_key(key, found);
}

}  // namespace

BytePairs::BytePairs(const std::filesystem::path& vocabulary, const std::filesystem::path& merges) {
    const std::string file = vocabulary.string();
    add_vocabulary(parse_json(datasets::file_bytes(file, max_file_bytes), file), file);
    read_merges(merges.string());
    for (const std::string& token : bytes_)
        if (token.size() > 4 && token.starts_with("<|") && token.ends_with("|>")) add_marker(token);
}

BytePairs::BytePairs(const std::filesystem::path& tokenizer) {
    const std::string file = tokenizer.string();
    const json all = parse_json(datasets::file_bytes(file, max_file_bytes), file);
    const json model = all.is_object() ? all.value("model", json()) : json();
    if (!model.is_object() || model.value("type", json()) != "BPE" || !model.contains("vocab") ||
        !model.contains("merges") || !model["vocab"].is_object() || !model["merges"].is_array())
        refuse({file}, "has no 'model' of the type BPE with 'vocab' and 'merges'");
    refuse_other_tokens(all, model, file);
    // Added tokens may stand in the vocabulary as well.
    json list = model["vocab"];
    std::vector<std::string> markers;
    for (const json& token : all.value("added_tokens", json::array())) {
        if (!token.is_object() || !token.value("content", json()).is_string())
            refuse({file}, "an added token has no 'content'");
        markers.push_back(token["content"]);
        for (const char* key : {"lstrip", "rstrip", "single_word"})
            if (token.value(key, json(false)) == json(true))
                refuse({file}, fmt::format("{} of the added token {} is true, which is not computed here", key,
                                           in_quotes(markers.back())));
        const json id = token.value("id", json());
        // Its content is plain text, and the vocabulary is spelled in the byte alphabet.
        std::string spelled;
        for (const char byte : markers.back()) spelled += spelled_byte(static_cast<unsigned char>(byte));
        if (const auto plain = list.find(markers.back()); plain != list.end() && *plain == id) list.erase(plain);
        list[spelled] = id;
    }
    add_vocabulary(list, file);
    for (const json& merge : model["merges"]) {
        // "left right", or since version 0.20 ["left", "right"].
        const bool pair = merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
        const std::string text = pair ? "" : merge.is_string() ? merge.get<std::string>() : "";
        const std::size_t space = text.find(' ');
        if (!pair && space == std::string::npos)
            refuse({file}, "a merge is " + json_shown(merge) + "; two tokens are needed");
        add_merge(pair ? merge[0].get<std::string>() : text.substr(0, space),
                  pair ? merge[1].get<std::string>() : text.substr(space + 1), {file});
    }
    // Each is cut out of a text before pairs are joined, whether pairs would make it or not.
    markers_ = std::move(markers);
}

void BytePairs::add_vocabulary(const json& list, const std::string& file) {
    if (!list.is_object() || list.empty()) refuse({file}, "is no JSON object of tokens and their numbers");
    const std::size_t count = list.size();
    std::vector<bool> given(count);
    bytes_.resize(count);
    // As many numbers as tokens, all below that count and none twice: then each number has its token.
    for (const auto& [spelling, number] : list.items()) {
        if (!number.is_number_unsigned() || number.get<std::size_t>() >= count)
            refuse({file}, fmt::format("token {} has the number {}; {} tokens have the numbers 0 to {}",
                                       in_quotes(spelling), json_shown(number), count, count - 1));
        const auto at = number.get<std::size_t>();
        const auto bytes = spelled_bytes(spelling);
        if (!bytes || bytes->empty())
            refuse({file}, "token " + in_quotes(spelling) + " is not written in GPT-2's alphabet of bytes");
        if (given[at]) refuse({file}, fmt::format("two tokens have the number {}; one is {}", at, in_quotes(spelling)));
        given[at] = true;
        bytes_[at] = *bytes;
        tokens_[*bytes] = static_cast<Token>(at);
    }
    for (int byte = 0; byte < 256; ++byte)
        if (!tokens_.contains(std::string(1, static_cast<char>(byte))))
            refuse({file}, fmt::format("has no token for the byte {:02x}: not every text can be encoded", byte));
}

void BytePairs::read_merges(const std::string& file) {
    const std::string text = datasets::file_bytes(file, max_file_bytes);
    std::size_t line_number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        ++line_number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line_number == 1 && line.starts_with("#version")) continue;
        // Only the last line may be empty.
        if (line.empty() && begin >= text.size()) continue;

        const std::size_t space = line.find(' ');
        if (space == 0 || space == line.npos || space + 1 == line.size() || line.find(' ', space + 1) != line.npos)
            refuse({file, line_number}, "two tokens with one space between them are needed, not " + in_quotes(line));
        add_merge(line.substr(0, space), line.substr(space + 1), {file, line_number});
    }
}

void BytePairs::add_merge(std::string_view left, std::string_view right, const datasets::Place& place) {
    const auto token = [&](std::string_view spelling) {
        const auto bytes = spelled_bytes(spelling);
        const auto found = bytes ? tokens_.find(*bytes) : tokens_.end();
        if (found == tokens_.end()) refuse(place, in_quotes(spelling) + " is not in vocab.json");
        return found->second;
    };
    // The rank is the number of the line where there are lines: only the order of ranks counts.
    const std::size_t rank = place.row > 0 ? place.row : merges_.size() + 1;
    const Merge merge{rank, token(std::string(left) + std::string(right))};
    const auto [old, added] = merges_.try_emplace(pair_key(token(left), token(right)), merge);
    if (!added) refuse(place, fmt::format("is the pair of line {} again", old->second.rank));
}

void BytePairs::add_marker(const std::string& text) {
    const Token token = tokens_.at(text);
    const bool joined =
        std::any_of(merges_.begin(), merges_.end(), [&](const auto& one) { return one.second.joined == token; });
    // A token that pairs make is one without being a marker.
    if (!joined && text.size() > 1) markers_.push_back(text);
}

std::pair<std::size_t, const std::string*> BytePairs::next_marker(std::string_view text, std::size_t from) const {
    std::pair<std::size_t, const std::string*> first{text.size(), nullptr};
    for (const std::string& marker : markers_)
        // The longest of those that begin at one place.
        if (const std::size_t at = text.find(marker, from);
            at < first.first || (at == first.first && first.second != nullptr && marker.size() > first.second->size()))
            first = {at, &marker};
    return first;
}

const BytePairs::Merge* BytePairs::merge(Token left, Token right) const {
    const auto found = merges_.find(pair_key(left, right));
    return found == merges_.end() ? nullptr : &found->second;
}

void BytePairs::encode_piece(std::string_view piece, std::vector<Token>& out) const {
    // A list of tokens in which one that was joined to the token before it is `none`.
    const std::size_t length = piece.size();
    std::vector<Token> tokens;
    std::vector<std::size_t> next(length), before(length);
    for (std::size_t i = 0; i < length; ++i) {
        tokens.push_back(tokens_.at(std::string(1, piece[i])));
        next[i] = i + 1;
        before[i] = i - 1;
    }
    const auto merge_at = [&](std::size_t i) -> const Merge* {
        return tokens[i] == none || next[i] >= length ? nullptr : merge(tokens[i], tokens[next[i]]);
    };

    // The reference looks at all pairs again after each join; here they wait in a queue, by rank and then from left to
    // right, so that long pieces do not take the square of their length.
    using Place = std::pair<std::size_t, std::size_t>;  // rank, position of the left token
    std::priority_queue<Place, std::vector<Place>, std::greater<>> open;
    const auto offer = [&](std::size_t i) {
        if (const Merge* found = merge_at(i)) open.emplace(found->rank, i);
    };
    for (std::size_t i = 0; i < length; ++i) offer(i);

    std::vector<std::size_t> joined;
    while (!open.empty()) {
        // All pairs of the lowest rank from left to right, before any pair that they make.
        const std::size_t rank = open.top().first;
        joined.clear();
        for (; !open.empty() && open.top().first == rank; open.pop()) {
            const std::size_t i = open.top().second;
            // A token of this pair may have been joined since it was queued: then another pair is here, or none.
            const Merge* const found = merge_at(i);
            if (found == nullptr || found->rank != rank) continue;
            tokens[i] = found->joined;
            tokens[next[i]] = none;
            next[i] = next[next[i]];
            if (next[i] < length) before[next[i]] = i;
            joined.push_back(i);
        }
        for (const std::size_t i : joined) {
            if (i > 0) offer(before[i]);
            offer(i);
        }
    }
    for (std::size_t i = 0; i < length; i = next[i]) out.push_back(tokens[i]);
}

std::vector<Token> BytePairs::encode(std::string_view text, std::string_view name, std::size_t most) const {
    std::vector<Token> out;
    // This checks the whole text, however few tokens are wanted.
    const WordPieces whole(text, name);
    for (std::size_t begin = 0; begin < text.size() && out.size() < most;) {
        const auto [end, marker] = next_marker(text, begin);
        WordPieces pieces(text.substr(begin, end - begin), name);
        for (auto piece = pieces.next(); !piece.empty() && out.size() < most; piece = pieces.next())
            encode_piece(piece, out);
        if (marker != nullptr) out.push_back(tokens_.at(*marker));
        begin = end + (marker == nullptr ? 0 : marker->size());
    }
    out.resize(std::min(out.size(), most));
    return out;
}

std::string BytePairs::decode(std::span<const Token> tokens) const {
    std::string out;
    for (const Token token : tokens) {
        if (token < 0 || static_cast<std::size_t>(token) >= bytes_.size())
            throw std::invalid_argument(
                fmt::format("there is no token {}; the vocabulary has {}", token, bytes_.size()));
        out += bytes_[static_cast<std::size_t>(token)];
    }
    return out;
}

}  // namespace rfbench::models
