/* SPDX-License-Identifier: BSD-2-Clause */
/* Units and rates. */
#include "pmu/counters/unit.h"
#include "pmu/base/scale.h"

#define LINE_BYTES 64
#define HALF       (1ull << 31) /* in units of 2^-32 uJ */

static const struct {
    const char *unit;
    uint32_t divisor; /* a thousandth of `unit` in bytes or uJ per second */
} RATES[UNITS] = {
    [UNIT_BYTES] = {"GB/s", 1000000},
    [UNIT_MICROJOULES] = {"W", 1000},
};

/* steps * step / 2^32, rounded half up, without overflow. */
static uint64_t energy(uint64_t steps, uint64_t step)
{
    const uint64_t whole = step >> 32, part = step & UINT32_MAX;

    if (whole > 0 && steps > (uint64_t)SCALE_MAX / whole)
        return SCALE_MAX;
    return steps * whole + (steps >> 32) * part + (((steps & UINT32_MAX) * part + HALF) >> 32);
}

int64_t unit_value(const struct event *event, int64_t count)
{
    uint64_t away = count < 0 ? 0 - (uint64_t)count : (uint64_t)count, value;

    switch (event->unit) {
    case UNIT_BYTES:
        value = away * LINE_BYTES;
        break;
    case UNIT_MICROJOULES:
        value = energy(away, event->extra);
        break;
    default:
        return count;
    }
    if (value > (uint64_t)SCALE_MAX)
        value = SCALE_MAX;
    return count < 0 ? -(int64_t)value : (int64_t)value;
}

uint32_t unit_step(const struct event *event)
{
    int64_t step = unit_value(event, 1);

    return step < 1 ? 1 : step > UINT32_MAX ? UINT32_MAX : (uint32_t)step;
}

const char *unit_rate_name(const struct event *event)
{
    return RATES[event->unit].unit ? RATES[event->unit].unit : "";
}

int64_t unit_rate_milli(const struct event *event, int64_t mean_milli, uint64_t ticks_milli,
                        uint64_t tick_hz)
{
    const uint64_t away = mean_milli < 0 ? 0 - (uint64_t)mean_milli : (uint64_t)mean_milli;
    const uint64_t divisor = RATES[event->unit].divisor;
    uint64_t second = scale(away, tick_hz, ticks_milli);
    uint64_t rate = divisor == 0 ? 0 : second / divisor + (second % divisor >= divisor / 2);

    return mean_milli < 0 ? -(int64_t)rate : (int64_t)rate;
}
