// A library to be preloaded: of the system calls by which files below RFBENCH_FAULT_UNDER change, the RFBENCH_FAULT_AT-th
// fails with the error number RFBENCH_FAULT_ERROR, or, where that is 0, the process is killed before it. All are counted;
// at the end of the process their number is written to RFBENCH_FAULT_COUNT. RFBENCH_FAULT_CLOCK is added to the seconds
// since 1970. Where RFBENCH_FAULT_MEMORY is set, allocations are counted instead, and the RFBENCH_FAULT_AT-th finds no
// memory.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls;

static long setting(const char* name) {
    const char* text = getenv(name);
    return text ? atol(text) : 0;
}

static int is_below(const char* path) {
    const char* folder = getenv("RFBENCH_FAULT_UNDER");
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_below_file(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return is_below(path);
}

// Whether this call is to fail; does not return where it is to be the last.
static int fails(int counted) {
    if (!counted || getenv("RFBENCH_FAULT_MEMORY") || atomic_fetch_add(&calls, 1) + 1 != setting("RFBENCH_FAULT_AT"))
        return 0;
    const int code = (int)setting("RFBENCH_FAULT_ERROR");
    if (code == 0) raise(SIGKILL);
    errno = code;
    return 1;
}

__attribute__((destructor)) static void tell(void) {
    const char* file = getenv("RFBENCH_FAULT_COUNT");
    FILE* out = file ? fopen(file, "w") : NULL;
    if (!out) return;
    fprintf(out, "%ld\n", atomic_load(&calls));
    fclose(out);
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPEN(name)                                                                       \
    int name(const char* path, int flags, ...) {                                         \
        REAL(name);                                                                      \
        va_list more;                                                                    \
        va_start(more, flags);                                                           \
        const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;    \
        va_end(more);                                                                    \
        if (fails((flags & (O_WRONLY | O_RDWR | O_CREAT)) && is_below(path))) return -1; \
        return real(path, flags, mode);                                                  \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int file, const void* bytes, size_t size) {
    REAL(write);
    return fails(is_below_file(file)) ? -1 : real(file, bytes, size);
}
int fsync(int file) {
    REAL(fsync);
    return fails(is_below_file(file)) ? -1 : real(file);
}
int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    return fails(is_below_file(file)) ? -1 : real(file, size);
}
int ftruncate64(int file, off64_t size) {
    REAL(ftruncate64);
    return fails(is_below_file(file)) ? -1 : real(file, size);
}
int rename(const char* from, const char* to) {
    REAL(rename);
    return fails(is_below(to)) ? -1 : real(from, to);
}
int link(const char* from, const char* to) {
    REAL(link);
    return fails(is_below(to)) ? -1 : real(from, to);
}
int unlink(const char* path) {
    REAL(unlink);
    return fails(is_below(path)) ? -1 : real(path);
}
int mkdir(const char* path, mode_t mode) {
    REAL(mkdir);
    return fails(is_below(path)) ? -1 : real(path, mode);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
    REAL(clock_gettime);
    const int result = real(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += setting("RFBENCH_FAULT_CLOCK");
    return result;
}
time_t time(time_t* now) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    if (now) *now = at.tv_sec;
    return at.tv_sec;
}

// The program stands in for malloc itself, on what the C library keeps for those who do: that is stood in for here.
// Setting names are read once, since allocations come before and after the environment.
static int no_memory(void) {
    static atomic_long at = -2, allocations;
    long wanted = atomic_load(&at);
    if (wanted == -2) {
        wanted = environ && getenv("RFBENCH_FAULT_MEMORY") ? setting("RFBENCH_FAULT_AT") : environ ? -1 : -2;
        atomic_store(&at, wanted);
    }
    if (wanted < 0) return 0;
    atomic_store(&calls, atomic_fetch_add(&allocations, 1) + 1);
    if (atomic_load(&calls) != wanted) return 0;
    errno = ENOMEM;
    return 1;
}

#define ALLOCATION(name, parameters, arguments)                                     \
    void* name parameters;                                                          \
    void* name parameters {                                                         \
        static void* (*real) parameters;                                            \
        if (!real) real = (void* (*) parameters)dlsym(RTLD_NEXT, #name);            \
        return no_memory() ? NULL : real arguments;                                 \
    }
ALLOCATION(__libc_malloc, (size_t size), (size))
ALLOCATION(__libc_calloc, (size_t count, size_t size), (count, size))
ALLOCATION(__libc_realloc, (void* block, size_t size), (block, size))
ALLOCATION(__libc_memalign, (size_t alignment, size_t size), (alignment, size))
