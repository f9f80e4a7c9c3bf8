#pragma once
#include <cstddef>
#include <utility>

#include "rfbench/matrix.hpp"

namespace rfbench::attention {

/// Two of the widest registers, of complex entries: what is worked on at once of lines that are padded to it.
template <class Scalar>
struct ComplexSlice {
    static constexpr int registers = 2, width = 64 / sizeof(Scalar);
    static constexpr Index scalars = Index{registers} * width, entries = scalars / 2;
    typedef Scalar Register __attribute__((vector_size(64)));
    typedef Scalar Anywhere __attribute__((vector_size(64), aligned(alignof(Scalar)), may_alias));

    ComplexSlice() : lanes{} {}
    explicit ComplexSlice(const Scalar* from) {
        for (int i = 0; i < registers; ++i) lanes[i] = reinterpret_cast<const Anywhere*>(from)[i];
    }
    /// Real factors, of which every entry meets two scalars.
    static ComplexSlice doubled(const Scalar* from) {
        ComplexSlice result;
        const Register factors = *reinterpret_cast<const Anywhere*>(from);
        result.lanes[0] = shuffled(factors, [](std::size_t n) { return n / 2; });
        result.lanes[1] = shuffled(factors, [](std::size_t n) { return width / 2 + n / 2; });
        return result;
    }
    ComplexSlice real() const {
        return each([](Register lane) { return shuffled(lane, [](std::size_t n) { return n & ~std::size_t{1}; }); });
    }
    ComplexSlice imaginary() const {
        return each([](Register lane) { return shuffled(lane, [](std::size_t n) { return n | 1; }); });
    }
    /// Times i.
    ComplexSlice turned() const {
        Register sign;
        for (int n = 0; n < width; ++n) sign[n] = n % 2 == 0 ? Scalar(-1) : Scalar(1);
        return each([&](Register lane) { return shuffled(lane, [](std::size_t n) { return n ^ 1; }) * sign; });
    }
    /// this += a b, scalar by scalar.
    void add(const ComplexSlice& a, const ComplexSlice& b) {
        for (int i = 0; i < registers; ++i) lanes[i] += a.lanes[i] * b.lanes[i];
    }
    friend ComplexSlice operator+(ComplexSlice a, const ComplexSlice& b) {
        for (int i = 0; i < registers; ++i) a.lanes[i] += b.lanes[i];
        return a;
    }
    void store(Scalar* to) const {
        for (int i = 0; i < registers; ++i) reinterpret_cast<Anywhere*>(to)[i] = lanes[i];
    }

    Register lanes[registers];

private:
    template <class Change>
    ComplexSlice each(Change change) const {
        ComplexSlice result;
        for (int i = 0; i < registers; ++i) result.lanes[i] = change(lanes[i]);
        return result;
    }
    template <class Order>
    static Register shuffled(Register lane, Order order) {
        return [&]<std::size_t... n>(std::index_sequence<n...>) {
            return __builtin_shufflevector(lane, lane, order(n)...);
        }
        (std::make_index_sequence<width>());
    }
};

}  // namespace rfbench::attention
