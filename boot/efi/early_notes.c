/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of files and remarks of the machine, kept until each run has them. */
#include "boot/efi/early_notes.h"

#include "pmu/base/out.h"
#include "pmu/base/text.h"

static struct {
    struct note note[EARLY_NOTES_MAX];
    unsigned count;
} early;

__attribute__((format(printf, 2, 0))) static void add(uint32_t kind, const char *format,
                                                      va_list arguments)
{
    struct note note = {.kind = kind};
    struct out out = out_buffer(note.text, sizeof(note.text));

    out_vprintf(&out, format, arguments);
    out_end(&out);
    for (unsigned i = 0; i < early.count; i++)
        if (early.note[i].kind == kind && text_same(early.note[i].text, note.text))
            return;
    if (early.count < EARLY_NOTES_MAX) {
        early.note[early.count++] = note;
        return;
    }
    early.note[early.count - 1].kind = NOTE_ERROR;
    text_copy(early.note[early.count - 1].text, sizeof(note.text), "more is wrong than is listed");
}

void early_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(NOTE_ERROR, format, arguments);
    va_end(arguments);
}

void early_remark(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(NOTE_REMARK, format, arguments);
    va_end(arguments);
}

unsigned early_notes(void)
{
    return early.count;
}

const struct note *early_note(unsigned index)
{
    return &early.note[index];
}
