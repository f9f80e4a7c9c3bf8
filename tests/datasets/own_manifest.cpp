#include "rfbench/datasets/own_manifest.hpp"

#include <fcntl.h>

#include <cstdlib>

#include "catch.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/datasets/load.hpp"
#include "rfbench/datasets/npy.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/descriptor.hpp"
#include "small_manifest.hpp"

using namespace rfbench;
using namespace rfbench::datasets;
using tests::contains;
using tests::refusal;

namespace {

/// 20 rows, the words in quotes and colons that YAML could stumble over.
const std::string rows = [] {
    std::string text = "a,b: c,class\n";
    for (int i = 0; i < 20; ++i)
        text += std::to_string(i) + "," + (i % 4 ? "yes" : "#no: 'x'") + "," + (i % 2 ? "1" : "~") + "\n";
    return text;
}();

Manifest ours() { return scene::small_manifest(); }

}  // namespace

TEST_CASE("what is added is read again: the columns, the classes with their rows, the file where it is") {
    const scene::Folder folder;
    const std::string file = folder.write("mine.csv", rows);
    const auto own = folder.path() / "rfbench" / "manifest.yaml";
    CHECK(with_own(ours(), own).entries.size() == ours().entries.size());  // there is none yet
    add_own(own, ours(), "mine", file, {"class", {}, {"a"}});
    add_own(own, with_own(ours(), own), "other", file, {"b: c", {"class"}, {}});
    const Manifest both = with_own(ours(), own);
    REQUIRE(both.entries.size() == ours().entries.size() + 2);
    const Entry& mine = both.find("mine");
    CHECK(mine.classes == std::vector<std::pair<std::string, std::size_t>>{{"~", 10}, {"1", 10}});
    CHECK((mine.layout.columns[0].type == ColumnType::ignored && mine.layout.columns[1].name == "b: c"));
    CHECK(both.find("other").classes == std::vector<std::pair<std::string, std::size_t>>{{"#no: 'x'", 5}, {"yes", 15}});
    const Table table = load(mine, Places{}, [](const std::string&) {});
    CHECK((table.values.rows() == 20 && table.values.cols() == 1 && table.values(3, 0) == 1));
    // Another file in its place is not taken for it.
    folder.write("mine.csv", rows + "20,yes,1\n");
    const std::string text = refusal<FileError>([&] { load(mine, Places{}, [](const std::string&) {}); });
    CHECK(contains(text, "has the wrong contents"));
    CHECK(contains(text, "rfbench data add " + file));
}

TEST_CASE("a name that is taken, a file that cannot be a data set, and a damaged manifest are refused") {
    const scene::Folder folder;
    const std::string file = folder.write("mine.csv", rows);
    const auto own = folder.path() / "manifest.yaml";
    const auto said = [&](const std::string& name, const std::string& path, const ColumnChoice& columns) {
        return refusal([&] { add_own(own, ours(), name, path, columns); });
    };
    CHECK(contains(said("fruit", file, {"class", {}, {}}), "there is a data set 'fruit' already"));
    CHECK(contains(said("file", file, {"class", {}, {}}), "cannot be called 'file'"));
    CHECK(contains(said("a b", file, {"class", {}, {}}), "cannot be called 'a b'"));
    CHECK(contains(said("mine", file, {"clas", {}, {}}), file + ":1: there is no column 'clas'"));
    CHECK(contains(said("mine", folder.file("none"), {"class", {}, {}}), "there is no such file"));
    CHECK(contains(said("mine", folder.write("few.csv", rows.substr(0, 40)), {"class", {}, {}}), "few.csv"));
    std::string latin = rows;
    for (std::size_t at = latin.find("yes"); at != std::string::npos; at = latin.find("yes", at))
        latin.replace(at, 3, "\xe9");
    REQUIRE(latin != rows);
    CHECK(contains(said("mine", folder.write("latin.csv", latin), {"class", {}, {}}), "is not UTF-8"));
    CHECK(contains(said("mine", folder.write("m\xfcller.csv", rows), {"class", {}, {}}),
                   "the path of the file is not UTF-8"));
    CHECK_FALSE(std::filesystem::exists(own));

    {
        const store::Descriptor other(own.string() + ".lock", O_RDWR | O_CREAT, "open");
        REQUIRE(store::try_lock(other.number()));
        CHECK(contains(said("mine", file, {"class", {}, {}}), "another 'rfbench data add' is at work"));
    }
    add_own(own, ours(), "mine", file, {"class", {}, {}});
    const std::string good = tests::bytes_of(own);
    const auto damaged = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        folder.write("manifest.yaml", text);
        return refusal<config::Error>([&] { with_own(ours(), own); });
    };
    const std::string place = own.string();
    CHECK(contains(damaged("  mine:", "  fruit:"), place + ":5:"));
    CHECK(contains(damaged("  mine:", "  fruit:"), "the project has a data set of this name"));
    CHECK(contains(damaged("rows: 20", "rows: 21"), "add up to 20 rows, but 'rows' is 21"));
    CHECK(contains(damaged("sha256: ", "sha256: x"), place + ":"));
    CHECK(contains(damaged("\"" + file + "\"", "mine.csv"), "must be absolute"));
    CHECK(contains(damaged("    rows", "   rows"), place + ":"));
    // Nothing is added to what is damaged.
    const std::string before = tests::bytes_of(own);
    CHECK(contains(refusal([&] { add_own(own, ours(), "more", file, {"class", {}, {}}); }), place + ":"));
    CHECK(tests::bytes_of(own) == before);
}

