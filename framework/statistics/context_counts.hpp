#pragma once
// Counts of symbols in contexts: how well a text is foretold without more than a few symbols around.
#include <cstddef>
#include <string_view>
#include <vector>

namespace rfbench::statistics {

/// A piece of a text of bytes, and which of its symbols are told.
struct ToldPiece {
    std::string_view symbols;
    std::vector<std::size_t> told;  ///< places, ascending
    bool hidden = true;             ///< those that are told are not known to each other
};

/// Interpolated counts of a text (Jelinek and Mercer 1980). Context k is a list of offsets, such as {-1, 1}, and c_k
/// the symbols there:
///
///   P_k(s | c) = l_k n(c_k s) / n(c_k) + (1 - l_k) P_{k-1}(s | c),   P_{-1} = 1 / 256,
///
/// n being how often the text has c_k, around any symbol or around s. Where it has none, or a place of the context is
/// outside the piece or hidden, P_k = P_{k-1}. Gives, for each context, the mean of -log2 P_k over the symbols that
/// are told in `test`; each l_k is the one that is best for those of `validation`. Throws std::invalid_argument where
/// nothing is told, for an empty text, an offset 0 and more than six offsets.
std::vector<double> context_bits(std::string_view text, const std::vector<ToldPiece>& validation,
                                 const std::vector<ToldPiece>& test, const std::vector<std::vector<int>>& contexts);

/// The same of a text that is continued, orders 0 .. max_order: context k is the k symbols before, and each symbol of a
/// piece but the first is told, knowing those before it. Orders 0, 1 and 2 are unigrams, bigrams and trigrams.
std::vector<double> context_bits(std::string_view text, const std::vector<std::string_view>& validation,
                                 const std::vector<std::string_view>& test, int max_order);

}  // namespace rfbench::statistics
