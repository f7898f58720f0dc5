/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses [run], the settings of the whole run. */
#include "pmu/counters/event.h"
#include "pmu/plan/keys.h"
#include "pmu/base/text.h"

static void take_label(struct parser *p, struct piece value)
{
    if (value.size < PLAN_LABEL_BYTES)
        piece_show(value, p->plan->label);
    else
        plan_add_error(p->plan, p->line, "label: expected at most %u characters, found %u",
                       PLAN_LABEL_BYTES - 1, (unsigned)value.size);
}

static bool is_letter(struct piece value)
{
    return value.size > 0 && (value.at[0] | 0x20) >= 'a' && (value.at[0] | 0x20) <= 'z';
}

/* A number from 1 to `high`, or 0 for "default". False after adding an error. */
static bool take_count(struct parser *p, const char *key, struct piece value, uint64_t high,
                       uint64_t *to)
{
    static const char *const WORDS[] = {"default", 0};

    *to = 0;
    if (piece_is_any_case(value, WORDS[0]))
        return true;
    if (!is_letter(value))
        return plan_take_number(p, key, value, 1, high, to);
    plan_word_error(p, value, WORDS, "%s: expected default or a number from 1 to %llu", key,
                    (unsigned long long)high);
    return false;
}

static void take_runs(struct parser *p, struct piece value)
{
    uint64_t found;

    if (!take_count(p, "runs", value, PLAN_RUNS_MAX, &found) || found == 0)
        return;
    p->plan->runs = (uint32_t)found;
    p->plan->runs_given = true;
}

static void take_n(struct parser *p, struct piece value)
{
    uint64_t found;

    if (take_count(p, "n", value, PLAN_N_MAX, &found))
        p->plan->n = found;
}

static bool read_time(struct piece value, uint64_t *seconds)
{
    static const struct {
        const char *name;
        uint32_t seconds;
    } UNITS[] = {{"s", 1}, {"min", 60}, {"h", 3600}};

    for (unsigned i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++) {
        size_t length = text_length(UNITS[i].name);
        struct piece number = value;

        if (value.size <= length ||
            !piece_is_any_case((struct piece){value.at + value.size - length, length},
                               UNITS[i].name))
            continue;
        number.size -= length;
        if (!piece_number(piece_trim(number), seconds) || *seconds > PLAN_MAX_TIME_S)
            return false;
        *seconds *= UNITS[i].seconds;
        return *seconds >= 1 && *seconds <= PLAN_MAX_TIME_S;
    }
    return false;
}

static void take_max_time(struct parser *p, struct piece value)
{
    char shown[PLAN_NAME_BYTES];
    uint64_t seconds;

    if (read_time(value, &seconds))
        p->plan->max_time_s = (uint32_t)seconds;
    else
        plan_add_error(p->plan, p->line,
                       "max_time: expected a time from 1s to %uh in whole numbers, such as 90s, "
                       "20min or 2h, found "
                       "'%s'",
                       PLAN_MAX_TIME_S / 3600, piece_show(value, shown));
}

static bool take_range(struct parser *p, struct piece range, uint8_t *cpus)
{
    struct piece last;
    struct piece first = piece_cut(range, '-', &last);
    uint64_t from, to;

    if (!plan_take_number(p, "cpus", first, 0, PLAN_CPUS_MAX - 1, &from))
        return false;
    to = from;
    if (first.size < range.size && !plan_take_number(p, "cpus", last, from, PLAN_CPUS_MAX - 1, &to))
        return false;
    for (; from <= to; from++)
        cpus[from / 8] |= (uint8_t)(1u << from % 8);
    return true;
}

