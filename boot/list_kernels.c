/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --list-kernels: the kernels by their families, a line each, and one for a long title. All of them
 * leave the screen at the top, so the families stand together at the end.
 */
#include "boot/command.h"
#include "boot/console.h"
#include "pmu/piece.h"
#include "pmu/text.h"

/* Columns, from 0 on; a name that is longer moves what stands behind it. */
#define N_COLUMN        22
#define BUFFER_COLUMN   29
#define ARGUMENT_COLUMN 34
#define FAMILY_COLUMNS  20 /* of each family at the end */

/* Whether a kernel's name or its family's holds a pattern, of any case. */
static bool is_listed(const struct kernel_record *kernel, const char *pattern)
{
    return piece_holds(piece_of(kernel->name), pattern) ||
           piece_holds(piece_of(kernel->family), pattern);
}

/* 1000000 is "1e6", so that a default of any size stays in its column. */
static void put_n(uint64_t n, struct out *out)
{
    unsigned zeros = 0;

    for (; n >= 100000 && n % 10 == 0; n /= 10)
        zeros++;
    out_printf(out, "%llu", (unsigned long long)n);
    if (zeros > 0)
        out_printf(out, "e%u", zeros);
}

static void say_kernel(const struct kernel_record *kernel)
{
    char text[CONSOLE_COLUMNS + 1];
    struct out out = out_buffer(text, sizeof(text));
    bool fits;

    out_printf(&out, "  %s", kernel->name);
    out_pad(&out, 0, N_COLUMN);
    out_text(&out, " n=");
    put_n(kernel->default_n, &out);
    out_pad(&out, 0, BUFFER_COLUMN);
    out_char(&out, ' ');
    if (kernel->buffer_bytes > 0)
        out_size(&out, kernel->buffer_bytes);
    out_pad(&out, 0, ARGUMENT_COLUMN);
    if (kernel->argument[0])
        out_printf(&out, " %s=%u..%u", kernel->argument, kernel->argument_low,
                   kernel->argument_high);
    fits = out.used + 1 + text_length(kernel->title) <= CONSOLE_COLUMNS;
    while (!fits && text[out.used - 1] == ' ')
        out.used--;
    say("%s", out_end(&out));
    say(fits ? " %s\n" : "\n      %s\n", kernel->title);
}

/* The first kernel of a family, in the order of the session, that is listed. */
static bool is_first(const struct session *session, unsigned number, const char *pattern)
{
    for (unsigned i = 0; i < number; i++)
        if (text_same(session->kernel[i]->family, session->kernel[number]->family) &&
            is_listed(session->kernel[i], pattern))
            return false;
    return is_listed(session->kernel[number], pattern);
}

static unsigned kernels_of(const struct session *session, const char *family)
{
    unsigned count = 0;

    for (unsigned i = 0; i < session->kernels; i++)
        count += text_same(session->kernel[i]->family, family);
    return count;
}

/* All families, each with how many kernels it has, as many in a line as there is room for. */
static void say_families(const struct session *session)
{
    char text[CONSOLE_COLUMNS + 1];
    struct out out = out_buffer(text, sizeof(text));

    say("\nAll families; --list-kernels NAME shows those that have NAME in their names:\n");
    for (unsigned f = 0; f < session->kernels; f++) {
        const char *family = session->kernel[f]->family;
        size_t column = (out.used + FAMILY_COLUMNS) / FAMILY_COLUMNS * FAMILY_COLUMNS;

        if (!is_first(session, f, ""))
            continue;
        if (out.used > 0 && column + text_length(family) + sizeof(" 1024") > CONSOLE_COLUMNS) {
            say("%s\n", out_end(&out));
            out = out_buffer(text, sizeof(text));
        }
        if (out.used > 0)
            out_pad(&out, 0, column);
        out_printf(&out, "%s %u", family, kernels_of(session, family));
    }
    say("%s\n", out_end(&out));
}

bool command_list_kernels(const struct session *session, const char *pattern)
{
    unsigned families = 0, listed = 0;

    for (unsigned f = 0; f < session->kernels; f++) {
        if (!is_first(session, f, pattern))
            continue;
        families++;
        say("%s\n", session->kernel[f]->family);
        for (unsigned i = f; i < session->kernels; i++) {
            if (!text_same(session->kernel[i]->family, session->kernel[f]->family) ||
                !is_listed(session->kernel[i], pattern))
                continue;
            say_kernel(session->kernel[i]);
            listed++;
        }
    }
    if (!pattern[0])
        say_families(session);
    say("%u kernels in %u families", listed, families);
    if (pattern[0])
        say(" with '%s' in their names or their families'", pattern);
    say("\n");
    return listed > 0;
}
