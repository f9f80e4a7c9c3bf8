#pragma once
// Which sanitizer watches. It has terabytes of addresses, a malloc and files of its own: what tests limit or count
// there is then the sanitizer's, and not ours.

// g++ is asked first: Eigen defines a __has_feature that has none where the compiler has no such thing.
#if defined(__SANITIZE_ADDRESS__)
#define RFBENCH_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#define RFBENCH_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RFBENCH_ADDRESS_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define RFBENCH_THREAD_SANITIZER 1
#endif
#endif

#ifndef RFBENCH_ADDRESS_SANITIZER
#define RFBENCH_ADDRESS_SANITIZER 0
#endif
#ifndef RFBENCH_THREAD_SANITIZER
#define RFBENCH_THREAD_SANITIZER 0
#endif
