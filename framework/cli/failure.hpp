#pragma once
#include <exception>
#include <ostream>

namespace rfbench::cli {

/// Says in a sentence what an exception says, and gives the code that the program ends with: bad_configuration for the
/// user's mistakes, failure for files, memory and programs, and own_mistake, with how to report it, for all that should
/// not have happened.
int failed(const std::exception_ptr&, std::ostream& err);

/// Puts /dev/null in the place of standard streams that are closed, so that no file gets their numbers, and messages
/// with them. Reads and writes fail there as before. Throws FileError where /dev/null cannot be opened.
void hold_standard_streams();

/// Throws InputError where threads would have so little stack (OMP_STACKSIZE, ulimit -s) that one could end the program
/// without a word.
void require_stacks();

/// Throws InputError where RFBENCH_INSTRUCTION_SET asks for another instruction set than this program is compiled for.
void require_instruction_set();

/// Throws FileError where what was written to standard output did not arrive there, as on a full disk.
void flush_stdout_or_throw();

}  // namespace rfbench::cli
