/* SPDX-License-Identifier: BSD-2-Clause */
/* [kernels]: a name, and its parameters with all their values. */
#include "plan_keys.h"
#include "plan_sweep.h"
#include "word.h"

enum parameter { PARAMETER_N, PARAMETER_SIZE, PARAMETERS };

static const struct sweep_parameter PARAMETER[PARAMETERS] = {
    [PARAMETER_N] = {"n", piece_number, 1, PLAN_N_MAX},
    [PARAMETER_SIZE] = {"size", piece_size, 1, PLAN_SIZE_MAX},
};

/* A line as it was understood. */
struct entry {
    struct piece name;
    bool given[PARAMETERS];
    struct piece values[PARAMETERS];
};

bool plan_kernels_begin(struct parser *p, struct piece name)
{
    (void)name;
    p->kernels_section = p->line;
    if (p->kernels_line == 0)
        return true;
    plan_complain(p->plan, p->kernels_line, "kernels: the section [kernels] below holds instead");
    p->kernels_line = 0;
    p->plan->kernels = 0;
    return true;
}

static bool take_parameter(struct parser *p, struct piece word, struct entry *entry)
{
    struct piece values;
    struct piece key = piece_cut(word, '=', &values);
    char shown[PLAN_NAME_BYTES];

    for (unsigned i = 0; i < PARAMETERS; i++) {
        if (key.size == word.size || !piece_is(key, PARAMETER[i].name))
            continue;
        if (entry->given[i]) {
            plan_complain(p->plan, p->line, "%s stands twice in this line", PARAMETER[i].name);
            return false;
        }
        entry->given[i] = true;
        entry->values[i] = values;
        return true;
    }
    plan_complain(p->plan, p->line, "expected n=... or size=... without blanks in it, found '%s'",
                  piece_show(word, shown));
    return false;
}

/* How many values a parameter has, more than there is room for counting as one too many. 0: wrong.
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
    sweep_begin(&sweep, &PARAMETER[parameter], entry->values[parameter]);
    while (count <= PLAN_KERNELS_MAX && sweep_next(&sweep, &value, &why))
        count++;
    if (why.used == 0)
        return count;
    plan_complain(p->plan, p->line, "%s", out_end(&why));
    return 0;
}

/* The next value, or once 0 for a parameter that is not given. Its values are known to be good. */
static bool next_value(struct sweep *sweep, const struct entry *entry, enum parameter parameter,
                       bool first, uint64_t *value)
{
    struct out none = {0};

    *value = 0;
    if (!entry->given[parameter])
        return first;
    if (first)
        sweep_begin(sweep, &PARAMETER[parameter], entry->values[parameter]);
    return sweep_next(sweep, value, &none);
}

static void add_entries(struct parser *p, const struct entry *entry)
{
    struct sweep n_sweep, size_sweep;
    uint64_t n, size;

    for (bool first = true; next_value(&n_sweep, entry, PARAMETER_N, first, &n); first = false)
        for (bool one = true; next_value(&size_sweep, entry, PARAMETER_SIZE, one, &size);
             one = false) {
            struct plan_kernel *kernel = &p->plan->kernel[p->plan->kernels++];

            *kernel = (struct plan_kernel){.line = p->line, .n = n, .size = size};
            piece_show(entry->name, kernel->name);
        }
}

void plan_kernels_line(struct parser *p, struct piece line)
{
    struct plan *plan = p->plan;
    struct entry entry = {.name = word_next(&line)};
    unsigned ns, sizes;
    char shown[PLAN_NAME_BYTES];

    if (entry.name.size >= PLAN_NAME_BYTES) {
        plan_complain(plan, p->line,
                      "expected a kernel's name of at most %u characters, found '%s'",
                      PLAN_NAME_BYTES - 1, piece_show(entry.name, shown));
        return;
    }
    while (line.size > 0)
        if (!take_parameter(p, word_next(&line), &entry))
            return;
    ns = count_values(p, &entry, PARAMETER_N);
    sizes = count_values(p, &entry, PARAMETER_SIZE);
    if (ns == 0 || sizes == 0)
        return;
    if (ns * sizes <= PLAN_KERNELS_MAX - plan->kernels)
        add_entries(p, &entry);
    else
        plan_complain(plan, p->line,
                      "expected at most %u kernels with all their values; %u stand above, and this "
                      "line has more than %u",
                      PLAN_KERNELS_MAX, plan->kernels, PLAN_KERNELS_MAX - plan->kernels);
}

void plan_kernels_end(struct parser *p)
{
    if (p->kernels_section && p->plan->kernels == 0)
        plan_complain(p->plan, p->kernels_section,
                      "[kernels]: no line of it can be used; all kernels are run");
}
