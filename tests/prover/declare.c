/* SPDX-License-Identifier: BSD-2-Clause */
/* Fits declarations to a kernel's counts. */
#include "tests/prover/declare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/check.h"
#include "tests/prover/trace.h"

#define STEPS_MAX     20000u
#define FEW_STEPS_MAX 60000u /* limit for each of the first FEW values of n */
#define FEW           3u     /* two points define a line, and the third checks it */
#define ARGUMENTS     3u
#define AT_MAX        18u
#define POINTS_MAX    (AT_MAX * ARGUMENTS)
#define ACCESS_BYTES  4u    /* the smallest distance by which an iteration advances in the buffer */
#define PLACES_MAX    2000u /* larger buffers are treated as if they had only this many addresses */
#define SENTENCE_SIZE 240u

static const char *const EVENTS[KERNEL_DECLARATIONS] = {
    [KERNEL_INSTRUCTIONS] = "instructions",
    [KERNEL_BRANCHES] = "branches",
    [KERNEL_TAKEN_BRANCHES] = "taken_branches",
    [KERNEL_LOADS] = "loads",
    [KERNEL_STORES] = "stores",
};

struct point {
    uint64_t n;
    uint64_t counts[KERNEL_COUNTS];
};

/* An event's two counts at a point that was counted twice, if the counts differ. */
struct twice {
    bool differs;
    uint64_t n, first, again;
};

/* The counted points, sorted by the value of the argument, then by n. */
struct points {
    struct point point[POINTS_MAX];
    unsigned count;
    unsigned of_argument[ARGUMENTS + 1]; /* each argument's first index in `point`, then `count` */
    unsigned arguments;
    unsigned fewest; /* the smallest number of points that an argument has */
    uint64_t largest_n;
    struct twice twice[KERNEL_DECLARATIONS];
    bool has_rep;
};

/*
 * Fills `at` with ascending values of n: small ones, the default, and two that reach past the end
 * of the buffer (or past PLACES_MAX addresses). Returns their number.
 */
static unsigned values_of_n(const struct kernel_record *kernel, uint64_t at[AT_MAX])
{
    static const uint64_t small[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 29, 64, 100, 257};
    uint64_t places = kernel->buffer_bytes / ACCESS_BYTES;
    uint64_t more[] = {kernel->default_n, 0, 0};
    unsigned count = sizeof(small) / sizeof(small[0]);

    places = places < PLACES_MAX ? places : PLACES_MAX;
    more[1] = places + 301;
    more[2] = 2 * places + 1003;
    memcpy(at, small, sizeof(small));
    for (unsigned i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        unsigned place = count;

        while (place > 0 && at[place - 1] > more[i])
            place--;
        if (place > 0 && at[place - 1] == more[i])
            continue;
        memmove(at + place + 1, at + place, (count - place) * sizeof(at[0]));
        at[place] = more[i];
        count++;
    }
    return count;
}

/* Whether n takes more than `steps_max` steps, estimated from a point with a lower n. */
static bool is_long(const struct point *before, uint64_t n, uint64_t steps_max)
{
    return before->counts[KERNEL_INSTRUCTIONS] / before->n * n > steps_max;
}

/* On failure, writes n and the reason to `why`, and returns false. */
static bool count_at(const struct kernel_record *kernel, enum proof proof,
                     const struct values *values, uint64_t counts[KERNEL_COUNTS], char *why,
                     size_t why_bytes)
{
    char reason[SENTENCE_SIZE];

    if (proof_count(kernel, values, proof, counts, reason, sizeof(reason)))
        return true;
    snprintf(why, why_bytes, "n = %" PRIu64 ": %.220s", values->n, reason);
    return false;
}

static void compare(struct points *points, const uint64_t again[KERNEL_COUNTS])
{
    const struct point *last = &points->point[points->count - 1];

    for (unsigned i = 0; i < KERNEL_DECLARATIONS; i++) {
        if (!points->twice[i].differs && last->counts[i] != again[i])
            points->twice[i] = (struct twice){true, last->n, last->counts[i], again[i]};
    }
}

