/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and checks sums. */
#include "pmu/base/scale.h"
#include "pmu/base/text.h"
#include "pmu/counters/unit.h"
#include "pmu/cpu/mtrr.h"
#include "pmu/events/table.h"
#include "pmu/events/terms.h"
#include "pmu/uncore/names.h"
#include "pmu/verdicts/sums.h"

#define COUNTS_APART 2  /* tolerance, as in pmu/base/stats.h */
#define MANY_CACHES  4u /* the buffer must have at least this many times the size of the caches */
#define LINE_BYTES   64u
#define PERCENT      100u

/* '|' separates names of the same event. */
struct rule {
    const char *part[4];
    const char *more[3]; /* optional parts; if one is missing, the sum may be below the total */
    const char *total;
    unsigned flags;
};
#define AT_MOST  1u
#define OF_LOADS 2u

/*
 * The rules follow from the perfmon files of the Intel CPUs whose events have these names.
 *
 * Skylake and later: retired load instructions by data source. L1_MISS does not include FB_HIT: the
 * metric L1_Latency_Dependency subtracts both of them from ALL_LOADS. Up to Redwood Cove,
 * ALL_LOADS and L1_HIT include software prefetches. An instruction with several loads counts once
 * for each data source of its uops ("at least one uop"); kernels with such instructions declare no
 * loads.
 *
 * Ivy Bridge to Broadwell: retired uops. A sum may be below the total. L1_MISS and L2_MISS
 * (Broadwell): "Counting excludes unknown and UC data source". L3_HIT counts only hits "without
 * snoops required"; other events count hits with snoops. Sandy Bridge lacks L1_MISS.
 *
 * Nehalem and Westmere: retired loads, except uncacheable ones.
 */
