// CRC-32 (polynomial 0xEDB88320, reflected) by multiplication without carries, for which Swift has no word. Nothing but
// this header: nothing is linked.
//
// Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009: 16 bytes are a
// polynomial of degree 127; two multiplications by powers of x bring it forward over the bytes that follow, to which it is
// added; what is left at the end is reduced to 32 bits (Barrett). The constants are those of the paper,
// section "bit-reflected", and those for steps of 256 bytes are made in the same way.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// 1: this processor has the instructions; 2: also for 64 bytes at a time, and the system keeps the registers that hold so
// many; 0: neither.
static inline __attribute__((noinline)) int siltstone_crc32_find_out(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_PCLMUL) == 0 || (c & bit_SSE4_1) == 0) return 0;
    if ((c & bit_OSXSAVE) == 0) return 1;
    unsigned kept, rest;
    __asm__ volatile("xgetbv" : "=a"(kept), "=d"(rest) : "c"(0));
    const unsigned vectors = 0xe6;  // XMM, YMM, the masks, and both halves of ZMM
    if ((kept & vectors) != vectors || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 1;
    return (b & bit_AVX512F) != 0 && (c & bit_VPCLMULQDQ) != 0 ? 2 : 1;
}

// The same, found out once: a load and a branch, where a constant of Swift's would be a call.
static inline __attribute__((always_inline)) int siltstone_crc32_width(void) {
    static int known = -1;
    int width = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (__builtin_expect(width < 0, 0)) {
        width = siltstone_crc32_find_out();
        __atomic_store_n(&known, width, __ATOMIC_RELAXED);
    }
    return width;
}

#define SILTSTONE_CLMUL __attribute__((target("pclmul,sse4.1")))
#define SILTSTONE_WIDE_CLMUL __attribute__((target("pclmul,sse4.1,avx512f,vpclmulqdq")))

// Two powers of x bring a sum forward by 16 bytes: x^(128-32), x^(128+32).
#define SILTSTONE_OVER_16 _mm_set_epi64x(0x0ccaa009e, 0x1751997d0)
// And by 64 bytes: x^(512-32), x^(512+32).
#define SILTSTONE_OVER_64 _mm_set_epi64x(0x1c6e41596, 0x154442bd4)

// `sum` brought forward and added to `next`.
static inline SILTSTONE_CLMUL __attribute__((always_inline)) __m128i siltstone_crc32_fold(
    __m128i sum, __m128i powers, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(sum, powers, 0x00);
    __m128i high = _mm_clmulepi64_si128(sum, powers, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// `first` and the `count` bytes behind it, a multiple of 16, reduced to 32 bits.
static inline SILTSTONE_CLMUL __attribute__((always_inline)) uint32_t siltstone_crc32_reduce(
    __m128i first, const void *bytes, size_t count) {
    const __m128i over64 = SILTSTONE_OVER_64;
    const __m128i over16 = SILTSTONE_OVER_16;
    const __m128i *next = (const __m128i *)bytes;
    __m128i a = first;
    if (count >= 112) {
        // Four sums side by side: one alone would wait for each multiplication.
        __m128i b = _mm_loadu_si128(next), c = _mm_loadu_si128(next + 1), d = _mm_loadu_si128(next + 2);
        next += 3;
        count -= 48;
        for (; count >= 64; count -= 64, next += 4) {
            a = siltstone_crc32_fold(a, over64, _mm_loadu_si128(next));
            b = siltstone_crc32_fold(b, over64, _mm_loadu_si128(next + 1));
            c = siltstone_crc32_fold(c, over64, _mm_loadu_si128(next + 2));
            d = siltstone_crc32_fold(d, over64, _mm_loadu_si128(next + 3));
        }
        a = siltstone_crc32_fold(a, over16, b);
        a = siltstone_crc32_fold(a, over16, c);
        a = siltstone_crc32_fold(a, over16, d);
    }
    for (; count >= 16; count -= 16, next += 1) a = siltstone_crc32_fold(a, over16, _mm_loadu_si128(next));

    // From 128 bits to 96, to 64, to 32.
    const __m128i low32 = _mm_setr_epi32(~0, 0, ~0, 0);
    const __m128i over8 = _mm_set_epi64x(0, 0x163cd6124);             // x^64
    const __m128i quotient = _mm_set_epi64x(0x1f7011641, 0x1db710641);  // x^64 / P, P
    a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, over16, 0x10));
    a = _mm_xor_si128(_mm_srli_si128(a, 4), _mm_clmulepi64_si128(_mm_and_si128(a, low32), over8, 0x00));
    __m128i times = _mm_clmulepi64_si128(_mm_and_si128(a, low32), quotient, 0x10);
    times = _mm_clmulepi64_si128(_mm_and_si128(times, low32), quotient, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(a, times), 1);
}

// The checksum of `count` bytes, a multiple of 16 and at least 16, behind those whose checksum is `before`.
static inline SILTSTONE_CLMUL uint32_t siltstone_crc32(const void *bytes, size_t count, uint32_t before) {
    __m128i first = _mm_xor_si128(_mm_loadu_si128((const __m128i *)bytes), _mm_cvtsi32_si128((int)~before));
    return ~siltstone_crc32_reduce(first, (const uint8_t *)bytes + 16, count - 16);
}

// `sum` brought forward and added to `next`, in four lanes of 16 bytes each.
static inline SILTSTONE_WIDE_CLMUL __attribute__((always_inline)) __m512i siltstone_crc32_fold_wide(
    __m512i sum, __m512i powers, __m512i next) {
    __m512i low = _mm512_clmulepi64_epi128(sum, powers, 0x00);
    __m512i high = _mm512_clmulepi64_epi128(sum, powers, 0x11);
    return _mm512_ternarylogic_epi64(low, high, next, 0x96);  // all three added
}

