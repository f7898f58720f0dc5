/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the remembered trust map, and records what it says about a CPU's scheduled events. */
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"
#include "boot/run/trusted.h"
#include "pmu/base/bytes.h"
#include "pmu/files/trusted.h"

#define NOTES_MAX 4u /* for a CPU */

static const char *path_of(const struct cpu_record *cpu, char path[FILE_PATH_BYTES])
{
    struct out out = out_buffer(path, FILE_PATH_BYTES);

    out_text(&out, FILES_RESULTS "\\");
    trusted_name(cpu->caps.signature, cpu->microcode, &out);
    return out_end(&out);
}

static void read_file(struct progress *p, const struct cpu_record *cpu)
{
    struct store *store = p->run->store;
    char path[FILE_PATH_BYTES];
    int64_t size = files_size(path_of(cpu, path));
    char *text;

    p->trust.map = (struct piece){.size = 0};
    if (size < 0 && files_missing())
        return;
    text = size > 0 ? firmware_plan_memory((size_t)size) : 0;
    if (size > 0 && !text)
        store_note(store, NOTE_ERROR, "\\%s cannot be read: %s", path,
                   status_text(STATUS_NO_MEMORY));
    else if (size < 0 || (size > 0 && files_read(path, text, (size_t)size) != size))
        store_note(store, NOTE_ERROR, "\\%s cannot be read: %s", path, files_error());
    else
        p->trust.map = (struct piece){text, (size_t)size};
}

/* Reads the file again only for a CPU of another signature or microcode. */
static bool find_lines(struct progress *p, const struct cpu_record *cpu, uint64_t *from)
{
    struct trust_memory *trust = &p->trust;
    char path[FILE_PATH_BYTES];

    if (trust->signature != cpu->caps.signature || trust->microcode != cpu->microcode) {
        trust->signature = cpu->caps.signature;
        trust->microcode = cpu->microcode;
        read_file(p, cpu);
    }
    if (trust->map.size == 0)
        return false;
    if (trusted_open(trust->map, cpu->cpu, caps_core_type_name(&cpu->caps), from))
        return *from != TRUSTED_ANY_CPU;
    store_note(p->run->store, NOTE_ERROR,
               "\\%s is not used: it does not begin with '" TRUSTED_FORMAT
               "' and end with '" TRUSTED_END "'; delete it, or run the plan trust again",
               path_of(cpu, path));
    trust->map.size = 0;
    return false;
}

struct lines {
    const struct measured_cpu *cpu;
    struct piece map;
    uint64_t from;
    /* Called with each line about a scheduled event. */
    void (*take)(void *context, const struct event *event, const struct trusted *line);
    void *context;
};

static void for_each_line(const struct lines *lines)
{
    static bool is_known[EVENTS_MAX]; /* some events are counted in every pass */
    const struct schedule *schedule = lines->cpu->schedule;

    for (unsigned i = 0; i < EVENTS_MAX; i++)
        is_known[i] = false;
    for (unsigned i = 0; i < schedule->passes; i++)
        for (unsigned s = 0; s < schedule->pass[i].slots; s++) {
            const struct slot *slot = &schedule->pass[i].slot[s];
            const struct event *event = &lines->cpu->event[slot->event];
            struct trusted line;

            if (is_known[slot->event] || slot->where == SLOT_UNCORE)
                continue;
            is_known[slot->event] = true;
            if (trusted_find(lines->map, lines->from, event, slot, &line))
                lines->take(lines->context, event, &line);
        }
}

static void add_up(void *context, const struct event *event, const struct trusted *line)
{
    size_t *bytes = context;

    (void)event;
    *bytes += line->line.size + 1;
}

static void put(void *context, const struct event *event, const struct trusted *line)
{
    (void)event;
    piece_put(line->line, context);
    out_char(context, '\n');
}

static void put_record(struct store *store, struct lines *lines)
{
    size_t bytes = 1;
    struct out out;
    char *text;

    lines->take = add_up;
    lines->context = &bytes;
    for_each_line(lines);
    text = store_reserve(store, bytes);
    if (!text)
        return;
    out = out_buffer(text, bytes);
    lines->take = put;
    lines->context = &out;
    for_each_line(lines);
    out_end(&out);
    journal_commit(&store->journal, RECORD_TRUST, bytes);
}

struct wrong {
    struct store *store;
    unsigned cpu, count;
    uint32_t crc;
};

static void add_wrong(void *context, const struct event *event, const struct trusted *line)
{
    struct wrong *wrong = context;

    (void)event;
    if (!line->is_wrong)
        return;
    wrong->count++;
    wrong->crc = crc32_ieee(wrong->crc, line->line.at, line->line.size);
}

static void say_wrong(void *context, const struct event *event, const struct trusted *line)
{
    struct wrong *wrong = context;
    char words[REASON_BYTES];
    struct out out = out_buffer(words, sizeof(words));

    if (!line->is_wrong || wrong->count++ >= NOTES_MAX)
        return;
    piece_put(line->kind, &out);
    out_printf(&out, " on CPU %llu in run ", (unsigned long long)line->cpu);
    piece_put(line->run, &out);
    store_note(wrong->store, NOTE_REMARK, "CPU %u: do not trust %s: %s", wrong->cpu, event->name,
               out_end(&out));
}

/* CPUs with the same wrong events get no notes of their own. */
static void note_wrong(struct progress *p, struct lines *lines)
{
    struct wrong wrong = {.store = p->run->store, .cpu = lines->cpu->cpu->cpu};

    lines->take = add_wrong;
    lines->context = &wrong;
    for_each_line(lines);
    if (wrong.count == 0 || wrong.crc == p->trust.told)
        return;
    p->trust.told = wrong.crc;
    wrong.count = 0;
    lines->take = say_wrong;
    for_each_line(lines);
    if (wrong.count > NOTES_MAX)
        store_note(p->run->store, NOTE_REMARK,
                   "CPU %u: further events not to be trusted: %u; see the column trust", wrong.cpu,
                   wrong.count - NOTES_MAX);
}

void run_trust_take(struct progress *p, const struct measured_cpu *cpu)
{
    struct lines lines = {.cpu = cpu};

    if (p->run->plan.each_counter || !find_lines(p, cpu->cpu, &lines.from))
        return;
    lines.map = p->trust.map;
    put_record(p->run->store, &lines);
    note_wrong(p, &lines);
}
