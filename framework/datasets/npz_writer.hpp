#pragma once
// Archives of arrays that NumPy reads.
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rfbench::datasets {

/// An .npy file of texts (dtype <U), one axis. Bytes that are no UTF-8 become U+FFFD.
std::string npy_words(std::span<const std::string> words);

/// An .npz archive: a zip archive of members "NAME.npy" as they are (PKWARE APPNOTE 6.3, method 0), without dates, so
/// that equal members give equal bytes. Throws std::invalid_argument beyond 4 GB, which need Zip64.
std::string npz(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace rfbench::datasets