TEST_CASE("the user's manifest is among data, as the XDG Base Directory Specification has it") {
    const auto at = [](const char* data, const char* home) {
        const char* const old = std::getenv("HOME");
        const std::string kept = old ? old : "";
        data ? setenv("XDG_DATA_HOME", data, 1) : unsetenv("XDG_DATA_HOME");
        setenv("HOME", home, 1);
        std::string path = own_manifest_path().string();
        setenv("HOME", kept.c_str(), 1);
        unsetenv("XDG_DATA_HOME");
        return path;
    };
    CHECK(at("/d", "/h") == "/d/rfbench/manifest.yaml");
    CHECK(at(nullptr, "/h") == "/h/.local/share/rfbench/manifest.yaml");
    CHECK(at("", "/h") == "/h/.local/share/rfbench/manifest.yaml");
    CHECK(at("relative", "/h") == "/h/.local/share/rfbench/manifest.yaml");  // to be ignored, says the specification
    CHECK(at(nullptr, "") == "");
}

TEST_CASE("an array that is written is read") {
    const std::vector<double> values{1, -2.5, 3e300, 4, 5, 6};
    const Array array = read_npy("x", npy_text({3, 2}, values));
    CHECK((array.shape == std::vector<Index>{3, 2} && array.values == values));
    CHECK(npy_text({6}, values).size() % 64 == 6 * sizeof(double));
    CHECK_THROWS_AS(npy_text({5}, values), std::invalid_argument);
}

TEST_CASE("ARFF and LIBSVM's rows are added as what they are, and read again") {
    const scene::Folder folder;
    const auto own = folder.path() / "manifest.yaml";
    std::string arff = "@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n", libsvm;
    for (int i = 0; i < 20; ++i) {
        arff += std::to_string(i) + (i % 2 ? ",y\n" : ",x\n");
        libsvm += std::string(i % 2 ? "-1" : "+1") + " 2:" + std::to_string(i + 1) + "\n";
    }
    add_own(own, ours(), "declared", folder.write("a.arff", arff), {"c", {}, {}});
    add_own(own, with_own(ours(), own), "sparse", folder.write("a.libsvm", libsvm), {"target", {}, {}});
    const Manifest all = with_own(ours(), own);
    const auto read = [&](const char* name) { return load(all.find(name), Places{}, [](const std::string&) {}); };
    CHECK(read("declared").values(19, 0) == 19);
    CHECK(read("declared").class_names == std::vector<std::string>{"x", "y"});
    CHECK(read("sparse").values.row(19) == (Points(1, 2) << 0, 20).finished());
    CHECK(read("sparse").class_names == std::vector<std::string>{"1", "-1"});
}
