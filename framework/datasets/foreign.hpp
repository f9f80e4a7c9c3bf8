#pragma once
// Files of other programs that are known by their first bytes and not read.
#include <string>
#include <string_view>
#include <vector>

namespace rfbench::datasets {

/// Throws DataError that says what program wrote the file and what to write in its place, where the first bytes are
/// those of a known format that no reader takes: pickles, MATLAB before 7.3, Parquet, ...
void refuse_foreign(const std::string& file, std::string_view front);

/// The same of a zip archive by its members: files of torch.save, spreadsheets.
void refuse_foreign_archive(const std::string& file, const std::vector<std::string>& members);

}  // namespace rfbench::datasets
