#pragma once
// Transforms of few points, in registers: X_k = sum_j x_j e^(-2 pi i jk / n), in place.
#include <utility>

#include "rfbench/transforms/lanes.hpp"

namespace rfbench::transforms {

template <class Scalar>
[[gnu::always_inline]] inline void butterfly2(ComplexLanes<Scalar>& a, ComplexLanes<Scalar>& b) {
    const ComplexLanes<Scalar> difference = a - b;
    a = a + b;
    b = difference;
}

template <int n, class Scalar>
[[gnu::always_inline]] inline void butterfly(ComplexLanes<Scalar> (&x)[n]) {
    using Complex = ComplexLanes<Scalar>;
    if constexpr (n == 2) {
        butterfly2(x[0], x[1]);
    } else if constexpr (n == 3) {
        // X_1 and X_2 are x_0 - (x_1 + x_2) / 2 minus and plus i sin(pi / 3) (x_1 - x_2).
        const auto half = Scalar(0.5), sine = Scalar(0.866025403784438646763723170752936183);
        const Complex sum = x[1] + x[2], turned = (sine * (x[1] - x[2])).times_i(), middle = x[0] - half * sum;
        x[0] = x[0] + sum;
        x[1] = middle - turned;
        x[2] = middle + turned;
    } else if constexpr (n == 4) {
        // Transforms of two of the even and of the odd entries; the odd ones' second meets e^(-i pi / 2) = -i.
        butterfly2(x[0], x[2]);
        butterfly2(x[1], x[3]);
        const Complex turned = x[3].times_i();
        butterfly2(x[0], x[1]);
        x[3] = x[2] + turned;
        x[2] = x[2] - turned;
        std::swap(x[1], x[2]);
    } else if constexpr (n == 5) {
        // X_k = x_0 + sum_j cos(2 pi jk / 5) (x_j + x_(5-j)) - i sum_j sin(2 pi jk / 5) (x_j - x_(5-j)), j = 1 and 2;
        // of X_(5-k) the sines have the other sign.
        const auto cosine = Scalar(0.309016994374947424102293417182819059);
        const auto cosine2 = Scalar(-0.809016994374947424102293417182819059);
        const auto sine = Scalar(0.951056516295153572116439333379382143);
        const auto sine2 = Scalar(0.587785252292473129168705954639072769);
        const Complex sum = x[1] + x[4], sum2 = x[2] + x[3], difference = x[1] - x[4], difference2 = x[2] - x[3];
        const Complex middle = x[0] + (cosine * sum + cosine2 * sum2), middle2 = x[0] + (cosine2 * sum + cosine * sum2);
        const Complex turned = (sine * difference + sine2 * difference2).times_i();
        const Complex turned2 = (sine2 * difference - sine * difference2).times_i();
        x[0] = x[0] + (sum + sum2);
        x[1] = middle - turned;
        x[2] = middle2 - turned2;
        x[3] = middle2 + turned2;
        x[4] = middle + turned;
    } else {
        static_assert(n == 8);
        const auto root = Scalar(0.707106781186547524400844362104849039);
        // Sums of entries four apart make the even X, their differences, turned, the odd ones: two transforms of four.
        for (int j = 0; j < 4; ++j) butterfly2(x[j], x[j + 4]);
        Complex even[4] = {x[0], x[1], x[2], x[3]};
        // Times e^(-i pi j / 4).
        Complex odd[4] = {x[4], root * (x[5] - x[5].times_i()), -x[6].times_i(), -root * (x[7] + x[7].times_i())};
        butterfly<4>(even);
        butterfly<4>(odd);
        for (int j = 0; j < 4; ++j) {
            x[2 * j] = even[j];
            x[2 * j + 1] = odd[j];
        }
    }
}

}  // namespace rfbench::transforms
