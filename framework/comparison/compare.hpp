#pragma once
// Two result files of one configuration side by side: which values differ, by how much, and whether by more than their
// errors allow.
#include <cstddef>
#include <string>
#include <vector>

#include "rfbench/store/dataset.hpp"

namespace rfbench::comparison {

/// One value of both files, or one mean over repeats.
struct Cell {
    std::string results;  ///< "variance/monte-carlo"
    std::string variable;
    std::string place;  ///< "method = positive, dimension = 4"
    double a, b;        ///< shares, where counts are among numbers of trials
    double difference;  ///< b - a; beside stated values, of how far each is off what it states
    double error;       ///< its standard error; 0 where values have none, NaN where it is not known
    double p;           ///< two-sided, of both being one
    double adjusted_p;  ///< at the error of all that is compared (Holm 1979)
};

/// Comparison of one pair of files.
struct Compared {
    std::string results;
    std::size_t values = 0;               ///< that both have
    std::size_t equal = 0;                ///< bit for bit, NaN and NaN among them
    std::vector<Cell> cells = {};         ///< those that are not equal
    std::vector<std::string> notes = {};  ///< what one file has and the other does not
};

/// Values at labels that both have, variable by variable. How far a value may be off is known
///
/// - from the axis seed, repeat or split: means are compared, paired where both files have one seed of the
///   configuration, else as independent samples; random splits share rows (paired_test.hpp);
/// - from a variable NAME_half_width (95 %), or NAME_z beside stated_NAME: compared is then how far each is off what it
///   states, since another seed may state another value;
/// - from a variable `trials`, where NAME counts: compared are shares;
/// - else, and where half widths are 0 or NaN, values of one seed have no error, and differ beyond a relative 1e-9,
///   which is for other instruction sets; of those of two seeds nothing can be told.
Compared compare(const std::string& results, const store::Dataset& a, const store::Dataset& b);

/// All that differs, the surest first, then the largest in errors; adjusts the p-values of all cells as one family.
std::vector<Cell> ranked(const std::vector<Compared>&);

/// Whether any cell differs at this error of the whole comparison.
bool differs(const std::vector<Cell>& ranked, double level);

}  // namespace rfbench::comparison
