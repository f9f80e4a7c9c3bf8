#pragma once
// Word of how far long work of one thread has come, where there are no cells to count.
#include <functional>
#include <iosfwd>
#include <string>

#include "rfbench/engine/seconds_now.hpp"
#include "rfbench/parallel/parts.hpp"

namespace rfbench::engine {

/// Writes a line on the share of this thread's parallel::Parts that is done, while it lives: after ten seconds, and
/// then ever more seldom, a tenth of the time so far apart. Shorter work says nothing.
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
