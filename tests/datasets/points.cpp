#include "rfbench/datasets/points.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "catch.hpp"
#include "rfbench/datasets/npy.hpp"
#include "rfbench/memory/high_water_mark.hpp"
#include "rfbench/store/file_reading.hpp"
#include "scene.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::datasets;
using scene::said;

namespace {

std::string refused_points(const std::string& text) {
    return said([&] { read_points_text(text, "x.csv"); });
}

const Points two_by_three = (Points(2, 3) << 1, -2.5, 3e-4, 4, 5, 6).finished();

/// An HDF5 file with datasets written by `fill`.
template <class Fill>
std::string hdf5_file(const scene::Folder& folder, const std::string& name, Fill&& fill) {
    std::string path = folder.file(name);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fill(file);
    H5Fclose(file);
    return path;
}

void add(hid_t group, const char* name, std::vector<hsize_t> extents, hid_t type, const void* values) {
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    const hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (values) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
}

}  // namespace

TEST_CASE("Points in text: any separator, with or without a header, comments and blank lines") {
    for (const char* text :
         {"1,-2.5,3e-4\n4,5,6\n", "1 -2.5 3e-4\r\n4 5 6", "1\t-2.5\t3e-4\n4\t5\t6\n\n", "a,b,c\n1,-2.5,3e-4\n4,5,6\n",
          "# three columns\n\n x y z\n1   -2.5 3e-4 # first\n\n  4 5 6\n", "\uFEFF1, -2.5, 3e-4\n4, 5, 6\n"}) {
        INFO(text);
        CHECK(read_points_text(text, "x.csv") == two_by_three);
    }
    CHECK(read_points_text("7\n", "x.csv") == Points::Constant(1, 1, 7.0));
}

TEST_CASE("Malformed points are refused by file, row and column") {
    CHECK(refused_points("") == "x.csv: holds no points");
    CHECK(refused_points("# nothing\n\n") == "x.csv: holds no points");
    CHECK(refused_points("a,b\n") == "x.csv: holds a header line but no points");
    CHECK(refused_points("1,2\n3\n") == "x.csv:2: has 1 column separated by comma, but line 1 has 2");
    CHECK(refused_points("# c\n1 2\n\n3 4 5\n") == "x.csv:4: has 3 columns separated by spaces, but line 2 has 2");
    CHECK(refused_points("a,b,c\n1,2\n") == "x.csv:2: has 2 columns separated by comma, but line 1 has 3");
    CHECK(refused_points("1,nan\n") == "x.csv:1:2: 'nan' is not finite; every number must be");
    CHECK(refused_points("nan,nan\n1,2\n") == "x.csv:1:1: 'nan' is not finite; every number must be");
    CHECK(refused_points("1,2\n3,-inf\n") == "x.csv:2:2: '-inf' is not finite; every number must be");
    CHECK(refused_points("1,2\n3,x\n") == "x.csv:2:2: 'x' is not a number");
    CHECK(refused_points("1,b\n3,4\n") == "x.csv:1:2: 'b' is not a number");
    CHECK(refused_points("a,b\nc,d\n1,2\n") == "x.csv:2:1: 'c' is not a number");
    CHECK(refused_points("1,2\n3,\n") == "x.csv:2:2: the field is empty; a number is needed");
    CHECK(refused_points("1;2\n3,5;4\n") == "x.csv:2:1: '3,5' has a decimal comma; numbers are written with a point");
    CHECK(refused_points("1,1e-999\n") == "x.csv:1:2: '1e-999' is outside the range of a double");
}

