#include "rfbench/store/staged_result.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <set>
#include <system_error>

#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/entries_below.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/links.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/store/system_calls.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "next-";
constexpr std::string_view beside = "../";  // of a listed name: the file is beside the result's folder
constexpr const char* before_name = "before";

fs::path made_at(const fs::path& folder, const std::string& name) {
    return folder / (name.starts_with(beside) ? name.substr(beside.size()) : name);
}

// The folders in which files are made or wait for their places.
std::vector<fs::path> generations(const fs::path& result) {
    std::vector<fs::path> found;
    std::error_code problem;
    for (fs::directory_iterator at(result, problem), end; !problem && at != end; at.increment(problem))
        if (is_generation(at->path().filename()) && fs::is_directory(at->symlink_status())) found.push_back(at->path());
    std::sort(found.begin(), found.end());
    return found;
}

// All of it is on the disk once its list is there.
bool is_whole(const fs::path& generation) { return fs::exists(generation / checksums_name); }

void remove_tree(const fs::path& folder) {
    std::error_code problem;
    fs::remove_all(folder, problem);
    if (problem) throw_system_error("remove the folder", folder, problem.value());
}

// Moves a file to its name in the result's folder.
void move_to(const fs::path& from, const fs::path& result, const fs::path& name) {
    require_no_link(result, name.parent_path());
    const fs::path to = (result / name).lexically_normal();
    make_folders(to.parent_path());
    if (system_calls().rename(from.c_str(), to.c_str()) != 0)
        throw_system_error(fmt::format("rename {} to", from.string()), to, errno);
}

// A list that is damaged names nothing: its files are listed again as they are made again.
Checksums listed(const fs::path& result) {
    try {
        return read_checksums(result);
    } catch (const Error&) {
        return {};
    }
}

bool is_file_with(const fs::path& file, const std::string& sum) {
    std::error_code none;
    return fs::is_regular_file(fs::symlink_status(file, none)) && sha256_file(file) == sum;
}

// Throws Error unless all that an earlier process made is as it was written.
void require_undamaged(const fs::path& result, const fs::path& made) {
    if (!fs::exists(made / before_name / checksums_name))
        throw Error(fmt::format("{} has no list of the files before", made.string()));
    read_checksums(made / before_name, result);
    for (const auto& [name, sum] : read_checksums(made, result)) {
        const fs::path from = made_at(made, name);
        // It was not made anew, or has taken its place.
        if (!fs::exists(fs::symlink_status(from))) continue;
        require_no_link(made, from.lexically_relative(made));
        if (!is_file_with(from, sum)) throw Error(fmt::format("{} is not as it was written", from.string()));
    }
}

// Says why the files of an earlier process cannot be taken; empty if they can, or were never whole.
std::string damage_of(const fs::path& result, const fs::path& made) {
    try {
        if (is_whole(made)) require_undamaged(result, made);
        return {};
    } catch (const Error& problem) {
        return problem.what();
    }
}

// Puts what is whole in place, from wherever an earlier process got to.
void finish(const fs::path& result, const fs::path& made) {
    const Checksums now = read_checksums(made, result), before = read_checksums(made / before_name, result);
    // Files that are the same before and after may be listed all the while.
    Checksums stays;
    for (const auto& [name, sum] : now)
        if (const auto was = before.find(name); was != before.end() && was->second == sum) stays[name] = sum;
    // No list may meanwhile say what a file was before.
    write_checksums(result, stays);
    std::set<fs::path> changed;
    for (const auto& [name, sum] : now) {
        const fs::path from = made_at(made, name);
        // It was not made anew, or an earlier process has moved it already.
        if (!fs::exists(from)) continue;
        move_to(from, result, name);
        changed.insert((result / name).lexically_normal().parent_path());
    }
    for (const auto& [name, sum] : before) {
        const fs::path old = (result / name).lexically_normal();
        // A file that somebody else has put there stays.
        if (now.contains(name) || !is_file_with(old, sum)) continue;
        if (system_calls().unlink(old.c_str()) != 0 && errno != ENOENT) throw_system_error("remove", old, errno);
        changed.insert(old.parent_path());
    }
    for (const fs::path& folder : changed) sync_folder(folder);
    // The list goes last: while it is in the folder, the next process goes on from here.
    move_to(made / checksums_name, result, checksums_name);
    sync_folder(result);
    remove_tree(made);
}

// The files below a folder by the names that a list gives them, and their folders' entries on the disk.
Checksums sums_below(const fs::path& made, const fs::path& result) {
    Checksums sums;
    const std::string collected = result.filename().string() + ".h5";
    for (const auto& file : entries_below(made)) {
        if (file.is_directory()) sync_folder(file.path());
        if (!file.is_regular_file()) continue;
        const std::string name = file.path().lexically_relative(made).generic_string();
        sums[name == collected ? std::string(beside) + name : name] = sha256_file(file.path());
    }
    sync_folder(made);
    return sums;
}

}  // namespace

StagedResult::StagedResult(fs::path folder) : result_(std::move(folder)) {
    for (const fs::path& left : generations(result_)) {
        const std::string damage = damage_of(result_, left);
        if (!damage.empty())
            damaged_.push_back(fmt::format("{}, left by a process that was stopped, is damaged and is removed: {}",
                                           left.string(), damage));
        if (is_whole(left) && damage.empty())
            finish(result_, left);
        else
            remove_tree(left);
    }
    make_folders(result_);
    // Makes a folder of its own, whatever is there.
    for (auto number = std::uint64_t(::getpid());; ++number) {
        folder_ = result_ / fmt::format("{}{}", prefix, number);
        if (::mkdir(folder_.c_str(), 0777) == 0) break;
        if (errno != EEXIST) throw_system_error("make the folder", folder_, errno);
    }
    sync_folder(result_);
    remove_temporaries(result_);
}

StagedResult::~StagedResult() {
    try {
        if (!is_whole(folder_)) fs::remove_all(folder_);
    } catch (const std::exception&) {  // the next run removes it
    }
}

void StagedResult::replace(const std::vector<std::string>& parts) {
    Checksums made = sums_below(folder_, result_), before = listed(result_), all = before;
    std::erase_if(all, [&](const auto& entry) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const std::string& part) { return entry.first.starts_with(part); });
    });
    for (const auto& [name, sum] : made) {
        require_no_link(result_, fs::path(name).parent_path());
        all[name] = sum;
    }
    if (all == before && made.empty()) return;
    make_folders(folder_ / before_name);
    // The list of what was made is written last: with it all is whole, and will take its place.
    write_checksums(folder_ / before_name, before, result_);
    write_checksums(folder_, all, result_);
    finish(result_, folder_);
}

bool is_generation(const fs::path& name) {
    const std::string text = name.string();
    return text.size() > prefix.size() && text.starts_with(prefix) &&
           text.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

Checksums sums_of_replaced(const fs::path& folder, bool& going_on) {
    Checksums replaced;
    for (const fs::path& made : generations(folder)) {
        if (!is_whole(made)) continue;
        going_on = true;
        for (const auto& [name, sum] : read_checksums(made, folder))
            if (!fs::exists(made_at(made, name))) replaced[name] = sum;
    }
    return replaced;
}

}  // namespace rfbench::store
