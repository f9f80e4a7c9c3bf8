#include "rfbench/engine/how_far.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include "catch.hpp"

using rfbench::engine::HowFar;
using rfbench::parallel::Parts;

namespace {

/// The lines of work of so many parts, each of which takes so many seconds.
std::string said(rfbench::Index parts, double seconds) {
    std::ostringstream out;
    double now = 0;
    const HowFar how_far(out, "work", [&] { return now; });
    for ([[maybe_unused]] const auto part : Parts(parts)) {
        now += seconds;
        // Parts are told ten times a second at most.
        std::this_thread::sleep_for(std::chrono::milliseconds(110));
    }
    return out.str();
}

}  // namespace

TEST_CASE("long work says after ten seconds how far it is, and short work says nothing") {
    CHECK(said(4, 6) == "work: 50 %, 12 s, 12 s left\n");
    CHECK(said(5, 1.9) == "");
}

TEST_CASE("the longer work takes, the more seldom it says so") {
    // A tenth of 150 s is 15 s, one of 200 s 20 s.
    CHECK(said(4, 100) ==
          "work: 25 %, 1 min 40 s, 5 min 00 s left\nwork: 50 %, 3 min 20 s, 3 min 20 s left\nwork: 75 %, 5 min 00 s, 1 "
          "min 40 s left\n");
    CHECK(said(5, 12).find("work: 80 %, 48 s, 12 s left\n") != std::string::npos);
    std::ostringstream out;
    double now = 0;
    const HowFar how_far(out, "work", [&] { return now; });
    Parts parts(100);
    for (const double at : {1000.0, 1050.0, 1120.0}) {
        now = at;
        parts.done();
        std::this_thread::sleep_for(std::chrono::milliseconds(110));
    }
    const std::string lines = out.str();
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
}
