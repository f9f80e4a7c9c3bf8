#pragma once
// Configurations that stand on the results of others: a source {use: network, from: training/teachers, ...} names the
// configuration whose collected result it reads.
#include <filesystem>
#include <vector>

#include "rfbench/config/value.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// The keys `from` that name configurations, at whatever depth, each name once. Other keys `from` hold maps
/// (methods/stored_map.hpp).
std::vector<config::Value> foundations(const config::Value& configuration);

/// While one lives, prepare() of this thread finds the results of other configurations below its folder: the results of
/// one profile.
class FoundationFolder {
public:
    explicit FoundationFolder(std::filesystem::path);
    ~FoundationFolder();
    FoundationFolder(const FoundationFolder&) = delete;
    FoundationFolder& operator=(const FoundationFolder&) = delete;

private:
    std::filesystem::path before_;
};

/// The collected result of the configuration that `from` names. Throws config::Error there where it is not computed
/// yet or damaged.
store::Dataset foundation(const config::Value& from);

}  // namespace rfbench::experiments
