#include "rfbench/models/array_file.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "catch.hpp"
#include "datasets/scene.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/hdf5_handle.hpp"
#include "small_model.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using models::Array;
using models::ArrayFile;
using scene::bytes_of;
using scene::npy;
using tests::contains;
using tests::refusal;

namespace {

const std::vector<float> six{1, -2, 0.5f, 3e30f, 0, 1e-30f};

}  // namespace

TEST_CASE("an array is the same from HDF5, .npz and safetensors") {
    const scene::Folder folder;
    const std::vector<double> wide(six.begin(), six.end());
    store::write(folder.file("a.h5"),
                 {{{"row", std::vector<double>{0, 1}, "", ""}, {"column", std::vector<double>{0, 1, 2}, "", ""}},
                  {{"x", {"row", "column"}, wide, "", ""}},
                  {}});
    folder.write("a.npz", scene::zipped("x.npy", npy("<f4", "2, 3", bytes_of(six))));
    folder.write("stored.npz", scene::zipped("x.npy", npy("<f8", "2, 3", bytes_of(wide)), false));
    folder.write("a.safetensors", small_model::safetensors({{"x", "F32", {2, 3}, bytes_of(six)}}));
    for (const char* file : {"a.h5", "a.npz", "stored.npz", "a.safetensors"}) {
        INFO(file);
        const Array array = ArrayFile(folder.file(file)).array("x");
        CHECK(array.shape == std::vector<Index>{2, 3});
        CHECK(array.values == wide);
    }
    const std::vector<Eigen::half> halves{Eigen::half(0.5f), Eigen::half(-3)};
    folder.write("half.npz", scene::zipped("x.npy", npy("<f2", "2,", bytes_of(halves))));
    CHECK(ArrayFile(folder.file("half.npz")).array("x").values == std::vector<double>{0.5, -3});
    CHECK(ArrayFile(folder.file("half.npz")).array("x").shape == std::vector<Index>{2});
}

TEST_CASE("numbers of each width are read from each kind of file, bfloat16 too") {
    const scene::Folder folder;
    // 1.5 and -2^-7 have few bits: the same in every type.
    const std::vector<double> two{1.5, -0.0078125};
    const auto as = [&]<class Number>(Number) {
        std::vector<Number> numbers;
        for (const double value : two) numbers.push_back(static_cast<Number>(value));
        return bytes_of(numbers);
    };
    const std::string half = as(Eigen::half()), brain = as(Eigen::bfloat16()), single = as(0.f), wide = as(0.);
    const std::pair<const char*, std::string> npz[] = {
        {"<f2", half}, {"|V2", brain}, {"<V2", brain}, {"<f4", single}, {"<f8", wide}};
    for (const auto& [type, bytes] : npz) {
        INFO(type);
        folder.write("f", scene::zipped("x.npy", npy(type, "2,", bytes)));
        CHECK(ArrayFile(folder.file("f")).array("x").values == two);
    }
    const std::pair<const char*, std::string> tensors[] = {
        {"F16", half}, {"BF16", brain}, {"F32", single}, {"F64", wide}};
    for (const auto& [type, bytes] : tensors) {
        INFO(type);
        folder.write("f", small_model::safetensors({{"x", type, {2}, bytes}}));
        CHECK(ArrayFile(folder.file("f")).array("x").values == two);
    }
    // HDF5's floats say where their bits are: 16 bits with the exponent of a float, then of a half.
    for (const bool is_brain : {true, false}) {
        const std::string file = folder.file("f.h5");
        {
            const store::Hdf5Session quiet;
            const store::Handle type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose, "copy a type");
            if (is_brain) {
                H5Tset_fields(type, 15, 7, 8, 0, 7);
                H5Tset_size(type, 2);
            } else {
                H5Tset_fields(type, 15, 10, 5, 0, 10);
                H5Tset_size(type, 2);
                H5Tset_ebias(type, 15);
            }
            const hsize_t extent = 2;
            const store::Handle to(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                                   "create");
            const store::Handle group(H5Gcreate2(to, "layer", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                                      "group");
            const store::Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose, "space");
            const store::Handle data(H5Dcreate2(group, "x", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                     H5Dclose, "dataset");
            H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, (is_brain ? brain : half).data());
        }
        INFO((is_brain ? "bfloat16" : "half"));
        const ArrayFile read(file);
        CHECK(read.names() == std::vector<std::string>{"layer/x"});
        CHECK(read.array("layer/x").values == two);
        CHECK(read.array("/layer/x").values == two);
        CHECK(contains(refusal<FileError>([&] { read.array("layer/y"); }),
                       file + ":layer/y: there is no such array; there are layer/x. Did you mean"));
    }
}

