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

void ask_for_huge_pages(void* first, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    // Whole pages inside; below a few huge ones there is nothing to win.
    constexpr std::size_t page = 4096, least = std::size_t(1) << 22;
    const auto begin = (reinterpret_cast<std::uintptr_t>(first) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(first) + bytes) / page * page;
    if (bytes >= least) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a wish
#endif
}

template class Stack<float>;
template class Stack<double>;
template Stack<float> matrix(const py::array&, const std::string&);
template Stack<double> matrix(const py::array&, const std::string&);

}  // namespace rfbench::python
