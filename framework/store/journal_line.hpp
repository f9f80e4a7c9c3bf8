#pragma once
// One event as one line of JSON (RFC 8259), and back.
#include <string>
#include <string_view>

#include "rfbench/store/journal.hpp"

namespace rfbench::store {

/// An object on one line, without the newline at its end.
std::string journal_line(const Event&);

/// Members that Event does not have are passed over. Throws FileError saying what is wrong, and where.
Event parse_journal_line(std::string_view line);

}  // namespace rfbench::store
