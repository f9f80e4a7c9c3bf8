#include "rfbench/transforms/cosine.hpp"

#include "catch.hpp"
#include "lines.hpp"

using namespace rfbench;
using namespace rfbench::transforms;

namespace {

enum class Type { second, third, fourth };

/// Entry (k, n) of the orthonormal matrix; roots are of period 8d: cos(pi m / (4d)) is the real part of number m.
long double entry(Type type, Index d, Index k, Index n, const std::vector<Exact>& roots) {
    if (type == Type::third) return entry(Type::second, d, n, k, roots);
    const long double scale = std::sqrt(2 / static_cast<long double>(d));
    if (type == Type::fourth) return scale * roots[(2 * n + 1) * (2 * k + 1) % (8 * d)].real();
    return (k == 0 ? std::sqrt(0.5L) : 1) * scale * roots[2 * (2 * n + 1) * k % (8 * d)].real();
}

template <class Scalar>
Line<Scalar> transformed(const Cosine<Scalar>& cosine, Type type, const Line<Scalar>& line) {
    Line<Scalar> work(line.size()), out(line.size());
    if (type == Type::second) cosine.second(line.data(), work.data(), out.data());
    if (type == Type::third) cosine.third(line.data(), work.data(), out.data());
    if (type == Type::fourth) cosine.fourth(line.data(), work.data(), out.data());
    return out;
}

/// Over the 2-norm of the line. Around the Fourier transform entries meet two factors, each rounded and of a rounded
/// product (4 u), and two terms are added, sqrt 2 times as long as the result at most: 9 u.
template <class Scalar>
double cosine_error(Index d) {
    return std::sqrt(2.0) *
           (transform_error<Scalar>(d) + 4.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()));
}

std::vector<Index> dimensions() {
    std::vector<Index> all;
    for (Index d = 1; d <= 64; ++d) all.push_back(d);
    for (const Index d : {96, 97, 100, 121, 128, 225, 256, 257, 384, 500, 509, 512, 600, 768, 999, 1001, 1024})
        all.push_back(d);
    return all;
}

}  // namespace

TEMPLATE_TEST_CASE("cosine transforms are the explicit orthonormal matrices at any length", "", float, double) {
    for (const Index d : dimensions()) {
        const Cosine<TestType> cosine(d);
        const auto roots = exact_roots(8 * d);
        const auto line = drawn_line<TestType>(d, 6);
        const Index lane = d % lanes<TestType>;
        for (const Type type : {Type::second, Type::third, Type::fourth}) {
            INFO("d = " << d << ", DCT-" << static_cast<int>(type) + 2);
            const auto out = transformed(cosine, type, line);
            long double squares = 0;
            for (Index k = 0; k < d; ++k) {
                Exact sum = 0;
                for (Index n = 0; n < d; ++n) sum += entry(type, d, k, n, roots) * entry_of(line, n, lane);
                squares += std::norm(entry_of(out, k, lane) - sum);
            }
            CHECK(static_cast<double>(std::sqrt(squares)) <=
                  cosine_error<TestType>(d) * static_cast<double>(norm_of(line, lane)));
        }
    }
}

TEMPLATE_TEST_CASE("the DCT-III is the inverse of the DCT-II, the DCT-IV its own", "", float, double) {
    for (const Index d : {1, 2, 7, 64, 257, 720, 2048}) {
        const Cosine<TestType> cosine(d);
        const auto line = drawn_line<TestType>(d, 7);
        for (const auto& [first, then] : {std::pair{Type::second, Type::third}, std::pair{Type::third, Type::second},
                                          std::pair{Type::fourth, Type::fourth}}) {
            const auto again = transformed(cosine, then, transformed(cosine, first, line));
            for (Index lane = 0; lane < lanes<TestType>; ++lane) {
                long double squares = 0;
                for (Index n = 0; n < d; ++n) squares += std::norm(entry_of(again, n, lane) - entry_of(line, n, lane));
                CHECK(static_cast<double>(std::sqrt(squares)) <=
                      2 * cosine_error<TestType>(d) * static_cast<double>(norm_of(line, lane)));
            }
        }
    }
}