TEST_CASE("what is no array of finite numbers is refused, with the file, the array and the entry") {
    const scene::Folder folder;
    const auto said = [&](const std::string& bytes) {
        const std::string file = folder.write("f", bytes);
        const std::string text = refusal<FileError>([&] { ArrayFile(file).array("x"); });
        return text.starts_with(file) ? text.substr(file.size()) : text;
    };
    const auto zipped = [](const std::string& member) { return scene::zipped("x.npy", member); };
    std::vector<double> numbers{1, 2, 3, std::numeric_limits<double>::infinity(), 5, 6};
    CHECK(said(zipped(npy("<f8", "2, 1, 3", bytes_of(numbers)))) == ":x[1, 0, 0]: is inf; every number must be finite");
    CHECK(contains(said(zipped(npy("<c8", "6,", bytes_of(numbers)))), ":x: is of type '<c8'; floats of 16, 32 and 64"));
    CHECK(contains(said(zipped(npy("<c8", "3,", bytes_of(numbers)))), "is of type '<c8'"));
    const std::vector<std::int64_t> large{1, std::int64_t{1} << 60};
    CHECK(contains(said(zipped(npy("<i8", "2,", bytes_of(large)))),
                   "holds the whole number 1152921504606846976 (entry 1), which double does not hold exactly"));
    CHECK(contains(said(zipped(npy("<f8", "7,", bytes_of(numbers)))), "has 48 bytes for 7 numbers of 8"));
    CHECK(contains(said(zipped(npy("<f8", "0, 3", ""))), "is empty (0 x 3)"));
    CHECK(contains(said(zipped(npy("<f8", "99999, 99999", ""))), "numbers are read"));
    CHECK(contains(said(zipped("\x93NUMPY")), "is no NumPy array"));
    CHECK(contains(said(scene::zipped("y.npy", npy("<f8", "6,", bytes_of(numbers)))),
                   ":x: there is no such array; there are y."));
    CHECK(contains(said("queries,keys\n"), "is neither HDF5 nor .npz nor safetensors"));
    CHECK(contains(said("\x89HDF\r\n\x1a\n and no more"), "cannot be opened as HDF5"));
    const std::string whole = zipped(npy("<f8", "5,", bytes_of(std::vector<double>{1, 2, 3, 4, 5})));
    const std::string overflowed = bytes_of(std::vector<Eigen::half>{Eigen::half(1e5f), Eigen::half(1)});
    CHECK(said(zipped(npy("<f2", "2,", overflowed))) == ":x[0]: is inf; every number must be finite");
    CHECK(said(small_model::safetensors({{"x", "F16", {1, 2}, overflowed}})) ==
          ":x[0, 0]: is inf; every number must be finite");
    CHECK(contains(said(small_model::safetensors({{"x", "C64", {1}, std::string(8, '\0')}})), ":x: is of dtype C64"));
    // Cut anywhere it is refused; it never crashes.
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK(said(whole.substr(0, size)) != "accepted");
}

TEST_CASE("whole numbers and truth values are read from safetensors beside tensors of other types") {
    const scene::Folder folder;
    const std::vector<std::int64_t> mask{1, 1, 0};
    const std::string file =
        folder.write("m.safetensors", small_model::safetensors({{"mask", "I64", {1, 3}, bytes_of(mask)},
                                                                {"scales", "F8_E8M0", {4}, "abcd"},
                                                                {"small", "I8", {2}, std::string("\xff\x02")}}));
    CHECK(ArrayFile(file).array("mask").values == std::vector<double>{1, 1, 0});
    CHECK(ArrayFile(file).array("small").values == std::vector<double>{-1, 2});
    CHECK(
        contains(refusal<FileError>([&] { ArrayFile(file).array("scales"); }), ":scales: is of dtype F8_E8M0; F64, "));
    const std::vector<std::int64_t> large{std::int64_t{1} << 60};
    folder.write("m.safetensors", small_model::safetensors({{"x", "I64", {1}, bytes_of(large)}}));
    CHECK(contains(refusal<FileError>([&] { ArrayFile(file).array("x"); }), "does not hold exactly"));
}

TEST_CASE("a file of torch.save is named as one") {
    const scene::Folder folder;
    const std::string file = folder.write("h.pt", scene::zipped({{"h/data.pkl", "x"}, {"h/data/0", "y"}}));
    CHECK(refusal<FileError>([&] { ArrayFile{file}; }) ==
          file +
              ": is a file of torch.save, which holds objects of Python; write its tensors with "
              "safetensors.torch.save_file, or with numpy.savez");
}
