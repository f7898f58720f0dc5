/* SPDX-License-Identifier: BSD-2-Clause */
/* Quotients of large products. */
#include "pmu/base/scale.h"

#define HZ_PER_KHZ 1000u
#define PS_PER_MS  1000000000ull

/* A product of more than 64 bits is divided bit by bit. */
uint64_t scale(uint64_t value, uint64_t factor, uint64_t divisor)
{
    const uint64_t whole = value / divisor, part = value % divisor;
    uint64_t quotient, rest = 0;

    if (!__builtin_mul_overflow(value, factor, &quotient))
        return quotient / divisor;
    quotient = 0;
    for (unsigned bit = 64; bit-- > 0;) {
        bool set = factor >> bit & 1;
        uint64_t carry;

        rest = 2 * rest + (set ? part : 0); /* below 3 * divisor */
        carry = rest / divisor + (set ? whole : 0);
        rest %= divisor;
        if (quotient > (UINT64_MAX - carry) / 2)
            return UINT64_MAX;
        quotient = 2 * quotient + carry;
    }
    return quotient;
}

uint64_t scale_rounded(uint64_t value, uint64_t factor, uint64_t divisor)
{
    uint64_t twice;

    if (divisor == 0)
        return 0;
    twice = scale(value, 2 * factor, divisor);
    return twice == UINT64_MAX ? twice : twice / 2 + twice % 2;
}

uint64_t scale_khz(uint64_t core, uint64_t reference, uint64_t base_hz)
{
    uint64_t hz;

    if (reference == 0)
        return 0;
    hz = scale(core, base_hz, reference);
    /* hz is rounded down, which does not change how the kHz are rounded */
    return hz / HZ_PER_KHZ + (hz % HZ_PER_KHZ >= HZ_PER_KHZ / 2);
}

uint64_t scale_ns_milli(uint64_t cycles, uint64_t khz)
{
    return scale_rounded(cycles, PS_PER_MS, khz);
}
