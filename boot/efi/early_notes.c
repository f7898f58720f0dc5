/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors of files and remarks of the machine, kept until each run has them. */
#include "boot/efi/early_notes.h"

#include "pmu/base/out.h"
#include "pmu/base/text.h"

static struct note notes[EARLY_NOTES_MAX];
static unsigned used;

__attribute__((format(printf, 2, 0))) static void add(uint32_t kind, const char *format,
                                                      va_list arguments)
{
    struct note note = {.kind = kind};
    struct out out = out_buffer(note.text, sizeof(note.text));

    out_vprintf(&out, format, arguments);
    out_end(&out);
    for (unsigned i = 0; i < used; i++)
        if (notes[i].kind == kind && text_same(notes[i].text, note.text))
            return;
    if (used < EARLY_NOTES_MAX) {
        notes[used++] = note;
        return;
    }
    notes[used - 1].kind = NOTE_ERROR;
    text_copy(notes[used - 1].text, sizeof(note.text), "more is wrong than is listed");
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
    return used;
}

const struct note *early_note(unsigned index)
{
    return &notes[index];
}
