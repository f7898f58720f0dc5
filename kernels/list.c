/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists kernels by family. A full list ends with the families, so that they remain on the screen
 * when the kernels have scrolled off.
 */
#include "kernels/chosen.h"
#include "kernels/list.h"
#include "pmu/base/nearest.h"
#include "pmu/base/text.h"

#define COLUMNS LIST_COLUMNS

/* Columns, from 0. A name that is too long shifts the columns after it. */
#define N_COLUMN        22
#define BUFFER_COLUMN   29
#define ARGUMENT_COLUMN 36
#define FAMILY_COLUMNS  20 /* for a family's name and its number of kernels */

static bool is_listed(const struct kernel_record *kernel, const char *pattern)
{
    return piece_holds(piece_of(kernel->name), pattern) ||
           piece_holds(piece_of(kernel->family), pattern);
}

static void put_heads(struct out *to)
{
    char text[COLUMNS + 1];
    struct out out = out_buffer(text, sizeof(text));

    out_text(&out, "  kernel");
    out_pad(&out, 0, N_COLUMN);
    out_text(&out, " n");
    out_pad(&out, 0, BUFFER_COLUMN);
    out_text(&out, " buffer");
    out_pad(&out, 0, ARGUMENT_COLUMN);
    out_printf(to, "%s argument, title\n", out_end(&out));
}

static void put_kernel(const struct kernel_record *kernel, struct out *to)
{
    char text[COLUMNS + 1];
    struct out out = out_buffer(text, sizeof(text));
    bool fits;

    out_printf(&out, "  %s", kernel->name);
    out_pad(&out, 0, N_COLUMN);
    out_printf(&out, " n=%llu", (unsigned long long)kernel->default_n);
    out_pad(&out, 0, BUFFER_COLUMN);
    out_char(&out, ' ');
    if (kernel->buffer_bytes > 0)
        out_size(&out, kernel->buffer_bytes);
    out_pad(&out, 0, ARGUMENT_COLUMN);
    if (kernel->argument[0])
        out_printf(&out, " %s=%u..%u", kernel->argument, kernel->argument_low,
                   kernel->argument_high);
    fits = out.used + 1 + text_length(kernel->title) <= COLUMNS;
    while (!fits && text[out.used - 1] == ' ')
        out.used--;
    out_printf(to, "%s%s%s\n", out_end(&out), fits ? " " : "\n      ", kernel->title);
}

static bool is_first(const struct kernel_offer *offer, unsigned number, const char *pattern)
{
    for (unsigned i = 0; i < number; i++)
        if (text_same(offer->kernel[i]->family, offer->kernel[number]->family) &&
            is_listed(offer->kernel[i], pattern))
            return false;
    return is_listed(offer->kernel[number], pattern);
}

static unsigned kernels_of(const struct kernel_offer *offer, const char *family)
{
    unsigned count = 0;

    for (unsigned i = 0; i < offer->kernels; i++)
        count += text_same(offer->kernel[i]->family, family);
    return count;
}

static void put_families(const struct kernel_offer *offer, struct out *to)
{
    char text[COLUMNS + 1];
    struct out out = out_buffer(text, sizeof(text));

    out_printf(to,
               "\nAll families; --list-kernels NAME shows kernels and families named *NAME*:\n");
    for (unsigned f = 0; f < offer->kernels; f++) {
        const char *family = offer->kernel[f]->family;
        size_t column = (out.used + FAMILY_COLUMNS) / FAMILY_COLUMNS * FAMILY_COLUMNS;

        if (!is_first(offer, f, ""))
            continue;
        if (out.used > 0 && column + text_length(family) + sizeof(" 1024") > COLUMNS) {
            out_printf(to, "%s\n", out_end(&out));
            out = out_buffer(text, sizeof(text));
        }
        if (out.used > 0)
            out_pad(&out, 0, column);
        out_printf(&out, "%s %u", family, kernels_of(offer, family));
    }
    out_printf(to, "%s\n", out_end(&out));
}

static void put_nearest(const struct kernel_offer *offer, const char *pattern, struct out *to)
{
    struct nearest best = nearest_to(piece_of(pattern));

    for (unsigned i = 0; i < offer->kernels; i++) {
        nearest_consider(&best, piece_of(offer->kernel[i]->name));
        nearest_consider(&best, piece_of(offer->kernel[i]->family));
    }
    nearest_say(&best, to);
}

bool kernels_list(const struct kernel_offer *offer, const char *pattern, kernel_remark *remark,
                  void *context, struct out *to)
{
    unsigned families = 0, listed = 0;
    char number[COUNTED_BYTES];

    for (unsigned f = 0; f < offer->kernels; f++) {
        if (!is_first(offer, f, pattern))
            continue;
        if (families++ == 0)
            put_heads(to);
        out_printf(to, "%s\n", offer->kernel[f]->family);
        for (unsigned i = f; i < offer->kernels; i++) {
            if (!text_same(offer->kernel[i]->family, offer->kernel[f]->family) ||
                !is_listed(offer->kernel[i], pattern))
                continue;
            put_kernel(offer->kernel[i], to);
            if (remark)
                remark(context, offer->kernel[i], to);
            listed++;
        }
    }
    if (!pattern[0])
        put_families(offer, to);
    out_printf(to, "%s in %u %s", counted(listed, "kernel", number), families,
               families == 1 ? "family" : "families");
    if (pattern[0])
        out_printf(to, " with '%s' in the name of the kernel or its family", pattern);
    if (listed == 0)
        put_nearest(offer, pattern, to);
    out_text(to, "\n");
    return listed > 0;
}