TEST_CASE("Points come from a file whose name may hold colons; a missing file is named") {
    const scene::Folder folder;
    CHECK(read_points(folder.write("a:b.csv", "1,-2.5,3e-4\n4,5,6\n")) == two_by_three);
    CHECK(said([&] { read_points(folder.file("none.csv")); }) == folder.file("none.csv") + ": there is no such file");
    CHECK(said([&] { read_points(folder.path().string()); }) ==
          folder.path().string() + ": is a folder; a file is needed");
    const std::string pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(said([&] { read_points(pipe); }) == pipe + ": is no regular file, but a pipe, a socket or a device");
    CHECK(said([&] { read_points("/dev/zero"); }) == "/dev/zero: is no regular file, but a pipe, a socket or a device");
    const std::string text = folder.write("p.csv", "1,2\n");
    CHECK(said([&] { read_points(text + ":/x"); }) == text + ": is neither HDF5 nor .npz, so it has no array '/x'");
}

TEST_CASE("A point whose squared length is beyond double is refused by its number") {
    const scene::Folder folder;
    CHECK(said([&] { read_points(folder.write("x.csv", "1,2\n3,-1e200\n")); }) ==
          folder.file("x.csv") +
              ": point 2 has the coordinate -1e+200; squared lengths must be below 1.8e+308, where double ends");
    CHECK(read_points(folder.write("x.csv", "1e153,1e153\n"))(0, 1) == 1e153);
}

TEST_CASE("A file that is too large is refused by its size, before any of it is read") {
    const scene::Folder folder;
    const std::string file = folder.write("x.csv", "1,2\n");
    // A hole: it takes no room on the disk, and would take two gigabytes of memory.
    std::filesystem::resize_file(file, (std::uintmax_t{1} << 31) + 1);
    const memory::HighWaterMark mark;
    CHECK(said([&] { read_points(file); }) == file + ": has 2147483649 bytes; at most 2147483648 are read");
    CHECK(mark.bytes() < 1 << 20);
}

