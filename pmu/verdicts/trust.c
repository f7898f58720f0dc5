/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges how counters count events. */
#include "pmu/base/bytes.h"
#include "pmu/base/text.h"
#include "pmu/verdicts/trust.h"

/* The length of the event's name without the suffix (such as `@3`) that counters=each adds. */
static size_t base_length(const struct event *event)
{
    size_t end = text_length(event->name), at = end;
    unsigned counter = 0;

    while (at > 0 && event->name[at - 1] >= '0' && event->name[at - 1] <= '9')
        at--;
    for (size_t i = at; i < end; i++)
        counter = counter * 10 + (unsigned)(event->name[i] - '0');
    if (at < 2 || at == end || event->name[at - 1] != '@' || counter >= COUNTERS_MAX ||
        event->counters != 1u << counter)
        return end;
    return at - 1;
}

static bool same_base(const struct event *a, const struct event *b)
{
    const size_t length = base_length(a);

    if (length != base_length(b))
        return false;
    for (size_t i = 0; i < length; i++)
        if (a->name[i] != b->name[i])
            return false;
    return true;
}

void trust_event(const struct event *event, struct out *out)
{
    const size_t length = base_length(event);

    for (size_t i = 0; i < length; i++)
        out_char(out, event->name[i]);
}

/* A kernel that occurs with several n has several entries, not always in succession. */
static void find_kernels(struct trust *trust, const struct view *view)
{
    for (unsigned k = 0; k < view->kernels; k++) {
        const struct known_kernel *kernel = view->kernel[k];
        unsigned i = 0;

        while (i < k &&
               (!kernel || !view->kernel[i] || !text_same(view->kernel[i]->name, kernel->name) ||
                !text_same(view->kernel[i]->param, kernel->param)))
            i++;
        trust->first_kernel[k] = (uint16_t)i;
    }
}

void trust_start(struct trust *trust, const struct view *view)
{
    trust->kernel = view->kernel;
    trust->cpu = view->cpu;
    trust->event = view->event;
    trust->events = view->events;
    trust->kernels = view->kernels;
    find_kernels(trust, view);
    for (unsigned kind = 0; kind < PROPERTY_NUMBERS; kind++)
        trust->named[kind] = (uint16_t)view->events;
    for (unsigned i = 0; i < view->events; i++) {
        trust->pair[i] = (struct trust_pair){.event = &view->event[i]};
        trust->first[i] = (uint16_t)i;
        if (i > 0 && same_base(&view->event[i - 1], &view->event[i])) /* they are adjacent */
            trust->first[i] = trust->first[i - 1];
    }
}

static bool is_of_map(const struct row *row)
{
    return row->event && row->event->scope != SCOPE_UNCORE && row->event->rings != 0;
}

static bool is_point(const struct row *row)
{
    return is_of_map(row) && row->accepted > 0 && row->has_slot && !row->slot_unknown &&
           row->expect.kind != EXPECT_NOTHING;
}

static bool is_exact(const struct expect *expect)
{
    return expect->kind != EXPECT_AT_LEAST && expect->low == expect->high;
}

/* The largest distance of a sample from the declared range; 0 if all samples are in the range. */
static uint64_t error_of(const struct trust_point *point)
{
    int64_t below = point->expect.low - point->least;
    int64_t above = point->expect.kind == EXPECT_AT_LEAST ? 0 : point->most - point->expect.high;
    int64_t error = below > above ? below : above;

    return error > 0 ? (uint64_t)error : 0;
}

static bool is_on_line(const struct trust_line *line, int64_t low, int64_t count)
{
    return (__int128)(count - line->count[0]) * (line->low[1] - line->low[0]) ==
           (__int128)(line->count[1] - line->count[0]) * (low - line->low[0]);
}

static void add_to_line(struct trust_line *line, int64_t low, int64_t count)
{
    if (line->points == 0 || (line->points == 1 && low != line->low[0])) {
        line->low[line->points] = low;
        line->count[line->points++] = count;
    } else if (line->points == 1) {
        line->is_broken |= count != line->count[0];
    } else {
        line->is_broken |= !is_on_line(line, low, count);
        if (low != line->low[0] && low != line->low[1])
            line->points = 3;
    }
}

static void add_point(struct trust_pair *pair, const struct trust_point *point)
{
    const uint64_t error = error_of(point);

    pair->kernels[point->kernel / 8] |= (uint8_t)(1u << point->kernel % 8);
    pair->varies |= point->least != point->most;
    pair->counts_differ |= pair->points > 0 && point->least != pair->line.count[0];
    pair->is_open |= point->expect.kind == EXPECT_AT_LEAST;
    pair->is_range |= !is_exact(&point->expect);
    if (error > pair->error) {
        pair->error = error;
        pair->point = *point;
    }
    add_to_line(&pair->line, point->expect.low, point->least);
    pair->is_constant = (pair->points == 0 || pair->is_constant) &&
                        point->least - pair->line.count[0] == point->expect.low - pair->line.low[0];
    pair->points++;
}

