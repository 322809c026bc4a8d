// The processor's hint to load a line of memory, for which Swift has no word. Nothing but this header: nothing is linked.
#pragma once

static inline __attribute__((always_inline)) void siltstone_prefetch(const void *address) {
    __builtin_prefetch(address);
}
