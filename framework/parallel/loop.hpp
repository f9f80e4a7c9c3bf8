#pragma once
// Loops that threads share: the only place of the tree that opens a parallel region (tests/parallel/regions.cpp).
#include <omp.h>

#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <type_traits>

#include "rfbench/matrix.hpp"

namespace rfbench::parallel {

/// evenly: each thread gets one run of iterations, all of about the same length.
/// in_order: a free thread takes the next iteration. All earlier iterations have then begun, so that waiting for one of
/// them cannot deadlock.
enum class Share { evenly, in_order };

/// All threads where that is worth it, otherwise one.
inline int threads_if(bool worth) { return worth ? omp_get_max_threads() : 1; }

/// Iterations 0 .. count - 1, shared by OpenMP threads; within another loop, by the one thread that runs it. An
/// exception may not cross the border of a parallel region. So each is kept, iterations after it are left out, and
/// run() throws the one of the smallest number: the same as without threads.
class Loop {
public:
    /// `threads` is the most that take part; a nested loop has one.
    Loop(Index count, Share share, int threads = omp_get_max_threads());

    /// body(i) for each i. Returns the sum of what it returns, which must not depend on the order: integers.
    template <class Body>
    auto run(Body body) {
        return run([] { return Nothing{}; }, [&](Nothing&, Index i) { return body(i); });
    }

    /// body(own, i) for each i, where `own` is made by make() once for each thread that has an iteration.
    template <class Make, class Body>
    auto run(Make make, Body body);

    /// Whether an iteration before this one has thrown, so that this one's results will not be asked for.
    bool failed_before(Index number) const { return first_failed_.load(std::memory_order_acquire) < number; }

    /// Ends an iteration whose results will not be asked for.
    struct Abandoned {};

private:
    struct Nothing {};

    /// Runs work() as iteration i, and keeps what it throws.
    template <class Work>
    void guard(Index i, Work work) noexcept;
    void keep(Index i, std::exception_ptr failure) noexcept;

    Index count_;
    Share share_;
    int threads_;
    std::atomic<Index> first_failed_ = std::numeric_limits<Index>::max();
    std::exception_ptr failure_;
};

template <class Work>
void Loop::guard(Index i, Work work) noexcept {
    if (failed_before(i)) return;
    try {
        work();
    } catch (const Abandoned&) {
    } catch (...) {
        keep(i, std::current_exception());
    }
}

template <class Make, class Body>
auto Loop::run(Make make, Body body) {
    using Own = std::invoke_result_t<Make&>;
    using Result = std::invoke_result_t<Body&, Own&, Index>;
    using Sum = std::conditional_t<std::is_void_v<Result>, Nothing, Result>;
    Sum sum{};
    const auto one = [&](std::unique_ptr<Own>& own, Sum& part, Index i) {
        if (!own) own.reset(new Own(make()));
        if constexpr (std::is_void_v<Result>)
            body(*own, i);
        else
            part += body(*own, i);
    };
    if (threads_ <= 1) {
        std::unique_ptr<Own> own;
        for (Index i = 0; i < count_; ++i) one(own, sum, i);
    } else {
#pragma omp parallel num_threads(threads_) proc_bind(spread)
        {
            std::unique_ptr<Own> own;
            Sum part{};
            if (share_ == Share::evenly) {  // NOLINT(bugprone-branch-clone): their pragmas differ
#pragma omp for schedule(static) nowait
                for (Index i = 0; i < count_; ++i) guard(i, [&] { one(own, part, i); });
            } else {
#pragma omp for schedule(monotonic : dynamic) nowait
                for (Index i = 0; i < count_; ++i) guard(i, [&] { one(own, part, i); });
            }
            if constexpr (!std::is_void_v<Result>) {
#pragma omp critical(rfbench_parallel_sum)
                sum += part;
            }
        }
        if (failure_) std::rethrow_exception(failure_);
    }
    if constexpr (!std::is_void_v<Result>) return sum;
}

}  // namespace rfbench::parallel
