#include "arrays.hpp"

#include <sys/mman.h>

#include "rfbench/errors.hpp"

namespace rfbench::python {

std::string shape_text(const Shape& shape) {
    std::string text;
    for (const py::ssize_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
    return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

py::array real_array(const py::handle& given, const std::string& name) {
    const py::array array = py::array::ensure(given);
    if (!array) throw InputError(name + ": no array can be made of this " + Py_TYPE(given.ptr())->tp_name);
    const char kind = array.dtype().kind();
    const bool real = (kind == 'f' || kind == 'i' || kind == 'u') && array.itemsize() <= 8;
    if (!real)
        throw InputError(name + ": an array of " + py::str(array.dtype()).cast<std::string>() +
                         " is given; float32, float64 and integers are taken, in dense arrays");
    return array;
}

bool is_single(const py::array& array) { return array.dtype().kind() == 'f' && array.itemsize() <= 4; }

namespace {

template <class Scalar>
bool has_rows(const py::array& array) {
    const py::ssize_t item = array.itemsize(), axes = array.ndim();
    const py::ssize_t columns = array.shape(axes - 1), step = array.strides(axes - 1);
    const py::ssize_t rows = array.shape(axes - 2), distance = array.strides(axes - 2);
    const bool aligned = (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
    if (!py::isinstance<py::array_t<Scalar>>(array) || !aligned) return false;
    if (columns > 1 && step != item) return false;
    return rows <= 1 || (distance >= columns * item && distance % item == 0);
}

}  // namespace

template <class Scalar>
Stack<Scalar>::Stack(py::array given, const std::string& name) : array_(std::move(given)) {
    const py::ssize_t axes = array_.ndim();
    if (axes < 2)
        throw InputError(name + ": an array of shape " + shape_text({array_.shape(), array_.shape() + axes}) +
                         " is given; one row for each point is taken, (n, d)");
    if (!has_rows<Scalar>(array_)) array_ = py::array_t<Scalar, py::array::c_style | py::array::forcecast>(array_);
    leading_.assign(array_.shape(), array_.shape() + axes - 2);
    strides_.assign(array_.strides(), array_.strides() + axes - 2);
    for (const py::ssize_t extent : leading_) count_ *= extent;
    rows_ = array_.shape(axes - 2);
    columns_ = array_.shape(axes - 1);
    distance_ = rows_ > 1 ? array_.strides(axes - 2) / array_.itemsize() : columns_;
    data_ = static_cast<const char*>(array_.data());
}

template <class Scalar>
typename Stack<Scalar>::View Stack<Scalar>::operator[](Index number) const {
    const char* first = data_;
    for (std::size_t axis = leading_.size(); axis-- > 0; number /= leading_[axis])
        first += number % leading_[axis] * strides_[axis];
    return {reinterpret_cast<const Scalar*>(first), rows_, columns_, Eigen::OuterStride<>(distance_)};
}

template <class Scalar>
Stack<Scalar> matrix(const py::array& given, const std::string& name) {
    if (given.ndim() != 2)
        throw InputError(name + ": an array of shape " + shape_text({given.shape(), given.shape() + given.ndim()}) +
                         " is given; one row for each point is taken, (n, d)");
    return Stack<Scalar>(given, name);
}

template <class Scalar>
Eigen::Map<Rows<Scalar>> writable(py::array out, const Shape& shape) {
    const Shape given(out.shape(), out.shape() + out.ndim());
    // By what the type is: an array from another process has an equal type of its own.
    const bool aligned = (out.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
    const bool of_type = py::isinstance<py::array_t<Scalar>>(out) && aligned;
    if (given != shape || !of_type || !(out.flags() & py::array::c_style) || !out.writeable())
        throw InputError("out: an array of " + py::str(out.dtype()).cast<std::string>() + " of shape " +
                         shape_text(given) + " is given; one of " +
                         py::str(py::dtype::of<Scalar>()).cast<std::string>() + " of shape " + shape_text(shape) +
                         " is taken, C-contiguous, that may be written");
    return {static_cast<Scalar*>(out.mutable_data()), shape[0], shape[1]};
}

namespace {

/// Advises the kernel on the whole pages inside.
void advise(void* first, std::size_t bytes, int advice) {
    constexpr std::size_t page = 4096;
    const auto begin = (reinterpret_cast<std::uintptr_t>(first) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(first) + bytes) / page * page;
    (void)madvise(reinterpret_cast<void*>(begin), end - begin, advice);  // a wish
}

constexpr std::size_t few_huge_pages = std::size_t(1) << 22;   ///< bytes below which there is nothing to win
constexpr std::size_t largest_spare = std::size_t(256) << 20;  ///< bytes that are kept at most

template <class Scalar>
std::size_t bytes_of(const Rows<Scalar>& entries) {
    return static_cast<std::size_t>(entries.size()) * sizeof(Scalar);
}

}  // namespace

void ask_for_huge_pages(void* first, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    if (bytes >= few_huge_pages) advise(first, bytes, MADV_HUGEPAGE);
#endif
}

template <class Scalar>
Spare<Scalar>& Spare<Scalar>::instance() {
    static auto* const one = new Spare;  // arrays may outlive all that ends with the program
    return *one;
}

template <class Scalar>
Rows<Scalar> Spare<Scalar>::take(Index rows, Index columns) {
    Rows<Scalar> entries;
    {
        const std::lock_guard hold(hold_);
        if (kept_.size() == rows * columns) entries.swap(kept_);
    }
    const bool is_new = entries.size() == 0;
    entries.resize(rows, columns);
    if (is_new) ask_for_huge_pages(entries.data(), bytes_of(entries));
    return entries;
}

template <class Scalar>
void Spare<Scalar>::give(Rows<Scalar>&& entries) {
#ifdef MADV_FREE
    if (bytes_of(entries) < few_huge_pages || bytes_of(entries) > largest_spare) return;
    advise(entries.data(), bytes_of(entries), MADV_FREE);
    const std::lock_guard hold(hold_);
    kept_.swap(entries);
#endif
}

template <class Scalar>
py::array owned_for_now(Rows<Scalar>&& entries) {
    auto* const kept = new Rows<Scalar>(std::move(entries));
    const py::capsule owner(kept, [](void* memory) {
        const std::unique_ptr<Rows<Scalar>> own(static_cast<Rows<Scalar>*>(memory));
        Spare<Scalar>::instance().give(std::move(*own));
    });
    return py::array_t<Scalar>(Shape{kept->rows(), kept->cols()}, kept->data(), owner);
}

template class Stack<float>;
template class Stack<double>;
template Stack<float> matrix(const py::array&, const std::string&);
template Stack<double> matrix(const py::array&, const std::string&);
template Eigen::Map<Rows<float>> writable(py::array, const Shape&);
template Eigen::Map<Rows<double>> writable(py::array, const Shape&);
template class Spare<float>;
template class Spare<double>;
template py::array owned_for_now(Rows<float>&&);
template py::array owned_for_now(Rows<double>&&);

}  // namespace rfbench::python
