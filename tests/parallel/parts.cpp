// Shares of long computations.
#include "rfbench/parallel/parts.hpp"

#include <thread>
#include <vector>

#include "catch.hpp"
#include "rfbench/parallel/loop.hpp"

using rfbench::Index;
using rfbench::parallel::Parts;
using rfbench::parallel::PartsListener;

namespace {

/// Longer than the time between two shares that are told.
void work() { std::this_thread::sleep_for(std::chrono::milliseconds(110)); }

/// Shares that are told of a computation.
template <class Computation>
std::vector<double> told(Computation computation) {
    std::vector<double> shares;
    const PartsListener listener([&](double share) { shares.push_back(share); });
    computation();
    return shares;
}

}  // namespace

TEST_CASE("parts are told as shares of the whole, parts of parts as theirs") {
    CHECK(told([] {
              for ([[maybe_unused]] const Index i : Parts(2))
                  for ([[maybe_unused]] const Index k : Parts(4)) work();
          }) == std::vector{0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0});
    // The second division of a part adds nothing until it is ahead of the first, and none goes back.
    CHECK(told([] {
              Parts whole(2);
              for ([[maybe_unused]] const Index k : Parts(2)) work();
              for ([[maybe_unused]] const Index k : Parts(2)) work();
              whole.done();
              work();
              whole.done();
              for ([[maybe_unused]] const Index k : Parts(2)) work();
          }) == std::vector{0.25, 0.5, 1.0});
}

TEST_CASE("parts are left by exceptions, and nobody needs to listen") {
    for ([[maybe_unused]] const Index i : Parts(2)) continue;
    CHECK(told([] {
              try {
                  for ([[maybe_unused]] const Index i : Parts(8)) throw 1;
              } catch (int) {
              }
              for ([[maybe_unused]] const Index i : Parts(2)) work();
          }) == std::vector{0.5, 1.0});
    CHECK(told([] {
              for ([[maybe_unused]] const Index i : Parts(0)) work();
          }).empty());
}

TEST_CASE("short parts are told now and then, and other threads are not heard") {
    CHECK(told([] {
              for ([[maybe_unused]] const Index i : Parts(100000)) continue;
          }).size() < 10);
    CHECK(told([] {
              std::thread([] {
                  for ([[maybe_unused]] const Index i : Parts(2)) work();
              }).join();
          }).empty());
}