static void take_cpus_word(struct parser *p, struct piece value)
{
    static const char *const WORDS[CPUS_LISTED + 1] = {
        [CPUS_ALL] = "all",
        [CPUS_BOOT] = "boot",
        [CPUS_BOOT_CORE] = "boot-core",
        [CPUS_ONE_PER_CORE] = "one-per-core",
        [CPUS_PERFORMANCE] = "performance",
        [CPUS_EFFICIENCY] = "efficiency",
    };
    unsigned found = plan_find_word(value, WORDS);

    if (found < CPUS_LISTED)
        p->plan->cpus = (enum plan_cpus)found;
    else
        plan_word_error(p, value, WORDS,
                        "cpus: expected all, boot, boot-core, one-per-core, performance, "
                        "efficiency or numbers such as 0,2-5");
}

static void take_cpus(struct parser *p, struct piece value)
{
    struct plan *plan = p->plan;
    uint8_t listed[PLAN_CPUS_MAX / 8] = {0};

    plan->cpus_line = p->line;
    if (is_letter(value)) {
        take_cpus_word(p, value);
        return;
    }
    do {
        if (!take_range(p, piece_cut(value, ',', &value), listed))
            return;
    } while (value.size > 0);
    for (size_t i = 0; i < sizeof(listed); i++)
        plan->listed[i] = listed[i];
    plan->cpus = CPUS_LISTED;
}

static void take_kernels(struct parser *p, struct piece value)
{
    struct plan *plan = p->plan;

    if (plan->kernels_section) {
        plan_add_error(plan, p->line, "kernels: the section [kernels] above is used instead");
        return;
    }
    plan->kernels_line = p->line;
    plan->kernels = 0; /* drops the kernels of an earlier line */
    do {
        struct piece name = piece_cut(value, ',', &value);
        char shown[PLAN_NAME_BYTES];

        if (name.size == 0 || name.size >= PLAN_NAME_BYTES || plan->kernels == PLAN_KERNELS_MAX) {
            plan_add_error(plan, p->line,
                           "kernels: expected at most %u names separated by commas, found '%s'",
                           PLAN_KERNELS_MAX, piece_show(name, shown));
            continue;
        }
        piece_show(name, plan->kernel[plan->kernels].name);
        plan->kernel[plan->kernels++].line = p->line;
    } while (value.size > 0);
}

static void take_ring(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {"os", "usr", "both", "default", 0};
    static const uint8_t RINGS[] = {RING_OS, RING_USR, RING_OS | RING_USR};
    unsigned which = plan_take_word(p, "ring", value, WORDS);

    if (which >= sizeof(RINGS))
        return;
    p->plan->rings = RINGS[which];
    p->plan->rings_given = true;
    if (!p->cpl_given)
        p->plan->cpl_line = p->line;
}

static void take_cpl(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {"0", "3", 0};
    unsigned which = plan_take_word(p, "cpl", value, WORDS);

    if (which > 1)
        return;
    p->plan->cpl = which == 0 ? 0 : 3;
    p->plan->cpl_line = p->line;
    p->cpl_given = true;
}

static void take_overflow_after(struct parser *p, struct piece value)
{
    uint64_t found;

    if (plan_take_number(p, "overflow_after", value, 0, PLAN_OVERFLOW_MAX, &found)) {
        p->plan->overflow_after = (uint32_t)found;
        p->overflow_line = p->line;
    }
}

const char *const PLAN_CONDITIONS[CONDITIONS + 1] = {
    [CONDITION_NONE] = "none",
    [CONDITION_ALONE] = "alone",
    [CONDITION_HIGH] = "high",
};

static void take_conditions(struct parser *p, struct piece value)
{
    unsigned found = 0;

    p->conditions_line = p->line;
    do {
        unsigned which =
            plan_take_word(p, "conditions", piece_cut(value, ',', &value), PLAN_CONDITIONS);

        if (which == CONDITIONS)
            return;
        found |= 1u << which;
    } while (value.size > 0);
    p->plan->conditions = (uint8_t)(found & ~(1u << CONDITION_NONE));
}

static void take_unsafe_msr(struct parser *p, struct piece value)
{
    static const char *const WORDS[] = {"no", "yes", 0};

    p->plan->unsafe_line = p->line;
    p->plan->unsafe_msr = plan_take_word(p, "unsafe_msr", value, WORDS) == 1;
}

