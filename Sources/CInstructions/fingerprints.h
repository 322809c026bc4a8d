// Looks for one byte among sixteen, for which Swift's vectors have no mask of bits.
#pragma once

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>

/// Bit i tells whether byte i is `byte`.
static inline __attribute__((always_inline)) uint32_t siltstone_find_byte(const void *bytes, uint8_t byte) {
    __m128i found = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)bytes), _mm_set1_epi8((char)byte));
    return (uint32_t)_mm_movemask_epi8(found);
}

#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>

static inline __attribute__((always_inline)) uint32_t siltstone_find_byte(const void *bytes, uint8_t byte) {
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t found = vceqq_u8(vld1q_u8((const uint8_t *)bytes), vdupq_n_u8(byte));
    uint8x16_t bits = vandq_u8(found, vld1q_u8(weights));
    return (uint32_t)vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}

#else

static inline __attribute__((always_inline)) uint32_t siltstone_find_byte(const void *bytes, uint8_t byte) {
    uint32_t found = 0;
    for (int i = 0; i < 16; i++) found |= (uint32_t)(((const uint8_t *)bytes)[i] == byte) << i;
    return found;
}

#endif
