/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the remembered trust map, and records what it says about a CPU's scheduled events. */
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"
#include "boot/run/trusted.h"
#include "pmu/base/bytes.h"
#include "pmu/files/trusted.h"

#define NOTES_MAX 4u /* for a CPU */

/* What the map says about the scheduled events of a CPU. */
static struct {
    unsigned count;
    const struct event *event[EVENTS_MAX];
    struct trusted of[EVENTS_MAX];
} found;

static const char *path_of(const struct cpu_record *cpu, char path[FILE_PATH_BYTES])
{
    struct out out = out_buffer(path, FILE_PATH_BYTES);

    out_text(&out, FILES_RESULTS "\\");
    trusted_name(cpu->caps.signature, cpu->microcode, &out);
    return out_end(&out);
}

static void read_file(struct progress *p, const struct cpu_record *cpu)
{
    char path[FILE_PATH_BYTES];
    int64_t size = files_size(path_of(cpu, path)), count = -1;
    char *text;

    p->trust.map = (struct piece){.size = 0};
    if (size < 0 && files_missing())
        return;
    text = firmware_plan_memory((size_t)(size > 0 ? size : 1));
    if (text && size >= 0)
        count = files_read(path, text, (size_t)size);
    if (count == size)
        p->trust.map = (struct piece){text, (size_t)size};
    else
        store_note(p->run->store, NOTE_ERROR, "\\%s cannot be read: %s", path,
                   text ? files_error() : status_text(STATUS_NO_MEMORY));
    p->trust.is_read = count == size;
}

/* Reads the file again only for a CPU of another signature or microcode. */
static struct piece lines_for(struct progress *p, const struct cpu_record *cpu)
{
    struct trust_memory *trust = &p->trust;
    struct piece lines = {.size = 0};
    char path[FILE_PATH_BYTES];

    if (trust->signature != cpu->caps.signature || trust->microcode != cpu->microcode) {
        trust->signature = cpu->caps.signature;
        trust->microcode = cpu->microcode;
        trust->is_read = false;
        read_file(p, cpu);
    }
    if (!trust->is_read ||
        trusted_open(trust->map, cpu->cpu, caps_core_type_name(&cpu->caps), &lines))
        return lines;
    store_note(p->run->store, NOTE_ERROR,
               "\\%s is damaged and not used; delete it, or run the plan trust again",
               path_of(cpu, path));
    trust->is_read = false;
    return lines;
}

static void find(const struct measured_cpu *cpu, struct piece lines)
{
    static bool is_known[EVENTS_MAX]; /* some events are counted in every pass */
    const struct schedule *schedule = cpu->schedule;

    found.count = 0;
    for (unsigned i = 0; i < EVENTS_MAX; i++)
        is_known[i] = false;
    for (unsigned i = 0; i < schedule->passes; i++)
        for (unsigned s = 0; s < schedule->pass[i].slots; s++) {
            const struct slot *slot = &schedule->pass[i].slot[s];
            const struct event *event = &cpu->event[slot->event];

            if (is_known[slot->event] || slot->where == SLOT_UNCORE)
                continue;
            is_known[slot->event] = true;
            found.event[found.count] = event;
            found.count += trusted_find(lines, event, slot, &found.of[found.count]);
        }
}

static void put_record(struct store *store)
{
    size_t bytes = 1;
    struct out out;
    char *text;

    for (unsigned i = 0; i < found.count; i++)
        bytes += found.of[i].line.size + 1;
    text = store_reserve(store, bytes);
    if (!text)
        return;
    out = out_buffer(text, bytes);
    for (unsigned i = 0; i < found.count; i++) {
        piece_put(found.of[i].line, &out);
        out_char(&out, '\n');
    }
    out_end(&out);
    journal_commit(&store->journal, RECORD_TRUST, bytes);
}

static void note(struct store *store, unsigned cpu, const struct event *event,
                 const struct trusted *line)
{
    char words[REASON_BYTES];
    struct out out = out_buffer(words, sizeof(words));

    piece_put(line->kind, &out);
    out_printf(&out, " on CPU %llu in run ", (unsigned long long)line->cpu);
    piece_put(line->run, &out);
    store_note(store, NOTE_REMARK, "CPU %u: do not trust %s: %s", cpu, event->name, out_end(&out));
}

/* A CPU whose wrong events are those of the CPU before gets no notes. */
static void note_wrong(struct progress *p, unsigned cpu)
{
    uint32_t crc = 0;
    unsigned wrong = 0, told = 0;

    for (unsigned i = 0; i < found.count; i++)
        if (found.of[i].is_wrong) {
            crc = crc32_ieee(crc, found.of[i].rest.at, found.of[i].rest.size);
            wrong++;
        }
    if (wrong == 0 || crc == p->trust.told)
        return;
    p->trust.told = crc;
    for (unsigned i = 0; i < found.count && told < NOTES_MAX; i++)
        if (found.of[i].is_wrong) {
            note(p->run->store, cpu, found.event[i], &found.of[i]);
            told++;
        }
    if (wrong > told)
        store_note(p->run->store, NOTE_REMARK,
                   "CPU %u: further events not to be trusted: %u; see the column trust", cpu,
                   wrong - told);
}

void run_trust_take(struct progress *p, const struct measured_cpu *cpu)
{
    struct piece lines = {.size = 0};

    if (!p->run->plan.each_counter)
        lines = lines_for(p, cpu->cpu);
    if (lines.size == 0)
        return;
    find(cpu, lines);
    put_record(p->run->store);
    note_wrong(p, cpu->cpu->cpu);
}
