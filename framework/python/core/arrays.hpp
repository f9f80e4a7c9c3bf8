#pragma once
// NumPy's arrays as views of rows, and rows as arrays: no copy where the layout allows it.
#include <pybind11/numpy.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "rfbench/matrix.hpp"

namespace rfbench::python {

namespace py = pybind11;

/// Extents of an array.
using Shape = std::vector<py::ssize_t>;
/// "(2, 8, 512, 64)"
std::string shape_text(const Shape&);

/// The array that an argument is or can be made into. Throws InputError naming the argument unless its entries are
/// float16, float32, float64 or integers of at most 64 bits.
py::array real_array(const py::handle& given, const std::string& name);

/// Whether entries are of single precision, which stays single: float32 and float16. All else is computed in double.
bool is_single(const py::array&);

/// Matrices of n rows and d columns along the leading axes of an array, the last of which runs fastest. Rows may have
/// any distance in memory and leading axes any strides; an array of another layout or type is copied.
template <class Scalar>
class Stack {
public:
    using View = Eigen::Map<const Rows<Scalar>, 0, Eigen::OuterStride<>>;

    /// Throws InputError naming the argument for an array of fewer than two axes.
    Stack(py::array given, const std::string& name);

    const Shape& leading() const { return leading_; }  ///< extents of the leading axes
    Index count() const { return count_; }             ///< their product
    Index rows() const { return rows_; }               ///< n
    Index columns() const { return columns_; }         ///< d
    /// The matrix of this number.
    View operator[](Index number) const;

private:
    py::array array_;  // keeps the memory
    Shape leading_, strides_;
    const char* data_;
    Index count_ = 1, rows_, columns_, distance_;
};

/// One matrix. Throws InputError naming the argument for an array that has not two axes.
template <class Scalar>
Stack<Scalar> matrix(const py::array& given, const std::string& name);

/// Entries of an array that results are written into. Throws InputError unless it is of this shape and type, with rows
/// side by side in memory, and may be written.
template <class Scalar>
Eigen::Map<Rows<Scalar>> writable(py::array out, const Shape& shape);

/// Asks for huge pages below a matrix whose entries nobody has touched yet, as NumPy does for its arrays: the kernel
/// hands out pages of 4 kB one by one, which would take longer than features do. Nothing else changes.
void ask_for_huge_pages(void* first, std::size_t bytes);

/// Memory of the last large matrix that Python has let go of, for the next of as many entries: it needs not be cleared
/// again, and the kernel takes it back when it is short of memory. Any thread may call it.
template <class Scalar>
class Spare {
public:
    static Spare& instance();
    /// A matrix with whatever entries.
    Rows<Scalar> take(Index rows, Index columns);
    void give(Rows<Scalar>&&);

private:
    std::mutex hold_;
    Rows<Scalar> kept_;
};

/// An array that owns these entries, which are not copied, and leaves them to Spare.
template <class Scalar>
py::array owned_for_now(Rows<Scalar>&& entries);

/// An array that owns these entries, which are not copied.
template <class Matrix>
py::array owned(Matrix&& entries, Shape shape) {
    using Own = std::remove_reference_t<Matrix>;
    static_assert(!std::is_lvalue_reference_v<Matrix>, "what is owned is moved");
    auto* const kept = new Own(std::forward<Matrix>(entries));
    const py::capsule owner(kept, [](void* memory) { delete static_cast<Own*>(memory); });
    return py::array_t<typename Own::Scalar>(std::move(shape), kept->data(), owner);
}
/// The same, n x d.
template <class Scalar>
py::array owned(Rows<Scalar>&& entries) {
    const Shape shape{entries.rows(), entries.cols()};
    return owned(std::move(entries), shape);
}
/// The same, n.
inline py::array owned(Vector&& entries) {
    const Shape shape{entries.size()};
    return owned(std::move(entries), shape);
}

}  // namespace rfbench::python
