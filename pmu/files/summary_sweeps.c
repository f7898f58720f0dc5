/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws kernels that ran with buffers of several sizes. Both axes are logarithms to base 2 in fixed
 * point.
 */
#include "pmu/base/text.h"
#include "pmu/files/param.h"
#include "pmu/files/summary_parts.h"

#define SWEEPS_UP_TO_KIB 160u
#define SERIES_MAX       8u /* in one drawing */
#define NO_SERIES        SERIES_MAX
#define LABEL_BYTES      160u
#define LOG_ONE          1024u /* the logarithm of 2 */
#define TICKS_MAX        7u
#define PIECE_POINTS     200u  /* per path; 20 bytes each */
#define FIGURE_BYTES     8192u /* drawing without its lines */

enum { WIDTH = 3600, HEIGHT = 2300, LEFT = 460, RIGHT = 3420, TOP = 80, BOTTOM = 1880 };

static const struct sweep {
    const char *family;
    const char *title;
    const char *unit;
    bool is_rate; /* otherwise a latency */
} SWEEPS[] = {
    {"chase", "Latency of a load", "core cycles per load", false},
    {"chase_pages", "Latency of one load per page", "core cycles per load", false},
    {"bandwidth", "Bandwidth", "GB/s (10&#8313; bytes a second)", true},
};

/* Too large (3 KiB) for a stack. */
struct figure {
    const struct sweep *sweep;
    unsigned type;
    unsigned series;
    char label[SERIES_MAX][LABEL_BYTES];
    uint8_t of[KERNELS_MAX]; /* each kernel's series; NO_SERIES: none */
    bool is_done[KERNELS_MAX];
    uint64_t size_low, size_high, value_low, value_high;
    int tick_low, tick_high; /* exponents of 2 */
};

/* The logarithm in units of 1 / LOG_ONE, rounded down. `value` must be at least 1. */
static unsigned log2_of(uint64_t value)
{
    unsigned whole = 63, fraction = 0;
    uint64_t mantissa;

    while (!(value >> whole))
        whole--;
    mantissa = (whole > 31 ? value >> (whole - 31) : value << (31 - whole)); /* fraction: 31 bits */
    for (unsigned bit = LOG_ONE / 2; bit > 0; bit /= 2) {
        mantissa = mantissa * mantissa >> 31;
        if (mantissa >> 32) {
            fraction += bit;
            mantissa >>= 1;
        }
    }
    return whole * LOG_ONE + fraction;
}

/* The value to draw for kernel `index`, in thousandths; 0: nothing to draw. */
static uint64_t value_of(const struct summary *summary, const struct figure *figure, unsigned index)
{
    const struct known_kernel *kernel = summary->kernel[index];
    const struct summary_cell *cell = &summary->cell[figure->type][index];

    if (!kernel || kernel->buffer_bytes == 0 || !text_same(kernel->family, figure->sweep->family))
        return 0;
    return figure->sweep->is_rate ? cell->rate : cell->latency;
}

/* Finds the kernel's series, or adds it. NO_SERIES if there is no room. */
static unsigned series_of(struct figure *figure, const struct known_kernel *kernel)
{
    char text[LABEL_BYTES];
    struct out label = out_buffer(text, sizeof(text));
    unsigned i = 0;

    param_say_series(kernel, &label);
    if (kernel->n_given)
        out_printf(&label, " n=%llu", (unsigned long long)kernel->n);
    out_end(&label);
    while (i < figure->series && !text_same(figure->label[i], text))
        i++;
    if (i == figure->series && i < SERIES_MAX)
        text_copy(figure->label[figure->series++], LABEL_BYTES, text);
    return i;
}