/*
 * Counts the kernel's events with one value of the argument, at each n that takes few enough steps.
 * At the last n, counts them twice.
 */
static bool count_with(const struct kernel_record *kernel, enum proof proof, uint32_t argument,
                       struct points *points, char *why, size_t why_bytes)
{
    struct values values = {
        .argument = argument, .steps = 2 * FEW_STEPS_MAX, .has_rep = &points->has_rep};
    uint64_t at[AT_MAX], again[KERNEL_COUNTS];
    unsigned count = values_of_n(kernel, at), first = points->count;

    for (unsigned i = 0; i < count; i++) {
        struct point *point = &points->point[points->count];

        if (points->count > first && is_long(point - 1, at[i], i < FEW ? FEW_STEPS_MAX : STEPS_MAX))
            break;
        values.n = point->n = at[i];
        if (!count_at(kernel, proof, &values, point->counts, why, why_bytes))
            return false;
        points->count++;
    }
    if (points->arguments == 0 || points->count - first < points->fewest)
        points->fewest = points->count - first;
    points->of_argument[++points->arguments] = points->count;
    if (values.n > points->largest_n)
        points->largest_n = values.n;
    if (!count_at(kernel, proof, &values, again, why, why_bytes))
        return false;
    compare(points, again);
    return true;
}

static int64_t floor_of(int64_t dividend, int64_t divisor)
{
    return dividend / divisor - (dividend % divisor < 0);
}

/*
 * Draws a line for each value of the argument, from its first point to its last. If there are more
 * than two points, and the last point is at `largest_n`, the line ends at the point before the
 * last. *low is the smallest slope of these lines, rounded down, and *high the largest, rounded up.
 */
static void slopes(const struct points *points, unsigned event, int64_t *low, int64_t *high)
{
    for (unsigned i = 0; i < points->arguments; i++) {
        const struct point *first = &points->point[points->of_argument[i]];
        const struct point *last = &points->point[points->of_argument[i + 1] - 1];

        if (last->n == points->largest_n && last > first + 1)
            last--;
        int64_t rise = (int64_t)(last->counts[event] - first->counts[event]);
        int64_t run = (int64_t)(last->n - first->n);
        int64_t down = run ? floor_of(rise, run) : 0, up = run ? -floor_of(-rise, run) : 0;

        *low = i == 0 || down < *low ? down : *low;
        *high = i == 0 || up > *high ? up : *high;
    }
}

/*
 * Returns the constant of a line with this slope that touches the points from below or, if
 * is_above, from above. Ignores points at the largest n, but never the first point.
 */
static int64_t lay(const struct points *points, unsigned event, int64_t slope, bool is_above)
{
    int64_t constant = 0;

    for (unsigned i = 0; i < points->count; i++) {
        const struct point *point = &points->point[i];
        int64_t here = (int64_t)point->counts[event] - slope * (int64_t)point->n;

        if (i > 0 && point->n == points->largest_n)
            continue;
        if (i == 0 || (is_above ? here > constant : here < constant))
            constant = here;
    }
    return constant;
}

static bool holds_everywhere(const struct points *points, unsigned event,
                             const struct kernel_count *lines)
{
    for (unsigned i = 0; i < points->count; i++) {
        const struct point *point = &points->point[i];

        if ((int64_t)point->counts[event] < kernel_count_low(lines, point->n) ||
            (int64_t)point->counts[event] > kernel_count_high(lines, point->n))
            return false;
    }
    return true;
}

/*
 * Makes the low line start from 0 at n = 1, and makes it as steep as it can be without exceeding a
 * count. Ignores the counts at the largest n.
 */
static void lay_from_0(const struct points *points, unsigned event, struct kernel_count *lines)
{
    lines->low_c1 = INT64_MAX;
    for (unsigned i = 0; i < points->count; i++) {
        const struct point *point = &points->point[i];
        int64_t run = (int64_t)point->n - 1;
        int64_t here = run ? (int64_t)point->counts[event] / run : INT64_MAX;

        if (point->n != points->largest_n && here < lines->low_c1)
            lines->low_c1 = here;
    }
    if (lines->low_c1 > lines->high_c1)
        lines->low_c1 = 0;
    lines->low_c0 = -lines->low_c1;
}

