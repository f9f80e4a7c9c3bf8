#include "sources/masked_texts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rfbench::experiments {

std::vector<Index> hidden_places(Index length, double share, Stream stream) {
    std::vector<Index> places(static_cast<std::size_t>(length));
    std::iota(places.begin(), places.end(), Index{0});
    const auto count =
        std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(share * static_cast<double>(length))));
    // The first places of a shuffle.
    for (std::size_t i = 0; i < count; ++i) std::swap(places[i], places[i + stream.below(places.size() - i)]);
    places.resize(count);
    std::sort(places.begin(), places.end());
    return places;
}

std::vector<networks::Sequence<float>> hide(std::vector<networks::Sequence<float>> pieces, double share,
                                            const Stream& stream) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        networks::Sequence<float>& piece = pieces[i];
        piece.targets.clear();
        for (const Index place : hidden_places(piece.length(), share, stream.child(i))) {
            int& token = piece.tokens[static_cast<std::size_t>(place)];
            piece.targets.push_back({place, token});
            token = hidden_token;
        }
    }
    return pieces;
}

std::vector<statistics::ToldPiece> told_pieces(const Text& text, const std::string& part, Index pieces, double hidden,
                                               const Stream& stream) {
    std::vector<statistics::ToldPiece> all;
    const auto bytes = text.spread_bytes(part, pieces);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        statistics::ToldPiece piece{bytes[i].substr(0, static_cast<std::size_t>(text.length)), {}};
        for (const Index place : hidden_places(text.length, hidden, stream.child(i)))
            piece.told.push_back(static_cast<std::size_t>(place));
        all.push_back(std::move(piece));
    }
    return all;
}

config::KeyRule hidden_key() {
    using namespace config;
    return defaulted("hidden", real(above(0).below(1)), "0.15", "share of a piece's tokens that are to be told");
}

}  // namespace rfbench::experiments
