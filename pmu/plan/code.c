/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses [code NAME], a kernel in machine code. */
#include "pmu/plan/keys.h"
#include "pmu/base/text.h"

#define UNROLL_DEFAULT 100u

static struct plan_code *present(struct parser *p)
{
    return &p->plan->code[p->plan->codes - 1];
}

/* The value of a hexadecimal digit; 16 for any other character. */
static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c = piece_lower(c);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

uint32_t plan_code_bytes(struct piece hex, uint8_t *to)
{
    uint32_t digits = 0;

    for (size_t i = 0; i < hex.size; i++) {
        unsigned digit = digit_of(hex.at[i]);

        if (digit == 16)
            continue; /* a blank */
        if (to && digits % 2 == 0)
            to[digits / 2] = (uint8_t)(digit << 4);
        else if (to)
            to[digits / 2] |= (uint8_t)digit;
        digits++;
    }
    return digits / 2;
}

static bool is_hex(struct piece value)
{
    bool half = false;

    for (size_t i = 0; i < value.size; i++) {
        bool blank = value.at[i] == ' ' || value.at[i] == '\t';

        if (blank ? half : digit_of(value.at[i]) == 16)
            return false;
        half = !blank && !half;
    }
    return value.size > 0 && !half;
}

static bool take_bytes(struct parser *p, const char *key, struct piece value, struct piece *to)
{
    char shown[PLAN_NAME_BYTES];

    if (is_hex(value) && plan_code_bytes(value, 0) <= PLAN_CODE_BYTES_MAX) {
        *to = value;
        return true;
    }
    plan_add_error(p->plan, p->line,
                   "%s: expected 1 to %u bytes, each of two hexadecimal digits, found '%s'", key,
                   PLAN_CODE_BYTES_MAX, piece_show(value, shown));
    return false;
}

static void take_code(struct parser *p, struct piece value)
{
    if (!take_bytes(p, "code", value, &present(p)->code))
        present(p)->refused = true;
}

static void take_init(struct parser *p, struct piece value)
{
    take_bytes(p, "init", value, &present(p)->init);
}

static const struct plan_key KEYS[] = {
    {"code", .take = take_code},
    {"init", .take = take_init},
    {"unroll", PLAN_NUMBER(struct plan_code, unroll, 1, PLAN_UNROLL_MAX)},
    {"loop", PLAN_NUMBER(struct plan_code, loop, 0, PLAN_LOOP_MAX)},
};
static const struct plan_section CODE = {"[code]", KEYS, sizeof(KEYS) / sizeof(KEYS[0]), 0};

/* Whether a name has the form of a kernel's name (kernels/kernel.h). */
static bool is_name(struct piece name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.at[i];

        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_')
            return false;
    }
    return name.size > 0 && name.size < PLAN_NAME_BYTES;
}

bool plan_code_begin(struct parser *p, struct piece name)
{
    struct plan *plan = p->plan;
    char shown[PLAN_NAME_BYTES];
    const char *why = 0;

    piece_show(name, shown);
    if (!is_name(name))
        why = "expected a name of at most 31 characters a-z 0-9 _";
    for (unsigned i = 0; i < plan->codes; i++)
        if (text_same(plan->code[i].name, shown))
            why = "expected a name that no section [code] above has";
    if (!why && plan->codes == PLAN_CODES_MAX)
        why = "expected at most 16 sections [code]";
    if (why) {
        plan_add_error(plan, p->line, "%s, found '%s'; all its lines are left out", why, shown);
        return false;
    }
    p->code_seen = 0;
    plan->code[plan->codes] = (struct plan_code){.line = p->line, .unroll = UNROLL_DEFAULT};
    text_copy(plan->code[plan->codes++].name, PLAN_NAME_BYTES, shown);
    return true;
}

void plan_code_line(struct parser *p, struct piece line)
{
    plan_take_key(p, &CODE, &p->code_seen, line, present(p));
}

/* There are `unroll` copies for n, and twice as many for 2n. */
static bool fits(const struct plan_code *code)
{
    return 3ull * code->unroll * plan_code_bytes(code->code, 0) <= PLAN_CODE_MEMORY_MAX;
}

void plan_code_end(struct parser *p)
{
    struct plan *plan = p->plan;
    char bytes[COUNTED_BYTES];
    unsigned kept = 0;

    for (unsigned i = 0; i < plan->codes; i++) {
        const struct plan_code *code = &plan->code[i];

        if (code->code.size == 0 && code->refused)
            continue; /* already reported */
        if (code->code.size == 0)
            plan_add_error(plan, code->line, "[code %s] has no code=; it is left out", code->name);
        else if (!fits(code))
            plan_add_error(
                plan, code->line,
                "[code %s]: unroll=%u copies of %s, and twice as many for 2n, exceed %u bytes; it "
                "is left out",
                code->name, code->unroll, counted(plan_code_bytes(code->code, 0), "byte", bytes),
                PLAN_CODE_MEMORY_MAX);
        else
            plan->code[kept++] = *code;
    }
    plan->codes = kept;
}