static void keep_reason(struct trust_pair *pair, const struct row *row, uint32_t kernel)
{
    text_copy(pair->reason, sizeof(pair->reason), row->reason);
    pair->verdict = row->verdict;
    if (pair->error == 0)
        pair->point.kernel = kernel;
}

static void add_row(struct trust *trust, const struct row *row, uint32_t kernel)
{
    struct trust_pair *pair = &trust->pair[row->event - trust->event];
    const struct trust_point point = {kernel, row->expect, row->stats.min, row->stats.max};

    if (row->has_slot && !row->slot_unknown) {
        pair->slot = row->slot;
        pair->has_slot = true;
    }
    if (!is_point(row)) {
        pair->is_undeclared |= row->accepted > 0 && pair->has_slot;
        if (row->accepted == 0 && row->verdict != VERDICT_UNAVAILABLE && !pair->is_lost) {
            keep_reason(pair, row, kernel);
            pair->is_lost = true;
        } else if (!pair->reason[0]) {
            text_copy(pair->reason, sizeof(pair->reason), row->reason);
        }
        return;
    }
    if (row_fails(row) && !pair->has_failed) {
        if (!pair->is_lost)
            keep_reason(pair, row, kernel);
        pair->has_failed = true;
    }
    add_point(pair, &point);
}

#define OFFSET_MAX 127

/* What the current kernel declares for each kind of event; null: nothing exact. */
struct declarations {
    const struct expect *of[PROPERTY_NUMBERS];
};

/* `kernel` identifies the row's kernel: it is that kernel's value in trust.first_kernel. */
static void compare(struct trust_other *other, const struct expect *expect, const struct row *row,
                    uint16_t kernel)
{
    const int64_t offset = row->stats.min - expect->low;

    if (other->kernels == 0) {
        other->count = row->stats.min;
        other->offset = (int8_t)offset;
    }
    if (other->kernels < 2 && (other->kernels == 0 || kernel != other->last_kernel))
        other->kernels++;
    other->last_kernel = kernel;
    other->refuted |= offset < -OFFSET_MAX || offset > OFFSET_MAX || offset != other->offset;
    other->differs |= expect->low != row->expect.low;
    other->counts_differ |= row->stats.min != other->count;
}

/* Compares each row's lowest sample with what the kernel declares for the other events. */
static void refute(struct trust *trust, const struct rows *rows)
{
    struct declarations declares = {{0}};

    for (unsigned i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        uint16_t index;
        int kind;

        if (!is_point(row) || !is_exact(&row->expect) ||
            !(row->event->rings & rows->view->run->kernel_ring))
            continue;
        index = (uint16_t)(row->event - trust->event);
        kind = event_declares(row->event);
        if (!declares.of[kind])
            declares.of[kind] = &row->expect;
        if (trust->named[kind] > index)
            trust->named[kind] = index;
    }
    for (unsigned i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];

        for (unsigned kind = 0; is_point(row) && kind < PROPERTY_NUMBERS; kind++)
            if (declares.of[kind])
                compare(&trust->pair[row->event - trust->event].other[kind], declares.of[kind], row,
                        trust->first_kernel[rows->result->kernel]);
    }
}

void trust_add(struct trust *trust, const struct rows *rows)
{
    const struct known_kernel *kernel = rows->view->kernel[rows->result->kernel];

    if (rows->view->event != trust->event || rows->view->events != trust->events)
        return; /* a forged journal */
    if (kernel->flags & (KNOWN_PAIR | KNOWN_CROWD))
        return;
    for (unsigned i = 0; i < rows->count; i++)
        if (is_of_map(&rows->row[i]))
            add_row(trust, &rows->row[i], rows->result->kernel);
    refute(trust, rows);
}

/*
 * Finds an event, not this pair's, whose declared counts are the pair's counts or, unless
 * `exactly`, differ from them by a constant: each event has its own cost of the window. Only
 * kernels count that declare both events.
 */
