// rfbench export: the networks of a result file in GPT-2's layout.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <stdexcept>

#include "rfbench/errors.hpp"
#include "rfbench/models/gpt2_folder.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "sources/stored_network.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

std::vector<std::string> sources_of(const store::Dataset& data, const std::filesystem::path& file) {
    try {
        return experiments::network_sources(data);
    } catch (const std::invalid_argument& error) {
        throw InputError(fmt::format("{}: {}", file.string(), error.what()));
    }
}

}  // namespace

int export_networks(const std::filesystem::path& file, const std::filesystem::path& folder) {
    const store::Dataset data = store::read(file);
    std::vector<std::string> left_out;
    bool written = false;
    for (const std::string& source : sources_of(data, file))
        for (const double seed : report::numbers(data, "seed")) {
            const std::filesystem::path own = folder / fmt::format("{}-seed-{}", source, seed);
            try {
                const experiments::StoredNetwork stored = experiments::read_network(data, source, seed);
                models::write_gpt2(own, stored.network, stored.weights.values());
                fmt::print("{}\n", own.string());
                written = true;
            } catch (const std::invalid_argument& error) {
                left_out.push_back(fmt::format("{}, seed {}: {}", source, seed, error.what()));
            }
        }
    if (!written)
        throw InputError(fmt::format(
            "{}: it has no network that GPT-2's layout can hold, as those of the source 'text' "
            "are, with their weights: {}",
            file.string(), left_out.empty() ? "it has none" : fmt::format("{}", fmt::join(left_out, "; "))));
    for (const std::string& one : left_out) std::cerr << "note: left out: " << one << '\n';
    return success;
}

}  // namespace rfbench::cli
