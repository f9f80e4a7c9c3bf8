#pragma once
// The data sets that follow from rules, and so are there without a file and without a network.
#include <string>
#include <vector>

namespace rfbench::datasets {

/// The names that `generator:` may have in the manifest: car, nursery, krkopt.
std::vector<std::string> generators();

/// The whole text of the data set, the same bytes as the published file. Throws DataError with the nearest name when
/// there is no such generator.
std::string generate(const std::string& name);

}  // namespace rfbench::datasets
