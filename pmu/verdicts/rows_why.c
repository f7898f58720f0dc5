/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes kernels that faulted, hung or changed what they must preserve. */
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

/* Names by vector (Intel SDM vol. 3A "Exceptions and Interrupts"). Null: NMI, or reserved. */
static const char *const EXCEPTIONS[] = {
    "#DE", "#DB", 0,     "#BP", "#OF", "#BR", "#UD", "#NM", "#DF", 0,     "#TS",
    "#NP", "#SS", "#GP", "#PF", 0,     "#MF", "#AC", "#MC", "#XM", "#VE", "#CP",
};
#define EXCEPTIONS_COUNT (sizeof(EXCEPTIONS) / sizeof(EXCEPTIONS[0]))

/*
 * Writes "init+0x4" or "code+0x1, in copy 37 of 100". Returns false if the place is not in [code].
 */
static bool say_code(const struct known_kernel *kernel, uint64_t at, unsigned long long copies,
                     struct out *out)
{
    const unsigned long long in_init = at - kernel->init_at, in_code = at - kernel->copy_at;

    if (in_init < kernel->init_bytes) {
        out_printf(out, "init+0x%llx", in_init);
        return true;
    }
    if (kernel->copy_bytes == 0 || at < kernel->copy_at)
        return false;
    if (in_code >= copies * kernel->copy_bytes)
        out_text(out, "the end, after the last copy of code=");
    else
        out_printf(out, "code+0x%llx, in copy %llu of %llu", in_code % kernel->copy_bytes,
                   in_code / kernel->copy_bytes + 1, copies);
    return true;
}

/* Writes the place as an offset from the last entry point before it. */
static void say_place(const struct known_kernel *kernel, uint64_t offset, struct out *out)
{
    const struct {
        const char *name;
        uint32_t at;
        uint64_t copies;
    } part[] = {
        {"ENTRY", kernel->entry_offset, kernel->unroll},
        {"PREPARE", kernel->prepare_offset, 0},
        {"SECOND", kernel->second_offset, 0},
        {"ENTRY", kernel->twice_offset, 2ull * kernel->unroll},
    };
    unsigned last = sizeof(part) / sizeof(part[0]);

    for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        if (part[i].at > 0 && part[i].at <= offset &&
            (last == sizeof(part) / sizeof(part[0]) || part[i].at > part[last].at))
            last = i;
    if (last == sizeof(part) / sizeof(part[0]))
        out_printf(out, "offset 0x%llx", (unsigned long long)offset);
    else if (!say_code(kernel, offset - part[last].at, part[last].copies, out))
        out_printf(out, "%s+0x%llx", part[last].name, (unsigned long long)(offset - part[last].at));
}

static const char *const AREAS[NEARBY_AREAS] = {
    [NEARBY_BUFFER] = "buffer",
    [NEARBY_FIRST_BUFFER] = "the first CPU's buffer",
    [NEARBY_STACK] = "stack",
    [NEARBY_CODE] = "kernel",
};

static void say_address(const struct known_kernel *kernel, const struct result *result,
                        struct out *out)
{
    const struct nearby *near = &result->fault_nearby;
    const char *area = near->area < NEARBY_AREAS ? AREAS[near->area] : 0;
    unsigned long long from = (unsigned long long)near->from, past = from - near->bytes;
    char bytes[COUNTED_BYTES];

    if (!area)
        out_printf(out, "0x%llx", (unsigned long long)result->fault_address);
    else if (near->from < 0)
        out_printf(out, "%s-0x%llx, %s below it", area, 0 - from, counted(0 - from, "byte", bytes));
    else if (from >= near->bytes && past == 0)
        out_printf(out, "%s+0x%llx, just past its end", area, from);
    else if (from >= near->bytes)
        out_printf(out, "%s+0x%llx, %s past its end", area, from, counted(past, "byte", bytes));
    else if (near->area == NEARBY_CODE)
        say_place(kernel, from, out);
    else
        out_printf(out, "%s+0x%llx", area, from);
}

static bool is_jump(const struct result *result)
{
    return result->vector == (VECTOR_PF | VECTOR_OUTSIDE) &&
           result->fault_offset == result->fault_address;
}

static void say_where(const struct view *view, const struct result *result, struct out *out)
{
    const struct known_kernel *kernel = view->kernel[result->kernel];

    out_text(out, ", at ");
    if (!(result->vector & VECTOR_OUTSIDE)) {
        say_place(kernel, result->fault_offset, out);
        return;
    }
    out_text(out, "address ");
    if (is_jump(result))
        say_address(kernel, result, out);
    else
        out_printf(out, "0x%llx", (unsigned long long)result->fault_offset);
    out_text(out, ", outside the kernel");
}

void row_say_fault(struct row *row, const struct view *view, const struct result *result)
{
    uint32_t vector = result->vector & ~VECTOR_OUTSIDE;
    char text[REASON_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (vector < EXCEPTIONS_COUNT && EXCEPTIONS[vector])
        out_printf(&out, "%s (%u)", EXCEPTIONS[vector], vector);
    else
        out_printf(&out, "vector %u", vector);
    out_printf(&out, ", error code 0x%x", result->error_code);
    say_where(view, result, &out);
    if (vector == VECTOR_PF && !is_jump(result)) {
        out_text(&out, ", address ");
        say_address(view->kernel[result->kernel], result, &out);
    }
    out_end(&out);
    row_say(row, VERDICT_FAULT, "%s: %s", status_text(result->status), text);
}

void row_say_hang(struct row *row, const struct view *view, const struct result *result)
{
    char text[REASON_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    say_where(view, result, &out);
    out_end(&out);
    row_say(row, VERDICT_TIMEOUT, "%s%s", status_text(result->status), text);
}

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
