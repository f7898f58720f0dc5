/* SPDX-License-Identifier: BSD-2-Clause */
/* What rows say of kernels that faulted, hung or changed what they must leave alone. */
#include "pmu/verdicts/rows_parts.h"
#include "pmu/journal/record.h"
#include "pmu/base/text.h"

void row_say(struct row *row, enum verdict verdict, const char *format, ...)
{
    row->verdict = verdict;
    OUT_FORMAT(row->reason, sizeof(row->reason), format);
}

bool row_slot_ran(const struct view *view, const struct result *result, unsigned pass,
                  unsigned slot)
{
    struct rejected rejected;

    return view_values(view, result, pass, slot, SAMPLE_N, &rejected) + rejected.count > 0;
}

#define VECTOR_PF 14u

/* Intel SDM vol. 3A "Exceptions and Interrupts"; null: reserved, or AMD's alone. */
static const char *const EXCEPTIONS[] = {
    "#DE", "#DB", 0,     "#BP", "#OF", "#BR", "#UD", "#NM", "#DF", 0,     "#TS",
    "#NP", "#SS", "#GP", "#PF", 0,     "#MF", "#AC", "#MC", "#XM", "#VE", "#CP",
};
#define EXCEPTIONS_COUNT (sizeof(EXCEPTIONS) / sizeof(EXCEPTIONS[0]))

static void say_where(const struct result *result, struct out *out)
{
    unsigned long long at = result->fault_offset;

    if (result->vector & VECTOR_OUTSIDE)
        out_printf(out, ", at address 0x%llx, outside the kernel", at);
    else
        out_printf(out, ", at offset 0x%llx", at);
}

void row_say_fault(struct row *row, const struct result *result)
{
    uint32_t vector = result->vector & ~VECTOR_OUTSIDE;
    char text[REASON_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (vector < EXCEPTIONS_COUNT && EXCEPTIONS[vector])
        out_printf(&out, "%s (%u)", EXCEPTIONS[vector], vector);
    else
        out_printf(&out, "vector %u", vector);
    out_printf(&out, ", error code 0x%x", result->error_code);
    say_where(result, &out);
    if (vector == VECTOR_PF)
        out_printf(&out, ", address 0x%llx", (unsigned long long)result->fault_address);
    out_end(&out);
    row_say(row, VERDICT_FAULT, "%s: %s", status_text(result->status), text);
}

void row_say_hang(struct row *row, const struct result *result)
{
    char text[REASON_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    say_where(result, &out);
    out_end(&out);
    row_say(row, VERDICT_TIMEOUT, "%s%s", status_text(result->status), text);
}

/* "RBX, MXCSR" behind the sentence. */
static void changed_words(uint32_t changed, struct row *row)
{
    static const char *const WORDS[] = {
#define CHANGED_WORD(bit, name, word) [bit] = word,
        CHANGED_LIST(CHANGED_WORD)
#undef CHANGED_WORD
    };
    struct out out = out_buffer(row->reason, sizeof(row->reason));
    bool first = true;

    out.used = text_length(row->reason);
    for (unsigned i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        if (!(changed >> i & 1))
            continue;
        out_printf(&out, "%s%s", first ? "" : ", ", WORDS[i] ? WORDS[i] : "?");
        first = false;
    }
    out_end(&out);
}

void row_say_changed(struct row *row, const struct result *result)
{
    row_say(row, VERDICT_FAULT, "%s: ", status_text(result->status));
    changed_words(result->changed, row);
}
