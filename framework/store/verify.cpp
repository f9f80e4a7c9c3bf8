#include "rfbench/store/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/journal.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

// Files that are no results; shards have journals, locks and their ends of their own.
bool is_own(const fs::path& name) {
    const std::string text = name.generic_string();
    return text == checksums_name || text == "journal" || text == "lock" || text.starts_with("journal-") ||
           text.starts_with("lock-") || text.starts_with("shards/");
}

class Verification {
public:
    explicit Verification(const fs::path& folder) : folder_(folder) {}

    std::vector<Finding> findings() {
        read_list();
        read_events();
        for (const auto& [name, known] : expected_) compare(name, known);
        look_for_others();
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
    }

    // What the journal says last of a file holds where the list does not name it.
    void read_events() {
        const fs::path journal = folder_ / "journal";
        std::map<std::string, std::string> last;
        try {
            const JournalContents contents = read_journal(journal);
            for (const auto& bad : contents.damaged)
                add(Damage::malformed, journal, fmt::format("line {} is no event: {}", bad.line, bad.reason));
            for (const Event& event : contents.events)
                if (!event.file.empty() && !event.sha256.empty()) last[event.file] = event.sha256;
        } catch (const Error& problem) {
            add(Damage::unreadable, journal, problem.what());
        }
        for (const auto& [name, digest] : last) expected_.try_emplace(name, Known{digest, "the journal"});
    }

    void compare(const std::string& name, const Known& known) {
        const fs::path file = folder_ / name;
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
        std::error_code problem;
        for (fs::recursive_directory_iterator at(folder_, problem), end; !problem && at != end; at.increment(problem)) {
            const fs::path file = at->path(), name = file.lexically_relative(folder_);
            if (fs::is_directory(at->symlink_status()) || is_own(name)) continue;
            if (expected_.contains(name.generic_string())) continue;
            if (is_temporary(file))
                add(Damage::temporary, file, "a process that wrote it was stopped");
            else
                add(Damage::stray, file, "neither the list nor the journal names it");
        }
        if (problem) throw Error(fmt::format("cannot look into {}: {}", folder_.string(), problem.message()));
    }

    fs::path folder_;
    std::map<std::string, Known> expected_;
    std::vector<Finding> found_;
};

}  // namespace

const char* name(Damage damage) {
    switch (damage) {
        case Damage::missing: return "missing";
        case Damage::changed: return "changed";
        case Damage::unreadable: return "unreadable";
        case Damage::malformed: return "malformed";
        case Damage::stray: return "stray";
        case Damage::temporary: break;
    }
    return "temporary";
}

std::vector<Finding> verify(const fs::path& folder) {
    std::error_code problem;
    if (!fs::is_directory(folder, problem))
        throw Error(fmt::format("cannot verify {}: {}", folder.string(), problem ? problem.message() : "not a folder"));
    return Verification(folder).findings();
}

}  // namespace rfbench::store