static const struct rule RULES[] = {
    {{"MEM_LOAD_RETIRED.L1_HIT", "MEM_LOAD_RETIRED.L1_MISS"},
     {"MEM_LOAD_RETIRED.FB_HIT|MEM_LOAD_RETIRED.HIT_LFB"},
     "MEM_INST_RETIRED.ALL_LOADS",
     OF_LOADS},
    {{"MEM_LOAD_RETIRED.L1_HIT", "MEM_LOAD_RETIRED.L2_HIT", "MEM_LOAD_RETIRED.L3_HIT"},
     {"MEM_LOAD_RETIRED.FB_HIT|MEM_LOAD_RETIRED.HIT_LFB", "MEM_LOAD_RETIRED.L3_MISS"},
     "MEM_INST_RETIRED.ALL_LOADS",
     OF_LOADS},
    {{"MEM_LOAD_RETIRED.L2_HIT", "MEM_LOAD_RETIRED.L2_MISS"},
     {0},
     "MEM_LOAD_RETIRED.L1_MISS",
     OF_LOADS},
    {{"MEM_LOAD_RETIRED.L3_HIT", "MEM_LOAD_RETIRED.L3_MISS"},
     {0},
     "MEM_LOAD_RETIRED.L2_MISS",
     OF_LOADS},
    {{"MEM_LOAD_UOPS_RETIRED.L1_HIT", "MEM_LOAD_UOPS_RETIRED.L1_MISS"},
     {"MEM_LOAD_UOPS_RETIRED.HIT_LFB"},
     "MEM_UOPS_RETIRED.ALL_LOADS|MEM_UOPS_RETIRED.ANY_LOADS",
     AT_MOST | OF_LOADS},
    {{"MEM_LOAD_UOPS_RETIRED.L1_HIT", "MEM_LOAD_UOPS_RETIRED.L2_HIT",
      "MEM_LOAD_UOPS_RETIRED.L3_HIT|MEM_LOAD_UOPS_RETIRED.LLC_HIT"},
     {"MEM_LOAD_UOPS_RETIRED.HIT_LFB",
      "MEM_LOAD_UOPS_RETIRED.L3_MISS|MEM_LOAD_UOPS_RETIRED.LLC_MISS"},
     "MEM_UOPS_RETIRED.ALL_LOADS|MEM_UOPS_RETIRED.ANY_LOADS",
     AT_MOST | OF_LOADS},
    {{"MEM_LOAD_UOPS_RETIRED.L2_HIT", "MEM_LOAD_UOPS_RETIRED.L2_MISS"},
     {0},
     "MEM_LOAD_UOPS_RETIRED.L1_MISS",
     AT_MOST | OF_LOADS},
    {{"MEM_LOAD_UOPS_RETIRED.L3_HIT|MEM_LOAD_UOPS_RETIRED.LLC_HIT",
      "MEM_LOAD_UOPS_RETIRED.L3_MISS|MEM_LOAD_UOPS_RETIRED.LLC_MISS"},
     {0},
     "MEM_LOAD_UOPS_RETIRED.L2_MISS",
     AT_MOST | OF_LOADS},
    {{"MEM_LOAD_RETIRED.L1D_HIT", "MEM_LOAD_RETIRED.L2_HIT",
      "MEM_LOAD_RETIRED.LLC_UNSHARED_HIT|MEM_LOAD_RETIRED.L3_UNSHARED_HIT"},
     {"MEM_LOAD_RETIRED.HIT_LFB", "MEM_LOAD_RETIRED.OTHER_CORE_L2_HIT_HITM",
      "MEM_LOAD_RETIRED.LLC_MISS|MEM_LOAD_RETIRED.L3_MISS"},
     "MEM_INST_RETIRED.LOADS",
     AT_MOST | OF_LOADS},
    /* Sandy Bridge and later: a branch is "not taken", "near taken" or "far". */
    {{"BR_INST_RETIRED.NEAR_TAKEN", "BR_INST_RETIRED.NOT_TAKEN|BR_INST_RETIRED.COND_NTAKEN"},
     {"BR_INST_RETIRED.FAR_BRANCH"},
     "BR_INST_RETIRED.ALL_BRANCHES",
     0},
    /* Ice Lake and later. */
    {{"BR_INST_RETIRED.COND_TAKEN", "BR_INST_RETIRED.COND_NTAKEN"}, {0}, "BR_INST_RETIRED.COND", 0},
    {{"BR_MISP_RETIRED.COND_TAKEN", "BR_MISP_RETIRED.COND_NTAKEN"}, {0}, "BR_MISP_RETIRED.COND", 0},
    /* Lion Cove and later. */
    {{"BR_INST_RETIRED.COND_TAKEN_BWD", "BR_INST_RETIRED.COND_TAKEN_FWD"},
     {0},
     "BR_INST_RETIRED.COND_TAKEN",
     0},
    {{"BR_MISP_RETIRED.COND_TAKEN_BWD", "BR_MISP_RETIRED.COND_TAKEN_FWD"},
     {0},
     "BR_MISP_RETIRED.COND_TAKEN",
     0},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Whether an event has one of the names, without modifiers or with only u and k. */
static bool is_called(const struct event *event, const char *names)
{
    struct piece name = piece_of(event_table_name(event)), rest = piece_of(names);

    for (size_t i = name.size; i-- > 0;)
        if (name.at[i] == ':') {
            if (!event_is_rings((struct piece){name.at + i + 1, name.size - i - 1}))
                break;
            name.size = i;
        }
    while (rest.size > 0)
        if (piece_same_name(name, piece_cut(rest, '|', &rest)))
            return true;
    return false;
}

static bool add_part(const struct view *view, const char *names, uint8_t rings, struct sum *sum)
{
    for (unsigned i = 0; i < view->events; i++)
        if (view->event[i].scope == SCOPE_CPU && view->event[i].rings == rings &&
            view->event[i].status == STATUS_OK && is_called(&view->event[i], names)) {
            sum->part[sum->parts++] = (uint16_t)i;
            return true;
        }
    return false;
}

static void add(struct sums *sums, const struct sum *sum)
{
    if (sums->count < SUMS_MAX)
        sums->sum[sums->count++] = *sum;
    else
        sums->more = true;
}

static void find_rule(struct sums *sums, const struct view *view, const struct rule *rule,
                      uint8_t rings)
{
    struct sum sum = {
        .event = view->event, .at_most = rule->flags & AT_MOST, .of_loads = rule->flags & OF_LOADS};

    for (unsigned i = 0; i < COUNT_OF(rule->part) && rule->part[i]; i++)
        if (!add_part(view, rule->part[i], rings, &sum))
            return;
    for (unsigned i = 0; i < COUNT_OF(rule->more) && rule->more[i]; i++)
        sum.at_most |= !add_part(view, rule->more[i], rings, &sum);
    if (!add_part(view, rule->total, rings, &sum))
        return;
    sum.total = sum.part[--sum.parts];
    add(sums, &sum);
}

static unsigned find_ring(const struct view *view, const struct event *event, uint8_t rings)
{
    unsigned i = 0;

    while (i < view->events &&
           (view->event[i].rings != rings || view->event[i].scope != SCOPE_CPU ||
            view->event[i].status != STATUS_OK || view->event[i].select != event->select ||
            view->event[i].extra_msr != event->extra_msr || view->event[i].extra != event->extra))
        i++;
    return i;
}

static void find_rings(struct sums *sums, const struct view *view, unsigned index)
{
    const struct event *event = &view->event[index];
    unsigned usr = find_ring(view, event, RING_USR), os = find_ring(view, event, RING_OS);
    const struct sum sum = {.event = view->event,
                            .part = {(uint16_t)os, (uint16_t)usr},
                            .parts = 2,
                            .total = (uint16_t)index};

    if (event->scope == SCOPE_CPU && event->status == STATUS_OK &&
        event->rings == (RING_OS | RING_USR) && usr < view->events && os < view->events)
        add(sums, &sum);
}

static bool is_traffic(const struct event *event, enum uncore_ready ready)
{
    return event->scope == SCOPE_UNCORE && event->status == STATUS_OK &&
           is_called(event, uncore_ready_name(ready));
}

static void find_traffic(struct sums *sums, const struct view *view, unsigned index)
{
    const struct sum sum = {
        .event = view->event, .part = {(uint16_t)index}, .parts = 1, .total = SUM_MOVED};

    if (is_traffic(&view->event[index], READY_DRAM_READ) ||
        is_traffic(&view->event[index], READY_DRAM_WRITE))
        add(sums, &sum);
}

void sums_find(struct sums *sums, const struct view *view)
{
    if (sums->event == view->event)
        return;
    sums->event = view->event;
    sums->count = 0;
    sums->more = false;
    for (unsigned r = 0; r < COUNT_OF(RULES); r++)
        for (uint8_t rings = RING_OS; rings <= (RING_OS | RING_USR); rings++)
            find_rule(sums, view, &RULES[r], rings);
    for (unsigned i = 0; i < view->events; i++)
        find_rings(sums, view, i);
    for (unsigned i = 0; i < view->events; i++)
        find_traffic(sums, view, i);
}

bool sum_same(const struct sum *a, const struct sum *b)
{
    if (a->parts != b->parts || a->at_most != b->at_most ||
        (a->total == SUM_MOVED) != (b->total == SUM_MOVED) ||
        (a->total != SUM_MOVED && !text_same(a->event[a->total].name, b->event[b->total].name)))
        return false;
    for (unsigned i = 0; i < a->parts; i++)
        if (!text_same(a->event[a->part[i]].name, b->event[b->part[i]].name))
            return false;
    return true;
}

void sum_words(const struct sum *sum, struct out *out)
{
    for (unsigned i = 0; i < sum->parts; i++)
        out_printf(out, "%s%s", i > 0 ? " + " : "", sum->event[sum->part[i]].name);
    out_printf(out, " %s %s", sum->at_most ? "<=" : "=",
               sum->total == SUM_MOVED ? "the bytes that the kernel moves"
                                       : sum->event[sum->total].name);
}

static bool take_row(const struct view *view, const struct result *result, unsigned index,
                     struct row *row)
{
    row_make(view, result, index, row);
    return row->accepted > 0 && !verdict_fails(row->verdict);
}

/* The range of the row's samples plus the range of the empty window's counts. */
static int64_t spread_of(const struct view *view, const struct row *row)
{
    const struct baseline empty = view_baseline(view, row->pass, row->slot_index);

    return row->stats.max - row->stats.min + unit_value(row->event, empty.max - empty.min);
}

static bool is_cached(const struct known_kernel *kernel)
{
    return kernel->memory == MEMORY_DEFAULT || kernel->memory == MEMORY_WB;
}

static uint64_t moved_bytes(const struct known_kernel *kernel, const struct event *event)
{
    bool reads = is_traffic(event, READY_DRAM_READ);
    uint64_t lines = (kernel->flags & (reads ? KNOWN_READS : KNOWN_STREAMS)) != 0;

    lines += (kernel->flags & KNOWN_WRITES) != 0;
    return is_cached(kernel) && kernel->n <= (uint64_t)SCALE_MAX / (2 * LINE_BYTES)
               ? lines * kernel->n * LINE_BYTES
               : 0;
}

static struct stats stats_of(const struct view *view, const struct result *result, unsigned pass,
                             unsigned slot)
{
    struct stats stats;

    stats_make(view->scratch, view_values(view, result, pass, slot, SAMPLE_N, 0), &stats);
    return stats;
}

static int64_t anyway(const struct view *view, const struct result *result, const struct row *row)
{
    const struct stats empty = stats_of(view, view->calibration, row->pass, row->slot_index);
    const struct stats empty_ticks = stats_of(view, view->calibration, row->pass, SLOT_TSC);
    const struct stats ticks = stats_of(view, result, row->pass, SLOT_TSC);
    int64_t above_milli = empty.mean_milli - empty.min * 1000;
    uint64_t count;

    if (above_milli <= 0 || empty_ticks.mean_milli <= 0 || ticks.mean_milli <= 0)
        return 0;
    count =
        scale((uint64_t)above_milli, (uint64_t)ticks.mean_milli, (uint64_t)empty_ticks.mean_milli) /
        1000;
    return unit_value(row->event, count < (uint64_t)SCALE_MAX ? (int64_t)count : SCALE_MAX);
}

static bool take_moved(const struct view *view, const struct result *result, const struct row *row,
                       struct sum_values *values)
{
    const struct known_kernel *kernel = view->kernel[result->kernel];
    const uint64_t bytes = moved_bytes(kernel, row->event), caches = view->cpu->caches_bytes;

    if (bytes == 0 || caches == 0 || kernel->buffer_bytes / MANY_CACHES < caches ||
        kernel->buffer_bytes > SCALE_MAX || view->run->parallel || view_is_cold(view, kernel))
        return false;
    values->total = (int64_t)bytes;
    values->tolerance += (int64_t)(scale(bytes, caches, kernel->buffer_bytes) + bytes / PERCENT) +
                         anyway(view, result, row);
    return true;
}

static bool is_known(const struct view *view, const struct result *result, const struct sum *sum)
{
    const struct known_kernel *kernel = view->kernel[result->kernel];
    const struct event *total = sum->total == SUM_MOVED ? 0 : &sum->event[sum->total];

    return result->partner == CPU_NONE &&
           (!total || total->scope != SCOPE_CPU || total->rings & view->run->kernel_ring) &&
           (!sum->of_loads ||
            (kernel->expect[DECLARED_LOADS].kind == EXPECT_EXACT && is_cached(kernel)));
}

bool sum_make(const struct view *view, const struct result *result, const struct sum *sum,
              struct sum_values *values)
{
    struct row row;
    unsigned i = 0;

    *values = (struct sum_values){0};
    if (!is_known(view, result, sum))
        return false;
    do {
        if (!take_row(view, result, sum->part[i], &row))
            return false;
        values->sum += row.stats.median_milli / 1000;
        values->tolerance += spread_of(view, &row);
    } while (++i < sum->parts);
    if (sum->total == SUM_MOVED)
        return take_moved(view, result, &row, values);
    if (!take_row(view, result, sum->total, &row))
        return false;
    values->total = row.stats.median_milli / 1000;
    values->tolerance +=
        spread_of(view, &row) +
        (event_is_of_time(row.event) ? row.stats.resolution_milli / 1000 : COUNTS_APART);
    return true;
}

bool sum_agrees(const struct sum *sum, const struct sum_values *values)
{
    int64_t above = values->sum - values->total;

    return above <= values->tolerance && (sum->at_most || above >= -values->tolerance);
}

void sum_verdict(const struct sum *sum, const struct sum_values *values, struct out *out)
{
    int64_t above = values->sum - values->total;
    uint64_t away = above < 0 ? 0 - (uint64_t)above : (uint64_t)above, milli;

    if (sum_agrees(sum, values)) {
        out_text(out, "agrees");
        return;
    }
    out_printf(out, "differs by %lld", (long long)above);
    milli = values->total > 0 ? scale_rounded(away, PERCENT * 1000u, (uint64_t)values->total) : 0;
    if (milli == 0 || milli > (uint64_t)SCALE_MAX)
        return;
    out_text(out, " (");
    out_milli(out, above < 0 ? -(int64_t)milli : (int64_t)milli);
    out_text(out, " %)");
}
