#pragma once
// Exception types, by who can mend the problem. A message is a sentence to act on.
//
//   InputError       the user's: a command line, a configuration, a name or a value that is not allowed
//   FileError        the surroundings': a file is missing, damaged or cannot be written, a program cannot be run
//   StudyError       a study's: its report broke a rule; who wrote it, mends it
//   NotFinite        a training's that diverges; anybody else's as the next
//   anything else    ours: std::logic_error and whatever nobody expected; the program asks for a report
//
// A function of the mathematics throws plain std::invalid_argument where its caller broke its contract: who passes on
// what a user gave has checked it, or says whose it is by catching it.
#include <stdexcept>

namespace rfbench {

/// Thrown for input that is not allowed. The message says what was given, where, and what is allowed.
class InputError : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// A file that is missing, damaged or cannot be written, or a program that cannot be run. The message says which, and
/// why.
class FileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A study's report that failed or broke a rule of figures and tables. The message says which study's, and why.
class StudyError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Numbers that are not finite, or so large that what is computed of them is not: how most trainings end that diverge,
/// and otherwise a broken contract.
class NotFinite : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

}  // namespace rfbench
