/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses [kernels]. A kernel runs with each combination of its parameters' values. */
#include "pmu/base/nearest.h"
#include "pmu/plan/keys.h"
#include "pmu/plan/sweep.h"
#include "pmu/base/text.h"
#include "pmu/cpu/mtrr.h"

/* In the order of nesting: the last parameter changes fastest. */
enum parameter {
    PARAMETER_N,
    PARAMETER_MEMORY,
    PARAMETER_PAGE,
    PARAMETER_ARGUMENT, /* the kernel's own argument */
    PARAMETER_SIZE,
    PARAMETERS
};

static bool read_memory(struct piece piece, uint64_t *value)
{
    *value = plan_find_word(piece, MEMORY_WORDS) + MEMORY_WB;
    return *value <= MEMORY_UC;
}

static bool read_page(struct piece piece, uint64_t *value)
{
    return piece_size(piece, value) &&
           (*value == 4u << 10 || *value == 2u << 20 || *value == 1u << 30);
}

static const struct sweep_parameter PARAMETER[PARAMETERS] = {
    [PARAMETER_N] = {"n", piece_size, 1, PLAN_N_MAX, 0},
    [PARAMETER_MEMORY] = {"memory", read_memory, 1, UINT32_MAX, "wb, wt, wc or uc"},
    [PARAMETER_PAGE] = {"page", read_page, 1, UINT32_MAX, "4K, 2M or 1G"},
    [PARAMETER_ARGUMENT] = {"", piece_size, 0, UINT32_MAX, 0},
    [PARAMETER_SIZE] = {"size", piece_size, 1, PLAN_SIZE_MAX, 0},
};

const char *const PLAN_PARAMETERS[] = {"n", "size", "page", "memory", 0};

struct entry {
    struct piece name;
    char argument[PLAN_NAME_BYTES]; /* the argument's name */
    struct sweep_parameter parameter[PARAMETERS];
    bool given[PARAMETERS];
    struct piece values[PARAMETERS];
};

bool plan_kernels_begin(struct parser *p, struct piece name)
{
    struct plan *plan = p->plan;

    (void)name;
    plan->kernels_section = p->line;
    if (plan->kernels_line == 0)
        return true;
    plan_add_error(plan, plan->kernels_line,
                   "kernels: the section [kernels] below is used instead");
    plan->kernels_line = 0;
    plan->kernels = 0;
    return true;
}

/* Whether a key has the form of an argument's name in kernels/kernel.h. */
static bool is_argument(struct piece key)
{
    for (size_t i = 0; i < key.size; i++)
        if ((key.at[i] < 'a' || key.at[i] > 'z') && key.at[i] != '_')
            return false;
    return key.size > 0 && key.size < PLAN_ARGUMENT_BYTES;
}

/* Returns PARAMETERS if the key is no parameter. */
static unsigned find_parameter(struct piece key)
{
    for (unsigned i = 0; i < PARAMETERS; i++)
        if (i != PARAMETER_ARGUMENT && piece_is(key, PARAMETER[i].name))
            return i;
    return is_argument(key) ? PARAMETER_ARGUMENT : PARAMETERS;
}

