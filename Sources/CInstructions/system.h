// Calls of the C library that several modules share, or that Swift sees differently on each platform.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/// Returns the text for an error number: one that is constant, or in the buffer. `strerror` may share its buffer with
/// other threads.
static inline const char *siltstone_describe_error(int error, char *buffer, size_t size) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    return strerror_r(error, buffer, size);
#else
    return strerror_r(error, buffer, size) == 0 ? buffer : "unknown error";
#endif
}

/// Gives an open file another number if it has one of the standard descriptors, which a process may have closed. What
/// the process prints would otherwise go into the file. A closed-on-exec descriptor stays so. Returns the number, or −1
/// with an error number; then the file is closed. Leaves a failed open's −1 and its error number as they are.
static inline int siltstone_above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(descriptor);
    errno = error;
    return moved;
}

/// Opens `/dev/null` for each standard descriptor that is closed, and leaves it open. For a process, or for a library
/// below that makes its sockets itself, so that ``siltstone_above_standard`` cannot see them. Input is opened for
/// writing and output for reading, so that their use fails as with a closed descriptor. Returns 0, or −1 with an error
/// number.
static inline int siltstone_occupy_standard(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0) continue;
        // The lowest free number, which is this one, unless another thread takes it at this moment.
        int opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (opened < 0) return -1;
        if (opened > STDERR_FILENO) close(opened);
    }
    return 0;
}

/// Returns the largest size of a file in bytes that the process may write (`RLIMIT_FSIZE`); `INT64_MAX` for no limit.
static inline int64_t siltstone_file_size_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > (rlim_t)INT64_MAX) return INT64_MAX;
    return (int64_t)limit.rlim_cur;
}
