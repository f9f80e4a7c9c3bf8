#include "rfbench/statistics/context_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace rfbench::statistics {
namespace {

constexpr int most_symbols = 7;  ///< of a context and the one behind it, which fit a number with their length

/// The last `count` symbols before `end`, as a number.
std::uint64_t packed(std::string_view text, std::size_t end, int count) {
    std::uint64_t number = 0;
    for (std::size_t i = end - static_cast<std::size_t>(count); i < end; ++i)
        number = number << 8 | static_cast<unsigned char>(text[i]);
    return number;
}

/// Every run of so many symbols, sorted.
std::vector<std::uint64_t> runs_of(std::string_view text, int count) {
    std::vector<std::uint64_t> all;
    for (auto end = static_cast<std::size_t>(count); end <= text.size(); ++end) all.push_back(packed(text, end, count));
    std::sort(all.begin(), all.end());
    return all;
}

/// How many runs lie in [first, last].
double count_between(const std::vector<std::uint64_t>& runs, std::uint64_t first, std::uint64_t last) {
    const auto begin = std::lower_bound(runs.begin(), runs.end(), first);
    return static_cast<double>(std::upper_bound(begin, runs.end(), last) - begin);
}

/// A symbol that is told: P of the order before, and the share of this one; negative where it has no such context.
struct Told {
    double before, share;
};

double mixed(const Told& told, double weight) {
    return told.share < 0 ? told.before : weight * told.share + (1 - weight) * told.before;
}

/// Fills the shares of this order, symbol after symbol of all pieces.
void set_shares(std::vector<Told>& all, const std::vector<std::string_view>& pieces,
                const std::vector<std::uint64_t>& runs, int order) {
    auto told = all.begin();
    for (const std::string_view piece : pieces)
        for (std::size_t at = 1; at < piece.size(); ++at, ++told) {
            told->share = -1;
            if (at < static_cast<std::size_t>(order)) continue;
            const std::uint64_t context = packed(piece, at, order) << 8;
            const double there = count_between(runs, context, context | 0xff);
            const std::uint64_t run = context | static_cast<unsigned char>(piece[at]);
            if (there > 0) told->share = count_between(runs, run, run) / there;
        }
}

/// The weight at which the mean of log P is largest: it is concave, and its derivative falls.
double best_weight(const std::vector<Told>& all) {
    double low = 0, high = 1;
    for (int i = 0; i < 50; ++i) {
        const double weight = (low + high) / 2;
        double slope = 0;
        for (const Told& told : all)
            if (told.share >= 0) slope += (told.share - told.before) / mixed(told, weight);
        (slope > 0 ? low : high) = weight;
    }
    return (low + high) / 2;
}

std::vector<Told> symbols_of(const std::vector<std::string_view>& pieces, const char* name) {
    std::vector<Told> all;
    for (const std::string_view piece : pieces)
        for (std::size_t at = 1; at < piece.size(); ++at) all.push_back({1.0 / 256, -1});
    if (all.empty()) throw std::invalid_argument(std::string("context_bits: no symbol of `") + name + "` is told");
    return all;
}

}  // namespace

std::vector<double> context_bits(std::string_view text, const std::vector<std::string_view>& validation,
                                 const std::vector<std::string_view>& test, int max_order) {
    if (text.empty()) throw std::invalid_argument("context_bits: the text is empty");
    if (max_order < 0 || max_order >= most_symbols)
        throw std::invalid_argument("context_bits: orders are 0 to 6, not " + std::to_string(max_order));
    std::vector<Told> weighed = symbols_of(validation, "validation"), judged = symbols_of(test, "test");
    std::vector<double> bits;
    for (int order = 0; order <= max_order; ++order) {
        const std::vector<std::uint64_t> runs = runs_of(text, order + 1);
        set_shares(weighed, validation, runs, order);
        set_shares(judged, test, runs, order);
        const double weight = best_weight(weighed);
        double sum = 0;
        for (std::vector<Told>* const all : {&weighed, &judged})
            for (Told& told : *all) told.before = mixed(told, weight);
        for (const Told& told : judged) sum -= std::log2(told.before);
        bits.push_back(sum / static_cast<double>(judged.size()));
    }
    return bits;
}

}  // namespace rfbench::statistics
