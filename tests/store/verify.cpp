#include "rfbench/store/verify.hpp"

#include <sys/stat.h>

#include "catch.hpp"
#include "datasets.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/journal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

namespace {

/// Two cells, a collected file above them, a list, a journal and a lock.
struct ResultFolder {
    TemporaryFolder root;
    std::filesystem::path folder = root / "angle";

    ResultFolder() {
        std::filesystem::create_directories(folder / "cells");
        Checksums list;
        for (const std::string name : {"cells/a.h5", "cells/b.h5", "../angle.h5"})
            list[name] = write(folder / name, small_dataset(double(list.size())));
        write_checksums(folder, list);
        for (const auto& [name, digest] : list) append(folder / "journal", {"done", name, name, digest, "", "", 1, ""});
        put_bytes(folder / "lock", "123\n");
    }

    std::vector<std::string> findings() const {
        std::vector<std::string> list;
        for (const Finding& finding : verify(folder)) {
            CHECK(!finding.detail.empty());
            CHECK(finding.file == finding.file.lexically_normal());
            list.push_back(std::string(name(finding.damage)) + (finding.harmful() ? "! " : " ") +
                           finding.file.lexically_relative(folder).string());
        }
        return list;
    }
};

using Found = std::vector<std::string>;

}  // namespace

TEST_CASE("an undamaged folder has no findings", "[verify]") {
    CHECK(ResultFolder().findings().empty());
    const TemporaryFolder empty;
    CHECK(verify(empty.path()).empty());
    CHECK_THROWS_AS(verify(empty / "absent"), Error);
    put_bytes(empty / "file", "");
    CHECK_THROWS_AS(verify(empty / "file"), Error);
}

TEST_CASE("every kind of damage is found and named", "[verify][faults]") {
    const ResultFolder results;
    const auto& folder = results.folder;

    SECTION("missing files") {
        std::filesystem::remove(folder / "cells/a.h5");
        std::filesystem::remove(folder / "../angle.h5");
        CHECK(results.findings() == Found{"missing! cells/a.h5", "missing! ../angle.h5"});
    }
    SECTION("changed, cut and emptied files") {
        std::string bytes = bytes_of(folder / "cells/a.h5");
        bytes[bytes.size() / 2] = char(bytes[bytes.size() / 2] ^ 1);
        put_bytes(folder / "cells/a.h5", bytes);
        put_bytes(folder / "cells/b.h5", bytes_of(folder / "cells/b.h5").substr(0, 100));
        put_bytes(folder / "../angle.h5", "");
        CHECK(results.findings() == Found{"changed! cells/a.h5", "changed! cells/b.h5", "changed! ../angle.h5"});
    }
    SECTION("a folder where a file should be") {
        std::filesystem::remove(folder / "cells/a.h5");
        std::filesystem::create_directory(folder / "cells/a.h5");
        CHECK(results.findings() == Found{"unreadable! cells/a.h5"});
    }
    SECTION("a pipe where a file should be does not block") {
        std::filesystem::remove(folder / "cells/a.h5");
        REQUIRE(::mkfifo((folder / "cells/a.h5").c_str(), 0600) == 0);
        CHECK(results.findings() == Found{"unreadable! cells/a.h5"});
    }
    SECTION("strays and temporaries, which do no harm") {
        put_bytes(folder / "cells/extra.h5", "x");
        put_bytes(folder / "cells/.rfbench-1-0.tmp", "x");
        CHECK(results.findings() == Found{"temporary cells/.rfbench-1-0.tmp", "stray cells/extra.h5"});
    }
    SECTION("a damaged list") {
        put_bytes(folder / "SHA256SUMS", "nonsense\n");
        CHECK(results.findings() ==
              Found{"malformed! SHA256SUMS", "stray cells/a.h5", "stray cells/b.h5", "unlisted! ../angle.h5"});
    }
    SECTION("what a journal says is of no importance, but its lines are to be those that were written") {
        append(folder / "journal", {"done", "a", "cells/a.h5", std::string(64, '0'), "", "", 1, ""});
        CHECK(results.findings().empty());
        for (const char* name : {"journal", "journal-1of2"}) {
            const std::string before = bytes_of(folder / "journal");
            put_bytes(folder / name, "nonsense\n" + before);
            CHECK(results.findings() == Found{std::string("malformed! ") + name});
            // A line that a kill has torn was never written.
            put_bytes(folder / name, before + "{\"time\":");
            CHECK(results.findings().empty());
            put_bytes(folder / name, before);
        }
    }
    SECTION("a list that is lost: nothing to compare with is not the same as nothing wrong") {
        std::filesystem::remove(folder / "SHA256SUMS");
        CHECK(results.findings() == Found{"missing! SHA256SUMS", "stray cells/a.h5", "stray cells/b.h5"});
        std::filesystem::remove(folder / "journal");
        CHECK(results.findings() == Found{"missing! SHA256SUMS", "stray cells/a.h5", "stray cells/b.h5"});
    }
    SECTION("a list that does not name the collected file") {
        Checksums list = read_checksums(folder);
        list.erase("../angle.h5");
        write_checksums(folder, list);
        CHECK(results.findings() == Found{"unlisted! ../angle.h5"});
    }
}