static bool find_another(struct trust_pair *pair, bool exactly)
{
    for (unsigned kind = 0; kind < PROPERTY_NUMBERS; kind++) {
        const struct trust_other *other = &pair->other[kind];

        if (other->kernels < 2 || other->refuted || !other->differs || !other->counts_differ ||
            (exactly && other->offset != 0))
            continue;
        pair->another = kind;
        return true;
    }
    return false;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

struct line_words {
    int64_t factor, divisor, constant; /* count = declared * factor / divisor + constant */
};

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/*
 * Whether several kernels were judged. The counts of a single kernel are on a line whenever they
 * are linear in n.
 */
static bool has_kernels(const struct trust *trust, const struct trust_pair *pair)
{
    unsigned one = trust->kernels;

    for (unsigned k = 0; k < trust->kernels; k++) {
        if (!(pair->kernels[k / 8] >> k % 8 & 1))
            continue;
        if (one < trust->kernels && trust->first_kernel[k] != one)
            return true;
        one = trust->first_kernel[k];
    }
    return false;
}

/* False if the pair has no line, or if the line's constant is not a whole number. */
static bool find_line(const struct trust *trust, const struct trust_pair *pair,
                      struct line_words *words)
{
    const struct trust_line *line = &pair->line;
    int64_t rise = line->count[1] - line->count[0], run = line->low[1] - line->low[0];
    int64_t divisor;
    __int128 constant;

    if (pair->is_range || line->is_broken || line->points < 3 || run == 0 ||
        !has_kernels(trust, pair))
        return false;
    divisor = (int64_t)common_divisor(magnitude(rise), magnitude(run));
    divisor = run < 0 ? -divisor : divisor;
    words->factor = rise / divisor;
    words->divisor = run / divisor;
    constant = line->count[0] - (__int128)(line->low[0] / words->divisor) * words->factor;
    words->constant = (int64_t)constant;
    return line->low[0] % words->divisor == 0 && words->constant == constant;
}

static enum trust_kind wrong_kind(const struct trust *trust, struct trust_pair *pair)
{
    struct line_words line;

    if (pair->varies)
        return TRUST_VARIES;
    if (!pair->counts_differ && pair->line.points > 1)
        return TRUST_DEAD;
    if (find_another(pair, true))
        return TRUST_ANOTHER;
    if (find_line(trust, pair, &line))
        return TRUST_LINE;
    return !pair->is_constant && find_another(pair, false) ? TRUST_ANOTHER : TRUST_UNEXPLAINED;
}

static enum trust_kind kind_of(const struct trust *trust, struct trust_pair *pair)
{
    if (pair->points == 0 && pair->is_undeclared)
        return TRUST_UNDECLARED;
    if (pair->points == 0)
        return pair->reason[0] || pair->is_lost ? TRUST_NOT_COUNTED : TRUST_NOTHING;
    if (pair->error > 0)
        return wrong_kind(trust, pair);
    if (pair->is_lost || pair->line.points < 2)
        return TRUST_UNKNOWN;
    if (pair->has_failed)
        return TRUST_REJECTED;
    if (pair->is_open)
        return TRUST_AT_LEAST;
    return pair->is_range ? TRUST_WITHIN : TRUST_EXACT;
}

void trust_judge(struct trust *trust)
{
    for (unsigned i = 0; i < trust->events; i++)
        trust->pair[i].kind = kind_of(trust, &trust->pair[i]);
}

static void line_words(const struct trust *trust, const struct trust_pair *pair, struct out *out)
{
    struct line_words line;

    if (!find_line(trust, pair, &line))
        return;
    if (line.factor != line.divisor)
        out_printf(out, "factor %lld", (long long)line.factor);
    if (line.divisor != 1)
        out_printf(out, "/%lld", (long long)line.divisor);
    if (line.constant != 0)
        out_printf(out, "%sconstant %s%lld", line.factor != line.divisor ? ", " : "",
                   line.constant > 0 ? "+" : "", (long long)line.constant);
}

void trust_words(const struct trust *trust, const struct trust_pair *pair, struct out *out)
{
    static const char *const WORDS[] = {
        [TRUST_EXACT] = "exact",
        [TRUST_WITHIN] = "within",
        [TRUST_AT_LEAST] = "at least",
        [TRUST_DEAD] = "dead",
        [TRUST_VARIES] = "varies",
        [TRUST_UNEXPLAINED] = "unexplained",
        [TRUST_UNKNOWN] = "unknown",
        [TRUST_UNDECLARED] = "no kernel declares its count",
        [TRUST_NOT_COUNTED] = "not counted",
    };

    if (pair->kind == TRUST_LINE) {
        line_words(trust, pair, out);
    } else if (pair->kind == TRUST_ANOTHER) {
        out_text(out, "counts ");
        trust_event(&trust->event[trust->named[pair->another]], out);
    } else if (pair->kind == TRUST_REJECTED) {
        out_text(out, verdict_name(pair->verdict));
    } else if (pair->kind != TRUST_NOTHING) {
        out_text(out, WORDS[pair->kind]);
    }
}

uint32_t trust_crc(const struct trust *trust)
{
    uint32_t crc = 0;

    for (unsigned i = 0; i < trust->events; i++) {
        char text[TRUST_WORDS_BYTES];
        struct out words = out_buffer(text, sizeof(text));

        trust_words(trust, &trust->pair[i], &words);
        crc = crc32_ieee(crc, text, text_length(out_end(&words)) + 1);
        crc = crc32_ieee(crc, trust->event[i].name, text_length(trust->event[i].name) + 1);
    }
    return crc;
}
