// The thread sanitizer, where the process runs under it. Weak symbols, so that nothing is linked elsewhere: Swift does not
// tell its C importer that it compiles for the sanitizer, and `__has_feature(thread_sanitizer)` is false in its headers.
#pragma once

#include <stdbool.h>

#if defined(__linux__)
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));
#endif

/// Whether the thread sanitizer watches this process.
static inline __attribute__((always_inline)) bool siltstone_is_thread_sanitized(void) {
#if defined(__linux__)
    return &__tsan_acquire != 0;
#else
    return false;
#endif
}

/// Tells the sanitizer that what this thread has done is over for whoever calls `siltstone_order_after` for the address.
static inline __attribute__((always_inline)) void siltstone_order_before(const void *address) {
#if defined(__linux__)
    if (__tsan_release) __tsan_release((void *)address);
#endif
}

/// Tells the sanitizer that this thread comes after all that have called `siltstone_order_before` for the address.
static inline __attribute__((always_inline)) void siltstone_order_after(const void *address) {
#if defined(__linux__)
    if (__tsan_acquire) __tsan_acquire((void *)address);
#endif
}
