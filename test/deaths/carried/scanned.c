/* The first number that scan() finds, and the first that C says is a NaN, an infinity, or either; writes a line where they differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scan.c"

enum { MOST = 700, ODD = 6 };

/* In `values`: a NaN of each sign, a signalling one, infinities, and the largest number. */
#define CHECK(name, type, format, values)                                                                                   \
    static void check_##name(void)                                                                                          \
    {                                                                                                                       \
        static type numbers[MOST];                                                                                          \
        const type odd[ODD] = values;                                                                                       \
        for (int round = 0; round < 3000; round++) {                                                                        \
            const int count = rand() % (MOST + 1), wanted = 1 + round % 3, how_many = rand() % 4;                           \
            long expected = -1;                                                                                             \
            for (int i = 0; i < count; i++)                                                                                 \
                numbers[i] = (type)(rand() - RAND_MAX / 2) / 3;                                                             \
            for (int i = 0; i < how_many && count > 0; i++)                                                                 \
                numbers[rand() % count] = odd[rand() % ODD];                                                                \
            for (int i = count - 1; i >= 0; i--)                                                                            \
                if ((isnan(numbers[i]) && wanted & WANTS_NAN) || (isinf(numbers[i]) && wanted & WANTS_INFINITY))            \
                    expected = i;                                                                                           \
            const long found = scan((const char *)numbers, count, format, (enum wanted)wanted);                             \
            if (found != expected)                                                                                          \
                printf(#name ": %ld of %d for %d, not %ld\n", expected, count, wanted, found);                              \
            else if (found >= 0 && is_nan_at((const char *)&numbers[found], format) != (isnan(numbers[found]) != 0))        \
                printf(#name ": which kind %ld of %d is\n", found, count);                                                  \
        }                                                                                                                   \
    }
#define LIST(...) {__VA_ARGS__}

CHECK(single, float, FORMAT_FLOAT, LIST(NAN, -NAN, __builtin_nansf(""), INFINITY, -INFINITY, 3.4028234e38f))
CHECK(twice, double, FORMAT_DOUBLE, LIST(NAN, -NAN, __builtin_nans(""), INFINITY, -INFINITY, 1.7976931348623157e308))
CHECK(longer, long double, FORMAT_LONG_DOUBLE, LIST(NAN, -NAN, __builtin_nansl(""), INFINITY, -INFINITY, 1e4000L))
CHECK(quad, _Float128, FORMAT_QUAD, LIST(NAN, -NAN, __builtin_nansf128(""), INFINITY, -INFINITY, 1e4000f128))

int main(void)
{
    check_single();
    check_twice();
    check_longer();
    check_quad();
    puts(__builtin_cpu_supports("avx2") ? "with AVX2" : "without AVX2");
    return 0;
}
