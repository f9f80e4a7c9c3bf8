#include "rfbench/models/array_file.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "datasets/scene.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "small_model.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using models::Array;
using models::read_array;
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
        const Array array = read_array(folder.file(file), "x");
        CHECK(array.shape == std::vector<Index>{2, 3});
        CHECK(array.values == wide);
    }
    const std::vector<Eigen::half> halves{Eigen::half(0.5f), Eigen::half(-3)};
    folder.write("half.npz", scene::zipped("x.npy", npy("<f2", "2,", bytes_of(halves))));
    CHECK(read_array(folder.file("half.npz"), "x").values == std::vector<double>{0.5, -3});
    CHECK(read_array(folder.file("half.npz"), "x").shape == std::vector<Index>{2});
}

TEST_CASE("what is no array of finite numbers is refused, with the file, the array and the entry") {
    const scene::Folder folder;
    const auto said = [&](const std::string& bytes) {
        const std::string file = folder.write("f", bytes);
        const std::string text = refusal<FileError>([&] { read_array(file, "x"); });
        return text.starts_with(file) ? text.substr(file.size()) : text;
    };
    const auto zipped = [](const std::string& member) { return scene::zipped("x.npy", member); };
    std::vector<double> numbers{1, 2, 3, std::numeric_limits<double>::infinity(), 5, 6};
    CHECK(said(zipped(npy("<f8", "2, 1, 3", bytes_of(numbers)))) == ":x[1, 0, 0]: is inf; every number must be finite");
    CHECK(contains(said(zipped(npy("<i8", "6,", bytes_of(numbers)))),
                   "is of type '<i8'; '<f2', '<f4' and '<f8' are read"));
    CHECK(contains(said(zipped(npy("<f8", "6,", bytes_of(numbers), "True"))), "is in Fortran order"));
    CHECK(contains(said(zipped(npy("<f8", "7,", bytes_of(numbers)))), "has 48 bytes for 7 numbers of 8"));
    CHECK(contains(said(zipped(npy("<f8", "0, 3", ""))), "is empty (0 x 3)"));
    CHECK(contains(said(zipped(npy("<f8", "99999, 99999", ""))), "numbers are read"));
    CHECK(contains(said(zipped("\x93NUMPY")), "is no NumPy array"));
    CHECK(contains(said(scene::zipped("y.npy", npy("<f8", "6,", bytes_of(numbers)))), "x.npy"));
    CHECK(contains(said("queries,keys\n"), "is neither HDF5 nor .npz nor safetensors"));
    CHECK(contains(said("\x89HDF\r\n\x1a\n and no more"), "cannot be opened as HDF5"));
    const std::string whole = zipped(npy("<f8", "5,", bytes_of(std::vector<double>{1, 2, 3, 4, 5})));
    // Cut anywhere it is refused; it never crashes.
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK(said(whole.substr(0, size)) != "accepted");
}
