/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses key=value lines, for [run], [state], [results] and [code]. */
#include "pmu/base/nearest.h"
#include "pmu/plan/keys.h"

#define ENDINGS_BYTES 48u

/*
 * Inserts an entry into the list of errors, which is sorted by line, and returns the entry. Null if
 * memory runs out.
 */
static struct plan_error *place_error(struct plan *plan, uint32_t line)
{
    uint32_t at = plan->errors_kept;
    struct plan_error *grown =
        array_grow(plan->error, sizeof(*grown), at, &plan->errors_room, plan->memory);

    if (!grown)
        return 0;
    plan->error = grown;
    plan->errors_kept++;
    for (; at > 0 && grown[at - 1].line > line; at--)
        grown[at] = grown[at - 1];
    return &grown[at];
}

void plan_add_error(struct plan *plan, uint32_t line, const char *format, ...)
{
    struct plan_error *error = place_error(plan, line);

    plan->errors++;
    if (!error)
        return;
    error->line = line;
    OUT_FORMAT(error->text, sizeof(error->text), format);
}

bool plan_take_number(struct parser *p, const char *key, struct piece value, uint64_t low,
                      uint64_t high, uint64_t *to)
{
    char shown[PLAN_NAME_BYTES], text[ENDINGS_BYTES];
    struct out endings = out_buffer(text, sizeof(text));
    uint64_t found;

    if (piece_size(value, &found) && found >= low && found <= high) {
        *to = found;
        return true;
    }
    piece_say_endings(value, &endings);
    plan_add_error(p->plan, p->line, "%s: expected a number from %llu to %llu, found '%s'%s", key,
                   (unsigned long long)low, (unsigned long long)high, piece_show(value, shown),
                   out_end(&endings));
    return false;
}

unsigned plan_find_word(struct piece value, const char *const *words)
{
    unsigned i = 0;

    while (words[i] && !piece_is_any_case(value, words[i]))
        i++;
    return i;
}

void plan_word_error(struct parser *p, struct piece value, const char *const *words,
                     const char *expected, ...)
{
    char text[PLAN_ERROR_BYTES], shown[PLAN_NAME_BYTES];
    struct out out = out_buffer(text, sizeof(text));
    va_list arguments;

    va_start(arguments, expected);
    out_vprintf(&out, expected, arguments);
    va_end(arguments);
    out_printf(&out, ", found '%s'", piece_show(value, shown));
    nearest_say_word(value, words, &out);
    plan_add_error(p->plan, p->line, "%s", out_end(&out));
}

unsigned plan_take_word(struct parser *p, const char *key, struct piece value,
                        const char *const *words)
{
    char expected[PLAN_ERROR_BYTES];
    struct out out = out_buffer(expected, sizeof(expected));
    unsigned found = plan_find_word(value, words);

    if (words[found])
        return found;
    for (unsigned i = 0; i < found; i++)
        out_printf(&out, "%s%s", i == 0 ? "" : i + 1 == found ? " or " : ", ", words[i]);
    plan_word_error(p, value, words, "%s: expected %s", key, out_end(&out));
    return found;
}

static void take_value(struct parser *p, const struct plan_key *key, struct piece value, void *of)
{
    uint64_t found;

    if (key->take) {
        key->take(p, value);
        return;
    }
    if (key->word) {
        found = plan_take_word(p, key->name, value, key->word);
        if (!key->word[found])
            return;
    } else if (!plan_take_number(p, key->name, value, key->low, key->high, &found)) {
        return;
    }
    __builtin_memcpy((uint8_t *)of + key->field, &found, key->bytes);
}

static void key_error(struct parser *p, const struct plan_section *section, struct piece key)
{
    char known[PLAN_ERROR_BYTES], shown[PLAN_NAME_BYTES];
    struct out out = out_buffer(known, sizeof(known));
    struct nearest best = nearest_to(key);

    for (unsigned i = 0; i < section->keys; i++)
        nearest_consider(&best, piece_of(section->key[i].name));
    nearest_say(&best, &out);
    if (best.count == 0)
        out_printf(&out, "; %s has ", section->name);
    for (unsigned i = 0; best.count == 0 && i < section->keys; i++)
        out_printf(&out, "%s%s", i > 0 ? ", " : "", section->key[i].name);
    plan_add_error(p->plan, p->line, "unknown key '%s'%s", piece_show(key, shown), out_end(&out));
}

void plan_take_key(struct parser *p, const struct plan_section *section, uint32_t *seen,
                   struct piece line, void *of)
{
    struct piece value;
    struct piece name = piece_cut(line, '=', &value);
    const struct plan_key *key = section->key;
    const uint32_t errors = p->plan->errors;
    char shown[PLAN_NAME_BYTES];
    unsigned i = 0;

    while (i < section->keys && !piece_is(name, key[i].name))
        i++;
    if (name.size == line.size) {
        plan_add_error(p->plan, p->line, "expected key=value, found '%s'", piece_show(line, shown));
    } else if (i == section->keys) {
        key_error(p, section, name);
    } else if (*seen >> i & 1) {
        plan_add_error(p->plan, p->line, "%s appears here a second time; the first one is used",
                       key[i].name);
    } else {
        take_value(p, &key[i], value, of);
        if (p->plan->errors == errors)
            *seen |= 1u << i; /* after an error, a later line may set this key again */
        if (section->lines)
            ((uint32_t *)(void *)((uint8_t *)of + section->lines))[i] = p->line;
    }
}
