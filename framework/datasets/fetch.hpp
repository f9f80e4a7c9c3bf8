#pragma once
// Getting a data set from the network, only when the user asks for it: rfbench data fetch NAME.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rfbench/datasets/locate.hpp"

namespace rfbench::datasets {

/// The bytes at an https URL. Throws DataError with the reason.
using Download = std::function<std::string(const std::string& url)>;

/// Through the program curl: https only, redirections too; at most 64 MiB, 20 s to connect and 5 minutes in all.
/// `program` is looked for on PATH.
std::string download_with_curl(const std::string& url, const std::string& program = "curl");

/// Brings every file of the data set that has no good copy on this machine into the first cache folder: downloads from
/// the manifest's URLs in order, takes zip or gzip off, checks the sha256, and only then writes the file, whole or not
/// at all. Tells `tell` every URL with the licence before it is opened, and why one failed before the next is tried.
/// Returns the paths written, none when all was there. Throws DataError when a file could not be had from any URL or
/// the cache's folder could not be made, store::Error when the file could not be written.
std::vector<std::filesystem::path> fetch(const Entry&, const Places&, const Warn& tell, const Download& download);

}  // namespace rfbench::datasets
