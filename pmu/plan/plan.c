/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses a plan, section by section. */
#include "pmu/cpu/caps.h"
#include "pmu/counters/event.h"
#include "pmu/plan/keys.h"
#include "pmu/base/nearest.h"
#include "pmu/base/text.h"
#include "pmu/plan/plan.h"

#define VERSION_LINE "version=1"

/* The sections, by the first word in the brackets. */
static const struct {
    const char *word;
    const char *form;                                   /* for messages */
    bool named;                                         /* a name follows the word */
    bool (*begin)(struct parser *p, struct piece name); /* null: nothing to do */
    plan_line *line;
} SECTIONS[] = {
    {"run", "[run]", false, 0, plan_run_line},
    {"state", "[state]", false, 0, plan_state_line},
    {"results", "[results]", false, 0, plan_results_line},
    {"kernels", "[kernels]", false, plan_kernels_begin, plan_kernels_line},
    {"events", "[events NAME]", true, plan_events_begin, plan_events_line},
    {"msr", "[msr before], [msr after]", true, plan_msr_begin, plan_msr_line},
    {"code", "[code NAME]", true, plan_code_begin, plan_code_line},
};
#define SECTIONS_COUNT (sizeof(SECTIONS) / sizeof(SECTIONS[0]))

static void skip_line(struct parser *p, struct piece line)
{
    (void)p;
    (void)line;
}

/* Names the sections most similar to a word or, if none is similar, all sections. */
static void say_sections(struct piece word, struct out *out)
{
    struct nearest best = nearest_to(word);
    bool first = true;

    for (unsigned i = 0; i < SECTIONS_COUNT; i++)
        nearest_consider(&best, piece_of(SECTIONS[i].word));
    out_text(out, best.count > 0 ? "nearest: " : "expected ");
    for (unsigned i = 0; i < SECTIONS_COUNT; i++) {
        bool is_like = best.count == 0;

        for (unsigned k = 0; k < best.count; k++)
            is_like |= piece_is(best.name[k], SECTIONS[i].word);
        if (is_like)
            out_printf(out, "%s%s", first ? "" : ", ", SECTIONS[i].form);
        first &= !is_like;
    }
}

static void section_error(struct parser *p, struct piece line, struct piece word)
{
    char known[PLAN_ERROR_BYTES], shown[PLAN_NAME_BYTES];
    struct out out = out_buffer(known, sizeof(known));

    say_sections(word, &out);
    plan_add_error(p->plan, p->line, "unknown section '%s'; all its lines are left out; %s",
                   piece_show(line, shown), out_end(&out));
}

static void take_section(struct parser *p, struct piece line)
{
    struct piece behind, name, word;
    struct piece inside = piece_cut((struct piece){line.at + 1, line.size - 1}, ']', &behind);
    bool closed = line.size == inside.size + 2; /* ']' is last; no blanks next to '[' and ']' */

    name = inside;
    word = word_next(&name);
    p->section = skip_line;
    for (unsigned i = 0; closed && i < SECTIONS_COUNT; i++) {
        if (!piece_is(word, SECTIONS[i].word) || (name.size > 0 && !SECTIONS[i].named))
            continue;
        if (!SECTIONS[i].begin || SECTIONS[i].begin(p, name))
            p->section = SECTIONS[i].line;
        return;
    }
    section_error(p, line, word);
}

static void take_line(struct parser *p, struct piece line)
{
    char shown[PLAN_NAME_BYTES];

    if (line.at[0] == '[')
        take_section(p, line);
    else if (p->section)
        p->section(p, line);
    else
        plan_add_error(p->plan, p->line, "expected [run] before '%s'", piece_show(line, shown));
}

void plan_default(struct plan *plan, array_memory *memory)
{
    __builtin_memset(plan, 0, sizeof(*plan)); /* an initialiser might need a copy on the stack */
    plan->memory = memory;
    plan->runs = PLAN_RUNS_DEFAULT;
    plan->warmup = PLAN_WARMUP_DEFAULT;
    plan->timeout_ms = PLAN_TIMEOUT_MS;
    plan->noise_ms = PLAN_NOISE_MS;
    plan->noise_threshold_ns = PLAN_NOISE_NS;
    plan->rings = RING_OS;
    plan->default_events = true;
}

