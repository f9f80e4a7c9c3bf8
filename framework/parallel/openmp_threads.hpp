#pragma once
#include <omp.h>

namespace rfbench::parallel {

/// So many OpenMP threads, while it lives.
class OpenMpThreads {
public:
    explicit OpenMpThreads(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
    ~OpenMpThreads() { omp_set_num_threads(before_); }
    OpenMpThreads(const OpenMpThreads&) = delete;
    OpenMpThreads& operator=(const OpenMpThreads&) = delete;

private:
    int before_;
};

}  // namespace rfbench::parallel