TEST_CASE("Whatever byte of an HDF5 file is damaged, a refusal begins with the file's name") {
    const scene::Folder folder;
    const std::string file = hdf5_file(folder, "x.h5", [&](hid_t own) {
        const hid_t group = H5Gcreate2(own, "deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        add(group, "x", {2, 3}, H5T_NATIVE_DOUBLE, two_by_three.data());
        H5Gclose(group);
    });
    const std::string bytes = store::read_whole(file);
    std::size_t refused = 0;
    // The heaps of names, and the tables of groups: what is damaged there is the library's to tell.
    for (const char* mark : {"HEAP", "TREE", "SNOD"})
        for (std::size_t at = bytes.find(mark); at != std::string::npos; at = bytes.find(mark, at + 1))
            for (const std::size_t offset : {0u, 5u, 8u, 16u, 24u}) {
                std::string damaged = bytes;
                damaged[at + offset] = static_cast<char>(~damaged[at + offset]);
                folder.write("damaged.h5", damaged);
                for (const char* dataset : {"", ":/deep/x"}) {
                    const std::string what = said([&] { read_points(folder.file("damaged.h5") + dataset); });
                    INFO(mark << " at " << at << ", byte " << offset << ": " << what);
                    CHECK((what == "accepted" || what.starts_with(folder.file("damaged.h5") + ":")));
                    refused += what != "accepted";
                }
            }
    CHECK(refused > 10);
}

TEST_CASE("HDF5: a file of more names than are looked at is refused by its name") {
    const scene::Folder folder;
    const std::string file = hdf5_file(folder, "names.h5", [](hid_t own) {
        for (int i = 0; i <= 10'000; ++i)
            H5Lcreate_soft("/nowhere", own, ("n" + std::to_string(i)).c_str(), H5P_DEFAULT, H5P_DEFAULT);
    });
    CHECK(said([&] { read_points(file); }) == file + ": has more than 10000 names");
}

TEST_CASE("Points in HDF5: the only two-dimensional dataset, or the one that is named") {
    const scene::Folder folder;
    const float floats[6] = {1, 2, 3, 4, 5, 6};
    const std::string single = hdf5_file(folder, "single.bin", [&](hid_t file) {
        const hid_t group = H5Gcreate2(file, "deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        add(group, "x", {2, 3}, H5T_NATIVE_DOUBLE, two_by_three.data());
        add(file, "labels", {6}, H5T_NATIVE_FLOAT, floats);
        H5Gclose(group);
    });
    CHECK(read_points(single) == two_by_three);
    CHECK(read_points(single + ":/deep/x") == two_by_three);
    CHECK(read_points(single + ":deep/x") == two_by_three);

    const int ints[6] = {1, 2, 3, 4, 5, 6};
    const std::string several = hdf5_file(folder, "several.h5", [&](hid_t file) {
        add(file, "queries", {2, 3}, H5T_NATIVE_FLOAT, floats);
        add(file, "keys", {3, 2}, H5T_NATIVE_INT, ints);
    });
    CHECK(read_points(several + ":/queries")(1, 2) == 6);
    CHECK(read_points(several + ":/keys")(2, 0) == 5);
    CHECK(said([&] { read_points(several); }) == several +
                                                     ": holds several two-dimensional datasets; name one, as in " +
                                                     several + ":/keys (there are /keys, /queries)");
    CHECK(said([&] { read_points(several + ":/querys"); }) ==
          several +
              ":/querys: there is no such dataset; two-dimensional ones: /keys, /queries. Did you mean "
              "'/queries'?");
}

TEST_CASE("HDF5: links in a ring end, other files are not read, and what was never written is no data") {
    const scene::Folder folder;
    const std::string ring = hdf5_file(folder, "ring.h5", [&](hid_t file) {
        std::vector<hid_t> groups;
        for (const char* name : {"a", "b", "c", "d"})
            groups.push_back(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        // Each group leads to each: without a look at which object it is, 4^16 paths.
        for (const hid_t from : groups)
            for (std::size_t to = 0; to < groups.size(); ++to)
                H5Lcreate_hard(groups[to], ".", from, std::string(1, char('p' + to)).c_str(), H5P_DEFAULT, H5P_DEFAULT);
        add(groups[2], "x", {2, 3}, H5T_NATIVE_DOUBLE, two_by_three.data());
        for (const hid_t group : groups) H5Gclose(group);
    });
    CHECK(read_points(ring) == two_by_three);

    const std::string other = hdf5_file(folder, "other.h5", [&](hid_t file) {
        add(file, "x", {2, 3}, H5T_NATIVE_DOUBLE, two_by_three.data());
    });
    const std::string outside = folder.write("secret", std::string(48, 'a'));
    const std::string hostile = hdf5_file(folder, "hostile.h5", [&](hid_t file) {
        H5Lcreate_external(other.c_str(), "/x", file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
        const hsize_t extents[] = {2, 3}, many[] = {hsize_t{1} << 14, hsize_t{1} << 14}, chunk[] = {64, 64};
        const hid_t space = H5Screate_simple(2, extents, nullptr), large = H5Screate_simple(2, many, nullptr);
        const hid_t list = H5Pcreate(H5P_DATASET_CREATE), chunked = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_external(list, outside.c_str(), 0, 48);
        H5Pset_chunk(chunked, 2, chunk);
        H5Dclose(H5Dcreate2(file, "outside", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT));
        H5Dclose(H5Dcreate2(file, "zeros", H5T_NATIVE_DOUBLE, large, H5P_DEFAULT, chunked, H5P_DEFAULT));
        for (const hid_t one : {list, chunked}) H5Pclose(one);
        for (const hid_t one : {space, large}) H5Sclose(one);
    });
    const auto message = [&](const std::string& name) { return said([&] { read_points(hostile + ":/" + name); }); };
    CHECK(message("elsewhere") == hostile + ":/elsewhere: lies in another file; only what a file itself holds is read");
    CHECK(message("outside") ==
          hostile + ":/outside: has its numbers in other files; only what a file itself holds is read");
    CHECK(message("zeros") ==
          hostile +
              ":/zeros: claims 2147483648 bytes of numbers, of which the file holds 0: the others were never "
              "written");
    CHECK(rfbench::tests::contains(message("none"), "two-dimensional ones: /outside, /zeros."));
}

TEST_CASE("HDF5 points of another rank or type, empty or not finite are refused by their place") {
    const scene::Folder folder;
    const double infinite = std::numeric_limits<double>::infinity();
    const double hole = std::numeric_limits<double>::quiet_NaN();
    const double with_nan[6] = {1, 2, 3, 4, hole, 6};
    const double with_infinity[6] = {1, infinite, 3, 4, 5, 6};
    const std::string path = hdf5_file(folder, "odd.h5", [&](hid_t file) {
        add(file, "nan", {2, 3}, H5T_NATIVE_DOUBLE, with_nan);
        add(file, "infinity", {3, 2}, H5T_NATIVE_DOUBLE, with_infinity);
        add(file, "flat", {6}, H5T_NATIVE_DOUBLE, with_nan);
        add(file, "cube", {1, 2, 3}, H5T_NATIVE_DOUBLE, with_nan);
        add(file, "empty", {0, 3}, H5T_NATIVE_DOUBLE, nullptr);
        const hid_t text = H5Tcopy(H5T_C_S1);
        add(file, "text", {1, 1}, text, "a");
        H5Tclose(text);
    });
    const auto message = [&](const std::string& name) { return said([&] { read_points(path + ":/" + name); }); };
    CHECK(message("nan") == path + ":/nan[1, 1]: is nan; every number must be finite");
    CHECK(message("infinity") == path + ":/infinity[0, 1]: is inf; every number must be finite");
    CHECK(message("flat") == path + ":/flat: has the shape 6; points are two-dimensional, one point a row");
    CHECK(message("cube") == path + ":/cube: has the shape 1 x 2 x 3; points are two-dimensional, one point a row");
    CHECK(message("empty") == path + ":/empty: is empty (0 x 3)");
    CHECK(message("text") == path + ":/text: does not hold numbers");

    const std::string none = hdf5_file(folder, "none.h5", [](hid_t) {});
    CHECK(said([&] { read_points(none); }) == none + ": holds no two-dimensional dataset of numbers");
    CHECK(said([&] { read_points(none + ":x"); }) ==
          none + ":/x: there is no such dataset; two-dimensional ones: none.");
    const std::string cut = folder.write("cut.h5", "\x89HDF\r\n\x1a\n and no more");
    CHECK(said([&] { read_points(cut); }) == cut + ": cannot be opened as HDF5 (is it complete?)");
}

TEST_CASE("points are the same from .npy as from text; an array that is none is refused with its place") {
    const scene::Folder folder;
    const std::vector<double> numbers{1, -2.5, 3e-4, 4, 5, 6};
    const std::string file = folder.write("x.npy", scene::npy("<f8", "2, 3", scene::bytes_of(numbers)));
    CHECK(read_points(file) == two_by_three);
    CHECK(file_of_points(file) == file);
    const auto refused_array = [&](const std::string& bytes) {
        const std::string bad = folder.write("bad.npy", bytes);
        const std::string all = said([&] { read_points(bad); });
        return all.starts_with(bad) ? all.substr(bad.size()) : all;
    };
    const std::vector<double> gap{1, 2, 3, 4, std::numeric_limits<double>::quiet_NaN(), 6};
    CHECK(refused_array(scene::npy("<f8", "2, 3", scene::bytes_of(gap))) ==
          "[1, 1]: is nan; every number must be finite");
    CHECK(refused_array(scene::npy("<f8", "6,", scene::bytes_of(numbers))) ==
          ": has 1 axis; points are two-dimensional, one point a row");
    CHECK(refused_array(scene::npy("<c8", "2, 3", scene::bytes_of(numbers))).find("is of type '<c8'") !=
          std::string::npos);
    CHECK(refused_array(scene::npy("<f8", "2, 3", scene::bytes_of(numbers) + "x")) ==
          ": has 49 bytes for 6 numbers of 8");
    const std::vector<std::int64_t> whole{1, -2, 3, 4, 5, 1 << 30};
    folder.write("whole.npy", scene::npy("<i8", "2, 3", scene::bytes_of(whole)));
    CHECK(read_points(folder.file("whole.npy")) == (Points(2, 3) << 1, -2, 3, 4, 5, 1 << 30).finished());
    // 2^53 and 2^53 + 1 are one number in double.
    const std::vector<std::int64_t> rounded{1, -2, 3, 4, 5, (std::int64_t{1} << 53) + 1};
    CHECK(refused_array(scene::npy("<i8", "2, 3", scene::bytes_of(rounded))).find("does not hold exactly") !=
          std::string::npos);
    const std::string bytes{"\1\xff\0\2", 4};
    folder.write("bytes.npy", scene::npy("|i1", "2, 2", bytes));
    CHECK(read_points(folder.file("bytes.npy")) == (Points(2, 2) << 1, -1, 0, 2).finished());
    folder.write("bytes.npy", scene::npy("|u1", "2, 2", bytes));
    CHECK(read_points(folder.file("bytes.npy")) == (Points(2, 2) << 1, 255, 0, 2).finished());
}

TEST_CASE("keys of an .npy header may come in any order, the last one without a comma") {
    const auto array = [](const std::string& header) {
        const std::string text = header + std::string(117 - header.size(), ' ') + "\n";
        return read_npy("x.npy", std::string("\x93NUMPY\1\0", 8) + std::string("\x76\0", 2) + text +
                                     scene::bytes_of(std::vector<double>{1, 2, 3, 4, 5, 6}));
    };
    const std::vector<double> rows{1, 2, 3, 4, 5, 6};
    CHECK(array("{'descr': '<f8', 'shape': (2, 3), 'fortran_order': False}").values == rows);
    CHECK(array("{'shape': (2, 3), 'fortran_order': False, 'descr': '<f8'}").values == rows);
    CHECK(array("{'descr': '<f8', 'shape': (2, 3), 'fortran_order': True}").values ==
          std::vector<double>{1, 3, 5, 2, 4, 6});
    CHECK(said([&] { array("{'descr': '<f8', 'shape': (2, 3)}"); }) ==
          "x.npy: does not say whether 'fortran_order' is True or False");
}

TEST_CASE("an .npy header that says something twice is refused") {
    const std::string entries = scene::bytes_of(std::vector<double>{1, 2});
    for (const char* key : {"descr", "fortran_order", "shape"}) {
        const std::string twice = std::string("False, '") + key + "': 'x'";
        CHECK(said([&] { read_npy("x.npy", scene::npy("<f8", "1, 2", entries, twice)); }) ==
              std::string("x.npy: has the key '") + key + "' twice in its header");
    }
}

TEST_CASE("an array that claims more than its file holds is refused before there is room for it") {
    const scene::Folder folder;
    const std::string file = folder.write("x.npy", scene::npy("<f2", "16384, 16384", "abcd"));
    const memory::HighWaterMark mark;
    CHECK(said([&] { read_points(file); }) == file + ": has 4 bytes for 268435456 numbers of 2");
    CHECK(mark.bytes() < (std::size_t{1} << 20));
    folder.write("x.npy", scene::npy("<f2", "16385, 16384", "abcd"));
    CHECK(said([&] { read_points(file); }) == file + ": is 16385 x 16384; at most 268435456 numbers are read");
    folder.write("x.npy", scene::npy("<f2", "2, ':2", "abcdefgh"));
    CHECK(said([&] { read_points(file); }) == file + ": has a shape that is none: '(2, ':2)'");
}

TEST_CASE("a first line of numbers that count up is read as names where it can be nothing else, else refused") {
    const Points two = (Points(2, 3) << 0.5, 1, 2, 3, 4, 5).finished();
    CHECK(read_points_text("0,1,2\n0.5,1,2\n3,4,5\n", "x.csv") == two);
    CHECK(read_points_text("\"0\";\"1\";\"2\"\n0.5;1;2\n3;4;5\n", "x.csv") == two);
    for (const char* text : {"0\n0.5\n", "0,1\n0.5,1\n", "0,1,2\n3,4,5\n", "7,8,9\n0.5,1,2\n"}) {
        INFO(text);
        CHECK(refused_points(text).starts_with("x.csv:1: may be a point or names of columns that are numbers, '"));
    }
    CHECK(read_points_text("1,2\n3,4\n", "x.csv").rows() == 2);
    CHECK(read_points_text("0.0,1,2\n0.5,1,2\n", "x.csv").rows() == 2);
    CHECK(read_points_text("1,3,2\n0.5,1,2\n", "x.csv").rows() == 2);
}

TEST_CASE("points are the same as text, .npy and .npz, packed or not, in any order of bytes and axes") {
    const scene::Folder folder;
    const std::vector<double> rows{1, -2.5, 3e-4, 4, 5, 6}, columns{1, 4, -2.5, 5, 3e-4, 6};
    std::string swapped;
    for (const double number : rows) {
        std::string bytes = scene::bytes_of(std::vector{number});
        swapped.append(bytes.rbegin(), bytes.rend());
    }
    const std::string text = "1,-2.5,3e-4\n4,5,6\n", plain = scene::npy("<f8", "2, 3", scene::bytes_of(rows));
    const std::string line = scene::npy("<f8", "3,", scene::bytes_of(std::vector<double>{1, 2, 3}));
    for (const std::string& bytes :
         {plain, scene::npy(">f8", "2, 3", swapped), scene::npy("<f8", "2, 3", scene::bytes_of(columns), "True"),
          scene::gzipped(plain), scene::gzipped(text), scene::zipped("p.csv", text), scene::zipped("x.npy", plain)}) {
        INFO(bytes.size());
        CHECK(read_points(folder.write("p", bytes)) == two_by_three);
    }
    const std::string several = folder.write("two.npz", scene::zipped({{"x.npy", plain}, {"y.npy", line}}));
    CHECK(read_points(several + ":x") == two_by_three);
    CHECK(said([&] { read_points(several); }) ==
          several + ": holds 2 arrays; name one, as in " + several + ":x (there are x, y)");
    CHECK(said([&] {
              read_points(several + ":z");
          }).starts_with(several + ":z: there is no such array; there are x, y."));
    CHECK(said([&] { read_points(several + ":y"); }) ==
          several + ":y: has 1 axis; points are two-dimensional, one point a row");
    const std::string mixed = folder.write("two.zip", scene::zipped({{"a.csv", text}, {"b.csv", text}}));
    CHECK(said([&] { read_points(mixed); }) == mixed + ": holds 2 files (a.csv, b.csv); unpack the one that is meant");
}

TEST_CASE("HDF5 as h5py, PyTables and MATLAB write it") {
    const scene::Folder folder;
    const std::string path = hdf5_file(folder, "f.h5", [&](hid_t file) {
        const std::vector<Eigen::bfloat16> brain{Eigen::bfloat16(1.5f), Eigen::bfloat16(-2)};
        const hid_t opaque = H5Tcreate(H5T_OPAQUE, 2), truth = H5Tenum_create(H5T_NATIVE_INT8);
        const signed char no = 0, yes = 1, truths[] = {1, 0, 1, 1};
        H5Tenum_insert(truth, "FALSE", &no);
        H5Tenum_insert(truth, "TRUE", &yes);
        add(file, "brain", {1, 2}, opaque, brain.data());
        add(file, "truth", {2, 2}, truth, truths);
        add(file, "bits", {2, 2}, H5T_NATIVE_B8, truths);
        for (const hid_t type : {opaque, truth}) H5Tclose(type);
    });
    CHECK(read_points(path + ":brain") == (Points(1, 2) << 1.5, -2).finished());
    CHECK(read_points(path + ":truth") == (Points(2, 2) << 1, 0, 1, 1).finished());
    CHECK(read_points(path + ":bits") == (Points(2, 2) << 1, 0, 1, 1).finished());

    // A block of the user's in front, and axes reversed.
    const std::string matlab = folder.file("m.mat");
    const hid_t list = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(list, 512);
    const hid_t file = H5Fcreate(matlab.c_str(), H5F_ACC_TRUNC, list, H5P_DEFAULT);
    const Points reversed = two_by_three.transpose();
    add(file, "x", {3, 2}, H5T_NATIVE_DOUBLE, reversed.data());
    const hid_t set = H5Dopen2(file, "x", H5P_DEFAULT), text = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
    H5Tset_size(text, 6);
    const hid_t name = H5Acreate2(set, "MATLAB_class", text, one, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(name, text, "double");
    H5Aclose(name);
    H5Sclose(one);
    H5Tclose(text);
    H5Dclose(set);
    H5Fclose(file);
    H5Pclose(list);
    CHECK(read_points(matlab) == two_by_three);
}

TEST_CASE("an HDF5 file that is locked, or stored with a filter that is not here, is told from a damaged one") {
    const scene::Folder folder;
    const std::string path = hdf5_file(folder, "f.h5", [&](hid_t file) {
        add(file, "x", {2, 3}, H5T_NATIVE_DOUBLE, two_by_three.data());
    });
    const int held = open(path.c_str(), O_RDWR);
    REQUIRE(flock(held, LOCK_EX) == 0);
    CHECK(said([&] { read_points(path); }) ==
          path +
              ": is open for writing in another program, which has locked it; close it there, or set "
              "HDF5_USE_FILE_LOCKING=FALSE to read it all the same");
    close(held);
    CHECK(read_points(path) == two_by_three);

    const H5Z_class2_t filter{
        H5Z_CLASS_T_VERS,
        32000,
        1,
        1,
        "lzf",
        nullptr,
        nullptr,
        [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) { return bytes; }};
    H5Zregister(&filter);
    const std::string lzf = hdf5_file(folder, "lzf.h5", [&](hid_t own) {
        const hsize_t extents[] = {2, 3};
        const hid_t space = H5Screate_simple(2, extents, nullptr), list = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(list, 2, extents);
        H5Pset_filter(list, 32000, H5Z_FLAG_MANDATORY, 0, nullptr);
        const hid_t set = H5Dcreate2(own, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT);
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, two_by_three.data());
        H5Dclose(set);
        H5Pclose(list);
        H5Sclose(space);
    });
    H5Zunregister(32000);
    CHECK(said([&] { read_points(lzf); }) ==
          lzf +
              ":/x: is stored with the filter 'lzf' (32000), which this HDF5 library lacks; write it with gzip or "
              "without a filter");
}

TEST_CASE("files of other programs are refused as what they are") {
    const scene::Folder folder;
    const auto message = [&](const std::string& bytes) { return said([&] { read_points(folder.write("f", bytes)); }); };
    CHECK(message(scene::zipped("f/data.pkl", "x")).ends_with("with numpy.savez"));
    CHECK(
        message(scene::zipped("xl/workbook.xml", "x")).ends_with(": is a spreadsheet of Excel; save the sheet as CSV"));
    const std::pair<const char*, const char*> known[] = {
        {"\x80\x04q", "is a pickle of Python"},
        {"MATLAB 5.0 MAT-file", "is a MATLAB file of a version before 7.3"},
        {"PAR1", "is a Parquet file"},
        {"BZh9", "is packed by bzip2; gzip and zip are read"},
        {"\xff\xfe", "is UTF-16; write it as UTF-8"},
        {"CDF\x01", "is NetCDF of version 3"}};
    for (const auto& [bytes, sentence] : known) {
        INFO(sentence);
        CHECK(message(bytes).starts_with(folder.file("f") + ": " + sentence));
    }
}
