// Files that change together, stopped at every call of the system.
#include "rfbench/store/staged_result.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <set>

#include "catch.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/store/system_calls.hpp"
#include "rfbench/store/verify.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

const Files first = {{"../angle.h5", "data 1"}, {"figures/a.svg", "picture 1"}, {"figures/old.svg", "picture"}};
const Files second = {{"../angle.h5", "data 2"}, {"figures/a.svg", "picture 2"}, {"tables/a.md", "table 2"}};

void replace_by(const fs::path& result, const Files& files) {
    StagedResult next(result);
    for (const auto& [name, bytes] : files) {
        const fs::path at = next.folder() / (name.starts_with("../") ? name.substr(3) : name);
        fs::create_directories(at.parent_path());
        write_file(at, bytes);
    }
    next.replace({"../", "figures/", "tables/"});
}

/// Files of a result but for lists.
Files there(const fs::path& result) {
    Files found;
    for (const auto& file : fs::recursive_directory_iterator(result.parent_path()))
        if (file.is_regular_file() && file.path().filename() != checksums_name)
            found[file.path().lexically_relative(result).generic_string()] = bytes_of(file.path());
    return found;
}

bool is_clean(const fs::path& result) {
    for (const Finding& finding : verify(result))
        if (finding.harmful()) return false;
    return true;
}

/// The calls of the system, of which those from the n-th on fail: as if the process had been killed there.
SystemCalls stopped_at(int n, std::atomic<int>& used) {
    SystemCalls calls = system_calls();
    const auto stops = [n, &used] {
        errno = EIO;
        return ++used >= n;
    };
    calls.open = [=, real = calls.open](const char* path, int flags, mode_t mode) {
        return stops() ? -1 : real(path, flags, mode);
    };
    calls.fsync = [=, real = calls.fsync](int file) { return stops() ? -1 : real(file); };
    calls.rename = [=, real = calls.rename](const char* from, const char* to) { return stops() ? -1 : real(from, to); };
    calls.unlink = [=, real = calls.unlink](const char* path) { return stops() ? -1 : real(path); };
    return calls;
}

}  // namespace

TEST_CASE("files that change together are all listed, and what is no more made goes", "[generation]") {
    const TemporaryFolder root;
    const fs::path result = root / "angle";
    replace_by(result, first);
    CHECK(there(result) == first);
    CHECK(read_checksums(result).size() == 3);
    replace_by(result, second);
    CHECK(there(result) == second);
    CHECK(verify(result).empty());
    {
        StagedResult none(result);
        write_file(none.folder() / "angle.h5", "data 3");
    }
    CHECK(there(result) == second);

    // Replacing one part leaves the others, and files that are not ours.
    put_bytes(result / "figures/mine.svg", "mine");
    StagedResult next(result);
    fs::create_directories(next.folder() / "figures");
    write_file(next.folder() / "figures/b.svg", "picture 3");
    next.replace({"figures/"});
    CHECK(there(result) == Files{{"../angle.h5", "data 2"},
                                 {"figures/b.svg", "picture 3"},
                                 {"figures/mine.svg", "mine"},
                                 {"tables/a.md", "table 2"}});
}

TEST_CASE("new names are forced to the disk before the list that tells of them", "[generation]") {
    const TemporaryFolder root;
    const fs::path result = root / "angle";
    replace_by(result, first);
    // Folders in which names have changed since they were last forced to the disk.
    std::set<fs::path> open_ended;
    std::vector<std::size_t> at_list;
    SystemCalls calls = system_calls();
    calls.rename = [&, real = calls.rename](const char* from, const char* to) {
        if (fs::path(to) == result / checksums_name && fs::path(from).parent_path() != result)
            at_list.push_back(open_ended.size());
        open_ended.insert(fs::path(to).lexically_normal().parent_path());
        return real(from, to);
    };
    calls.fsync = [&, real = calls.fsync](int file) {
        open_ended.erase(fs::read_symlink("/proc/self/fd/" + std::to_string(file)));
        return real(file);
    };
    const ReplacedSystemCalls replaced(calls);
    replace_by(result, second);
    CHECK(at_list == std::vector<std::size_t>{0});
    CHECK(open_ended.empty());
}

TEST_CASE("stopped at any call, files are old or new and verify finds nothing wrong; the next goes on",
          "[generation]") {
    const auto calls_of_one = [] {
        const TemporaryFolder root;
        replace_by(root / "angle", first);
        std::atomic<int> used{0};
        const ReplacedSystemCalls replaced(stopped_at(1'000'000, used));
        replace_by(root / "angle", second);
        return used.load();
    }();
    REQUIRE(calls_of_one > 20);
    int old = 0, mixed = 0, finished = 0;
    for (int n = 1; n <= calls_of_one; ++n) {
        const TemporaryFolder root;
        const fs::path result = root / "angle";
        replace_by(result, first);
        {
            std::atomic<int> used{0};
            const ReplacedSystemCalls replaced(stopped_at(n, used));
            try {
                replace_by(result, second);
            } catch (const Error&) {
            }
        }
        INFO(n << " of " << calls_of_one);
        CHECK(is_clean(result));
        const bool whole_before = there(result) == first;
        { const StagedResult next(result); }
        const Files after = there(result);
        CHECK((after == first || after == second));
        CHECK(verify(result).empty());
        if (after == first) ++old;
        if (after == second && !whole_before) ++mixed;
        if (after == second) ++finished;
    }
    CHECK(old > 0);
    CHECK(mixed > 0);
    CHECK(finished >= mixed);
}

