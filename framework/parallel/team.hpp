#pragma once
#include <omp.h>

namespace rfbench::parallel {

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

}  // namespace rfbench::parallel