/* UTF-16 text begins with a byte-order mark, or exactly one of its first two bytes is zero. */
static bool is_utf16(const char *text, size_t size)
{
    uint8_t first, second;

    if (size < 2)
        return false;
    first = (uint8_t)text[0];
    second = (uint8_t)text[1];
    return (first == 0xff && second == 0xfe) || (first == 0xfe && second == 0xff) ||
           (first == 0) != (second == 0);
}

static bool has_utf8_mark(const char *text, size_t size)
{
    return size >= 3 && (uint8_t)text[0] == 0xef && (uint8_t)text[1] == 0xbb &&
           (uint8_t)text[2] == 0xbf;
}

void plan_parse(const char *text, size_t size, struct plan *plan, array_memory *memory)
{
    struct parser p = {.plan = plan};
    bool version_seen = false;
    size_t start = has_utf8_mark(text, size) ? 3 : 0;

    plan_default(plan, memory);
    if (is_utf16(text, size)) {
        plan_add_error(plan, 1, "the plan is UTF-16 text; save it as UTF-8 or ANSI text");
        return;
    }
    while (start < size) {
        size_t end = start;
        struct piece line, comment;

        while (end < size && text[end] != '\n')
            end++;
        p.line++;
        line = piece_cut((struct piece){text + start, end - start}, '#', &comment);
        start = end + 1;
        if (line.size == 0)
            continue;
        if (!version_seen && !piece_is(line, VERSION_LINE))
            plan_add_error(plan, p.line, "expected " VERSION_LINE " as the first line");
        if (version_seen || !piece_is(line, VERSION_LINE))
            take_line(&p, line);
        version_seen = true;
    }
    if (!version_seen)
        plan_add_error(plan, 1, "the plan is empty; expected " VERSION_LINE " as the first line");
    plan_run_end(&p);
    plan_kernels_end(&p);
    plan_events_end(&p);
    plan_msr_end(&p);
    plan_code_end(&p);
}

void plan_refuse_unsigned(struct plan *plan)
{
    for (unsigned i = 0; i < plan->codes; i++)
        plan_add_error(
            plan, plan->code[i].line,
            "Secure Boot is on, so code in a plan that is not signed is left out; " PLAN_SIGN_IT);
    plan->codes = 0;
    if (!plan->unsafe_msr)
        return;
    plan_add_error(
        plan, plan->unsafe_line,
        "Secure Boot is on, so a plan that is not signed has unsafe_msr=no; " PLAN_SIGN_IT);
    plan->unsafe_msr = false;
    plan_msr_keep_safe(plan);
}

void plan_override(struct plan *plan, const char *setting)
{
    struct parser p = {.plan = plan};

    plan_run_line(&p, piece_of(setting));
}

void plan_add_kernels(struct plan *plan, const char *line)
{
    struct parser p = {.plan = plan};

    plan_kernels_line(&p, piece_of(line));
}

bool plan_has_cpu(const struct plan *plan, unsigned number, const struct plan_cpu *cpu)
{
    switch (plan->cpus) {
    case CPUS_ALL:
        return true;
    case CPUS_BOOT:
        return cpu->boot;
    case CPUS_BOOT_CORE:
        return cpu->boot_core;
    case CPUS_ONE_PER_CORE:
        return cpu->first_of_core;
    case CPUS_PERFORMANCE:
        return !core_type_is_efficient(cpu->core_type);
    case CPUS_EFFICIENCY:
        return core_type_is_efficient(cpu->core_type);
    case CPUS_LISTED:
        return number < PLAN_CPUS_MAX && plan->listed[number / 8] >> number % 8 & 1;
    }
    return false;
}

#define US_PER_MS 1000ull

uint64_t plan_explained_us(uint64_t n, uint64_t buffer_bytes)
{
    return 2 * n * PLAN_BOUND_US_PER_N + buffer_bytes / PLAN_CLEARED_BYTES_PER_US;
}

uint64_t plan_window_us(const struct plan *plan, uint64_t n, uint64_t buffer_bytes)
{
    return plan->timeout_ms * US_PER_MS + plan_explained_us(n, buffer_bytes);
}
