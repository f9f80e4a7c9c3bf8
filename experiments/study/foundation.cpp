#include "study/foundation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_file.hpp"

namespace rfbench::experiments {
namespace {

thread_local std::filesystem::path foundation_folder = "results";

void add_names(const config::Value& value, std::vector<config::Value>& all) {
    if (value.kind() == config::Kind::list)
        for (const config::Value& item : value.items()) add_names(item, all);
    if (value.kind() != config::Kind::map) return;
    for (const std::string& key : value.keys()) {
        const config::Value& below = value.at(key);
        const bool named = key == "from" && below.kind() == config::Kind::text;
        const bool known = named && std::any_of(all.begin(), all.end(),
                                                [&](const config::Value& one) { return one.text() == below.text(); });
        if (named && !known) all.push_back(below);
        if (!named) add_names(below, all);
    }
}

}  // namespace

std::vector<config::Value> foundations(const config::Value& configuration) {
    std::vector<config::Value> all;
    add_names(configuration, all);
    return all;
}

FoundationFolder::FoundationFolder(std::filesystem::path own)
    : before_(std::exchange(foundation_folder, std::move(own))) {}

FoundationFolder::~FoundationFolder() { foundation_folder = std::move(before_); }

store::Dataset foundation(const config::Value& from) {
    const std::filesystem::path file = foundation_folder / (from.text() + ".h5");
    if (!std::filesystem::exists(file))
        from.refuse(fmt::format("there is no {}: 'rfbench run {}' computes it", file.string(), from.text()));
    try {
        return store::read(file);
    } catch (const store::Error& error) {
        from.refuse(fmt::format("{}; 'rfbench run {}' makes it anew", error.what(), from.text()));
    }
}

}  // namespace rfbench::experiments
