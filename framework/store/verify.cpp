#include "rfbench/store/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/entries_below.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/journal.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/store/staged_result.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

bool is_journal(const std::string& name) { return name == "journal" || name.starts_with("journal-"); }

class Verification {
public:
    explicit Verification(const fs::path& folder) : folder_(folder) {}

    std::vector<Finding> findings() {
        read_list();
        for (const auto& [name, known] : expected_) compare(name, known);
        look_for_others();
        look_for_collected();
        std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
        return found_;
    }

private:
    struct Known {
        std::string sha256;
        const char* source;
    };

    void add(Damage damage, const fs::path& file, const std::string& detail) {
        found_.push_back({damage, file, detail});
    }

    void read_list() {
        const fs::path list = folder_ / checksums_name;
        try {
            for (const auto& [name, digest] : read_checksums(folder_)) expected_[name] = {digest, "the list"};
        } catch (const Error& problem) {
            add(fs::is_regular_file(list) ? Damage::malformed : Damage::unreadable, list, problem.what());
        }
        try {
            for (const auto& [name, digest] : sums_of_replaced(folder_, replacing_))
                expected_[name] = {digest, "the new list"};
        } catch (const Error& problem) {
            add(Damage::malformed, list, problem.what());
        }
    }

    void compare(const std::string& name, const Known& known) {
        const fs::path file = (folder_ / name).lexically_normal();
        std::error_code problem;
        if (!fs::exists(file, problem) && !problem)
            return add(Damage::missing, file, fmt::format("{} names it, but it is not there", known.source));
        try {
            const std::string found = sha256_file(file);
            if (found != known.sha256)
                add(Damage::changed, file,
                    fmt::format("its sha256 is {}, but {} says {}", found, known.source, known.sha256));
        } catch (const Error& unreadable) {
            add(Damage::unreadable, file, unreadable.what());
        }
    }

    void look_for_others() {
        for (const fs::directory_entry& entry : entries_below(folder_)) {
            const fs::path& file = entry.path();
            const fs::path name = file.lexically_relative(folder_);
            if (is_journal(name.generic_string())) look_into_journal(file);
            if (fs::is_directory(entry.symlink_status()) || expected_.contains(name.generic_string())) continue;
            if (is_temporary(file)) {
                if (is_left_over(file)) add(Damage::temporary, file, "a process that wrote it was stopped");
            } else if (!is_bookkeeping(name))
                add(Damage::stray, file, "the list does not name it, so that there is nothing to compare it with");
        }
    }

    // Its lines have sums of their own. A torn last one is of an append that never returned.
    void look_into_journal(const fs::path& journal) {
        try {
            for (const auto& [line, reason] : read_journal(journal).damaged)
                add(Damage::malformed, journal, fmt::format("line {}: {}; it counts for nothing", line, reason));
        } catch (const Error& unreadable) {
            add(Damage::unreadable, journal, unreadable.what());
        }
    }

    // A missing list is reported, too.
    void look_for_collected() {
        const bool strays = std::any_of(found_.begin(), found_.end(),
                                        [](const Finding& finding) { return finding.damage == Damage::stray; });
        const fs::path collected = fs::path(folder_).concat(".h5"), list = folder_ / checksums_name;
        const std::string name = "../" + collected.filename().string();
        const bool is_there = fs::exists(collected);
        if (!fs::exists(list) && (is_there || strays))
            add(Damage::missing, list, "without a list there is nothing to compare files with");
        else if (is_there && !replacing_ && !expected_.contains(name) && fs::is_regular_file(list))
            add(Damage::unlisted, collected, "the list does not name it, so that there is nothing to compare it with");
    }

    fs::path folder_;
    bool replacing_ = false;  // files are taking their places, or were when a process was stopped
    std::map<std::string, Known> expected_;
    std::vector<Finding> found_;
};

// Lists of a folder, as they are now.
std::string lists_of(const fs::path& folder) {
    try {
        bool going_on = false;
        std::string text = read_if_there(folder / checksums_name).value_or("none");
        for (const auto& [name, sum] : sums_of_replaced(folder, going_on)) text += name + sum;
        return text + (going_on ? "going on" : "");
    } catch (const Error& problem) {
        return problem.what();
    }
}

}  // namespace

const char* name(Damage damage) {
    switch (damage) {
        case Damage::missing: return "missing";
        case Damage::changed: return "changed";
        case Damage::unreadable: return "unreadable";
        case Damage::malformed: return "malformed";
        case Damage::unlisted: return "unlisted";
        case Damage::stray: return "stray";
        case Damage::temporary: break;
    }
    return "temporary";
}

std::vector<Finding> verify(const fs::path& folder) {
    std::error_code problem;
    if (!fs::is_directory(folder, problem))
        throw Error(fmt::format("cannot verify {}: {}", folder.string(), problem ? problem.message() : "not a folder"));
    // A run at work may have replaced files between the look at its list and that at them: then both are looked at
    // again.
    constexpr int most = 100;
    for (int i = 1;; ++i) {
        const std::string lists = lists_of(folder);
        std::vector<Finding> found = Verification(folder).findings();
        const bool harmful = std::any_of(found.begin(), found.end(), [](const Finding& one) { return one.harmful(); });
        if (!harmful || i == most || lists_of(folder) == lists) return found;
    }
}

}  // namespace rfbench::store
