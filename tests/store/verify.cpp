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

/// Two cells, a collected file above them, a list, a journal that names one file more.
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
        const std::string late = write(folder / "cells/late.h5", small_dataset(9));
        append(folder / "journal", {"done", "late", "cells/late.h5", late, "", "", 1, ""});
        put_bytes(folder / "lock", "123\n");
    }

    std::vector<std::string> findings() const {
        std::vector<std::string> list;
        for (const Finding& finding : verify(folder)) {
            CHECK(!finding.detail.empty());
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

    SECTION("missing files, listed or only in the journal") {
        std::filesystem::remove(folder / "cells/a.h5");
        std::filesystem::remove(folder / "cells/late.h5");
        CHECK(results.findings() == Found{"missing! cells/a.h5", "missing! cells/late.h5"});
    }
    SECTION("changed, cut and emptied files") {
        std::string bytes = bytes_of(folder / "cells/a.h5");
        bytes[bytes.size() / 2] = char(bytes[bytes.size() / 2] ^ 1);
        put_bytes(folder / "cells/a.h5", bytes);
        put_bytes(folder / "cells/b.h5", bytes_of(folder / "cells/b.h5").substr(0, 100));
        put_bytes(folder / "../angle.h5", "");
        CHECK(results.findings() == Found{"changed! ../angle.h5", "changed! cells/a.h5", "changed! cells/b.h5"});
    }
    SECTION("a file only the journal knows") {
        put_bytes(folder / "cells/late.h5", "x");
        CHECK(results.findings() == Found{"changed! cells/late.h5"});
    }
    SECTION("the journal's last word on a file counts") {
        append(folder / "journal",
               {"done", "late", "cells/late.h5", write(folder / "cells/late.h5", small_dataset(10)), "", "", 1, ""});
        CHECK(results.findings().empty());
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
    SECTION("a damaged list: what it named is then known from the journal") {
        put_bytes(folder / "SHA256SUMS", "nonsense\n");
        CHECK(results.findings() == Found{"malformed! SHA256SUMS"});
    }
    SECTION("a damaged journal") {
        put_bytes(folder / "journal", "nonsense\n" + bytes_of(folder / "journal"));
        CHECK(results.findings() == Found{"malformed! journal"});
    }
    SECTION("a list that is lost: the journal names the files") {
        std::filesystem::remove(folder / "SHA256SUMS");
        put_bytes(folder / "cells/a.h5", "x");
        CHECK(results.findings() == Found{"changed! cells/a.h5"});
    }
}
