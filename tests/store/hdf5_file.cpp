#include "rfbench/store/hdf5_file.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "catch.hpp"
#include "datasets.hpp"
#include "failing_calls.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/sha256.hpp"
#include "support/child_process.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

TEST_CASE("a dataset comes back bit by bit", "[hdf5]") {
    const TemporaryFolder folder;
    for (const Dataset& data : {varied_dataset(), small_dataset(1), Dataset()}) {
        const std::string digest = write(folder / "file.h5", data);
        CHECK(digest == sha256_file(folder / "file.h5"));
        CHECK(same(read(folder / "file.h5"), data));
        CHECK(same(read(folder / "file.h5", digest), data));
    }
}

TEST_CASE("arrays of many chunks, many axes and many variables come back", "[hdf5]") {
    const TemporaryFolder folder;
    Dataset data;
    std::vector<double> labels(150000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = double(i) / 7;
    data.axes = {{"long", labels, "", ""},
                 {"two", std::vector<double>{1, 2}, "", ""},
                 {"three", std::vector<double>{1, 2, 3}, "", ""}};
    std::vector<double> values(6 * labels.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sqrt(double(i));
    data.variables = {{"last", {"two", "three", "long"}, values, "", ""},
                      {"first", {"long", "three", "two"}, values, "", ""}};
    for (int i = 0; i < 200; ++i)
        data.variables.push_back({fmt::format("v{}", 199 - i), {"two"}, {double(i), 0}, "", ""});
    for (int i = 0; i < 25; ++i)
        data.axes.push_back({fmt::format("axis{}", i), std::vector<std::string>{"only"}, "", ""});
    data.variables.push_back({"deep", {}, {1}, "", ""});
    for (int i = 0; i < 25; ++i) data.variables.back().axes.push_back(fmt::format("axis{}", i));
    write(folder / "file.h5", data);
    CHECK(same(read(folder / "file.h5"), data));
}

TEST_CASE("equal datasets are equal bytes, whatever the memory held before", "[hdf5]") {
    const TemporaryFolder folder;
    const Dataset data = varied_dataset();
    const std::string digest = write(folder / "file.h5", data);
    // The clock of HDF5 files counts seconds.
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    CHECK(write(folder / "again.h5", data) == digest);
    CHECK(write(folder / "copy.h5", read(folder / "file.h5")) == digest);
#ifdef M_PERTURB
    for (const int filling : {0x11, 0xee}) {
        const int status = status_of_child(600, [&] {
            ::mallopt(M_PERTURB, filling);
            return write(folder / "perturbed.h5", data) == digest ? 0 : 1;
        });
        CHECK(ended_with(status, 0));
    }
#endif
    Dataset other = data;
    other.variables[0].values[0] += 1e-15;
    CHECK(write(folder / "other.h5", other) != digest);
}

TEST_CASE("files have the format of HDF5 1.10, whose metadata carry checksums", "[hdf5]") {
    const TemporaryFolder folder;
    write(folder / "file.h5", small_dataset(1));
    const std::string bytes = bytes_of(folder / "file.h5");
    CHECK(bytes.substr(0, 8) == "\x89HDF\r\n\x1a\n");
    CHECK(int(bytes.at(8)) == 3);

    // The end of the file by the superblock, then the seal: the file holds nothing else.
    std::size_t end = 0;
    for (std::size_t i = 8; i-- > 0;) end = end << 8 | std::uint8_t(bytes.at(28 + i));
    CHECK(bytes.size() == end + std::string("\nrfbench sha256 \n").size() + 64);
    CHECK(bytes.substr(end) == "\nrfbench sha256 " + sha256(std::string_view(bytes).substr(0, end)) + "\n");
}

TEST_CASE("threads may write and read at once", "[hdf5]") {
    const TemporaryFolder folder;
    std::vector<int> good(4, 0);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < good.size(); ++t)
        threads.emplace_back([&, t] {
            const auto path = folder / std::to_string(t);
            for (int i = 0; i < 5; ++i) try {
                    write(path, small_dataset(double(t)));
                    good[t] += same(read(path), small_dataset(double(t)));
                } catch (const std::exception&) {
                    return;
                }
        });
    for (auto& thread : threads) thread.join();
    CHECK(good == std::vector<int>(4, 5));
}

TEST_CASE("what cannot be stored is refused with its place, and nothing is written", "[hdf5]") {
    const TemporaryFolder folder;
    const auto path = folder / "file.h5";
    Dataset data = small_dataset(1);
    const auto said = [&] { return refusal<Error>([&] { write(path, data); }); };
    const std::string zero("a\0b", 3);

    SECTION("a zero byte in an attribute") {
        data.attributes["config"] = zero;
        CHECK(contains(said(), "'config'"));
        CHECK(contains(said(), path.string()));
        CHECK(contains(said(), "byte 2 is zero"));
    }
    SECTION("a label that is not UTF-8") {
        data.axes[1].labels = std::vector<std::string>{"good",
                                                       "gr\xf6\xdf"
                                                       "e"};
        CHECK(contains(said(), "label 2 of the axis 'mechanism'"));
        CHECK(contains(said(), "byte 3 is not UTF-8"));
    }
    SECTION("half a character, a surrogate, an overlong one") {
        for (const char* bad : {"\xe2\x82", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", "\x80"}) {
            data.variables[0].unit = bad;
            CHECK(contains(said(), "the unit of 'log_variance'"));
        }
    }
    SECTION("names that HDF5 takes for paths") {
        for (const char* bad : {"a/b", ".", "/"}) {
            data.variables[0].name = bad;
            CHECK(contains(said(), std::string("'") + bad + "'"));
        }
    }
    SECTION("what is no dataset") {
        data.variables[0].values.pop_back();
        CHECK_THROWS_AS(write(path, data), std::invalid_argument);
    }
    CHECK(folder.names().empty());
}

TEST_CASE("a result that cannot be written leaves the one that was there", "[hdf5][faults]") {
    const TemporaryFolder folder;
    const auto path = folder / "file.h5";
    write(path, small_dataset(1));
    for (const std::string name : {"open", "write", "fsync", "rename"}) {
        INFO(name);
        const FailingCalls failing(name, 1, ENOSPC);
        const ReplacedSystemCalls replaced(failing.table());
        const auto said = refusal<Error>([&] { write(path, small_dataset(2)); });
        CHECK(contains(said, path.string()));
        CHECK(contains(said, std::strerror(ENOSPC)));
        CHECK(same(read(path), small_dataset(1)));
        CHECK(folder.names().size() == 1);
    }
}

TEST_CASE("a file is compared with the list beside it, and with a given sha256", "[hdf5]") {
    const TemporaryFolder folder;
    const auto path = folder / "file.h5";
    const std::string sha256 = write(path, small_dataset(1));
    write_checksums(folder.path(), {{"file.h5", sha256}});
    CHECK(same(read(path), small_dataset(1)));

    // Whole and well sealed, but not the file that the list means.
    const std::string other_sha256 = write(path, small_dataset(2));
    for (const auto& said : {refusal<Error>([&] { read(path); }), refusal<Error>([&] { read(path, sha256); })}) {
        CHECK(contains(said, path.string()));
        CHECK(contains(said, sha256));
        CHECK(contains(said, other_sha256));
    }
    CHECK(same(read(path, other_sha256), small_dataset(2)));
}

TEST_CASE("what is no result file is refused by name", "[hdf5]") {
    const TemporaryFolder folder;
    const auto path = folder / "file.h5";
    const auto said = [&] { return refusal<Error>([&] { read(path); }); };
    CHECK(contains(said(), "No such file"));
    for (const std::string& bytes : {std::string(), std::string("no HDF5 file"), std::string(100000, '\0'),
                                     std::string("\x89HDF\r\n\x1a\n") + std::string(1000, '\xff')}) {
        put_bytes(path, bytes);
        CHECK(contains(said(), path.string()));
    }
    // A right seal on what HDF5 does not open.
    const std::string nonsense = "no HDF5 file";
    put_bytes(path, nonsense + "\nrfbench sha256 " + sha256(nonsense) + "\n");
    CHECK(contains(said(), "HDF5 cannot open the file"));
    CHECK(contains(said(), path.string()));
}
