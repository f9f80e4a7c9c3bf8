#pragma once
// Datasets in an HDF5 file of somebody else's.
#include <hdf5.h>

#include <string>
#include <vector>

#include "rfbench/datasets/place.hpp"
#include "rfbench/store/error.hpp"

namespace rfbench::datasets {

/// The paths of all datasets of an open file, "/group/name", in order of names: each dataset once, however many links
/// lead to it, and none of other files. Groups are looked into to a depth of 16, and 10,000 names at most. Throws
/// DataError, `name` of the file first, where there are more, and when the library cannot tell. To be called within
/// store::Hdf5Session.
std::vector<std::string> hdf5_datasets(hid_t file, const std::string& name);

/// Returns read(). A failure of the library becomes a DataError about `place`, the file or its dataset.
template <class Read>
auto naming(const std::string& place, Read read) {
    try {
        return read();
    } catch (const store::Error& error) {
        refuse({place}, error.what());
    }
}

/// Throws DataError, `place` first, where the numbers of a dataset do not lie in its own file, so that opening a file
/// would read another, or where the file holds too few bytes for them: what was never written would be read as zeros.
/// Throws store::Error.
void require_own_numbers(const std::string& place, hid_t file, hid_t dataset);

}  // namespace rfbench::datasets
