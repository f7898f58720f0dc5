/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan_keys.h"

static bool number(struct piece piece, uint64_t *value)
{
    *value = 0;
    if (piece.size == 0 || piece.size > 18)
        return false;
    for (size_t i = 0; i < piece.size; i++) {
        if (piece.at[i] < '0' || piece.at[i] > '9')
            return false;
        *value = *value * 10 + (uint64_t)(piece.at[i] - '0');
    }
    return true;
}

static bool take_number(struct parser *p, const char *key, struct piece value, uint64_t low,
                        uint64_t high, uint64_t *to)
{
    char shown[PLAN_NAME_BYTES];
    uint64_t found;

    if (number(value, &found) && found >= low && found <= high) {
        *to = found;
        return true;
    }
    plan_complain(p->plan, p->line, "%s: expected a number from %llu to %llu, found '%s'", key,
                  (unsigned long long)low, (unsigned long long)high, piece_show(value, shown));
    return false;
}

static void take_label(struct parser *p, struct piece value)
{
    if (value.size < PLAN_LABEL_BYTES)
        piece_show(value, p->plan->label);
    else
        plan_complain(p->plan, p->line, "label: expected at most %u characters",
                      PLAN_LABEL_BYTES - 1);
}

static void take_runs(struct parser *p, struct piece value)
{
    uint64_t found;

    if (piece_is(value, "default"))
        return;
    if (take_number(p, "runs", value, 1, PLAN_RUNS_MAX, &found)) {
        p->plan->runs = (uint32_t)found;
        p->plan->runs_given = true;
    }
}

static void take_warmup(struct parser *p, struct piece value)
{
    uint64_t found;

    if (take_number(p, "warmup", value, 0, PLAN_WARMUP_MAX, &found))
        p->plan->warmup = (uint32_t)found;
}

static void take_n(struct parser *p, struct piece value)
{
    if (piece_is(value, "default"))
        p->plan->n = 0;
    else
        take_number(p, "n", value, 1, PLAN_N_MAX, &p->plan->n);
}

static bool take_range(struct parser *p, struct piece range, uint8_t *cpus)
{
    struct piece last;
    struct piece first = piece_cut(range, '-', &last);
    uint64_t from, to;

    if (!take_number(p, "cpus", first, 0, PLAN_CPUS_MAX - 1, &from))
        return false;
    to = from;
    if (first.size < range.size && !take_number(p, "cpus", last, from, PLAN_CPUS_MAX - 1, &to))
        return false;
    for (; from <= to; from++)
        cpus[from / 8] |= (uint8_t)(1u << from % 8);
    return true;
}

static void take_cpus(struct parser *p, struct piece value)
{
    struct plan *plan = p->plan;
    uint8_t cpus[PLAN_CPUS_MAX / 8] = {0};

    if (piece_is(value, "all") || piece_is(value, "boot")) {
        plan->all_cpus = piece_is(value, "all");
        plan->boot_cpu_only = !plan->all_cpus;
        return;
    }
    do {
        if (!take_range(p, piece_cut(value, ',', &value), cpus))
            return;
    } while (value.size > 0);
    for (size_t i = 0; i < sizeof(cpus); i++)
        plan->cpus[i] = cpus[i];
    plan->all_cpus = false;
    plan->boot_cpu_only = false;
    plan->cpus_line = p->line;
}

static void take_kernels(struct parser *p, struct piece value)
{
    struct plan *plan = p->plan;

    plan->kernels = 0;
    if (piece_is(value, "all"))
        return;
    do {
        struct piece name = piece_cut(value, ',', &value);
        char shown[PLAN_NAME_BYTES];

        if (name.size == 0 || name.size >= PLAN_NAME_BYTES || plan->kernels == PLAN_KERNELS_MAX) {
            plan_complain(plan, p->line,
                          "kernels: expected 'all' or at most %u names separated by commas, found "
                          "'%s'",
                          PLAN_KERNELS_MAX, piece_show(name, shown));
            continue;
        }
        piece_show(name, plan->kernel[plan->kernels]);
        plan->kernel_line[plan->kernels++] = p->line;
    } while (value.size > 0);
}

static void take_at_end(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {
        [AT_END_MENU] = "menu",
        [AT_END_SHUTDOWN] = "shutdown",
        [AT_END_REBOOT] = "reboot",
        [AT_END_LEAVE] = "leave",
    };
    char shown[PLAN_NAME_BYTES];

    for (unsigned i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
        if (piece_is(value, WORDS[i])) {
            p->plan->at_end = (enum plan_at_end)i;
            return;
        }
    plan_complain(p->plan, p->line, "at_end: expected menu, shutdown, reboot or leave, found '%s'",
                  piece_show(value, shown));
}

const struct plan_key PLAN_KEYS[PLAN_KEYS_COUNT] = {
    {"label", take_label},   {"cpus", take_cpus},       {"runs", take_runs},
    {"warmup", take_warmup}, {"kernels", take_kernels}, {"n", take_n},
    {"at_end", take_at_end},
};
