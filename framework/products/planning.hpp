#pragma once
#include <mutex>

namespace rfbench::products {

/// FFTW makes and forgets plans in one thread at a time: whoever does either holds this.
inline std::mutex& planning() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace rfbench::products
