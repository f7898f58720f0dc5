/* SPDX-License-Identifier: BSD-2-Clause */
#include "out.h"
#include "plan_keys.h"
#include "text.h"

#define VERSION_LINE "version=1"

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

bool piece_is(struct piece piece, const char *word)
{
    size_t i = 0;

    while (i < piece.size && word[i] && piece.at[i] == word[i])
        i++;
    return i == piece.size && word[i] == 0;
}

struct piece piece_cut(struct piece piece, char c, struct piece *rest)
{
    size_t i = 0;

    while (i < piece.size && piece.at[i] != c)
        i++;
    *rest = i < piece.size ? trim(piece.at + i + 1, piece.size - i - 1) : (struct piece){0};
    return trim(piece.at, i);
}

const char *piece_show(struct piece piece, char buffer[PLAN_NAME_BYTES])
{
    size_t i = 0;

    for (; i < piece.size && i < PLAN_NAME_BYTES - 1; i++)
        buffer[i] = text_printable((uint8_t)piece.at[i]);
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

static void complain_of_key(struct parser *p, const char *key)
{
    char known[PLAN_ERROR_BYTES];
    struct out out = out_buffer(known, sizeof(known));

    for (unsigned i = 0; i < PLAN_KEYS_COUNT; i++)
        out_printf(&out, "%s%s", i > 0 ? ", " : "", PLAN_KEYS[i].key);
    plan_complain(p->plan, p->line, "unknown key '%s'; [run] has %s", key, out_end(&out));
}

static void take_setting(struct parser *p, struct piece line)
{
    struct piece value;
    struct piece key = piece_cut(line, '=', &value);
    char shown[PLAN_NAME_BYTES];

    if (key.size == line.size) {
        plan_complain(p->plan, p->line, "expected key=value, found '%s'", piece_show(line, shown));
        return;
    }
    for (unsigned i = 0; i < PLAN_KEYS_COUNT; i++) {
        if (!piece_is(key, PLAN_KEYS[i].key))
            continue;
        if (p->keys_seen >> i & 1)
            plan_complain(p->plan, p->line, "%s stands here a second time; the first one holds",
                          PLAN_KEYS[i].key);
        else
            PLAN_KEYS[i].take(p, value);
        p->keys_seen |= 1u << i;
        return;
    }
    complain_of_key(p, piece_show(key, shown));
}

static void take_line(struct parser *p, struct piece line)
{
    char shown[PLAN_NAME_BYTES];

    if (line.at[0] == '[') {
        p->in_run = piece_is(line, "[run]");
        p->skipping = !p->in_run;
        if (p->skipping)
            plan_complain(p->plan, p->line,
                          "unknown section '%s'; all its lines are left out. Expected [run]",
                          piece_show(line, shown));
    } else if (p->in_run) {
        take_setting(p, line);
    } else if (!p->skipping) {
        plan_complain(p->plan, p->line, "expected [run] before '%s'", piece_show(line, shown));
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
        line = piece_cut((struct piece){text + start, end - start}, '#', &comment);
        start = end + 1;
        if (line.size == 0)
            continue;
        if (!version_seen && !piece_is(line, VERSION_LINE))
            plan_complain(plan, p.line, "expected " VERSION_LINE " as the first line");
        if (version_seen || !piece_is(line, VERSION_LINE))
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