namespace {

/// Leaves in a result's folder what a killed process, or somebody else, may: a list, one of what was before, and files.
void leave(const fs::path& result, const std::string& list, const std::string& before, const Files& files = {}) {
    const fs::path made = result / "next-1";
    fs::create_directories(made / "before");
    put_bytes(made / "SHA256SUMS", list);
    put_bytes(made / "before/SHA256SUMS", before);
    for (const auto& [name, bytes] : files) {
        fs::create_directories((made / name).parent_path());
        put_bytes(made / name, bytes);
    }
}

std::string list_of(const Files& files) {
    std::string lines;
    for (const auto& [name, bytes] : files) lines += sha256(std::string_view(bytes)) + "  " + name + "\n";
    return lines + "# sha256 of the lines above: " + sha256(std::string_view(lines)) + "\n";
}

}  // namespace

TEST_CASE("what an earlier process left is taken as it was written or not at all", "[generation]") {
    const std::string none = list_of({}), good = list_of({{"figures/a.svg", "new"}});
    struct Left {
        std::string list, before;
        Files files;
    };
    const std::vector<Left> damaged = {
        {"nonsense\n", none, {}},
        {good.substr(0, good.find('\n') + 1), none, {{"figures/a.svg", "new"}}},
        {good, "nonsense\n", {{"figures/a.svg", "new"}}},
        {good, none, {{"figures/a.svg", "changed"}}},
        {list_of({{"../victim", "new"}}), none, {{"victim", "new"}}},
        {list_of({{"../../victim", "new"}}), none, {{"../victim", "new"}}},
        {none, list_of({{"../victim", "precious"}}), {}},
        {none, list_of({{"figures/../../victim", "precious"}}), {}},
    };
    for (const Left& left : damaged) {
        const TemporaryFolder root;
        const fs::path result = root / "angle";
        replace_by(result, first);
        put_bytes(root / "victim", "precious");
        leave(result, left.list, left.before, left.files);
        INFO(left.list << left.before);
        const StagedResult next(result);
        CHECK(next.damaged().size() == 1);
        CHECK(!fs::exists(result / "next-1"));
        CHECK(bytes_of(root / "victim") == "precious");
        CHECK(bytes_of(result / "figures/a.svg") == "picture 1");
    }
    const TemporaryFolder root;
    const fs::path result = root / "angle";
    replace_by(result, first);
    leave(result, good, none, {{"figures/a.svg", "new"}});
    CHECK(StagedResult(result).damaged().empty());
    CHECK(bytes_of(result / "figures/a.svg") == "new");
}

TEST_CASE("nothing is moved or removed through a link, and folders that are not ours stay", "[generation]") {
    const TemporaryFolder root;
    const fs::path result = root / "angle", others = root / "others";
    replace_by(result, first);
    fs::create_directory(others);
    const Files precious = {{"a.svg", "precious"}, {"old.svg", "picture"}};
    for (const auto& [name, bytes] : precious) put_bytes(others / name, bytes);
    const auto untouched = [&] {
        Files now;
        for (const auto& file : fs::recursive_directory_iterator(others)) now[file.path().filename()] = bytes_of(file);
        return now == precious;
    };
    // In the place of a folder of figures, before the list and after.
    for (const bool listed : {true, false}) {
        fs::rename(result / "figures", root / "figures");
        fs::create_directory_symlink(others, result / "figures");
        if (!listed) fs::remove(result / "SHA256SUMS");
        CHECK_THROWS_AS(replace_by(result, second), Error);
        CHECK(untouched());
        fs::remove(result / "figures");
        fs::rename(root / "figures", result / "figures");
        replace_by(result, first);
        CHECK(verify(result).empty());
    }
    // In what an earlier process left.
    leave(result, list_of({{"figures/a.svg", "precious"}}), list_of({}));
    fs::create_directory_symlink(others, result / "next-1/figures");
    { const StagedResult next(result); }
    CHECK(untouched());
    // In the place of the folder in which files will be made.
    for (int i = 0; i < 3; ++i)
        fs::create_directory_symlink(others, result / ("next-" + std::to_string(::getpid() + i)));
    replace_by(result, second);
    CHECK(untouched());

    fs::create_directory(result / "next-steps");
    put_bytes(result / "next-steps/notes", "mine");
    replace_by(result, first);
    CHECK(bytes_of(result / "next-steps/notes") == "mine");
}

TEST_CASE("a file that has no successor goes only as it was listed", "[generation]") {
    const TemporaryFolder root;
    const fs::path result = root / "angle";
    replace_by(result, first);
    put_bytes(result / "figures/old.svg", "drawn by hand");
    replace_by(result, second);
    CHECK(bytes_of(result / "figures/old.svg") == "drawn by hand");
    // A list that says nothing sound of files removes none.
    std::string bytes = bytes_of(result / "SHA256SUMS");
    bytes[bytes.find('\n')] = '\0';
    put_bytes(result / "SHA256SUMS", bytes);
    replace_by(result, first);
    CHECK(there(result).contains("../angle.h5"));
    CHECK(there(result).contains("tables/a.md"));
}