static void widen(uint64_t value, uint64_t *low, uint64_t *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

/* 2^exponent in thousandths, for exponents of -9 and above. */
static uint64_t power(int exponent)
{
    return exponent < 0 ? 1000u >> -exponent : 1000ull << exponent;
}

static void choose_ticks(struct figure *figure)
{
    int low = -9, high;

    while (low < 40 && power(low + 1) <= figure->value_low)
        low++;
    high = low + 1;
    while (high < 41 && power(high) < figure->value_high)
        high++;
    figure->tick_low = low;
    figure->tick_high = high;
}

/* Chooses the kernels of the next drawing; false if no kernel is left. */
static bool gather(const struct summary *summary, struct figure *figure)
{
    figure->series = 0;
    figure->size_low = figure->value_low = UINT64_MAX;
    figure->size_high = figure->value_high = 0;
    for (unsigned k = 0; k < summary->kernels; k++) {
        uint64_t value = figure->is_done[k] ? 0 : value_of(summary, figure, k);

        figure->of[k] = NO_SERIES;
        if (value == 0)
            continue;
        figure->of[k] = (uint8_t)series_of(figure, summary->kernel[k]);
        if (figure->of[k] == NO_SERIES)
            continue;
        figure->is_done[k] = true;
        widen(value, &figure->value_low, &figure->value_high);
        widen(summary->kernel[k]->buffer_bytes, &figure->size_low, &figure->size_high);
    }
    if (figure->series > 0)
        choose_ticks(figure);
    return figure->series > 0;
}

static unsigned place(unsigned log, unsigned low, unsigned high, unsigned from, unsigned to)
{
    log = log < low ? low : log > high ? high : log;
    if (high == low)
        return from;
    return to > from ? from + (log - low) * (to - from) / (high - low)
                     : from - (log - low) * (from - to) / (high - low);
}

static unsigned x_of(const struct figure *figure, uint64_t size)
{
    return place(log2_of(size), log2_of(figure->size_low), log2_of(figure->size_high), LEFT, RIGHT);
}

static unsigned y_of(const struct figure *figure, uint64_t value)
{
    return place(log2_of(value), log2_of(power(figure->tick_low)),
                 log2_of(power(figure->tick_high)), BOTTOM, TOP);
}

static void put_sizes(struct html *html, const struct figure *figure)
{
    unsigned low = (log2_of(figure->size_low) + LOG_ONE - 1) / LOG_ONE;
    unsigned high = log2_of(figure->size_high) / LOG_ONE;
    unsigned step = high < low ? 1 : (high - low) / TICKS_MAX + 1;

    for (unsigned i = low; i <= high; i += step) {
        unsigned x = x_of(figure, 1ull << i);
        struct out *out = html_piece(html);

        out_printf(out, "<path class=\"grid\" d=\"M%u %uV%u\"/><text x=\"%u\" y=\"%u\">", x, TOP,
                   BOTTOM, x, BOTTOM + 180);
        out_size(out, 1ull << i);
        out_text(out, "</text>\n");
        html_put(html);
    }
}

static void put_values(struct html *html, const struct figure *figure)
{
    int step = (figure->tick_high - figure->tick_low) / (int)TICKS_MAX + 1;

    for (int i = figure->tick_low; i <= figure->tick_high; i += step) {
        unsigned y = y_of(figure, power(i));
        struct out *out = html_piece(html);

        out_printf(out,
                   "<path class=\"grid\" d=\"M%u %uH%u\"/><text class=\"end\" x=\"%u\" y=\"%u\">",
                   LEFT, y, RIGHT, LEFT - 50, y + 40);
        out_milli(out, (int64_t)power(i));
        out_text(out, "</text>\n");
        html_put(html);
    }
}

/* The kernel of a series with the smallest buffer that is larger than `size`; KERNELS_MAX: none. */
static unsigned next_of(const struct summary *summary, const struct figure *figure, unsigned series,
                        uint64_t size)
{
    unsigned found = KERNELS_MAX;

    for (unsigned k = 0; k < summary->kernels; k++)
        if (figure->of[k] == series && summary->kernel[k]->buffer_bytes > size &&
            (found == KERNELS_MAX ||
             summary->kernel[k]->buffer_bytes < summary->kernel[found]->buffer_bytes))
            found = k;
    return found;
}

/*
 * Draws kernel k and those after it until a piece of HTML is full. Returns the last kernel drawn.
 */
static unsigned put_piece(struct summary *summary, const struct figure *figure, unsigned series,
                          bool points, unsigned k)
{
    struct out *out = html_piece(&summary->html);
    unsigned last = k;

    out_printf(out, "<path class=\"s%u%s\" d=\"", series, points ? " points" : "");
    for (unsigned i = 0; i < PIECE_POINTS && k < KERNELS_MAX; i++) {
        const uint64_t size = summary->kernel[k]->buffer_bytes;

        out_printf(out, "%c%u %u%s", i == 0 || points ? 'M' : 'L', x_of(figure, size),
                   y_of(figure, value_of(summary, figure, k)), points ? "h0" : "");
        last = k;
        k = next_of(summary, figure, series, size);
    }
    out_text(out, "\"/>\n");
    html_put(&summary->html);
    return last;
}

static void put_path(struct summary *summary, const struct figure *figure, unsigned series,
                     bool points)
{
    unsigned from = next_of(summary, figure, series, 0);

    do
        from = put_piece(summary, figure, series, points, from);
    while (next_of(summary, figure, series, summary->kernel[from]->buffer_bytes) < KERNELS_MAX);
}

static void put_key(struct html *html, const struct figure *figure)
{
    html_write(html, "<p class=\"key\">");
    for (unsigned i = 0; i < figure->series; i++) {
        struct out *out = html_piece(html);

        out_printf(
            out, "<span><svg viewBox=\"0 0 300 100\"><path class=\"s%u\" d=\"M0 50H300\"/></svg> ",
            i);
        html_escape(out, figure->label[i]);
        out_text(out, "</span>\n");
        html_put(html);
    }
    html_write(html, "</p></figure>\n");
}

static void put_figure(struct summary *summary, const struct figure *figure)
{
    struct html *html = &summary->html;
    const struct summary_type *type = &summary->type[figure->type];
    struct out *out;

    if (log2_of(figure->size_low) == log2_of(figure->size_high))
        return;
    if (html->bytes + FIGURE_BYTES > html->limit) {
        html->left_out++;
        return;
    }
    if (summary->drawings++ == 0)
        html_write(html, "<h2>By size of the buffer</h2>\n<div class=\"figures\">\n");
    out = html_piece(html);
    out_printf(out, "<figure><figcaption><b>%s</b>, %s, CPU&#160;%u%s%s</figcaption>\n",
               figure->sweep->title, figure->sweep->unit, type->first, type->name[0] ? ", " : "",
               type->name);
    out_printf(out, "<svg viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"%s by bytes of the ",
               WIDTH, HEIGHT, figure->sweep->title);
    out_text(out, "buffer\">\n");
    html_write(html, out_end(out));
    put_sizes(html, figure);
    put_values(html, figure);
    for (unsigned i = 0; i < figure->series; i++) {
        put_path(summary, figure, i, false);
        put_path(summary, figure, i, true);
    }
    out = html_piece(html);
    out_printf(out, "<text x=\"%u\" y=\"%u\">bytes of the buffer</text></svg>\n",
               (LEFT + RIGHT) / 2, BOTTOM + 370);
    html_write(html, out_end(out));
    put_key(html, figure);
}

static void draw(struct summary *summary, unsigned type, const struct sweep *sweep)
{
    static struct figure figure;

    figure.type = type;
    figure.sweep = sweep;
    for (unsigned k = 0; k < KERNELS_MAX; k++)
        figure.is_done[k] = false;
    while (gather(summary, &figure))
        put_figure(summary, &figure);
}

void summary_put_sweeps(struct summary *summary)
{
    struct html *html = &summary->html;

    summary->drawings = 0;
    html_limit(html, SWEEPS_UP_TO_KIB << 10);
    for (unsigned type = 0; type < summary->types; type++)
        for (unsigned i = 0; i < sizeof(SWEEPS) / sizeof(SWEEPS[0]); i++)
            draw(summary, type, &SWEEPS[i]);
    if (summary->drawings > 0)
        html_write(html,
                   "</div>\n<p class=\"small\">Medians, both axes logarithmic. Not drawn: kernels "
                   "with a failed row, and kernels measured before they had gone through their "
                   "whole buffer. Cycles per load: cycles at 2n minus cycles at n, divided by the "
                   "loads at n. GB/s: bytes moved divided by time, both at n; a copied byte counts "
                   "once.</p>\n");
    html_put_left_out(&summary->html, "drawing", "results.csv");
}
