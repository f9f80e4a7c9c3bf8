#include "rfbench/store/atomic_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>

#include "catch.hpp"
#include "failing_calls.hpp"
#include "rfbench/store/error.hpp"
#include "support/child_process.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

namespace {

const std::string old_text = "what was there before", new_text(100000, 'n');

struct Failure {
    std::string call;
    int turn;
    std::string told;       // a word of the message that says what was attempted
    bool replaced = false;  // whether the new file is there in spite of the failure
};

}  // namespace

TEST_CASE("a file is written whole, over nothing or over another one", "[atomic]") {
    const TemporaryFolder folder;
    write_file(folder / "file", old_text);
    CHECK(bytes_of(folder / "file") == old_text);
    write_file(folder / "file", new_text);
    CHECK(bytes_of(folder / "file") == new_text);
    write_file(folder / "file", "");
    CHECK(bytes_of(folder / "file").empty());
    CHECK(folder.names() == std::vector<std::string>{"file"});

    const std::string longest(255, 'x');
    write_file(folder / longest, new_text);
    CHECK(bytes_of(folder / longest) == new_text);
}

TEST_CASE("a file is forced to the disk before it takes its name, and the folder after", "[atomic]") {
    const TemporaryFolder folder;
    std::string order;
    SystemCalls calls = system_calls();
    const SystemCalls real = calls;
    calls.write = [&](int file, const void* bytes, std::size_t size) {
        return order += "write ", real.write(file, bytes, size);
    };
    calls.fsync = [&](int file) { return order += "fsync ", real.fsync(file); };
    calls.rename = [&](const char* from, const char* to) {
        CHECK(is_temporary(from));
        CHECK(std::filesystem::path(from).parent_path() == std::filesystem::path(to).parent_path());
        return order += "rename ", real.rename(from, to);
    };
    const ReplacedSystemCalls replaced(calls);
    write_file(folder / "file", old_text);
    CHECK(order == "write fsync rename fsync ");
}

TEST_CASE("each call that fails in turn is told, and leaves the old file and no temporary", "[atomic][faults]") {
    const std::vector<Failure> failures = {
        {"open", 1, "create"},   {"write", 1, "write"},       {"fsync", 1, "fsync"},        {"close", 1, "close"},
        {"rename", 1, "rename"}, {"open", 2, "folder", true}, {"fsync", 2, "folder", true},
    };
    for (const Failure& failure : failures)
        for (const int code : {ENOSPC, EIO, EACCES, EDQUOT, EROFS}) {
            INFO(failure.call << " number " << failure.turn << ": " << std::strerror(code));
            const TemporaryFolder folder;
            write_file(folder / "file", old_text);

            const FailingCalls failing(failure.call, failure.turn, code);
            std::string said;
            {
                const ReplacedSystemCalls replaced(failing.table());
                said = refusal<Error>([&] { write_file(folder / "file", new_text); });
            }
            CHECK(contains(said, failure.told));
            CHECK(contains(said, failure.replaced ? folder.path().string() : (folder / "file").string()));
            CHECK(contains(said, std::strerror(code)));
            CHECK(bytes_of(folder / "file") == (failure.replaced ? new_text : old_text));
            CHECK(folder.names() == std::vector<std::string>{"file"});
        }
}

TEST_CASE("the table of failures above names every call there is", "[atomic][faults]") {
    const TemporaryFolder folder;
    const FailingCalls counting("", 0, 0);
    const ReplacedSystemCalls replaced(counting.table());
    write_file(folder / "file", new_text);
    CHECK(counting.count("open") == 2);
    CHECK(counting.count("write") == 1);
    CHECK(counting.count("fsync") == 2);
    CHECK(counting.count("rename") == 1);
    CHECK(counting.count("close") == 2);
    CHECK(counting.count("unlink") == 0);
}

TEST_CASE("short writes and signals only delay", "[atomic][faults]") {
    const TemporaryFolder folder;
    SystemCalls calls = system_calls();
    const SystemCalls real = calls;
    int turn = 0;
    calls.write = [&](int file, const void* bytes, std::size_t size) -> ssize_t {
        if (++turn % 3 == 0) return errno = EINTR, -1;
        return real.write(file, bytes, std::min<std::size_t>(size, 1 + std::size_t(turn) * 37 % 1000));
    };
    const auto interrupted_once = [](auto call) {
        return [call, first = true](auto... arguments) mutable {
            if (first) return first = false, errno = EINTR, -1;
            return call(arguments...);
        };
    };
    calls.open = interrupted_once(real.open);
    calls.fsync = interrupted_once(real.fsync);
    calls.rename = interrupted_once(real.rename);
    const ReplacedSystemCalls replaced(calls);
    write_file(folder / "file", new_text);
    CHECK(turn > 100);
    CHECK(bytes_of(folder / "file") == new_text);
}

