#include "rfbench/memory/high_water_mark.hpp"

#include <Eigen/Core>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "support/sanitizer.hpp"

using rfbench::memory::HighWaterMark;

namespace {

constexpr std::size_t mebi = 1 << 20;
// The allocator rounds a block up by less than a page and its header.
constexpr std::size_t rounding = 4096 + 64;

// The thread sanitizer of LLVM 14 says nothing of blocks that are asked for by their alignment.
constexpr std::size_t aligned_mebi = RFBENCH_THREAD_SANITIZER ? 0 : mebi;

struct Free {
    void operator()(void* block) const { std::free(block); }
};
using Block = std::unique_ptr<void, Free>;

/// Keeps the compiler from leaving an allocation out.
template <class T>
void use(T* block) {
    asm volatile("" : : "g"(block) : "memory");
}

void check_near(std::size_t bytes, std::size_t expected, std::size_t blocks) {
    CHECK(bytes >= expected);
    CHECK(bytes <= expected + blocks * rounding);
}

}  // namespace

TEST_CASE("the mark is the most that was held at once, not the sum and not the end") {
    const HighWaterMark mark;
    const std::size_t at_first = mark.bytes();
    CHECK(at_first == 0);
    for (int i = 0; i < 5; ++i) {
        const std::vector<char> block(3 * mebi);
        use(block.data());
    }
    check_near(mark.bytes(), 3 * mebi, 1);
    const std::vector<char> one(2 * mebi), other(2 * mebi);
    use(one.data());
    use(other.data());
    check_near(mark.bytes(), 4 * mebi, 2);
}

TEST_CASE("every way to allocate is counted") {
    const auto peak = [](auto allocate) {
        const HighWaterMark mark;
        const Block block(allocate());
        use(block.get());
        return mark.bytes();
    };
    check_near(peak([] { return std::malloc(mebi); }), mebi, 1);
    check_near(peak([] { return std::calloc(mebi, 1); }), mebi, 1);
    check_near(peak([] { return std::aligned_alloc(64, mebi); }), aligned_mebi, 1);
    check_near(peak([] { return std::realloc(nullptr, mebi); }), mebi, 1);
    // In its place, or (sanitizers) beside the old block.
    const std::size_t grown = peak([] { return std::realloc(std::malloc(mebi), 2 * mebi); });
    CHECK(grown >= 2 * mebi);
    CHECK(grown <= 3 * mebi + 2 * rounding);
    // Memory that was there before is not held any more.
    CHECK(peak([] {
              void* block = std::malloc(mebi);
              for (std::size_t size = 2; size <= 4; ++size) block = std::realloc(block, size * mebi);
              return block;
          }) <= 7 * mebi + 2 * rounding);
    check_near(peak([]() -> void* {
                   void* block = nullptr;
                   return posix_memalign(&block, 128, mebi) == 0 ? block : nullptr;
               }),
               aligned_mebi, 1);
    const HighWaterMark mark;
    const Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(512, 256);
    use(matrix.data());
    check_near(mark.bytes(), mebi, 1);
}

TEST_CASE("the mark is beyond what was held before: releasing that makes room") {
    Block before(std::malloc(mebi));
    use(before.get());
    const HighWaterMark mark;
    before.reset();
    before.reset(std::malloc(4 * mebi));
    use(before.get());
    // The old block gave back its own size first.
    const std::size_t bytes = mark.bytes();
    CHECK(bytes <= 3 * mebi + rounding);
    CHECK(bytes + rounding >= 3 * mebi);
}

TEST_CASE("threads count together, and one mark is at work at a time") {
    const HighWaterMark mark;
    CHECK_THROWS_AS(HighWaterMark(), std::logic_error);
    std::vector<Block> blocks(4);
    std::vector<std::thread> threads;
    for (Block& block : blocks) threads.emplace_back([&block] { block.reset(std::malloc(mebi)); });
    for (std::thread& thread : threads) thread.join();
    CHECK(mark.bytes() >= 4 * mebi);
    CHECK(mark.bytes() <= 5 * mebi);
}

TEST_CASE("what would take more bytes than are allowed is refused, and given once there is no limit") {
    constexpr bool counted = !RFBENCH_ADDRESS_SANITIZER && !RFBENCH_THREAD_SANITIZER;
    {
        const HighWaterMark mark(2 * mebi);
        const Block first(std::malloc(mebi)), second(std::malloc(mebi)), zeros(std::calloc(2, mebi));
        use(second.get());
        CHECK(first != nullptr);
        CHECK((second == nullptr) == counted);
        CHECK((zeros == nullptr) == counted);
        if (counted) CHECK_THROWS_AS(Eigen::VectorXd(Eigen::Index(mebi / 4)), std::bad_alloc);
        CHECK(std::unique_ptr<char[]>(new char[mebi / 2]) != nullptr);
    }
    {
        // A block that shrinks, or grows by no more than there is, brings what is held above nothing.
        const HighWaterMark mark(2 * mebi);
        void* volatile block = std::malloc(3 * mebi / 2);
        for (const std::size_t size : {5 * mebi / 4, 7 * mebi / 4}) {
            void* const moved = std::realloc(block, size);
            CHECK(moved != nullptr);
            if (moved != nullptr) block = moved;
        }
        if (counted) CHECK(std::realloc(block, 3 * mebi) == nullptr);
        std::free(block);
    }
    CHECK(Block(std::malloc(4 * mebi)) != nullptr);
}
