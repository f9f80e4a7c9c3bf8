#pragma once
// Counts of symbols behind contexts: how well a text is foretold without more than the last few symbols.
#include <string_view>
#include <vector>

namespace rfbench::statistics {

/// Interpolated counts of orders 0, 1, ... (Jelinek and Mercer 1980) of a text of bytes:
///
///   P_k(s | c) = l_k n(c_k s) / n(c_k) + (1 - l_k) P_{k-1}(s | c),   P_{-1} = 1 / 256,
///
/// c_k being the last k symbols of the context c and n how often the text has them, before another symbol or before s.
/// Where it has none, or c is shorter than k, P_k = P_{k-1}. Orders 0, 1 and 2 are frequencies, pairs and triples.
///
/// `pieces` are what is told: each symbol but the first, from those before it in its piece. Gives, for each order, the
/// mean of -log2 P_k over the symbols of `test`; each l_k is the one that is best for the symbols of `validation`.
/// Throws std::invalid_argument where one of them has no piece of two symbols, for an empty text and for orders
/// above 6.
std::vector<double> context_bits(std::string_view text, const std::vector<std::string_view>& validation,
                                 const std::vector<std::string_view>& test, int max_order);

}  // namespace rfbench::statistics
