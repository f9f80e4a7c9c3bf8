#pragma once
// What the command line says about data sets.
#include <string>

#include "rfbench/datasets/manifest.hpp"
#include "rfbench/datasets/places.hpp"

namespace rfbench::datasets {

/// Some twenty lines: title, rows, columns, classes with their counts, licence, citation, DOI, and every place where
/// the files may lie with what is there on this machine. Reads and hashes the files, opens no network. Ends with a line
/// end.
std::string describe(const Entry&, const Places&);

/// One line: "NAME  title, rows x columns, classes, present (where) or missing". No line end.
std::string summary(const Entry&, const Places&);

/// True when every file of the data set has a good copy on this machine.
bool is_present(const Entry&, const Places&);

}  // namespace rfbench::datasets
