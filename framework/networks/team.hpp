#pragma once
#include <omp.h>

#include "rfbench/matrix.hpp"

namespace rfbench::networks {

/// What is computed with so few rows of one sequence stays in the second-level cache, and threads that share it would
/// wait for one another most of the time.
inline constexpr Index few_rows = 256;

/// So many OpenMP threads, while it lives.
class Team {
public:
    explicit Team(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
    ~Team() { omp_set_num_threads(before_); }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

private:
    int before_;
};

}  // namespace rfbench::networks
