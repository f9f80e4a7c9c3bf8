#pragma once
#include <vector>

#include "rfbench/random/stream.hpp"

namespace rfbench::training {

/// Tokens 0 to 9 are digits.
enum class ListToken : int {
    maximum = 10,  ///< [MAX
    minimum,       ///< [MIN
    median,        ///< [MED: of an even number of arguments, the mean of the two in the middle, rounded down
    sum,           ///< [SM: modulo 10
    end,           ///< ]
};
inline constexpr int num_list_tokens = 15;

/// Nested lists to be evaluated (ListOps: Nangia and Bowman 2018; Tay et al. 2021): [MAX 2 9 [MIN 4 7 ] 0 ] is 9.
struct ListOperations {
    Index min_length = 16, max_length = 64;  ///< tokens of a sequence
    int depth = 4;                           ///< of lists within one another, at least 1
    int arguments = 5;                       ///< of a list at most, at least 2
    double nested = 0.25;                    ///< how probable it is that an argument is a list, where the depth allows
    /// Operations that lists have, at least one; none twice.
    std::vector<ListToken> operations{ListToken::maximum, ListToken::minimum, ListToken::median, ListToken::sum};
};

struct List {
    std::vector<int> tokens;
    int value;  ///< 0 .. 9
};

/// Throws std::invalid_argument naming what is out of range, and when no list is so short or so long.
void check(const ListOperations&);

/// An operation, 2 to `arguments` arguments and the end of the list; all choices are uniform. A list of another length
/// is drawn again, from the next child of the stream: throws std::invalid_argument when 100,000 of them are not of a
/// length that is allowed. Throws as check().
List draw_list(const ListOperations&, const Stream&);

}  // namespace rfbench::training
