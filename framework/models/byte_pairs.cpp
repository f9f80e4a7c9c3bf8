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

namespace {

constexpr std::size_t largest_file = std::size_t{1} << 28;
constexpr Token none = -1;

std::uint64_t pair_key(Token left, Token right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
}

}  // namespace

BytePairs::BytePairs(const std::filesystem::path& vocabulary, const std::filesystem::path& merges) {
    read_vocabulary(vocabulary.string());
    read_merges(merges.string());
}

void BytePairs::read_vocabulary(const std::string& file) {
    const nlohmann::json list = parse_json(datasets::file_bytes(file, largest_file), file);
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
    const std::string text = datasets::file_bytes(file, largest_file);
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
        const auto token = [&](std::string_view spelling) {
            const auto bytes = spelled_bytes(spelling);
            const auto found = bytes ? tokens_.find(*bytes) : tokens_.end();
            if (found == tokens_.end()) refuse({file, line_number}, in_quotes(spelling) + " is not in vocab.json");
            return found->second;
        };
        const std::string_view left = line.substr(0, space), right = line.substr(space + 1);
        // The rank is the number of the line: only the order of ranks counts.
        const Merge merge{line_number, token(std::string(left) + std::string(right))};
        const auto [old, added] = merges_.try_emplace(pair_key(token(left), token(right)), merge);
        if (!added) refuse({file, line_number}, fmt::format("is the pair of line {} again", old->second.rank));
    }
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
    WordPieces pieces(text, name);
    for (auto piece = pieces.next(); !piece.empty() && out.size() < most; piece = pieces.next())
        encode_piece(piece, out);
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
