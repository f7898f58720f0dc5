/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads values and window costs from a view. */
#include "pmu/base/stats.h"
#include "pmu/journal/view.h"

/*
 * A counter may count up to two instructions of the window itself: the one that opens it and the
 * one that closes it. Intel cores count the WRMSR or SYSCALL that closes it.
 */
#define EDGES_COUNTED_MAX     2u
#define EDGES_COUNTED_DEFAULT 1u

/* Larger than any real count; 1000 times VALUE_MAX fits in 64 bits. */
#define VALUE_MAX (1ll << 52)

void view_start(struct view *view, int64_t *scratch, size_t scratch_count)
{
    *view = (struct view){.scratch = scratch, .scratch_count = scratch_count};
}

/* Samples are sorted by pass. */
static uint32_t first_of_pass(const struct result *result, unsigned pass)
{
    uint32_t low = 0, high = result->samples;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (result_sample(result, middle)->pass < pass)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t bounded(int64_t value)
{
    return value > VALUE_MAX ? VALUE_MAX : value < -VALUE_MAX ? -VALUE_MAX : value;
}

static struct expect expect_property(const struct known_kernel *kernel, unsigned property)
{
    for (unsigned i = 0; i < KNOWN_LIST_MAX; i++)
        if (kernel->list[i].property == property)
            return kernel->list[i];
    return (struct expect){.kind = property < kernel->no_others ? EXPECT_EXACT : EXPECT_NOTHING};
}

/* The properties that a sum adds and subtracts. */
static const struct sum {
    uint64_t parts, less;
} SUMS[] = {
#define PROPERTY_PARTS(number, name, parts, less) [number - PROPERTY_SUM_FIRST] = {parts, less},
    PROPERTY_SUMS(PROPERTY_PARTS)
#undef PROPERTY_PARTS
};

static struct expect expect_sum(const struct known_kernel *kernel, const struct sum *properties)
{
    struct expect sum = {.kind = EXPECT_EXACT};

    for (unsigned i = PROPERTY_FIRST; i < PROPERTY_END; i++) {
        const struct expect part = expect_property(kernel, i);
        const bool minus = properties->less >> i & 1;

        if (!((properties->parts | properties->less) >> i & 1))
            continue;
        if (part.kind == EXPECT_NOTHING)
            return part;
        sum.kind = part.kind == EXPECT_EXACT ? sum.kind : EXPECT_RANGE;
        sum.low = bounded(sum.low) + (minus ? -bounded(part.high) : bounded(part.low));
        sum.high = bounded(sum.high) + (minus ? -bounded(part.low) : bounded(part.high));
        sum.low_2n = bounded(sum.low_2n) + (minus ? -bounded(part.high_2n) : bounded(part.low_2n));
        sum.high_2n =
            bounded(sum.high_2n) + (minus ? -bounded(part.low_2n) : bounded(part.high_2n));
    }
    return sum;
}

struct expect view_expect(const struct known_kernel *kernel, const struct event *event)
{
    const int declares = event_declares(event);

    if (declares == EVENT_UNDECLARED)
        return (struct expect){.kind = EXPECT_NOTHING};
    if (declares < DECLARED_COUNT)
        return kernel->expect[declares];
    if (declares >= PROPERTY_SUM_FIRST)
        return expect_sum(kernel, &SUMS[declares - PROPERTY_SUM_FIRST]);
    return expect_property(kernel, (unsigned)declares);
}

const char *view_reason(const struct view *view, unsigned event)
{
    const char *text = view->reasons;

    if (!text)
        return 0;
    for (; event > 0; event--)
        while (*text++)
            ;
    return *text ? text : 0;
}

bool view_is_of_time(const struct view *view, unsigned pass, unsigned slot)
{
    return slot == SLOT_TSC || pass >= view->schedule->passes ||
           event_is_of_time(&view->event[view->schedule->pass[pass].slot[slot].event]);
}

static void reject(const struct sample *sample, struct rejected *rejected)
{
    rejected->count++;
    rejected->evidence |= sample->evidence;
    if (sample->evidence & ~EVIDENCE_OF_CLOCK)
        return;
    rejected->by_clock++;
    rejected->limits |= sample->limits;
}

size_t view_values(const struct view *view, const struct result *result, unsigned pass,
                   unsigned slot, enum sample_kind kind, struct rejected *rejected)
{
    const bool of_time = view_is_of_time(view, pass, slot);
    struct rejected bad = {0};
    size_t count = 0;

    for (uint32_t i = first_of_pass(result, pass); i < result->samples; i++) {
        const struct sample *sample = result_sample(result, i);

        if (sample->pass != pass)
            break;
        if (sample->kind != kind || !sample_has(sample, slot))
            continue;
        if (!sample_is_clean(sample, of_time)) {
            reject(sample, &bad);
        } else if (count < view->scratch_count) {
            view->scratch[count++] =
                bounded((int64_t)(slot == SLOT_TSC ? sample->tsc : sample->raw[slot]));
        }
    }
    if (rejected)
        *rejected = bad;
    return count;
}

struct baseline view_baseline_rejecting(const struct view *view, unsigned pass, unsigned slot,
                                        struct rejected *rejected)
{
    struct stats stats;

    *rejected = (struct rejected){0};
    if (!view->calibration || view->calibration->status != STATUS_OK)
        return (struct baseline){0};
    stats_make(view->scratch, view_values(view, view->calibration, pass, slot, SAMPLE_N, rejected),
               &stats);
    return (struct baseline){.samples = stats.count, .min = stats.min, .max = stats.max};
}

struct baseline view_baseline(const struct view *view, unsigned pass, unsigned slot)
{
    struct rejected rejected;

    return view_baseline_rejecting(view, pass, slot, &rejected);
}

static bool is_linux(const struct view *view)
{
    return view->run && view->run->source == SOURCE_LINUX;
}

bool view_counts_edges(const struct view *view, const struct event *event)
{
    if (event->declared != DECLARED_INSTRUCTIONS)
        return false;
    return is_linux(view) ? event->rings == RING_USR : (event->rings & RING_OS) != 0;
}

bool view_declares_cost(const struct view *view, const struct event *event)
{
    const bool is_access = event->declared == DECLARED_LOADS || event->declared == DECLARED_STORES;

    if (event_declares(event) == EVENT_UNDECLARED)
        return false;
    if (event->declared == EVENT_UNDECLARED)
        return !is_linux(view) && view->run->kernel_ring == RING_OS;
    return is_linux(view) ? !(event->rings & RING_OS)
                          : !(is_access && view->run->kernel_ring == RING_USR);
}

/*
 * How often a property occurs in the window, and how often more in the second calibration. Nothing
 * that a sum subtracts occurs there.
 */
enum { OF_WINDOW, OF_TWICE };
static int64_t of_property(const struct event *event, unsigned which)
{
    static const uint8_t COUNTS[PROPERTY_NUMBERS][2] = {
#define PROPERTY_COUNTS(number, name, text, window, twice) [number] = {window, twice},
        PROPERTY_LIST(PROPERTY_COUNTS)
#undef PROPERTY_COUNTS
    };
    const unsigned declares = (unsigned)event_declares(event);
    int64_t sum = COUNTS[declares][which];

    for (unsigned i = PROPERTY_FIRST; declares >= PROPERTY_SUM_FIRST && i < PROPERTY_END; i++)
        sum += SUMS[declares - PROPERTY_SUM_FIRST].parts >> i & 1 ? COUNTS[i][which] : 0;
    return sum;
}

/*
 * The DECLARED_ kind that gives the window's cost. All branches of the window are taken, some of
 * them far branches. AMD's event of taken branches counts far branches (PPR, PMCx0C4). Intel's
 * event does not count them.
 */
static int cost_kind(const struct view *view, const struct event *event)
{
    return event->declared == DECLARED_TAKEN_BRANCHES && view->cpu->caps.vendor == VENDOR_AMD
               ? DECLARED_BRANCHES
               : event->declared;
}

/* Whether an event counts IRETQ, which is an instruction and a far branch. */
static bool is_of_iret(const struct view *view, const struct event *event)
{
    return cost_kind(view, event) == DECLARED_INSTRUCTIONS ||
           cost_kind(view, event) == DECLARED_BRANCHES;
}

int64_t view_declared_cost(const struct view *view, const struct event *event)
{
    const int64_t(*costs)[DECLARED_COUNT] = view->run->window_cost;
    const int64_t moved = view->iret_usr && is_of_iret(view, event) ? 1 : 0;
    const int kind = cost_kind(view, event);

    if (kind == EVENT_UNDECLARED)
        return event->rings & RING_OS && view->run->method == METHOD_RESET
                   ? of_property(event, OF_WINDOW)
                   : 0;
    return (event->rings & RING_OS ? costs[WINDOW_OS][kind] - moved : 0) +
           (event->rings & RING_USR ? costs[WINDOW_USR][kind] + moved : 0);
}

#define MICROCODE_MAX 2

/* What the second calibration's kernel executes in addition to the empty kernel. */
static const int64_t CALL[DECLARED_COUNT] = {[DECLARED_INSTRUCTIONS] = 2,
                                             [DECLARED_BRANCHES] = 2,
                                             [DECLARED_TAKEN_BRANCHES] = 2,
                                             [DECLARED_LOADS] = 1,
                                             [DECLARED_STORES] = 1};

/*
 * Whether the empty window counts `count` on each counter that counts the same event, has passed
 * its test, and counts at least `cost` and at most MICROCODE_MAX more.
 */
static bool counters_agree(const struct view *view, const struct event *event, int64_t cost,
                           int64_t count)
{
    const struct schedule *schedule = view->schedule;

    for (unsigned p = 0; p < schedule->passes; p++)
        for (unsigned s = 0; s < schedule->pass[p].slots; s++) {
            const struct slot *slot = &schedule->pass[p].slot[s];
            const struct event *other = &view->event[slot->event];
            struct baseline baseline;

            if (!event_is_same(other, event) || counter_check_failed(view->tests, slot))
                continue;
            baseline = view_baseline(view, p, s);
            if (baseline.samples > 0 && baseline.min != count && baseline.min >= cost &&
                baseline.min <= cost + MICROCODE_MAX)
                return false;
        }
    return true;
}

static int64_t of_call(const struct event *event)
{
    return event->declared == EVENT_UNDECLARED ? of_property(event, OF_TWICE)
                                               : CALL[event->declared];
}

int64_t view_microcode(const struct view *view, unsigned pass, unsigned slot)
{
    const struct slot *counter = &view->schedule->pass[pass].slot[slot];
    const struct event *event = &view->event[counter->event];
    const struct baseline once = view_baseline(view, pass, slot);
    int64_t cost, more;
    struct stats twice;

    if (!view->run || view->run->method == METHOD_DELTAS || /* differences include no WRMSR */
        once.samples == 0 || !view_declares_cost(view, event) ||
        event->declared == DECLARED_INSTRUCTIONS || event->flags & EVENT_AT_LEAST ||
        !(event->rings & RING_OS) || counter_check_failed(view->tests, counter))
        return 0;
    cost = view_declared_cost(view, event);
    more = once.min - cost;
    cost += event->rings & view->run->kernel_ring ? of_call(event) : 0;
    stats_make(view->scratch, view_values(view, view->calibration, pass, slot, SAMPLE_2N, 0),
               &twice);
    return once.min == once.max && more > 0 && more <= MICROCODE_MAX && twice.count > 0 &&
                   twice.min == cost + more && twice.max == cost + more &&
                   counters_agree(view, event, once.min - more, once.min)
               ? more
               : 0;
}

static uint32_t edges_default(const struct view *view)
{
    const struct counter_tests *tests = view->tests;

    if (view->run && view->run->method == METHOD_DELTAS)
        return 0; /* differences exclude both instructions */
    return tests && tests->status == STATUS_OK && tests->wrmsr_counted <= EDGES_COUNTED_MAX
               ? tests->wrmsr_counted
               : EDGES_COUNTED_DEFAULT;
}

/*
 * How many of the two instructions that open and close the window are counted. Uses the number from
 * the calibration if at least two counters counted instructions, and if all of them give the same
 * number from 0 to 2. (A single counter may have a constant error.) Otherwise uses the number from
 * the counter test.
 */
static uint32_t edges_counted(const struct view *view)
{
    int64_t above = INT64_MAX;
    uint64_t counters = 0;

    if (view->run->method == METHOD_DELTAS)
        return edges_default(view);
    for (unsigned p = 0; p < view->schedule->passes; p++)
        for (unsigned s = 0; s < view->schedule->pass[p].slots; s++) {
            const struct slot *slot = &view->schedule->pass[p].slot[s];
            const struct event *event = &view->event[slot->event];
            struct baseline baseline;
            int64_t cost;

            if (!view_counts_edges(view, event))
                continue;
            baseline = view_baseline(view, p, s);
            if (baseline.samples == 0)
                continue;
            cost = view_declared_cost(view, event);
            if (baseline.min != baseline.max || (counters > 0 && baseline.min - cost != above))
                return edges_default(view);
            above = baseline.min - cost;
            counters |= 1ull << (slot->where * GP_COUNTERS_MAX + slot->counter);
        }
    return (counters & (counters - 1)) != 0 && above >= 0 && above <= EDGES_COUNTED_MAX
               ? (uint32_t)above
               : edges_default(view);
}

/*
 * Whether the counts of the empty window are exactly as declared. Checks the counters of
 * instructions and of branches that count in one ring only; at least one of each must exist.
 * Ignores counters that failed their test.
 */
static bool is_as_declared(const struct view *view)
{
    bool instructions = false, branches = false;

    for (unsigned p = 0; p < view->schedule->passes; p++)
        for (unsigned s = 0; s < view->schedule->pass[p].slots; s++) {
            const struct slot *slot = &view->schedule->pass[p].slot[s];
            const struct event *event = &view->event[slot->event];
            const struct baseline baseline = view_baseline(view, p, s);
            int64_t edges = view_counts_edges(view, event) ? view->edges_counted : 0;

            if (!is_of_iret(view, event) || event->rings == (RING_OS | RING_USR) ||
                baseline.samples == 0 || counter_check_failed(view->tests, slot))
                continue;
            if (baseline.min != baseline.max ||
                baseline.min != view_declared_cost(view, event) + edges)
                return false;
            instructions |= event->declared == DECLARED_INSTRUCTIONS;
            branches |= event->declared == DECLARED_BRANCHES;
        }
    return instructions && branches;
}

/*
 * Assumes that IRETQ is counted at CPL 3 if `usr` is true, else at CPL 0. False if the calibration
 * contradicts this.
 */
static bool try_iret(struct view *view, bool usr)
{
    view->iret_usr = usr;
    view->edges_counted = edges_counted(view);
    return is_as_declared(view);
}

void view_calibrate(struct view *view, const struct result *calibration)
{
    view->calibration = calibration;
    view->iret_usr = false;
    view->edges_counted = calibration ? edges_counted(view) : edges_default(view);
    if (calibration && !is_linux(view) && view->run->kernel_ring == RING_USR &&
        !try_iret(view, false) && !try_iret(view, true))
        try_iret(view, false);
}
