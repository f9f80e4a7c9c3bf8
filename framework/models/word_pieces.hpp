#pragma once
// The pieces of a text within which bytes are joined to tokens: contractions, words, numbers and signs, each with a
// space before it, and white space. Source: Radford et al. 2019; OpenAI, gpt-2, src/encoder.py:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#include <cstddef>
#include <memory>
#include <string_view>

namespace rfbench::models {

class WordPieces {
public:
    /// `text` must outlive the pieces. Throws DataError "NAME: is no UTF-8 at byte n ..." (n from 0).
    WordPieces(std::string_view text, std::string_view name);
    ~WordPieces();

    /// The next piece; empty at the end. Together the pieces are the text.
    std::string_view next();

private:
    struct Match;
    std::string_view text_;
    std::size_t at_ = 0;
    std::unique_ptr<Match> match_;
};

}  // namespace rfbench::models
