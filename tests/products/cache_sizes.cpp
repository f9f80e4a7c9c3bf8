// The bits of large products do not depend on the processor's caches, by whose sizes Eigen orders its sums.
#include <Eigen/Core>

#include "catch.hpp"

// Eigen's defaults for x86: what it takes where it may not ask the processor (EIGEN_NO_CPUID).
TEST_CASE("Eigen takes fixed sizes of caches", "[products]") {
    CHECK(Eigen::l1CacheSize() == 32 * 1024);
    CHECK(Eigen::l2CacheSize() == 256 * 1024);
    CHECK(Eigen::l3CacheSize() == 2 * 1024 * 1024);
}
