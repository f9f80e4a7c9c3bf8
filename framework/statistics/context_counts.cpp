#include "rfbench/statistics/context_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>

namespace rfbench::statistics {
namespace {

constexpr std::size_t max_symbols = 7;  ///< of a context and the one in it, which fit a number

/// A number with one more symbol after its own.
std::uint64_t with(std::uint64_t number, char symbol) { return number << 8 | static_cast<unsigned char>(symbol); }

/// Every context of the text with the symbol that stands in it, as numbers, sorted.
std::vector<std::uint64_t> runs_of(std::string_view text, const std::vector<int>& context) {
    std::vector<std::uint64_t> all;
    const auto size = static_cast<std::ptrdiff_t>(text.size());
    std::ptrdiff_t before = 0, after = 0;
    for (const int offset : context) {
        before = std::max<std::ptrdiff_t>(before, -offset);
        after = std::max<std::ptrdiff_t>(after, offset);
    }
    for (std::ptrdiff_t at = before; at + after < size; ++at) {
        std::uint64_t number = 0;
        for (const int offset : context) number = with(number, text[static_cast<std::size_t>(at + offset)]);
        all.push_back(with(number, text[static_cast<std::size_t>(at)]));
    }
    std::sort(all.begin(), all.end());
    return all;
}

/// How many runs lie in [first, last].
double count_between(const std::vector<std::uint64_t>& runs, std::uint64_t first, std::uint64_t last) {
    const auto begin = std::lower_bound(runs.begin(), runs.end(), first);
    return static_cast<double>(std::upper_bound(begin, runs.end(), last) - begin);
}

/// A symbol that is told: P of the context before, and the share of this one; negative where it has no such context.
struct Told {
    double before, share;
};

double mixed(const Told& told, double weight) {
    return told.share < 0 ? told.before : weight * told.share + (1 - weight) * told.before;
}

/// The context of a place as a number; nothing where one of its symbols is outside the piece or not known.
std::optional<std::uint64_t> context_of(const ToldPiece& piece, std::size_t place, const std::vector<int>& context) {
    std::uint64_t number = 0;
    for (const int offset : context) {
        const auto at = static_cast<std::ptrdiff_t>(place) + offset;
        if (at < 0 || at >= static_cast<std::ptrdiff_t>(piece.symbols.size())) return {};
        const auto known = static_cast<std::size_t>(at);
        if (piece.hidden && std::binary_search(piece.told.begin(), piece.told.end(), known)) return {};
        number = with(number, piece.symbols[known]);
    }
    return number;
}

/// Fills the shares of this context, symbol after symbol of all pieces.
void set_shares(std::vector<Told>& all, const std::vector<ToldPiece>& pieces, const std::vector<std::uint64_t>& runs,
                const std::vector<int>& context) {
    auto told = all.begin();
    for (const ToldPiece& piece : pieces)
        for (const std::size_t place : piece.told) {
            const auto number = context_of(piece, place, context);
            const std::uint64_t first = number.value_or(0) << 8;
            const double there = number ? count_between(runs, first, first | 0xff) : 0;
            const std::uint64_t run = first | static_cast<unsigned char>(piece.symbols[place]);
            told++->share = there > 0 ? count_between(runs, run, run) / there : -1;
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

std::vector<Told> symbols_of(const std::vector<ToldPiece>& pieces, const char* name) {
    std::size_t count = 0;
    for (const ToldPiece& piece : pieces) count += piece.told.size();
    if (count == 0) throw std::invalid_argument(std::string("context_bits: no symbol of `") + name + "` is told");
    return std::vector<Told>(count, {1.0 / 256, -1});
}

/// Every symbol but the first is told, by those before it.
std::vector<ToldPiece> continued(const std::vector<std::string_view>& pieces) {
    std::vector<ToldPiece> all;
    for (const std::string_view piece : pieces) {
        ToldPiece one{piece, {}, false};
        for (std::size_t place = 1; place < piece.size(); ++place) one.told.push_back(place);
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace

std::vector<double> context_bits(std::string_view text, const std::vector<ToldPiece>& validation,
                                 const std::vector<ToldPiece>& test, const std::vector<std::vector<int>>& contexts) {
    if (text.empty()) throw std::invalid_argument("context_bits: the text is empty");
    for (const std::vector<int>& context : contexts)
        if (context.size() >= max_symbols || std::count(context.begin(), context.end(), 0) > 0)
            throw std::invalid_argument("context_bits: a context has at most 6 offsets, none of them 0");
    std::vector<Told> weighed = symbols_of(validation, "validation"), judged = symbols_of(test, "test");
    std::vector<double> bits;
    for (const std::vector<int>& context : contexts) {
        const std::vector<std::uint64_t> runs = runs_of(text, context);
        set_shares(weighed, validation, runs, context);
        set_shares(judged, test, runs, context);
        const double weight = best_weight(weighed);
        double sum = 0;
        for (std::vector<Told>* const all : {&weighed, &judged})
            for (Told& told : *all) told.before = mixed(told, weight);
        for (const Told& told : judged) sum -= std::log2(told.before);
        bits.push_back(sum / static_cast<double>(judged.size()));
    }
    return bits;
}

std::vector<double> context_bits(std::string_view text, const std::vector<std::string_view>& validation,
                                 const std::vector<std::string_view>& test, int max_order) {
    std::vector<std::vector<int>> contexts;
    for (int order = 0; order <= max_order; ++order) {
        contexts.emplace_back();
        for (int offset = -order; offset < 0; ++offset) contexts.back().push_back(offset);
    }
    return context_bits(text, continued(validation), continued(test), contexts);
}

}  // namespace rfbench::statistics