/* Only stores the value, because the groups may be defined in later lines. */
static void take_events(struct parser *p, struct piece value)
{
    p->events = value;
    p->events_line = p->line;
}

static const struct plan_key KEYS[] = {
    {"label", .take = take_label},
    {"cpus", .take = take_cpus},
    {"runs", .take = take_runs},
    {"warmup", PLAN_NUMBER(struct plan, warmup, 0, PLAN_WARMUP_MAX)},
    {"kernels", .take = take_kernels},
    {"n", .take = take_n},
    {"at_end",
     PLAN_WORD(struct plan, at_end, [AT_END_MENU] = "menu", [AT_END_SHUTDOWN] = "shutdown",
               [AT_END_REBOOT] = "reboot", [AT_END_LEAVE] = "leave")},
    {"mode", PLAN_WORD(struct plan, mode, [MODE_SERIAL] = "serial", [MODE_PARALLEL] = "parallel")},
    {"ring", .take = take_ring},
    {"cpl", .take = take_cpl},
    {"method",
     PLAN_WORD(struct plan, method, [METHOD_RESET] = "reset", [METHOD_DELTAS] = "deltas")},
    {"overflow_after", .take = take_overflow_after},
    {"events", .take = take_events},
    {"counters", PLAN_WORD(struct plan, each_counter, "any", "each")},
    {"conditions", .take = take_conditions},
    {"strict", PLAN_WORD(struct plan, strict, "no", "yes")},
    {"unsafe_msr", .take = take_unsafe_msr},
    {"timeout_ms", PLAN_NUMBER(struct plan, timeout_ms, 1, PLAN_TIMEOUT_MS_MAX)},
    {"noise_ms", PLAN_NUMBER(struct plan, noise_ms, 0, PLAN_NOISE_MS_MAX)},
    {"noise_threshold_ns",
     PLAN_NUMBER(struct plan, noise_threshold_ns, PLAN_NOISE_NS_MIN, PLAN_NOISE_NS_MAX)},
    {"max_time", .take = take_max_time},
};
static const struct plan_section RUN = {"[run]", KEYS, sizeof(KEYS) / sizeof(KEYS[0]), 0};

void plan_run_line(struct parser *p, struct piece line)
{
    plan_take_key(p, &RUN, &p->run_seen, line, p->plan);
}

static void check_overflow_after(struct parser *p)
{
    struct plan *plan = p->plan;

    if (plan->method != METHOD_DELTAS || plan->overflow_after == 0)
        return;
    plan_add_error(plan, p->overflow_line,
                   "overflow_after: expected 0 with method=deltas, found %u; only method=reset "
                   "presets counters",
                   plan->overflow_after);
    plan->overflow_after = 0;
}

static void check_conditions(struct parser *p)
{
    struct plan *plan = p->plan;

    if (plan->conditions != 0 && !plan->each_counter) {
        plan_add_error(plan, p->conditions_line,
                       "conditions: expected counters=each in [run], too");
        plan->conditions = 0;
    }
    if (plan->conditions >> CONDITION_HIGH & 1 &&
        (plan->method == METHOD_DELTAS || plan->overflow_after > 0)) {
        plan_add_error(plan, p->conditions_line,
                       "conditions: high works only with method=reset and without overflow_after");
        plan->conditions &= (uint8_t) ~(1u << CONDITION_HIGH);
    }
}

void plan_run_end(struct parser *p)
{
    if (!p->cpl_given && p->plan->rings == RING_USR)
        p->plan->cpl = 3;
    check_overflow_after(p);
    check_conditions(p);
}

/* With method=deltas, the image reads the free-running counters at CPL 0. */
void plan_choose_cpl(struct plan *plan)
{
    if (plan->method != METHOD_DELTAS || plan->cpl != 3)
        return;
    plan_add_error(plan, plan->cpl_line,
                   "method=deltas runs kernels at CPL 0; expected method=reset with cpl=3 or "
                   "ring=usr");
    plan->cpl = 0;
}
