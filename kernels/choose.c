/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches kernels with plans. */
#include "kernels/choose.h"

static bool is_same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static bool is_any(const struct kernel_record *kernel, bool from_stick)
{
    (void)kernel;
    (void)from_stick;
    return true;
}

static bool is_known(const struct kernel_record *kernel, bool from_stick)
{
    return !from_stick && kernel->flags & KERNEL_KNOWN;
}

static bool is_of_stick(const struct kernel_record *kernel, bool from_stick)
{
    (void)kernel;
    return from_stick;
}

static bool is_default(const struct kernel_record *kernel, bool from_stick)
{
    return from_stick || kernel->flags & KERNEL_KNOWN;
}

static bool is_none(const struct kernel_record *kernel, bool from_stick)
{
    (void)kernel;
    (void)from_stick;
    return false;
}

static const struct {
    const char *word;
    bool (*means)(const struct kernel_record *kernel, bool from_stick);
} WORDS[] = {
    {"all", is_any},         {"known", is_known},         {"stick", is_of_stick},
    {"default", is_default}, {KERNEL_WORD_CODE, is_none},
};
#define WORDS_COUNT (sizeof(WORDS) / sizeof(WORDS[0]))

const char *kernel_word(unsigned i)
{
    return i < WORDS_COUNT ? WORDS[i].word : 0;
}

bool kernel_is_word(const char *name)
{
    for (size_t i = 0; i < WORDS_COUNT; i++)
        if (is_same(name, WORDS[i].word))
            return true;
    return false;
}

bool kernel_is_meant(const struct kernel_record *kernel, bool from_stick, const char *word)
{
    for (size_t i = 0; i < WORDS_COUNT; i++)
        if (is_same(word, WORDS[i].word))
            return WORDS[i].means(kernel, from_stick);
    return is_same(word, kernel->family);
}

bool kernel_is_named(const struct kernel_record *kernel, const char *name)
{
    return is_same(kernel->name, name);
}

static enum kernel_refusal takes_argument(const struct kernel_record *kernel,
                                          const struct kernel_wanted *wanted)
{
    uint32_t value = wanted->argument_value;

    if (!wanted->argument[0])
        return KERNEL_TAKES_IT;
    if (!is_same(kernel->argument, wanted->argument))
        return KERNEL_HAS_NO_ARGUMENT;
    if (value < kernel->argument_low || value > kernel->argument_high)
        return KERNEL_OUT_OF_RANGE;
    return (value - kernel->argument_low) % kernel->argument_step == 0 ? KERNEL_TAKES_IT
                                                                       : KERNEL_BETWEEN_STEPS;
}

static uint32_t page_bytes_of(const struct kernel_record *kernel,
                              const struct kernel_wanted *wanted)
{
    return wanted->page_bytes ? wanted->page_bytes : kernel->page_bytes;
}

enum kernel_refusal kernel_takes(const struct kernel_record *kernel,
                                 const struct kernel_wanted *wanted)
{
    uint32_t page = page_bytes_of(kernel, wanted);

    if (kernel->buffer_bytes == 0 && (wanted->size || wanted->page_bytes || wanted->memory))
        return KERNEL_HAS_NO_BUFFER;
    if (wanted->size && wanted->size < page)
        return KERNEL_WANTS_A_PAGE;
    if (wanted->size && wanted->size < kernel->buffer_bytes)
        return KERNEL_WANTS_MORE;
    if (wanted->size && page && wanted->size % page)
        return KERNEL_WANTS_PAGES;
    return takes_argument(kernel, wanted);
}

uint64_t kernel_buffer_bytes(const struct kernel_record *kernel, const struct kernel_wanted *wanted)
{
    uint64_t page = page_bytes_of(kernel, wanted);
    uint64_t bytes = wanted->size ? wanted->size : kernel->buffer_bytes;

    if (page == 0 || bytes == 0 || wanted->size)
        return bytes;
    return (bytes + page - 1) / page * page;
}

uint64_t kernel_round(const struct kernel_record *kernel, uint64_t buffer_bytes, uint64_t argument)
{
    uint64_t round = 1;

    if (kernel->round_of == ROUND_BUFFER)
        round = buffer_bytes / kernel->round_step;
    else if (kernel->round_of == ROUND_BLOCKS)
        round = buffer_bytes / (kernel->round_step * argument);
    else if (kernel->round_of == ROUND_ARGUMENT)
        round = kernel->round_step * argument;
    return round > 0 ? round : 1;
}
