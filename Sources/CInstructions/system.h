// A call of the C library that Swift sees differently on each platform. Its headers that have structures are not included
// here: Swift would take those for this module's, and hide their members from a program that imports Foundation alone.
#pragma once

#include <string.h>

/// Returns the text for an error number: one that is constant, or in the buffer. `strerror` may share its buffer with
/// other threads.
static inline const char *siltstone_describe_error(int error, char *buffer, size_t size) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    return strerror_r(error, buffer, size);
#else
    return strerror_r(error, buffer, size) == 0 ? buffer : "unknown error";
#endif
}
