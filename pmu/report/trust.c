/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the trust maps of a run: a table of events and counters for each kind of CPU. */
#include "pmu/base/text.h"
#include "pmu/files/render_parts.h"
#include "pmu/report/parts.h"

#define MAPS_MAX     8u /* CPUs with further maps are only counted */
#define SHOWN_MAX    8u /* pairs of a map that get a line */
#define CELL_COLUMNS 6u /* with a space */
#define LINE_BYTES   (REASON_BYTES + EVENT_NAME_BYTES + TRUST_WORDS_BYTES + 200u)

struct map {
    uint32_t crc; /* of the names of its events and of the words for its pairs */
    uint32_t cpu; /* the first CPU with this map */
    uint8_t cpus[VIEW_CPUS_MAX / 8];
};

/* Returns the number of different maps, at most MAPS_MAX. *more counts CPUs with further maps. */
static unsigned find_maps(const struct reading *whole, struct map *map, unsigned *more)
{
    unsigned maps = 0;

    for (uint32_t cpu = 0; cpu < VIEW_CPUS_MAX; cpu++) {
        const struct trust *trust = render_trust(whole, cpu);
        uint32_t crc = trust ? trust_crc(trust) : 0;
        unsigned i = 0;

        while (i < maps && map[i].crc != crc)
            i++;
        if (!trust || i == MAPS_MAX) {
            *more += trust != 0;
            continue;
        }
        if (i == maps)
            map[maps++] = (struct map){.crc = crc, .cpu = cpu};
        map[i].cpus[cpu / 8] |= (uint8_t)(1u << cpu % 8);
    }
    return maps;
}

/* Kinds without a short word here are shown as trust_words() writes them. */
static const char *cell_of(const struct trust *trust, const struct trust_pair *pair,
                           char text[TRUST_WORDS_BYTES])
{
    static const char CONSTANT[] = "constant ", FACTOR[] = "factor ";
    static const char *const SHORT[TRUST_KINDS] = {
        [TRUST_WITHIN] = "range", [TRUST_AT_LEAST] = "least",    [TRUST_ANOTHER] = "other",
        [TRUST_VARIES] = "vary",  [TRUST_UNEXPLAINED] = "wrong", [TRUST_UNKNOWN] = "?",
        [TRUST_UNDECLARED] = "?", [TRUST_NOT_COUNTED] = "-",
    };
    struct out words = out_buffer(text, TRUST_WORDS_BYTES);
    const char *cell;

    if (SHORT[pair->kind])
        return SHORT[pair->kind];
    trust_words(trust, pair, &words);
    cell = out_end(&words);
    if (text_starts(cell, CONSTANT)) {
        cell += sizeof(CONSTANT) - 1;
    } else if (text_starts(cell, FACTOR)) {
        text[sizeof(FACTOR) - 2] = 'x'; /* in place of the blank */
        cell = text + sizeof(FACTOR) - 2;
    }
    return text_length(cell) < CELL_COLUMNS ? cell : "line";
}

/* Only general counters have columns: on each fixed counter, only one event is counted. */
static bool is_in_table(const struct trust_pair *pair)
{
    return pair->kind != TRUST_NOTHING && pair->has_slot && pair->slot.where == SLOT_GENERAL;
}

static uint32_t counters_of(const struct trust *trust)
{
    uint32_t counters = 0;

    for (unsigned i = 0; i < trust->events; i++)
        if (is_in_table(&trust->pair[i]))
            counters |= 1u << trust->pair[i].slot.counter;
    return counters;
}

/* The position of a counter's column. Only the counters in `counters` have a column. */
static size_t column_of(uint32_t counters, unsigned counter)
{
    size_t column = REPORT_COLUMNS - CELL_COLUMNS * (size_t)bits_in(counters);

    return column + CELL_COLUMNS * (size_t)bits_in(counters & ((1u << counter) - 1));
}

static void put_heads(uint32_t counters, struct out *out)
{
    char text[REPORT_COLUMNS + 1];
    struct out line = out_buffer(text, sizeof(text));

    out_text(&line, "Trust");
    for (unsigned counter = 0; counters >> counter; counter++)
        if (counters >> counter & 1) {
            out_pad(&line, 0, column_of(counters, counter));
            out_printf(&line, "pmc%u", counter);
        }
    out_printf(out, "%s\n", out_end(&line));
}

/* Whether event i is event j under another condition. */
static bool is_under_condition(const struct event *i, const struct event *j)
{
    return event_condition(i) != CONDITION_NONE && event_condition(j) == CONDITION_NONE &&
           i->counters == j->counters && event_is_same(i, j);
}

/* Whether a pair under a condition has the same kind as without the condition. */
static bool is_repeated(const struct trust *trust, const struct trust_pair *pair)
{
    for (unsigned i = 0; i < trust->events; i++) {
        char here[TRUST_WORDS_BYTES], there[TRUST_WORDS_BYTES];
        struct out words = out_buffer(here, sizeof(here));

        if (!is_under_condition(pair->event, trust->pair[i].event))
            continue;
        trust_words(trust, pair, &words);
        out_end(&words);
        words = out_buffer(there, sizeof(there));
        trust_words(trust, &trust->pair[i], &words);
        return text_same(here, out_end(&words));
    }
    return false;
}