TEST_CASE("a disk that fills up after a short write leaves the old file", "[atomic][faults]") {
    const TemporaryFolder folder;
    write_file(folder / "file", old_text);
    SystemCalls calls = system_calls();
    const SystemCalls real = calls;
    std::size_t room = 4096;
    calls.write = [&](int file, const void* bytes, std::size_t size) -> ssize_t {
        if (room == 0) return errno = ENOSPC, -1;
        const ssize_t written = real.write(file, bytes, std::min(size, room));
        room -= std::size_t(written);
        return written;
    };
    const ReplacedSystemCalls replaced(calls);
    const auto said = refusal<Error>([&] { write_file(folder / "file", new_text); });
    CHECK(contains(said, std::strerror(ENOSPC)));
    CHECK(bytes_of(folder / "file") == old_text);
    CHECK(folder.names().size() == 1);
}

TEST_CASE("a system that takes no bytes and tells no error does not hang the writer", "[atomic][faults]") {
    const TemporaryFolder folder;
    SystemCalls calls = system_calls();
    calls.write = [](int, const void*, std::size_t) -> ssize_t { return 0; };
    const ReplacedSystemCalls replaced(calls);
    CHECK_THROWS_AS(write_file(folder / "file", new_text), Error);
    CHECK(folder.names().empty());
}

#ifdef __linux__
TEST_CASE("the kernel's own full device is told as a full disk", "[atomic][faults]") {
    const TemporaryFolder folder;
    write_file(folder / "file", old_text);
    SystemCalls calls = system_calls();
    const SystemCalls real = calls;
    calls.open = [&](const char* path, int flags, mode_t mode) {
        return real.open(is_temporary(path) ? "/dev/full" : path, flags & ~(O_CREAT | O_EXCL), mode);
    };
    const ReplacedSystemCalls replaced(calls);
    CHECK(contains(refusal<Error>([&] { write_file(folder / "file", new_text); }), std::strerror(ENOSPC)));
    CHECK(bytes_of(folder / "file") == old_text);
}
#endif

TEST_CASE("the kernel's own refusal in the middle of a file leaves the old file", "[atomic][faults]") {
    const TemporaryFolder folder;
    write_file(folder / "file", old_text);
    const int status = status_of_child(600, [&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{5000, 5000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const auto said = refusal<Error>([&] { write_file(folder / "file", new_text); });
        return contains(said, std::strerror(EFBIG)) && contains(said, (folder / "file").string()) ? 0 : 1;
    });
    CHECK(ended_with(status, 0));
    CHECK(bytes_of(folder / "file") == old_text);
    CHECK(folder.names().size() == 1);
}

TEST_CASE("a folder that is not there, or no folder, is told", "[atomic]") {
    const TemporaryFolder folder;
    const auto absent = refusal<Error>([&] { write_file(folder / "absent/file", new_text); });
    CHECK(contains(absent, (folder / "absent/file").string()));
    CHECK(contains(absent, std::strerror(ENOENT)));
    write_file(folder / "plain", "");
    CHECK(contains(refusal<Error>([&] { write_file(folder / "plain/file", new_text); }), std::strerror(ENOTDIR)));
    std::filesystem::create_directory(folder / "directory");
    CHECK(contains(refusal<Error>([&] { write_file(folder / "directory", new_text); }), std::strerror(EISDIR)));
    CHECK(folder.names().size() == 2);
}

TEST_CASE("temporaries of killed writers are known and removed", "[atomic]") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "cells");
    std::string left;
    SystemCalls calls = system_calls();
    const SystemCalls real = calls;
    calls.rename = [&](const char* from, const char*) { return left = from, errno = EIO, -1; };
    calls.unlink = [](const char*) { return 0; };
    {
        const ReplacedSystemCalls replaced(calls);
        CHECK_THROWS_AS(write_file(folder / "cells/file", new_text), Error);
    }
    write_file(folder / "cells/other", old_text);
    CHECK(is_temporary(left));
    for (const char* other : {"cells/other", ".rfbench-notes.tmp", ".rfbench-1-0.tmp.h5"}) CHECK(!is_temporary(other));
    CHECK(std::filesystem::exists(left));
    CHECK(remove_temporaries_beside(folder / "file") == 0);
    CHECK(is_left_over(left));
    CHECK(remove_temporaries(folder.path()) == 1);
    CHECK(!std::filesystem::exists(left));
    CHECK(bytes_of(folder / "cells/other") == old_text);
    CHECK_THROWS_AS(remove_temporaries(folder / "absent"), Error);
}

TEST_CASE("a temporary that is being written is left alone, and one that went before it was held is made again",
          "[atomic]") {
    const TemporaryFolder folder;
    SystemCalls calls = system_calls();
    const SystemCalls real = calls;
    int removed = 0, opened = 0;
    calls.write = [&](int file, const void* bytes, std::size_t size) {
        removed += int(remove_temporaries(folder.path()));
        return real.write(file, bytes, size);
    };
    calls.rename = [&](const char* from, const char* to) {
        removed += int(remove_temporaries(folder.path()));
        CHECK(!is_left_over(from));
        return real.rename(from, to);
    };
    calls.open = [&](const char* path, int flags, mode_t mode) {
        const int number = real.open(path, flags, mode);
        // Whoever removes what is left over comes between the file and its lock.
        if (is_temporary(path) && ++opened == 1) real.unlink(path);
        return number;
    };
    const ReplacedSystemCalls replaced(calls);
    write_file(folder / "file", new_text);
    CHECK(removed == 0);
    CHECK(opened == 2);
    CHECK(bytes_of(folder / "file") == new_text);
}
