/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects notes (errors in files, and remarks on the machine) that each run records. */
#include "boot/efi/early_notes.h"

#include "pmu/base/out.h"
#include "pmu/base/text.h"

static struct {
    struct note note[EARLY_NOTES_MAX];
    unsigned count;
} early;

static void add(const struct note *note)
{
    for (unsigned i = 0; i < early.count; i++)
        if (early.note[i].kind == note->kind && text_same(early.note[i].text, note->text))
            return;
    if (early.count < EARLY_NOTES_MAX) {
        early.note[early.count++] = *note;
        return;
    }
    early.note[early.count - 1].kind = NOTE_ERROR;
    text_copy(early.note[early.count - 1].text, sizeof(note->text),
              "there are more errors than are listed");
}

void early_error(const char *format, ...)
{
    struct note note = {.kind = NOTE_ERROR};

    OUT_FORMAT(note.text, sizeof(note.text), format);
    add(&note);
}

void early_remark(const char *format, ...)
{
    struct note note = {.kind = NOTE_REMARK};

    OUT_FORMAT(note.text, sizeof(note.text), format);
    add(&note);
}

unsigned early_notes(void)
{
    return early.count;
}

const struct note *early_note(unsigned index)
{
    return &early.note[index];
}
