#pragma once
// GPT-2's tokens: byte pair encoding of UTF-8 bytes (Sennrich et al. 2016; Radford et al. 2019, section 2.2). Pairs are
// never joined across pieces (word_pieces.hpp). A token's number is that of vocab.json. A marker such as <|endoftext|>,
// written in a text, is one token, as it was where the model was trained: no pair is joined across it.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rfbench/datasets/place.hpp"
#include "rfbench/models/token.hpp"

namespace rfbench::models {

class BytePairs {
public:
    /// vocab.json: {"token": number, ...} with numbers 0 .. n - 1 and every byte; merges.txt: a pair of tokens a line,
    /// the first to be joined first. Throws DataError naming file, line and token.
    /// Tokens of the form <|...|> are markers.
    BytePairs(const std::filesystem::path& vocabulary, const std::filesystem::path& merges);
    /// tokenizer.json of Hugging Face's tokenizers, which has both, and markers among its added tokens. Throws
    /// DataError likewise, and for another kind of tokenizer than one of bytes and pairs.
    explicit BytePairs(const std::filesystem::path& tokenizer);

    /// The tokens of a text, at most the first `most`. Throws DataError with the offset of a byte that is no UTF-8,
    /// anywhere in the text; `name` stands for the text in messages.
    std::vector<Token> encode(std::string_view text, std::string_view name = "text",
                              std::size_t most = std::numeric_limits<std::size_t>::max()) const;

    /// The bytes of the tokens. Throws std::invalid_argument naming a token that there is not.
    std::string decode(std::span<const Token>) const;

    std::size_t size() const { return bytes_.size(); }

private:
    struct Merge {
        std::size_t rank;
        Token joined;
    };

    void add_vocabulary(const nlohmann::json& list, const std::string& file);
    void add_merge(std::string_view left, std::string_view right, const datasets::Place& place);
    void read_merges(const std::string& file);
    void add_marker(const std::string& text);
    /// The first marker at or after a place of a text: where it begins, and which it is.
    std::pair<std::size_t, const std::string*> next_marker(std::string_view text, std::size_t from) const;
    void encode_piece(std::string_view piece, std::vector<Token>& out) const;
    const Merge* merge(Token left, Token right) const;

    std::vector<std::string> bytes_;                 // of each token
    std::unordered_map<std::string, Token> tokens_;  // by their bytes
    std::unordered_map<std::uint64_t, Merge> merges_;
    std::vector<std::string> markers_;
};

}  // namespace rfbench::models