static bool take_parameter(struct parser *p, struct piece word, struct entry *entry)
{
    struct piece values;
    struct piece key = piece_cut(word, '=', &values);
    unsigned i = key.size < word.size ? find_parameter(key) : PARAMETERS;
    char text[PLAN_ERROR_BYTES], shown[PLAN_NAME_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (i == PARAMETERS) {
        if (key.size == word.size && PLAN_PARAMETERS[plan_find_word(key, PLAN_PARAMETERS)])
            out_text(&out, "; no blanks are allowed around '='");
        else
            nearest_say_word(key, PLAN_PARAMETERS, &out);
        plan_add_error(p->plan, p->line,
                       "expected n=, size=, page=, memory= or an argument of the kernel, without "
                       "blanks, found '%s'%s",
                       piece_show(word, shown), out_end(&out));
        return false;
    }
    if (entry->given[i] && i == PARAMETER_ARGUMENT && !piece_is(key, entry->argument)) {
        plan_add_error(p->plan, p->line, "%s= after %s=: a kernel has at most one argument",
                       piece_show(key, shown), entry->argument);
        return false;
    }
    entry->parameter[i] = PARAMETER[i];
    if (i == PARAMETER_ARGUMENT)
        entry->parameter[i].name = piece_show(key, entry->argument);
    if (entry->given[i]) {
        plan_add_error(p->plan, p->line, "%s appears twice in this line", entry->parameter[i].name);
        return false;
    }
    entry->given[i] = true;
    entry->values[i] = values;
    return true;
}

/*
 * Returns the number of a parameter's values, at most PLAN_KERNELS_MAX + 1. Returns 1 if the
 * parameter is not given, and 0 after an error.
 */
static unsigned count_values(struct parser *p, const struct entry *entry, enum parameter parameter)
{
    char text[PLAN_ERROR_BYTES];
    struct out why = out_buffer(text, sizeof(text));
    struct sweep sweep;
    uint64_t value;
    unsigned count = 0;

    if (!entry->given[parameter])
        return 1;
    sweep_begin(&sweep, &entry->parameter[parameter], entry->values[parameter]);
    while (count <= PLAN_KERNELS_MAX && sweep_next(&sweep, &value, &why))
        count++;
    if (why.used == 0)
        return count;
    plan_add_error(p->plan, p->line, "%s", out_end(&why));
    return 0;
}

/*
 * *value gets a parameter's first value, and *sweep the values after it. If the parameter is not
 * given, both are 0. count_values() has checked the values.
 */
static void first_value(struct sweep *sweep, const struct entry *entry, unsigned parameter,
                        uint64_t *value)
{
    struct out none = {0};

    *value = 0;
    *sweep = (struct sweep){0};
    if (!entry->given[parameter])
        return;
    sweep_begin(sweep, &entry->parameter[parameter], entry->values[parameter]);
    sweep_next(sweep, value, &none);
}

static bool next_values(struct sweep sweeps[PARAMETERS], const struct entry *entry,
                        uint64_t values[PARAMETERS])
{
    struct out none = {0};

    for (unsigned i = PARAMETERS; i-- > 0;) {
        if (entry->given[i] && sweep_next(&sweeps[i], &values[i], &none))
            return true;
        first_value(&sweeps[i], entry, i, &values[i]);
    }
    return false;
}

static void add_entries(struct parser *p, const struct entry *entry)
{
    struct sweep sweeps[PARAMETERS];
    uint64_t values[PARAMETERS];

    for (unsigned i = 0; i < PARAMETERS; i++)
        first_value(&sweeps[i], entry, i, &values[i]);
    do {
        struct plan_kernel *kernel = &p->plan->kernel[p->plan->kernels++];

        *kernel = (struct plan_kernel){
            .line = p->line,
            .n = values[PARAMETER_N],
            .size = values[PARAMETER_SIZE],
            .argument_value = (uint32_t)values[PARAMETER_ARGUMENT],
            .page_bytes = (uint32_t)values[PARAMETER_PAGE],
            .memory = (uint32_t)values[PARAMETER_MEMORY],
        };
        piece_show(entry->name, kernel->name);
        text_copy(kernel->argument, sizeof(kernel->argument), entry->argument);
    } while (next_values(sweeps, entry, values));
}

void plan_kernels_line(struct parser *p, struct piece line)
{
    struct plan *plan = p->plan;
    struct entry entry = {.name = word_next(&line)};
    uint64_t entries = 1;
    char shown[PLAN_NAME_BYTES];

    if (piece_cut(entry.name, ',', &(struct piece){0}).size < entry.name.size) {
        plan_add_error(plan, p->line, "expected one kernel per line, found '%s'",
                       piece_show(entry.name, shown));
        return;
    }
    if (entry.name.size >= PLAN_NAME_BYTES) {
        plan_add_error(plan, p->line,
                       "expected a kernel's name of at most %u characters, found '%s'",
                       PLAN_NAME_BYTES - 1, piece_show(entry.name, shown));
        return;
    }
    while (line.size > 0)
        if (!take_parameter(p, word_next(&line), &entry))
            return;
    for (unsigned i = 0; i < PARAMETERS; i++)
        entries *= count_values(p, &entry, i);
    if (entries == 0)
        return;
    if (entries <= PLAN_KERNELS_MAX - plan->kernels)
        add_entries(p, &entry);
    else
        plan_add_error(
            plan, p->line,
            "expected at most %u kernels (each combination of values counts as one); %u are above, "
            "and this line has more than %u",
            PLAN_KERNELS_MAX, plan->kernels, PLAN_KERNELS_MAX - plan->kernels);
}

void plan_kernels_end(struct parser *p)
{
    if (p->plan->kernels == 0)
        plan_no_kernels(p->plan);
}

void plan_no_kernels(struct plan *plan)
{
    if (plan->kernels_section)
        plan_add_error(plan, plan->kernels_section,
                       "[kernels]: none of its lines can be used; kernels=default is run");
    else if (plan->kernels_line)
        plan_add_error(plan, plan->kernels_line,
                       "kernels: none of its names can be used; kernels=default is run");
}
