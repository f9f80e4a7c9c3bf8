#include "rfbench/memory/high_water_mark.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RFBENCH_SANITIZER_ALLOCATES
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RFBENCH_SANITIZER_ALLOCATES
#endif
#endif

namespace rfbench::memory {
namespace {

// malloc is called before any constructor has run: these need none. The bytes held may be fewer than none, where blocks
// from before the mark are given back.
constinit std::atomic<bool> counting{false};
constinit std::atomic<std::int64_t> held{0}, most{0}, allowed{HighWaterMark::unlimited};

void gained(std::size_t bytes) {
    const auto size = static_cast<std::int64_t>(bytes);
    const std::int64_t now = held.fetch_add(size, std::memory_order_relaxed) + size;
    // An exchange that fails has read what another thread raised the mark to, and compares again.
    for (std::int64_t seen = most; now > seen && !most.compare_exchange_weak(seen, now, std::memory_order_relaxed);) {
    }
}

void lost(std::size_t bytes) { held.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed); }

bool is_counting() { return counting.load(std::memory_order_relaxed); }

/// Whether so many bytes more would be more than are allowed.
bool refused(std::size_t bytes) {
    if (!is_counting() || bytes > HighWaterMark::unlimited || static_cast<std::int64_t>(bytes) <= allowed - held)
        return false;
    errno = ENOMEM;
    return true;
}

}  // namespace
}  // namespace rfbench::memory

#ifdef RFBENCH_SANITIZER_ALLOCATES

// Sanitizers allocate themselves, and say when they do. (gcc has these functions, but not the header.)
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                              void (*)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void*);
}

namespace {

void allocated(const volatile void*, std::size_t bytes) {
    if (rfbench::memory::is_counting()) rfbench::memory::gained(bytes);
}

void released(const volatile void* block) {
    if (block != nullptr && rfbench::memory::is_counting())
        rfbench::memory::lost(__sanitizer_get_allocated_size(block));
}

[[maybe_unused]] const int hooks = __sanitizer_install_malloc_and_free_hooks(allocated, released);

}  // namespace

#else

// The GNU C library's own functions, under the names it keeps for those who replace malloc.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

/// As the allocator rounds the block up: free() knows no other size, and must take away what was added.
void* counted(void* block) {
    if (rfbench::memory::is_counting() && block != nullptr) rfbench::memory::gained(malloc_usable_size(block));
    return block;
}

}  // namespace

// Parameters have the names that the library declares them by.
extern "C" {

void* malloc(std::size_t size) noexcept {
    return rfbench::memory::refused(size) ? nullptr : counted(__libc_malloc(size));
}

void* calloc(std::size_t nmemb, std::size_t size) noexcept {
    // A product beyond the numbers is the library's to refuse.
    std::size_t bytes = 0;
    if (!__builtin_mul_overflow(nmemb, size, &bytes) && rfbench::memory::refused(bytes)) return nullptr;
    return counted(__libc_calloc(nmemb, size));
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
    return rfbench::memory::refused(size) ? nullptr : counted(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }

int posix_memalign(void** memptr, std::size_t alignment, std::size_t size) noexcept {
    if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void* const found = memalign(alignment, size);
    if (found == nullptr) return ENOMEM;
    *memptr = found;
    return 0;
}

void* realloc(void* ptr, std::size_t size) noexcept {
    // The old size is asked for while the block is there. What is held grows by the difference alone.
    const std::size_t before = ptr == nullptr || !rfbench::memory::is_counting() ? 0 : malloc_usable_size(ptr);
    if (size > before && rfbench::memory::refused(size - before)) return nullptr;
    void* const moved = __libc_realloc(ptr, size);
    // If realloc fails the old block stays, and stays counted; a size of zero frees it and returns null.
    if (moved != nullptr || size == 0) {
        if (before > 0) rfbench::memory::lost(before);
        counted(moved);
    }
    return moved;
}

void free(void* ptr) noexcept {
    if (ptr != nullptr && rfbench::memory::is_counting()) rfbench::memory::lost(malloc_usable_size(ptr));
    __libc_free(ptr);
}

}  // extern "C"

#endif

namespace rfbench::memory {

HighWaterMark::HighWaterMark(std::size_t max_bytes) {
    if (counting.exchange(true))
        throw std::logic_error("memory: one high-water mark is at work already; they cannot be told apart");
    held = 0;
    most = 0;
    allowed = static_cast<std::int64_t>(std::min(max_bytes, unlimited));
}

HighWaterMark::~HighWaterMark() {
    counting = false;
    allowed = static_cast<std::int64_t>(unlimited);
}

std::size_t HighWaterMark::bytes() const { return static_cast<std::size_t>(most.load()); }

}  // namespace rfbench::memory
