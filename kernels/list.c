/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists kernels by family. A full list ends with the families, so that they remain on the screen
 * when the kernels have scrolled off.
 */
#include "kernels/chosen.h"
#include "kernels/list.h"
#include "pmu/base/nearest.h"
#include "pmu/base/text.h"
#include "pmu/cpu/features.h"
#include "pmu/report/report.h"

#define COLUMNS LIST_COLUMNS

/* Columns, from 0. A name that is too long shifts the columns after it. */
#define N_COLUMN        22
#define BUFFER_COLUMN   29
#define ARGUMENT_COLUMN 36
#define FAMILY_COLUMNS  20 /* for a family's name and its number of kernels */
#define TITLE_INDENT    6
#define LINE_INDENT     10 /* of continued lines */
#define LACKING_SHOWN   8u
#define LACKING_BYTES   800u
#define WHERE_IT_HAS    ", if the product and firmware have what they need"

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

/*
 * The subject of a sentence about a missing feature. If only the CPU's model is known, the sentence
 * says that no CPU of this model has the feature. If data of the machine itself were read, the
 * sentence is only about the CPUs of that machine, because its firmware may have switched the
 * feature off.
 */
static const char *no_cpu(const struct other_cpu *cpu)
{
    return cpu->is_read ? "no CPU there" : "no such CPU";
}

static bool put_lacking(const struct kernel_record *kernel, const struct other_cpus *cpus,
                        struct out *to)
{
    unsigned lacking = 0;

    for (unsigned i = 0; i < cpus->count; i++) {
        const struct cpu_caps *caps = &cpus->cpu[i].caps;
        const uint64_t lacks = caps_lacks(caps, kernel->cpu_features);

        if (lacks == 0)
            continue;
        lacking++;
        out_printf(to, "%*scannot run: %s", TITLE_INDENT, "", no_cpu(&cpus->cpu[i]));
        if (caps_hybrid_type(caps))
            out_printf(to, " of type %s", caps_core_type_name(caps));
        out_text(to, " has ");
        cpu_features_words(lacks, to);
        out_char(to, '\n');
    }
    return lacking > 0 && lacking == cpus->count;
}

void kernels_list_lacking(const struct chosen_kernel *kernel, unsigned kernels,
                          const struct other_cpu *cpu, struct out *to)
{
    char text[LACKING_BYTES];
    struct out out = out_buffer(text, sizeof(text));
    unsigned lacking = 0, shown = 0;
    uint64_t features = 0;

    for (unsigned i = 0; i < kernels; i++) {
        const uint64_t lacks = caps_lacks(&cpu->caps, kernel[i].record->cpu_features);

        lacking += lacks != 0;
        features |= lacks;
    }
    if (lacking == 0)
        return;
    out_printf(&out, "Kernels   cannot run there: %u; %s has ", lacking, no_cpu(cpu));
    cpu_features_words(features, &out);
    for (unsigned i = 0; i < kernels && shown < LACKING_SHOWN; i++)
        if (caps_lacks(&cpu->caps, kernel[i].record->cpu_features))
            out_printf(&out, "%s%s", shown++ == 0 ? ": " : ", ", kernel[i].record->name);
    if (lacking > shown)
        out_printf(&out, " and %u more", lacking - shown);
    report_wrapped(out_end(&out), LINE_INDENT, to);
}

static void put_other(const struct other_cpus *cpus, unsigned listed, unsigned lacking,
                      struct out *to)
{
    const char *types = cpus->count > 1 ? " on at least one core type" : "";
    char text[OTHER_CORE_TYPES * OTHER_WORDS_BYTES + LACKING_BYTES];
    struct out out = out_buffer(text, sizeof(text));
    bool known = true;

    out_text(&out, "For ");
    for (unsigned i = 0; i < cpus->count; i++) {
        out_text(&out, i == 0 ? "" : " and ");
        other_cpu_words(&cpus->cpu[i], &out);
        known &= other_cpu_features_known(&cpus->cpu[i]);
    }
    if (!known)
        out_text(&out, ": its features are not known");
    else if (lacking == listed)
        out_text(&out, ": none of them can run there");
    else if (lacking > 0)
        out_printf(&out, ": %u of them cannot run there; the others can%s" WHERE_IT_HAS, lacking,
                   types);
    else
        out_printf(&out, ": all of them can run there%s" WHERE_IT_HAS, types);
    report_wrapped(out_end(&out), 2, to);
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

bool kernels_list(const struct kernel_offer *offer, const struct other_cpus *cpus,
                  const char *pattern, struct out *to)
{
    unsigned families = 0, listed = 0, lacking = 0;
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
            lacking += cpus && put_lacking(offer->kernel[i], cpus, to);
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
    if (cpus && listed > 0)
        put_other(cpus, listed, lacking, to);
    return listed > 0;
}