/*
 * Lays a line with the slope `low` below the counts, and one with the slope `high` above them.
 * Ignores the counts at the largest n. lay_from_0() replaces the low line if `low` is negative, or
 * if the line is below 0 at n = 1. Returns false if `high` is negative, or if any count, even at
 * the largest n, is not between the lines.
 */
static bool fit(const struct points *points, unsigned event, int64_t low, int64_t high,
                struct kernel_count *lines)
{
    *lines = (struct kernel_count){.kind = KERNEL_RANGE, .low_c1 = low, .high_c1 = high};
    lines->low_c0 = lay(points, event, low, false);
    lines->high_c0 = lay(points, event, high, true);
    if (low < 0 || kernel_count_low(lines, 1) < 0)
        lay_from_0(points, event, lines);
    if (lines->low_c1 == high && lines->low_c0 == lines->high_c0)
        lines->kind = KERNEL_EXACT;
    return high >= 0 && holds_everywhere(points, event, lines);
}

/*
 * Tries lines of equal slope first, because they give a narrower range than lines of different
 * slopes if counts vary periodically with n.
 */
static bool find_lines(const struct points *points, unsigned event, struct kernel_count *lines)
{
    int64_t low = 0, high = 0;

    slopes(points, event, &low, &high);
    return fit(points, event, low, low, lines) || fit(points, event, high, high, lines) ||
           fit(points, event, low, high, lines);
}

static void print_none(const struct points *points, unsigned event)
{
    const struct point *first = points->point, *last = first + points->of_argument[1] - 1;
    const struct point *middle = first + points->of_argument[1] / 2;

    printf("NOT_DECLARED %s, \"no line holds: %" PRIu64 " at n = %" PRIu64 ", %" PRIu64
           " at n = %" PRIu64 ", %" PRIu64 " at n = %" PRIu64 "\"\n",
           EVENTS[event], first->counts[event], first->n, middle->counts[event], middle->n,
           last->counts[event], last->n);
}

static void print_event(const struct points *points, unsigned event)
{
    const struct twice *twice = &points->twice[event];
    struct kernel_count lines;

    if (points->fewest < FEW) {
        printf("NOT_DECLARED %s, \"only n = 1%s could be counted within %u steps: too few for a "
               "line\"\n",
               EVENTS[event], points->fewest > 1 ? " and 2" : "", FEW_STEPS_MAX);
    } else if (points->has_rep && (event == KERNEL_LOADS || event == KERNEL_STORES)) {
        printf("NOT_DECLARED %s, \"microcode: how many of them a repeated string instruction "
               "executes depends on the core\"\n",
               EVENTS[event]);
    } else if (twice->differs) {
        printf("NOT_DECLARED %s, \"not the same twice: %" PRIu64 " and %" PRIu64 " at n = %" PRIu64
               "\"\n",
               EVENTS[event], twice->first, twice->again, twice->n);
    } else if (!find_lines(points, event, &lines)) {
        print_none(points, event);
    } else if (lines.kind == KERNEL_EXACT) {
        printf("DECLARE %s, exact, %" PRId64 ", %" PRId64 "\n", EVENTS[event], lines.low_c0,
               lines.low_c1);
    } else {
        printf("DECLARE %s, range, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "\n",
               EVENTS[event], lines.low_c0, lines.low_c1, lines.high_c0, lines.high_c1);
    }
}

bool declare(const struct kernel_record *kernel, enum proof proof, char *why, size_t why_bytes)
{
    const uint32_t arguments[ARGUMENTS] = {kernel->argument_low, kernel->argument_default,
                                           kernel->argument_high};
    static struct points points;

    points = (struct points){.count = 0};
    for (unsigned i = 0; i < ARGUMENTS; i++) {
        if (i > 0 && arguments[i] == arguments[i - 1])
            continue;
        if (!count_with(kernel, proof, arguments[i], &points, why, why_bytes))
            return false;
    }
    for (unsigned i = 0; i < KERNEL_DECLARATIONS; i++)
        print_event(&points, i);
    return true;
}
