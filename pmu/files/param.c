/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a kernel's parameters in words. */
#include "pmu/files/param.h"
#include "pmu/base/piece.h"
#include "pmu/base/text.h"

static const char *memory_word(uint32_t memory)
{
    return memory >= MEMORY_WB && memory <= MEMORY_UC ? MEMORY_WORDS[memory - MEMORY_WB] : 0;
}

static void put(struct out *out, const char *key, const char *word, uint64_t number)
{
    out_printf(out, "%s%s=", out->used > 0 ? ";" : "", key);
    if (word)
        out_text(out, word);
    else
        out_printf(out, "%llu", (unsigned long long)number);
}

void param_put(const struct param *param, struct out *out)
{
    const struct {
        const char *key, *word;
        uint64_t number;
        bool given;
    } SORTED[] = {
        {"memory", memory_word(param->memory), 0, param->memory != MEMORY_DEFAULT},
        {"page", 0, param->page_bytes, param->page_bytes != 0},
        {"size", 0, param->size, param->size != 0},
    };
    bool argued = param->argument[0] == 0;

    for (unsigned i = 0; i < sizeof(SORTED) / sizeof(SORTED[0]); i++) {
        if (!argued && text_before(param->argument, SORTED[i].key)) {
            put(out, param->argument, 0, param->argument_value);
            argued = true;
        }
        if (SORTED[i].given)
            put(out, SORTED[i].key, SORTED[i].word, SORTED[i].number);
    }
    if (!argued)
        put(out, param->argument, 0, param->argument_value);
}

/* A size is written without its key. */
static void say_word(struct piece word, struct out *out)
{
    struct piece value;
    struct piece key = piece_cut(word, '=', &value);
    bool is_size = piece_is(key, "size");
    uint64_t bytes;

    out_char(out, ' ');
    if (!is_size) {
        piece_put(key, out);
        out_char(out, '=');
    }
    if ((is_size || piece_is(key, "page")) && piece_number(value, &bytes))
        out_size(out, bytes);
    else
        piece_put(value, out);
}

static void say_words(const struct known_kernel *kernel, bool sizes, struct out *out)
{
    struct piece rest = piece_of(kernel->param), behind;

    while (rest.size > 0) {
        struct piece word = piece_cut(rest, ';', &rest);

        if (piece_is(piece_cut(word, '=', &behind), "size") == sizes)
            say_word(word, out);
    }
}

void param_say_series(const struct known_kernel *kernel, struct out *out)
{
    out_text(out, kernel->name);
    say_words(kernel, false, out);
}

void param_say(const struct known_kernel *kernel, struct out *out)
{
    out_text(out, kernel->name);
    say_words(kernel, true, out);
    say_words(kernel, false, out);
    if (kernel->n_given)
        out_printf(out, " n=%llu", (unsigned long long)kernel->n);
}
