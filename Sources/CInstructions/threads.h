// A word that each thread has for itself. Swift has no such variables, and those of pthread take a call and twenty
// instructions.
#pragma once

#include <stdint.h>

/// Where the calling thread's word is; 0 at first. Each object file that uses this has words of its own.
static inline __attribute__((always_inline)) intptr_t *siltstone_thread_word(void) {
    static _Thread_local intptr_t word;
    return &word;
}
