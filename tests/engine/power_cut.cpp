// A power cut: what was never forced to the disk is gone. A run that has ended must have forced all of its results.
#include <sys/stat.h>

#include <array>
#include <map>
#include <set>

#include "catch.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/store/system_calls.hpp"
#include "support/refusal.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

/// Contents of a disk: the bytes of files and the names in folders when each was last forced to it. A file or folder is
/// known by its number, whatever its name is.
class Disk {
public:
    /// Calls that tell the disk what is forced to it.
    store::SystemCalls watched() {
        store::SystemCalls calls = store::system_calls();
        calls.fsync = [this, real = calls.fsync](int file) {
            std::array<char, 4096> path{};
            const std::string link = "/proc/self/fd/" + std::to_string(file);
            const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
            if (length > 0) keep(fs::path(std::string(path.data(), std::size_t(length))));
            return real(file);
        };
        return calls;
    }

    /// Files below a folder that a power cut would leave, by their names.
    std::map<std::string, std::string> left(const fs::path& root) const {
        std::map<std::string, std::string> files;
        add(root, root, files);
        return files;
    }

private:
    static ino_t number(const fs::path& path) {
        struct stat what {};
        return ::stat(path.c_str(), &what) == 0 ? what.st_ino : 0;
    }

    void keep(const fs::path& path) {
        if (!fs::is_directory(path)) {
            bytes_[number(path)] = bytes_of(path);
            return;
        }
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(path)) names.insert(entry.path().filename().string());
        names_[number(path)] = names;
    }

    void add(const fs::path& root, const fs::path& folder, std::map<std::string, std::string>& files) const {
        const auto names = names_.find(number(folder));
        if (names == names_.end()) return;
        for (const std::string& name : names->second) {
            const fs::path path = folder / name;
            if (fs::is_directory(path)) add(root, path, files);
            const auto bytes = bytes_.find(number(path));
            if (bytes != bytes_.end()) files[path.lexically_relative(root).string()] = bytes->second;
        }
    }

    std::map<ino_t, std::string> bytes_;
    std::map<ino_t, std::set<std::string>> names_;
};

}  // namespace

TEST_CASE("after a power cut all that a run reported done is there, in new folders too") {
    // In a file system of its own the folder of results is new as well.
    const TemporaryFolder root;
    const fs::path results = root.path() / "new" / "results";
    auto options = quiet(results);
    options.show = draw;
    Disk disk;
    {
        const store::ReplacedSystemCalls replaced(disk.watched());
        auto plan = sweep::plan();
        plan.cells.resize(6);
        options.stop = nullptr;
        engine::run(plan, sweep::compute, options);
        plan.resolved += "again: true\n";
        engine::run(plan, sweep::compute, options);
    }
    std::map<std::string, std::string> there;
    for (const auto& file : fs::recursive_directory_iterator(root.path()))
        if (file.is_regular_file() && file.path().filename() != "lock")
            there[file.path().lexically_relative(root.path()).string()] = bytes_of(file.path());
    auto left = disk.left(root.path());
    // The lock says nothing, and where files waited for their places nobody looks but the next run, which clears it.
    std::erase_if(left,
                  [](const auto& file) { return file.first.ends_with("/lock") || contains(file.first, "/next-"); });
    CHECK(there.size() >= 6);
    CHECK(differences(left, there) == "");
}
