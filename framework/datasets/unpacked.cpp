#include "rfbench/datasets/unpacked.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/foreign.hpp"
#include "rfbench/datasets/gzip.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/zip.hpp"

namespace rfbench::datasets {

std::string unpacked(std::string bytes, std::size_t limit, const std::string& file) {
    if (is_gzip(bytes)) return gunzip(bytes, limit, file);
    if (is_zip(bytes)) {
        const Zip archive(bytes, file);
        const std::vector<std::string>& members = archive.names();
        refuse_foreign_archive(file, members);
        if (members.size() != 1)
            refuse({file}, fmt::format("holds {} files ({}); unpack the one that is meant", members.size(),
                                       fmt::join(members, ", ")));
        return archive.contents(members.front(), limit);
    }
    refuse_foreign(file, bytes);
    return bytes;
}

std::string text_of_file(const std::string& file) {
    constexpr std::size_t largest = std::size_t{1} << 31;
    return unpacked(file_bytes(file, largest), largest, file);
}

}  // namespace rfbench::datasets
