#include "rfbench/datasets/generate_krkopt.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

namespace rfbench::datasets {

namespace {

constexpr const char* outcomes[] = {"draw",   "zero",   "one",      "two",      "three",   "four",
                                    "five",   "six",    "seven",    "eight",    "nine",    "ten",
                                    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"};

/// Squares are numbered 8 file + rank, both from 0, so that their order is that of their text.
constexpr int squares = 64;
constexpr int file_of(int square) { return square / 8; }
constexpr int rank_of(int square) { return square % 8; }

struct Position {
    int king;   ///< white's
    int rook;   ///< white's
    int black;  ///< black's king
};

constexpr std::size_t positions = std::size_t{squares} * squares * squares;
std::size_t index_of(const Position& p) {
    const auto place = [](int square) { return static_cast<std::size_t>(square); };
    return (place(p.king) * squares + place(p.rook)) * squares + place(p.black);
}

/// Calls `visit` with each square a king can step to on an empty board.
template <class Visit>
void king_steps(int square, Visit&& visit) {
    for (int file = file_of(square) - 1; file <= file_of(square) + 1; ++file)
        for (int rank = rank_of(square) - 1; rank <= rank_of(square) + 1; ++rank) {
            const int to = 8 * file + rank;
            if (file >= 0 && file < 8 && rank >= 0 && rank < 8 && to != square) visit(to);
        }
}

/// Calls `visit` with each empty square a rook can run to between the two kings.
template <class Visit>
void rook_runs(const Position& p, Visit&& visit) {
    constexpr std::pair<int, int> directions[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (const auto& [files, ranks] : directions) {
        int file = file_of(p.rook) + files, rank = rank_of(p.rook) + ranks;
        for (; file >= 0 && file < 8 && rank >= 0 && rank < 8; file += files, rank += ranks) {
            const int to = 8 * file + rank;
            if (to == p.king || to == p.black) break;
            visit(to);
        }
    }
}

bool touch(int a, int b) { return std::abs(file_of(a) - file_of(b)) <= 1 && std::abs(rank_of(a) - rank_of(b)) <= 1; }

constexpr bool between(int a, int middle, int b) { return (a < middle && middle < b) || (b < middle && middle < a); }

/// The rook attacks the square of the black king: on its line, and the white king not in between.
bool check(const Position& p) {
    if (file_of(p.rook) == file_of(p.black))
        return file_of(p.king) != file_of(p.rook) || !between(p.rook, p.king, p.black);
    if (rank_of(p.rook) == rank_of(p.black))
        return rank_of(p.king) != rank_of(p.rook) || !between(p.rook, p.king, p.black);
    return false;
}

bool legal_for_black(const Position& p) { return p.rook != p.king && p.rook != p.black && !touch(p.king, p.black); }
bool legal_for_white(const Position& p) { return legal_for_black(p) && !check(p); }

constexpr std::int8_t not_lost = -1;

/// Retrograde analysis: from the mates backwards, one of white's moves a round. Moves here can be taken back, since
/// none but the capture of the rook, which draws, changes what is on the board.
class Endgame {
public:
    Endgame() {
        for (int king = 0; king < squares; ++king)
            for (int rook = 0; rook < squares; ++rook)
                for (int black = 0; black < squares; ++black) begin({king, rook, black});
        for (std::int8_t depth = 0; !lost_now_.empty(); ++depth) {
            // All losses in `depth` moves are known before those in one more are looked for: the number found first is
            // the least.
            std::vector<Position> lost_before;
            lost_before.swap(lost_now_);
            for (const Position& p : lost_before) take_back_white(p, static_cast<std::int8_t>(depth + 1));
        }
    }

    /// White's moves to mate with black to move, or not_lost.
    int depth(const Position& p) const { return depth_[index_of(p)]; }

private:
    /// Counts black's ways out of a position, and finds the mates.
    void begin(const Position& p) {
        if (!legal_for_black(p)) return;
        int escapes = 0;
        bool captures = false;
        king_steps(p.black, [&](int to) {
            // Next to the white king no square is free, nor that of a rook which it protects.
            if (touch(p.king, to)) return;
            captures |= to == p.rook;
            escapes += to != p.rook && legal_for_white({p.king, p.rook, to});
        });
        // A position with a capture keeps one way out for ever, and so does a stalemate: neither is lost.
        const bool stalemate = escapes == 0 && !check(p);
        escapes_[index_of(p)] = static_cast<std::uint8_t>(escapes + (captures || stalemate));
        if (escapes_[index_of(p)] == 0) lose(p, 0);
    }

    void lose(const Position& p, std::int8_t depth) {
        depth_[index_of(p)] = depth;
        lost_now_.push_back(p);
    }

    /// Black has lost in `p`: white wins wherever it can move to `p`.
    void take_back_white(const Position& p, std::int8_t depth) {
        // King and rook go back where they could go to. Positions that cannot be are refused by win().
        king_steps(p.king, [&](int from) { win({from, p.rook, p.black}, depth); });
        rook_runs(p, [&](int from) { win({p.king, from, p.black}, depth); });
    }

    /// White to move wins in `p`, in `depth` moves unless fewer were found: each of black's moves to `p` is no way out.
    void win(const Position& p, std::int8_t depth) {
        if (!legal_for_white(p) || won_[index_of(p)]) return;
        won_[index_of(p)] = true;
        king_steps(p.black, [&](int from) {
            const Position before{p.king, p.rook, from};
            if (legal_for_black(before) && --escapes_[index_of(before)] == 0) lose(before, depth);
        });
    }

    std::vector<std::uint8_t> escapes_ = std::vector<std::uint8_t>(positions, 0);  ///< black's moves not yet refuted
    std::vector<bool> won_ = std::vector<bool>(positions, false);                  ///< with white to move
    std::vector<std::int8_t> depth_ = std::vector<std::int8_t>(positions, not_lost);
    std::vector<Position> lost_now_;
};

/// One of the eight turned and mirrored copies of a position: the white king in the triangle a1 d1 d4, and the first
/// piece off the diagonal a1 h8 below it.
bool stands_for_its_copies(const Position& p) {
    const auto height = [](int square) { return rank_of(square) - file_of(square); };
    if (file_of(p.king) > 3 || height(p.king) > 0) return false;
    if (height(p.king) < 0) return true;
    return height(p.black) < 0 || (height(p.black) == 0 && height(p.rook) <= 0);
}

void append(std::string& text, int square) {
    text += {static_cast<char>('a' + file_of(square)), ',', static_cast<char>('1' + rank_of(square)), ','};
}

}  // namespace

std::string generate_krkopt() {
    const Endgame endgame;
    std::array<std::string, std::size(outcomes)> rows;
    for (int king = 0; king < squares; ++king)
        for (int rook = 0; rook < squares; ++rook)
            for (int black = 0; black < squares; ++black) {
                const Position p{king, rook, black};
                if (!legal_for_black(p) || !stands_for_its_copies(p)) continue;
                // Counted up, squares give rows in the order of their text; one list a class gives the order of moves.
                const auto code = static_cast<std::size_t>(endgame.depth(p) - not_lost);
                std::string& text = rows.at(code);
                for (const int square : {king, rook, black}) append(text, square);
                text += outcomes[code];
                text += '\n';
            }
    std::string text;
    for (const std::string& part : rows) text += part;
    return text;
}

}  // namespace rfbench::datasets
