#include "results_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <stdexcept>
#include <system_error>

#include "rfbench/engine/recipe.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/links.hpp"

namespace rfbench::cli {

void require_writable(const std::filesystem::path& folder) {
    // The folders that are missing would be made in the nearest one that is there.
    std::error_code ignored;
    std::filesystem::path there = std::filesystem::absolute(folder).lexically_normal();
    while (!std::filesystem::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
    int reason = 0;
    if (!std::filesystem::is_directory(there, ignored))
        reason = ENOTDIR;
    else if (::access(there.c_str(), W_OK | X_OK) != 0)
        reason = errno;
    if (reason != 0)
        throw FileError(fmt::format(
            "files cannot be made in {} ({}), for {}; name a folder that you may write to: --results FOLDER",
            there.string(), std::generic_category().message(reason), folder.string()));
}

std::filesystem::path tree(const RunOptions& options) {
    if (options.selection.profile.empty()) return options.results;
    store::require_no_link(options.results, options.selection.profile);
    return options.results / options.selection.profile;
}

namespace {

std::string attribute(const std::map<std::string, std::string>& attributes, const char* name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? "" : found->second;
}

/// "variance/regimes.yaml, --set rows=64"
std::string described(const std::map<std::string, std::string>& attributes) {
    const std::string overrides = attribute(attributes, "overrides");
    return attribute(attributes, "configuration_file") + (overrides == "none" ? "" : ", --set " + overrides);
}

}  // namespace

std::string taken_by_another(const std::filesystem::path& results, const engine::Plan& plan) {
    const std::filesystem::path collected = results / (place(plan) + ".h5");
    if (!std::filesystem::exists(collected)) return {};
    std::map<std::string, std::string> there;
    try {
        there = store::read(collected).attributes;
    } catch (const store::Error&) {
        return {};  // it is damaged: nothing is lost
    }
    const std::string now = described(plan.attributes), before = described(there);
    // An edit of the same file is no other configuration, and neither is another file that says the same.
    const std::string differs = engine::difference(plan.resolved, attribute(there, "config"));
    if (now == before || differs.empty()) return {};
    return fmt::format(
        "{} holds the results of another configuration ({}), and nothing is computed. Here ({}) {}. "
        "'--as NAME' keeps both side by side; '--replace' puts these in their place, and the others' cells "
        "stay.",
        collected.string(), before, now, differs);
}

void require_own_place(const std::filesystem::path& results, const engine::Plan& plan) {
    const std::string taken = taken_by_another(results, plan);
    if (!taken.empty()) throw InputError(taken);
}

}  // namespace rfbench::cli
