#pragma once
#include <type_traits>

namespace rfbench::features {

/// T<double> and T<float>, made of the same arguments.
template <template <class> class T>
class DoubleAndFloat {
public:
    /// Makes both.
    template <class... Arguments>
    explicit DoubleAndFloat(const Arguments&... arguments) : wide_(arguments...), narrow_(arguments...) {}

    /// The one for this scalar.
    template <class Scalar>
    const T<Scalar>& in() const {
        if constexpr (std::is_same_v<Scalar, double>)
            return wide_;
        else
            return narrow_;
    }

private:
    T<double> wide_;
    T<float> narrow_;
};

}  // namespace rfbench::features
