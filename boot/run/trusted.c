/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the remembered trust map of a CPU. */
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"
#include "boot/run/trusted.h"
#include "pmu/counters/check.h"
#include "pmu/files/render_parts.h"
#include "pmu/verdicts/trusted.h"

#define FILE_BYTES_MAX (1u << 20)
#define NOTES_MAX      4u /* for a CPU */
#define WORDS_BYTES    EVENT_NAME_BYTES

static const char *path_of(const struct cpu_record *cpu, char path[FILE_PATH_BYTES])
{
    struct out out = out_buffer(path, FILE_PATH_BYTES);

    out_text(&out, FILES_RESULTS "\\");
    trusted_name(cpu->caps.signature, cpu->microcode, &out);
    return out_end(&out);
}

/* Returns the lines that apply to the CPU, in a new record; null: none. */
static const char *put_record(struct store *store, const struct cpu_record *cpu, const char *path,
                              const char *text, size_t size)
{
    char *lines = store_reserve(store, size + 1);
    struct out out = out_buffer(lines, lines ? size + 1 : 0);

    if (!lines)
        return 0;
    if (!trusted_copy(text, size, cpu->cpu, caps_core_type_name(&cpu->caps), &out)) {
        store_note(store, NOTE_ERROR,
                   "\\%s is not used: its first line is not '" TRUSTED_FORMAT
                   "'; delete it, or run the plan trust again",
                   path);
        return 0;
    }
    out_end(&out);
    journal_commit(&store->journal, RECORD_TRUST, out.used + 1);
    return lines;
}

static const char *read_lines(struct store *store, const struct cpu_record *cpu)
{
    char path[FILE_PATH_BYTES];
    int64_t size = files_size(path_of(cpu, path));
    char *text = size > 0 && size <= FILE_BYTES_MAX ? firmware_file_memory((size_t)size) : 0;
    const char *lines = 0;

    if (size < 0 && files_missing())
        return 0;
    if (text && files_read(path, text, (size_t)size) == size)
        lines = put_record(store, cpu, path, text, (size_t)size);
    else
        store_note(store, NOTE_ERROR, "\\%s cannot be read: %s", path,
                   size == 0               ? "it is empty"
                   : size > FILE_BYTES_MAX ? "it is larger than 1 MiB"
                                           : files_error());
    firmware_file_memory_free();
    return lines;
}

static bool is_right(struct piece kind)
{
    return kind.size == 0 || piece_is(kind, "exact") || piece_is(kind, "within") ||
           piece_is(kind, "at least");
}

/* Returns whether the event was wrong on this counter. */
static bool is_wrong(const char *lines, const struct event *event, const struct slot *slot,
                     struct trusted *line)
{
    char text[2][WORDS_BYTES];
    struct out encoding = out_buffer(text[0], WORDS_BYTES);
    struct out counter = out_buffer(text[1], WORDS_BYTES);

    if (slot->where == SLOT_UNCORE)
        return false;
    render_encoding(event, &encoding);
    counter_name(slot->where == SLOT_FIXED, slot->counter, &counter);
    return trusted_find(lines, out_end(&encoding), out_end(&counter), line) &&
           !is_right(line->kind);
}

static void note(struct store *store, const struct measured_cpu *cpu, const struct event *event,
                 const struct trusted *line)
{
    char words[REASON_BYTES];
    struct out out = out_buffer(words, sizeof(words));

    piece_put(line->counter, &out);
    out_text(&out, ": ");
    piece_put(line->kind, &out);
    out_text(&out, " in run ");
    piece_put(line->run, &out);
    store_note(store, NOTE_REMARK, "CPU %u: do not trust %s on %s", cpu->cpu->cpu, event->name,
               out_end(&out));
}

static void note_wrong(struct progress *p, const struct measured_cpu *cpu, const char *lines)
{
    static bool is_told[EVENTS_MAX]; /* some events are counted in every pass */
    unsigned wrong = 0;

    for (unsigned i = 0; i < EVENTS_MAX; i++)
        is_told[i] = false;
    for (unsigned i = 0; i < cpu->schedule->passes; i++) {
        const struct pass *pass = &cpu->schedule->pass[i];

        for (unsigned s = 0; s < pass->slots; s++) {
            const struct event *event = &cpu->event[pass->slot[s].event];
            struct trusted line;

            if (is_told[pass->slot[s].event] || !is_wrong(lines, event, &pass->slot[s], &line))
                continue;
            is_told[pass->slot[s].event] = true;
            if (wrong++ < NOTES_MAX)
                note(p->run->store, cpu, event, &line);
        }
    }
    if (wrong > NOTES_MAX)
        store_note(p->run->store, NOTE_REMARK,
                   "CPU %u: further events not to be trusted: %u; see the column trust",
                   cpu->cpu->cpu, wrong - NOTES_MAX);
}

void run_trust_take(struct progress *p, const struct measured_cpu *cpu)
{
    const char *lines = p->run->plan.each_counter ? 0 : read_lines(p->run->store, cpu->cpu);

    if (lines)
        note_wrong(p, cpu, lines);
}
