/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernels another CPU, which --for names, can run. */
#include "kernels/list.h"
#include "pmu/cpu/features.h"
#include "pmu/report/report.h"
#include "scripts/linux/other.h"
#include "scripts/linux/screen.h"

#define TITLE_INDENT  6
#define LINE_INDENT   10 /* of continued lines */
#define LACKING_SHOWN 8u
#define LACKING_BYTES 800u
#define WHERE_IT_HAS  ", if the product and firmware have what they need"

struct kernels_listed {
    const struct other_cpus *cpus;
    unsigned kernels;
    unsigned lacking; /* kernels that no kind of core can run */
};

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

/* Says which kinds of core cannot run a listed kernel. */
static void put_lacking(void *context, const struct kernel_record *kernel, struct out *to)
{
    struct kernels_listed *listed = context;
    const struct other_cpus *cpus = listed->cpus;
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
    listed->kernels++;
    listed->lacking += lacking > 0 && lacking == cpus->count;
}

static void put_end(const struct kernels_listed *listed, struct out *to)
{
    const struct other_cpus *cpus = listed->cpus;
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
    else if (listed->lacking == listed->kernels)
        out_text(&out, ": none of them can run there");
    else if (listed->lacking > 0)
        out_printf(&out, ": %u of them cannot run there; the others can%s" WHERE_IT_HAS,
                   listed->lacking, types);
    else
        out_printf(&out, ": all of them can run there%s" WHERE_IT_HAS, types);
    report_wrapped(out_end(&out), 2, to);
}

bool other_list_kernels(const struct kernel_offer *offer, const char *pattern,
                        const struct other_cpus *cpus, struct out *to)
{
    struct kernels_listed listed = {.cpus = cpus};

    if (!kernels_list(offer, pattern, put_lacking, &listed, to))
        return false;
    put_end(&listed, to);
    return true;
}

void other_say_kernels(void *context, const struct other_cpu *cpu)
{
    const struct linux_run *run = context;
    const struct chosen_kernel *kernel = run->kernel;
    char text[LACKING_BYTES];
    struct out out = out_buffer(text, sizeof(text));
    unsigned lacking = 0, shown = 0;
    uint64_t features = 0;

    for (unsigned i = 0; i < run->kernels; i++) {
        const uint64_t lacks = caps_lacks(&cpu->caps, kernel[i].record->cpu_features);

        lacking += lacks != 0;
        features |= lacks;
    }
    if (lacking == 0)
        return;
    out_printf(&out, "Kernels   cannot run there: %u; %s has ", lacking, no_cpu(cpu));
    cpu_features_words(features, &out);
    for (unsigned i = 0; i < run->kernels && shown < LACKING_SHOWN; i++)
        if (caps_lacks(&cpu->caps, kernel[i].record->cpu_features))
            out_printf(&out, "%s%s", shown++ == 0 ? ": " : ", ", kernel[i].record->name);
    if (lacking > shown)
        out_printf(&out, " and %u more", lacking - shown);
    report_wrapped(out_end(&out), LINE_INDENT, screen_out());
    out_flush(screen_out());
}