// As `siltstone_crc32_reduce`, of 256 bytes at least, where `siltstone_crc32_width` is 2.
static inline SILTSTONE_WIDE_CLMUL __attribute__((always_inline)) uint32_t siltstone_crc32_reduce_wide(
    __m128i first, const void *bytes, size_t count) {
    const __m512i over256 = _mm512_broadcast_i32x4(_mm_set_epi64x(0x1322d1430, 0x11542778a));  // x^(2048-32), x^(2048+32)
    const __m512i over64 = _mm512_broadcast_i32x4(SILTSTONE_OVER_64);
    const uint8_t *next = (const uint8_t *)bytes;
    __m512i a = _mm512_loadu_si512(next), b = _mm512_loadu_si512(next + 64);
    __m512i c = _mm512_loadu_si512(next + 128), d = _mm512_loadu_si512(next + 192);
    a = _mm512_xor_si512(a, _mm512_zextsi128_si512(siltstone_crc32_fold(first, SILTSTONE_OVER_16, _mm_setzero_si128())));
    for (next += 256, count -= 256; count >= 256; next += 256, count -= 256) {
        a = siltstone_crc32_fold_wide(a, over256, _mm512_loadu_si512(next));
        b = siltstone_crc32_fold_wide(b, over256, _mm512_loadu_si512(next + 64));
        c = siltstone_crc32_fold_wide(c, over256, _mm512_loadu_si512(next + 128));
        d = siltstone_crc32_fold_wide(d, over256, _mm512_loadu_si512(next + 192));
    }
    a = siltstone_crc32_fold_wide(a, over64, b);
    a = siltstone_crc32_fold_wide(a, over64, c);
    a = siltstone_crc32_fold_wide(a, over64, d);
    __m128i sum = _mm512_castsi512_si128(a);
    sum = siltstone_crc32_fold(sum, SILTSTONE_OVER_16, _mm512_extracti32x4_epi32(a, 1));
    sum = siltstone_crc32_fold(sum, SILTSTONE_OVER_16, _mm512_extracti32x4_epi32(a, 2));
    sum = siltstone_crc32_fold(sum, SILTSTONE_OVER_16, _mm512_extracti32x4_epi32(a, 3));
    return siltstone_crc32_reduce(sum, next, count);
}

// As `siltstone_crc32`, of 272 bytes at least, where `siltstone_crc32_width` is 2.
static inline SILTSTONE_WIDE_CLMUL uint32_t siltstone_crc32_wide(const void *bytes, size_t count, uint32_t before) {
    __m128i first = _mm_xor_si128(_mm_loadu_si128((const __m128i *)bytes), _mm_cvtsi32_si128((int)~before));
    return ~siltstone_crc32_reduce_wide(first, (const uint8_t *)bytes + 16, count - 16);
}

// The sum of five little-endian words, and of the first eight of the bytes behind them where their number is not a multiple
// of 16; `bytes` and `count` are then of the rest.
//
// Zeros in front of a message do not change the sum: where the whole is not a multiple of 16 bytes, eight are put there.
static inline SILTSTONE_CLMUL __attribute__((always_inline)) __m128i siltstone_crc32_sum_of_words(
    uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, const void **bytes, size_t *count) {
    const __m128i over16 = SILTSTONE_OVER_16;
    a ^= 0xffffffff;
    __m128i sum;
    if (*count & 8) {
        sum = _mm_set_epi64x((long long)b, (long long)a);
        sum = siltstone_crc32_fold(sum, over16, _mm_set_epi64x((long long)d, (long long)c));
        long long word;
        __builtin_memcpy(&word, *bytes, 8);
        sum = siltstone_crc32_fold(sum, over16, _mm_set_epi64x(word, (long long)e));
        *bytes = (const uint8_t *)*bytes + 8;
        *count -= 8;
    } else {
        sum = _mm_set_epi64x((long long)a, 0);
        sum = siltstone_crc32_fold(sum, over16, _mm_set_epi64x((long long)c, (long long)b));
        sum = siltstone_crc32_fold(sum, over16, _mm_set_epi64x((long long)e, (long long)d));
    }
    return sum;
}

// The checksum of five little-endian words and the `count` bytes behind them, a multiple of 8.
static inline SILTSTONE_CLMUL uint32_t siltstone_crc32_of_words(
    uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, const void *bytes, size_t count) {
    __m128i sum = siltstone_crc32_sum_of_words(a, b, c, d, e, &bytes, &count);
    return ~siltstone_crc32_reduce(sum, bytes, count);
}

// The same, of 272 bytes at least, where `siltstone_crc32_width` is 2.
static inline SILTSTONE_WIDE_CLMUL uint32_t siltstone_crc32_of_words_wide(
    uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, const void *bytes, size_t count) {
    __m128i sum = siltstone_crc32_sum_of_words(a, b, c, d, e, &bytes, &count);
    return ~siltstone_crc32_reduce_wide(sum, bytes, count);
}

#else

static inline int siltstone_crc32_width(void) { return 0; }

static inline uint32_t siltstone_crc32(const void *bytes, size_t count, uint32_t before) {
    __builtin_trap();
}

static inline uint32_t siltstone_crc32_wide(const void *bytes, size_t count, uint32_t before) {
    __builtin_trap();
}

static inline uint32_t siltstone_crc32_of_words(
    uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, const void *bytes, size_t count) {
    __builtin_trap();
}

static inline uint32_t siltstone_crc32_of_words_wide(
    uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, const void *bytes, size_t count) {
    __builtin_trap();
}

#endif
