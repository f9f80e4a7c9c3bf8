#pragma once
// King and rook against king: every row follows from the rules of chess.
#include <string>

namespace rfbench::datasets {

/// The text of UCI's krkopt.data, byte for byte: the 28056 legal positions, up to symmetry, of white king and rook
/// against black king with black to move, each with the number of white's moves to mate under best play, or draw.
/// Sorted by that number, draws first, then by text. Takes some hundredths of a second.
std::string generate_krkopt();

}  // namespace rfbench::datasets
