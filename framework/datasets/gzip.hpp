#pragma once
// Taking compression off (zlib): gzip files (RFC 1952) and the deflate streams inside zip archives (RFC 1951).
#include <cstddef>
#include <string>
#include <string_view>

namespace rfbench::datasets {

/// True when the bytes begin with the gzip mark 1f 8b.
bool is_gzip(std::string_view bytes);

/// The contents of a gzip file, of one or several members. `file` names it in messages. Throws DataError when it is not
/// gzip, is cut short, is damaged (zlib's checks, CRC-32 included), has other bytes after its end, or unpacks to more
/// than `limit` bytes.
std::string gunzip(std::string_view packed, std::size_t limit, std::string_view file);

/// The contents of one bare deflate stream that must use up all of `packed`. Errors as for gunzip.
std::string inflate_bare(std::string_view packed, std::size_t limit, std::string_view file);

}  // namespace rfbench::datasets