/* Whether the event first[i] has a cell that must be shown. */
static bool has_cells(const struct trust *trust, unsigned i)
{
    for (unsigned j = i; j < trust->events && trust->first[j] == i; j++)
        if (is_in_table(&trust->pair[j]) && !is_repeated(trust, &trust->pair[j]))
            return true;
    return false;
}

/* Writes the line of the event first[i]; a long name gets a line of its own. */
static void put_event(const struct trust *trust, unsigned i, uint32_t counters, struct out *out)
{
    char text[REPORT_COLUMNS + EVENT_NAME_BYTES];
    struct out line = out_buffer(text, sizeof(text));

    trust_event(trust->pair[i].event, &line);
    if (line.used >= column_of(counters, 0)) {
        out_printf(out, "%s\n", out_end(&line));
        line = out_buffer(text, sizeof(text));
    }
    for (unsigned j = i; j < trust->events && trust->first[j] == i; j++) {
        const struct trust_pair *pair = &trust->pair[j];
        char cell[TRUST_WORDS_BYTES];

        if (!is_in_table(pair))
            continue;
        out_pad(&line, 0, column_of(counters, pair->slot.counter));
        out_text(&line, cell_of(trust, pair, cell));
    }
    out_printf(out, "%s\n", out_end(&line));
}

static void put_table(const struct trust *trust, struct out *out)
{
    const uint32_t counters = counters_of(trust);

    put_heads(counters, out);
    for (unsigned i = 0; i < trust->events; i++)
        if (has_cells(trust, i))
            put_event(trust, i, counters, out);
}

static void put_kernel(const struct trust *trust, const struct trust_pair *pair, struct out *out)
{
    const struct known_kernel *kernel = trust->kernel[pair->point.kernel];

    out_printf(out, "%s%s%s n=%llu", kernel->name, kernel->param[0] ? " " : "", kernel->param,
               (unsigned long long)kernel->n);
}

static void put_point(const struct trust *trust, const struct trust_pair *pair, struct out *out)
{
    const struct trust_point *point = &pair->point;

    if (pair->points > 0 && (pair->error > 0 || pair->is_lost || pair->has_failed))
        put_kernel(trust, pair, out);
    if (pair->error == 0) {
        if (pair->points > 0 && !pair->is_lost && !pair->has_failed)
            out_text(out, "all kernels declare the same count");
        else
            out_printf(out, "%s%s", pair->points > 0 ? ": " : "", pair->reason);
        return;
    }
    out_printf(out, " declares %s%lld", point->expect.kind == EXPECT_AT_LEAST ? "at least " : "",
               (long long)point->expect.low);
    if (point->expect.kind == EXPECT_RANGE)
        out_printf(out, " to %lld", (long long)point->expect.high);
    out_printf(out, ", counted %lld", (long long)point->least);
    if (point->most != point->least)
        out_printf(out, " to %lld", (long long)point->most);
}

static void put_pair(const struct trust *trust, const struct trust_pair *pair, struct out *out)
{
    static char text[LINE_BYTES];
    struct out line = out_buffer(text, sizeof(text));

    out_text(&line, "! ");
    trust_event(pair->event, &line);
    if (pair->has_slot) {
        out_text(&line, " on ");
        counter_name(pair->slot.where == SLOT_FIXED, pair->slot.counter, &line);
    }
    out_text(&line, ": ");
    trust_words(trust, pair, &line);
    out_text(&line, ": ");
    put_point(trust, pair, &line);
    report_wrapped(out_end(&line), 2, out);
}

static void put_map(const struct trust *trust, const struct map *map, struct out *out)
{
    char text[LINE_BYTES];
    struct out line = out_buffer(text, sizeof(text));
    unsigned right = 0, wrong = 0, unknown = 0, shown = 0;

    put_table(trust, out);
    for (unsigned i = 0; i < trust->events; i++) {
        const struct trust_pair *pair = &trust->pair[i];
        bool is_wrong = trust_is_wrong(pair->kind);
        bool is_unknown = pair->kind == TRUST_UNKNOWN || pair->kind == TRUST_NOT_COUNTED;

        right += trust_is_right(pair->kind);
        wrong += is_wrong;
        unknown += is_unknown;
        if ((is_wrong || is_unknown) && !is_repeated(trust, pair) && shown++ < SHOWN_MAX)
            put_pair(trust, pair, out);
    }
    if (shown > SHOWN_MAX)
        out_printf(out, "! further such lines: %u; see trust.csv\n", shown - SHOWN_MAX);
    faults_cpus(map->cpus, 0, &line);
    out_printf(&line, ": pairs of event and counter: %u right, %u wrong, %u unknown", right, wrong,
               unknown);
    out_printf(out, "%*s", (int)REPORT_INDENT, "");
    report_wrapped(out_end(&line), REPORT_INDENT, out);
}

void report_trust(const struct render *render, struct out *out)
{
    static struct map map[MAPS_MAX];
    static struct reading whole;
    unsigned more = 0, maps;
    char cpus[COUNTED_BYTES];

    if (!render_has_trust(render))
        return;
    render_trust_ready(render, &whole);
    maps = find_maps(&whole, map, &more);
    for (unsigned i = 0; i < maps; i++)
        put_map(render_trust(&whole, map[i].cpu), &map[i], out);
    if (more > 0)
        out_printf(out, "! %s with other maps: see trust.csv\n", counted(more, "CPU", cpus));
    out_flush(out);
}
