#include "rfbench/parallel/loop.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "rfbench/parallel/in_order.hpp"
#include "rfbench/parallel/openmp_threads.hpp"

using namespace rfbench;
using namespace rfbench::parallel;

namespace {

/// Which iteration a loop throws for, of those that would; -1 where none does.
template <class Run>
Index thrown(Run run) {
    try {
        run();
    } catch (const std::out_of_range& error) {
        return std::stoi(error.what());
    }
    return -1;
}

[[noreturn]] void fail(Index i) { throw std::out_of_range(std::to_string(i)); }

}  // namespace

TEST_CASE("a loop runs each iteration once and adds what they return, for any number of threads") {
    for (const Share share : {Share::evenly, Share::in_order})
        for (const int threads : {1, 2, 3, 8})
            for (const Index count : {0, 1, 2, 7, 1000}) {
                std::vector<int> runs(static_cast<std::size_t>(count));
                const Index sum = Loop(count, share, threads).run([&](Index i) {
                    ++runs[static_cast<std::size_t>(i)];
                    return i;
                });
                CHECK(sum == count * (count - 1) / 2);
                CHECK(runs == std::vector<int>(static_cast<std::size_t>(count), 1));
            }
}

TEST_CASE("what is thrown in a loop leaves it after its threads, and is that of the first iteration that throws") {
    for (const Share share : {Share::evenly, Share::in_order})
        for (const int threads : {1, 2, 3, 8})
            for (const Index first : {0, 1, 40, 99}) {
                INFO(threads << " threads, from iteration " << first);
                std::atomic<int> inside = 0;
                const auto body = [&](Index i) {
                    ++inside;
                    std::this_thread::yield();
                    --inside;
                    if (i == first || i > first + 10) fail(i);
                };
                CHECK(thrown([&] { Loop(100, share, threads).run(body); }) == first);
                CHECK(inside == 0);
            }
}

TEST_CASE("of two iterations at work at once that both throw, the first one's exception leaves, whenever it comes") {
    for (const bool first_comes_last : {false, true}) {
        std::atomic<int> begun = 0;
        std::atomic<bool> thrown_by_one = false;
        Loop loop(2, Share::in_order, 2);
        const auto wait_for = [](auto done) {
            for (int turns = 0; turns < 10'000'000 && !done(); ++turns) std::this_thread::yield();
        };
        const auto body = [&](Index i) {
            ++begun;
            wait_for([&] { return begun == 2; });
            if (first_comes_last && i == 0) wait_for([&] { return thrown_by_one.load(); });
            if (!first_comes_last && i == 1) wait_for([&] { return loop.failed_before(1); });
            if (i == 1) thrown_by_one = true;
            fail(i);
        };
        CHECK(thrown([&] { loop.run(body); }) == 0);
    }
}

TEST_CASE("what making a thread's own state throws leaves the loop, too") {
    for (const Share share : {Share::evenly, Share::in_order})
        for (const int threads : {1, 2, 5}) {
            const auto make = []() -> int { throw std::bad_alloc(); };
            Loop loop(20, share, threads);
            CHECK_THROWS_AS(loop.run(make, [](int&, Index) {}), std::bad_alloc);
        }
}

TEST_CASE("a thread's own state is made once, where there is an iteration for it, and gone when the loop ends") {
    std::atomic<int> made = 0, alive = 0;
    struct Own {
        std::atomic<int>& alive;
        explicit Own(std::atomic<int>& count) : alive(count) { ++alive; }
        ~Own() { --alive; }
        Own(const Own&) = delete;
        Own& operator=(const Own&) = delete;
    };
    const auto make = [&] {
        ++made;
        return Own(alive);
    };
    Loop(3, Share::evenly, 8).run(make, [](Own&, Index) {});
    CHECK(made == 3);
    CHECK(alive == 0);
    Loop(0, Share::in_order, 8).run(make, [](Own&, Index) {});
    CHECK(made == 3);
}

TEST_CASE("turns are taken in order; after an iteration that throws nobody waits for one that never ends") {
    for (const int threads : {1, 2, 4}) {
        for (const Index failing : {-1, 0, 1, 17, 49}) {
            INFO(threads << " threads, iteration " << failing);
            for (const bool within : {false, true}) {
                std::vector<Index> order;
                std::atomic<int> begun = 0;
                InOrder turns;
                Loop loop(50, Share::in_order, threads);
                const auto body = [&](Index i) {
                    ++begun;
                    // The first comes to its turn after others have come to theirs.
                    if (i == 0 && threads > 1)
                        for (int tries = 0, others = 0; others < 1000 && tries < 1'000'000; ++tries) {
                            if (begun > 1) ++others;
                            std::this_thread::yield();
                        }
                    if (i == failing && !within) fail(i);
                    turns.run(loop, i, [&] {
                        if (i == failing) fail(i);
                        order.push_back(i);
                    });
                };
                CHECK(thrown([&] { loop.run(body); }) == failing);
                const auto taken = static_cast<std::size_t>(failing < 0 ? 50 : failing);
                REQUIRE(order.size() == taken);
                for (std::size_t i = 0; i < taken; ++i) CHECK(order[i] == static_cast<Index>(i));
            }
        }
    }
}

TEST_CASE("a loop within a loop is run by one thread, and what it throws is the outer one's") {
    std::atomic<int> widest = 0;
    const auto inner = [&](Index i) {
        Loop(4, Share::evenly, 4).run([&](Index j) {
            if (omp_get_level() > 1) widest = omp_get_level();
            if (i == 5 && j == 2) fail(i);
        });
    };
    CHECK(thrown([&] { Loop(8, Share::in_order, 2).run(inner); }) == 5);
    CHECK(widest == 0);
}

TEST_CASE("a team's number of threads holds while it lives") {
    const int before = omp_get_max_threads();
    {
        const OpenMpThreads team(before + 3);
        CHECK(omp_get_max_threads() == before + 3);
    }
    CHECK(omp_get_max_threads() == before);
}
