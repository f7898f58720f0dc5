/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses and writes skipped.csv. */
#include "pmu/journal/skipped.h"
#include "pmu/base/csv.h"

#include "pmu/base/piece.h"
#include "pmu/base/text.h"

#define WATCHDOG_RAN_S   60u
#define WATCHDOG_APART_S 10u
#define DEATHS_SURE      3u

#define EXPECTED "expected kernel,crc32,file,cpu,run,started,uptime_s,ran_s; the line is left out"

/* Quoted fields may contain commas. */
static struct piece field(struct piece *line)
{
    struct piece rest, inner;

    if (line->size == 0 || line->at[0] != '"')
        return piece_trim(piece_cut(*line, ',', line));
    rest = (struct piece){line->at + 1, line->size - 1};
    inner = piece_cut(rest, '"', &rest);
    piece_cut(rest, ',', line);
    return inner;
}

static bool copy(struct piece piece, char *to, size_t size)
{
    struct out out = out_buffer(to, size);

    piece_put(piece, &out);
    out_end(&out);
    return piece.size < size;
}

static bool number(struct piece piece, uint32_t missing, uint32_t *to)
{
    uint64_t value = missing;
    bool right = piece.size == 0 || piece_number(piece, &value);

    *to = (uint32_t)value;
    return right && value <= UINT32_MAX;
}

static bool parse_line(struct piece line, struct skipped_entry *entry)
{
    struct piece kernel = field(&line), crc32 = field(&line);
    bool right = kernel.size > 0 && crc32.size > 0 && number(crc32, 0, &entry->crc32);

    right = copy(kernel, entry->kernel, sizeof(entry->kernel)) && right;
    right = copy(field(&line), entry->file, sizeof(entry->file)) && right;
    right = number(field(&line), CPU_NONE, &entry->cpu) && right;
    right = number(field(&line), 0, &entry->run) && right;
    right = copy(field(&line), entry->started, sizeof(entry->started)) && right;
    right = number(field(&line), 0, &entry->uptime_s) && right;
    return number(field(&line), 0, &entry->ran_s) && right;
}

static bool is_head(struct piece line)
{
    struct piece first = piece_cut(line, ',', &line);

    return piece_is(first, "kernel") && piece_is(piece_cut(line, ',', &line), "crc32");
}

static void append(struct skipped *skipped, const struct skipped_entry *entry)
{
    if (skipped->entries == SKIPPED_MAX) {
        for (unsigned i = 1; i < SKIPPED_MAX; i++)
            skipped->entry[i - 1] = skipped->entry[i];
        skipped->entries--;
        skipped->forgotten++;
    }
    skipped->entry[skipped->entries++] = *entry;
}

void skipped_parse(struct skipped *skipped, const char *text, size_t bytes,
                   void (*say)(void *context, unsigned line, const char *sentence), void *context)
{
    bool is_marked = bytes >= 3 && (uint8_t)text[0] == 0xef && (uint8_t)text[1] == 0xbb &&
                     (uint8_t)text[2] == 0xbf; /* the UTF-8 mark */
    struct piece rest = {is_marked ? text + 3 : text, is_marked ? bytes - 3 : bytes};

    skipped->entries = skipped->forgotten = 0;
    for (unsigned number = 1; rest.size > 0; number++) {
        struct piece line = piece_trim(piece_cut(rest, '\n', &rest));
        struct skipped_entry entry;

        if (line.size == 0 || is_head(line))
            continue;
        if (parse_line(line, &entry))
            append(skipped, &entry);
        else
            say(context, number, EXPECTED);
    }
}

bool skipped_add(struct skipped *skipped, const struct skipped_entry *entry)
{
    for (unsigned i = 0; i < skipped->entries; i++) {
        const struct skipped_entry *other = &skipped->entry[i];

        if (other->run == entry->run && other->crc32 == entry->crc32 &&
            text_same(other->kernel, entry->kernel) && text_same(other->started, entry->started))
            return false;
    }
    append(skipped, entry);
    return true;
}

static bool is_same(const struct skipped_entry *entry, const char *kernel, uint32_t crc32)
{
    return entry->crc32 == crc32 && text_same(entry->kernel, kernel);
}

const struct skipped_entry *skipped_watchdog(const struct skipped *skipped,
                                             const struct skipped_entry *entry)
{
    for (unsigned i = 0; i < skipped->entries; i++) {
        const struct skipped_entry *other = &skipped->entry[i];

        if (other->ran_s >= WATCHDOG_RAN_S && entry->ran_s >= WATCHDOG_RAN_S &&
            other->uptime_s <= entry->uptime_s + WATCHDOG_APART_S &&
            entry->uptime_s <= other->uptime_s + WATCHDOG_APART_S &&
            !text_same(other->kernel, entry->kernel))
            return other;
    }
    return 0;
}

unsigned skipped_deaths(const struct skipped *skipped, const char *kernel, uint32_t crc32,
                        uint32_t cpu, uint32_t *last)
{
    unsigned deaths = 0, explained = 0;

    *last = 0;
    for (unsigned i = 0; i < skipped->entries; i++) {
        const struct skipped_entry *entry = &skipped->entry[i];

        if (!is_same(entry, kernel, crc32) || (cpu != CPU_NONE && entry->cpu != cpu))
            continue;
        *last = entry->run;
        deaths++;
        explained += skipped_watchdog(skipped, entry) != 0;
    }
    return deaths < DEATHS_SURE ? deaths - explained : deaths;
}

void skipped_put(const struct skipped_entry *entry, struct out *out)
{
    csv_write(out, entry->kernel);
    out_printf(out, ",0x%08x,", entry->crc32);
    csv_write(out, entry->file);
    out_char(out, ',');
    if (entry->cpu != CPU_NONE)
        out_printf(out, "%u", entry->cpu);
    out_char(out, ',');
    if (entry->run != 0)
        out_printf(out, "%04u", entry->run);
    out_char(out, ',');
    csv_write(out, entry->started);
    out_char(out, ',');
    if (entry->uptime_s != 0)
        out_printf(out, "%u,%u", entry->uptime_s, entry->ran_s);
    else
        out_char(out, ',');
    out_text(out, "\r\n");
}
