#pragma once
// Progress lines for long work of one thread that has no cells to count.
#include <functional>
#include <iosfwd>
#include <string>

#include "rfbench/engine/seconds_now.hpp"
#include "rfbench/parallel/parts.hpp"

namespace rfbench::engine {

/// Writes progress lines with the share of this thread's parallel::Parts that is done, while it lives. The interval
/// between lines is ten seconds or a tenth of the elapsed time, the longer of both. Work below ten seconds has no line.
class HowFar {
public:
    using Clock = std::function<double()>;  ///< seconds since some fixed moment

    /// `work`: the beginning of each line.
    HowFar(std::ostream&, std::string work, Clock clock = seconds_now);

private:
    void tell(double share);

    std::ostream& out_;
    std::string work_;
    Clock clock_;
    double begin_, last_;
    parallel::PartsListener listener_;
};

}  // namespace rfbench::engine
