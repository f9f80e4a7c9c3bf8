#include "rfbench/engine/how_far.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "rfbench/engine/progress.hpp"

namespace rfbench::engine {

HowFar::HowFar(std::ostream& out, std::string work, Clock clock)
    : out_(out),
      work_(std::move(work)),
      clock_(std::move(clock)),
      begin_(clock_()),
      last_(begin_),
      listener_([this](double share) { tell(share); }) {}

void HowFar::tell(double share) {
    constexpr double long_work = 10, silent_share = 0.1;
    const double now = clock_(), elapsed = now - begin_;
    // All that is done needs no word.
    if (now - last_ < std::max(long_work, silent_share * elapsed) || share >= 1) return;
    last_ = now;
    out_ << fmt::format("{}: {:.0f} %, {}, {} left\n", work_, 100 * share, duration(elapsed),
                        duration(elapsed / share * (1 - share)))
         << std::flush;
}

}  // namespace rfbench::engine
