/* scan.c - looks for NaN and infinities in memory, at its speed: both have an exponent of ones alone. */
#include <string.h>
#include "watch.h"
#ifdef __x86_64__
#include <immintrin.h>
#endif

static const uint64_t exponent_of_double = UINT64_C(0x7ff0000000000000);
static const uint32_t exponent_of_float = 0x7f800000;

unsigned bytes_of_format(enum format format)
{
    return format == FORMAT_FLOAT ? 4 : format == FORMAT_DOUBLE ? 8 : 16;
}

/* What is behind the exponent is not zero; of a long double, but for the bit that says that the number is normalized. */
static bool has_special_exponent(const char *number, enum format format, bool *is_nan)
{
    uint64_t low, high;
    uint32_t single;
    switch (format) {
    case FORMAT_FLOAT:
        memcpy(&single, number, sizeof single);
        *is_nan = (single & ~(exponent_of_float | 0x80000000u)) != 0;
        return (single & exponent_of_float) == exponent_of_float;
    case FORMAT_DOUBLE:
        memcpy(&low, number, sizeof low);
        *is_nan = (low & ((UINT64_C(1) << 52) - 1)) != 0;
        return (low & exponent_of_double) == exponent_of_double;
    case FORMAT_LONG_DOUBLE:
#ifdef __x86_64__
        memcpy(&low, number, sizeof low);
        memcpy(&high, number + 8, sizeof high);
        *is_nan = low << 1 != 0;
        return (high & 0x7fff) == 0x7fff;
#else
        /* The format of quad precision. */
#endif
    default:
        memcpy(&low, number, sizeof low);
        memcpy(&high, number + 8, sizeof high);
        *is_nan = low != 0 || (high & ((UINT64_C(1) << 48) - 1)) != 0;
        return (high >> 48 & 0x7fff) == 0x7fff;
    }
}

bool is_nan_at(const char *number, enum format format)
{
    bool is_nan;
    return has_special_exponent(number, format, &is_nan) && is_nan;
}

/* How many at the begin are numbers of no interest, in whole blocks. */
typedef long Skip(const char *numbers, long count);

static long skip_doubles(const char *numbers, long count)
{
    enum { BLOCK = 64 };
    long done = 0;
    for (; done + BLOCK <= count; done += BLOCK) {
        uint64_t found = 0;
        for (int i = 0; i < BLOCK; i++) {
            uint64_t bits;
            memcpy(&bits, numbers + 8 * (done + i), sizeof bits);
            found |= (bits & exponent_of_double) == exponent_of_double;
        }
        if (found)
            break;
    }
    return done;
}

static long skip_floats(const char *numbers, long count)
{
    enum { BLOCK = 128 };
    long done = 0;
    for (; done + BLOCK <= count; done += BLOCK) {
        uint32_t found = 0;
        for (int i = 0; i < BLOCK; i++) {
            uint32_t bits;
            memcpy(&bits, numbers + 4 * (done + i), sizeof bits);
            found |= (bits & exponent_of_float) == exponent_of_float;
        }
        if (found)
            break;
    }
    return done;
}

#ifdef __x86_64__
/* 256 bytes at a time. The upper half of a double tells its exponent, but comparing all of it is no slower. */
/* The library is compiled for small wrappers; this code is not. */
#ifdef __clang__
#define WITH_AVX2 __attribute__((target("avx2")))
#else
#define WITH_AVX2 __attribute__((target("avx2"), optimize("O3")))
#endif

WITH_AVX2 static long skip_doubles_avx2(const char *numbers, long count)
{
    enum { BLOCK = 32 };
    const __m256i exponent = _mm256_set1_epi64x((long long)exponent_of_double);
    long done = 0;
    for (; done + BLOCK <= count; done += BLOCK) {
        const __m256i *at = (const __m256i *)(numbers + 8 * done);
        __m256i found = _mm256_setzero_si256();
        for (int i = 0; i < 8; i++)
            found = _mm256_or_si256(found, _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_loadu_si256(at + i), exponent), exponent));
        if (!_mm256_testz_si256(found, found))
            break;
    }
    return done;
}

WITH_AVX2 static long skip_floats_avx2(const char *numbers, long count)
{
    enum { BLOCK = 64 };
    const __m256i exponent = _mm256_set1_epi32((int)exponent_of_float);
    long done = 0;
    for (; done + BLOCK <= count; done += BLOCK) {
        const __m256i *at = (const __m256i *)(numbers + 4 * done);
        __m256i found = _mm256_setzero_si256();
        for (int i = 0; i < 8; i++)
            found = _mm256_or_si256(found, _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_loadu_si256(at + i), exponent), exponent));
        if (!_mm256_testz_si256(found, found))
            break;
    }
    return done;
}
#endif

static Skip *skip_of(enum format format)
{
    if (format != FORMAT_FLOAT && format != FORMAT_DOUBLE)
        return NULL;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return format == FORMAT_FLOAT ? skip_floats_avx2 : skip_doubles_avx2;
#endif
    return format == FORMAT_FLOAT ? skip_floats : skip_doubles;
}

long scan(const char *numbers, long count, enum format format, enum wanted wanted)
{
    enum { BLOCK = 128 };
    const unsigned bytes = bytes_of_format(format);
    Skip *skip = count < BLOCK ? NULL : skip_of(format);
    for (long at = 0; at < count;) {
        if (skip != NULL && count - at >= BLOCK)
            at += skip(numbers + (long)bytes * at, count - at);
        const long end = count - at < BLOCK ? count : at + BLOCK;
        for (; at < end; at++) {
            bool is_nan = false;
            if (has_special_exponent(numbers + (long)bytes * at, format, &is_nan) && (wanted & (is_nan ? WANTS_NAN : WANTS_INFINITY)))
                return at;
        }
    }
    return -1;
}
