/* SPDX-License-Identifier: BSD-2-Clause */
#include "out.h"
#include "plan.h"

#define VERSION_LINE "version=1"

/* A piece of the file: from `at`, `size` bytes, white space cut off at both ends. */
struct piece {
    const char *at;
    size_t size;
};

struct parser {
    struct plan *plan;
    uint32_t line;
    bool in_run;        /* within [run] */
    bool skipping;      /* within a section that is not known */
    uint32_t keys_seen; /* bit i: KEYS[i] */
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct piece trim(const char *at, size_t size)
{
    while (size > 0 && is_space(at[0])) {
        at++;
        size--;
    }
    while (size > 0 && is_space(at[size - 1]))
        size--;
    return (struct piece){at, size};
}

static bool is(struct piece piece, const char *word)
{
    size_t i = 0;

    while (i < piece.size && word[i] && piece.at[i] == word[i])
        i++;
    return i == piece.size && word[i] == 0;
}

/* Splits a piece at the first `c`: returns what stands before it and leaves the rest in *rest. */
static struct piece cut_at(struct piece piece, char c, struct piece *rest)
{
    size_t i = 0;

    while (i < piece.size && piece.at[i] != c)
        i++;
    *rest = i < piece.size ? trim(piece.at + i + 1, piece.size - i - 1) : (struct piece){0};
    return trim(piece.at, i);
}

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

/* A printable copy of a piece for a message, cut to what fits. */
static const char *show(struct piece piece, char buffer[PLAN_NAME_BYTES])
{
    size_t i = 0;

    for (; i < piece.size && i < PLAN_NAME_BYTES - 1; i++)
        buffer[i] = piece.at[i] >= ' ' && piece.at[i] <= '~' ? piece.at[i] : '?';
    buffer[i] = 0;
    return buffer;
}

void plan_complain(struct plan *plan, uint32_t line, const char *format, ...)
{
    va_list arguments;

    if (plan->errors < PLAN_ERRORS_MAX) {
        struct plan_error *error = &plan->error[plan->errors];
        struct out out = out_buffer(error->text, sizeof(error->text));

        error->line = line;
        va_start(arguments, format);
        out_vprintf(&out, format, arguments);
        va_end(arguments);
        out_end(&out);
    }
    plan->errors++;
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
                  (unsigned long long)low, (unsigned long long)high, show(value, shown));
    return false;
}

static void take_runs(struct parser *p, struct piece value)
{
    uint64_t found;

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
    if (is(value, "default"))
        p->plan->n = 0;
    else
        take_number(p, "n", value, 1, PLAN_N_MAX, &p->plan->n);
}

static bool take_range(struct parser *p, struct piece range, uint8_t *cpus)
{
    struct piece last;
    struct piece first = cut_at(range, '-', &last);
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

    if (is(value, "all") || is(value, "boot")) {
        plan->all_cpus = is(value, "all");
        plan->boot_cpu_only = !plan->all_cpus;
        return;
    }
    do {
        if (!take_range(p, cut_at(value, ',', &value), cpus))
            return;
    } while (value.size > 0);
    for (size_t i = 0; i < sizeof(cpus); i++)
        plan->cpus[i] = cpus[i];
    plan->all_cpus = false;
    plan->boot_cpu_only = false;
}

static void take_kernels(struct parser *p, struct piece value)
{
    struct plan *plan = p->plan;

    plan->kernels = 0;
    if (is(value, "all"))
        return;
    do {
        struct piece name = cut_at(value, ',', &value);
        char shown[PLAN_NAME_BYTES];

        if (name.size == 0 || name.size >= PLAN_NAME_BYTES || plan->kernels == PLAN_KERNELS_MAX) {
            plan_complain(plan, p->line,
                          "kernels: expected 'all' or at most %u names separated by commas, found "
                          "'%s'",
                          PLAN_KERNELS_MAX, show(name, shown));
            continue;
        }
        show(name, plan->kernel[plan->kernels]);
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
        if (is(value, WORDS[i])) {
            p->plan->at_end = (enum plan_at_end)i;
            return;
        }
    plan_complain(p->plan, p->line, "at_end: expected menu, shutdown, reboot or leave, found '%s'",
                  show(value, shown));
}

static const struct {
    const char *key;
    void (*take)(struct parser *p, struct piece value);
} KEYS[] = {
    {"cpus", take_cpus},       {"runs", take_runs}, {"warmup", take_warmup},
    {"kernels", take_kernels}, {"n", take_n},       {"at_end", take_at_end},
};

static void take_setting(struct parser *p, struct piece line)
{
    struct piece value;
    struct piece key = cut_at(line, '=', &value);
    char shown[PLAN_NAME_BYTES];

    if (key.size == line.size) {
        plan_complain(p->plan, p->line, "expected key=value, found '%s'", show(line, shown));
        return;
    }
    for (unsigned i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++) {
        if (!is(key, KEYS[i].key))
            continue;
        if (p->keys_seen >> i & 1)
            plan_complain(p->plan, p->line, "%s stands here a second time; the first one holds",
                          KEYS[i].key);
        else
            KEYS[i].take(p, value);
        p->keys_seen |= 1u << i;
        return;
    }
    plan_complain(p->plan, p->line,
                  "unknown key '%s'; [run] has cpus, runs, warmup, kernels, n and at_end",
                  show(key, shown));
}

static void take_line(struct parser *p, struct piece line)
{
    char shown[PLAN_NAME_BYTES];

    if (line.at[0] == '[') {
        p->in_run = is(line, "[run]");
        p->skipping = !p->in_run;
        if (p->skipping)
            plan_complain(p->plan, p->line,
                          "unknown section '%s'; all its lines are left out. Expected [run]",
                          show(line, shown));
    } else if (p->in_run) {
        take_setting(p, line);
    } else if (!p->skipping) {
        plan_complain(p->plan, p->line, "expected [run] before '%s'", show(line, shown));
    }
}

void plan_default(struct plan *plan)
{
    *plan = (struct plan){
        .all_cpus = true,
        .runs = PLAN_RUNS_DEFAULT,
        .warmup = PLAN_WARMUP_DEFAULT,
        .at_end = AT_END_MENU,
    };
}

void plan_parse(const char *text, size_t size, struct plan *plan)
{
    struct parser p = {.plan = plan};
    bool version_seen = false;
    size_t start = 0;

    plan_default(plan);
    if (size >= 3 && (uint8_t)text[0] == 0xef && (uint8_t)text[1] == 0xbb &&
        (uint8_t)text[2] == 0xbf)
        start = 3; /* a byte order mark, as some Windows editors put it */
    while (start < size) {
        size_t end = start;
        struct piece line, comment;

        while (end < size && text[end] != '\n')
            end++;
        p.line++;
        line = cut_at((struct piece){text + start, end - start}, '#', &comment);
        start = end + 1;
        if (line.size == 0)
            continue;
        if (!version_seen && !is(line, VERSION_LINE))
            plan_complain(plan, p.line, "expected " VERSION_LINE " as the first line");
        if (version_seen || !is(line, VERSION_LINE))
            take_line(&p, line);
        version_seen = true;
    }
    if (!version_seen)
        plan_complain(plan, 1, "the plan is empty; expected " VERSION_LINE " as the first line");
}

bool plan_has_cpu(const struct plan *plan, unsigned number, bool is_boot_cpu)
{
    if (plan->all_cpus)
        return true;
    if (plan->boot_cpu_only)
        return is_boot_cpu;
    return number < PLAN_CPUS_MAX && plan->cpus[number / 8] >> number % 8 & 1;
}
