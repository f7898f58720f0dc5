/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends a run's files to the plan's server. */
#include "boot/efi/console.h"
#include "boot/net/net.h"
#include "boot/send/send.h"
#include "pmu/base/text.h"

#define NUMBER_MAX     9999u
#define TAKEN_MAX      16u /* attempts, because another sender may use a number first */
#define FILE_BYTES     96u
#define FIRST_FILE     "results.csv"
#define SENTENCE_BYTES 192u

struct sending {
    const struct run *run;
    struct url folder;
    unsigned nic;
    char uuid[UPLOAD_NAME_BYTES];
    unsigned number;
    unsigned files;         /* number of files sent so far */
    enum net_result result; /* of the last file, or of the search for a number */
    struct note note;       /* for run.json */
    struct out noted;
};

static const char *shown_file;
static size_t shown_bytes;

static void show_progress(size_t sent)
{
    console_progress("Sending %s: %llu of %llu KiB (Esc or Q ends it)", shown_file,
                     (unsigned long long)(sent >> 10), (unsigned long long)(shown_bytes >> 10));
}

__attribute__((format(printf, 2, 3))) static void note_error(struct sending *s, const char *format,
                                                             ...)
{
    char text[FILE_BYTES + SENTENCE_BYTES];

    OUT_FORMAT(text, sizeof(text), format);
    console_progress_end();
    say("! ");
    say_wrapped(text, 2);
    out_printf(&s->noted, "; %s", text);
}

static const char *name_of(const struct sending *s, unsigned number, const char *file,
                           char name[FILE_BYTES])
{
    return out_put(name, FILE_BYTES, "%s-%04u-%s", s->uuid, number, file);
}

/* A UUID of only 0 bits or only 1 bits means that the machine has none (SMBIOS, type 1). */
static void take_uuid(struct sending *s)
{
    const char *uuid = s->run->machine->record.smbios.uuid;
    struct out out = out_buffer(s->uuid, sizeof(s->uuid));
    bool has_zeros = true, has_ones = true;

    for (unsigned i = 0; uuid[i]; i++) {
        has_zeros &= uuid[i] == '0' || uuid[i] == '-';
        has_ones &= uuid[i] == 'f' || uuid[i] == '-';
    }
    if (!has_zeros && !has_ones) {
        out_text(&out, uuid);
    } else {
        out_text(&out, "no-uuid-");
        for (const char *c = net_name(s->nic); *c; c++)
            if (*c != ':')
                out_char(&out, *c);
    }
    out_end(&out);
}

static enum net_result look(const struct sending *s, unsigned number)
{
    char name[FILE_BYTES];
    const struct net_file file = {&s->folder, name_of(s, number, FIRST_FILE, name)};

    return net_look(&file);
}

/*
 * Finds a number under which the server has no results.csv: `wanted`, or a higher number. Returns
 * NET_ABSENT if it has found one.
 */
static enum net_result find_number(struct sending *s, unsigned wanted)
{
    unsigned taken = 0, free = wanted;
    enum net_result result;

    while ((result = look(s, free)) == NET_OK) {
        if (free == NUMBER_MAX)
            return NET_EXISTS;
        taken = free;
        free = free * 2 < NUMBER_MAX ? free * 2 : NUMBER_MAX;
    }
    while (result == NET_ABSENT && taken > 0 && free > taken + 1) {
        unsigned between = taken + (free - taken) / 2;

        result = look(s, between);
        if (result == NET_OK) {
            taken = between;
            result = NET_ABSENT;
        } else {
            free = between;
        }
    }
    s->number = free;
    return result;
}

/*
 * After a failure no more files are sent, because run.json, which comes last, would mark the set as
 * complete.
 */
static bool send_file(void *context, const char *file, const void *bytes, size_t count)
{
    struct sending *s = context;
    char name[FILE_BYTES];
    struct net_file sent = {&s->folder, name_of(s, s->number, file, name)};

    shown_file = file;
    shown_bytes = count;
    show_progress(0);
    s->result = net_send(&sent, bytes, count, show_progress);
    console_progress_end();
    if (s->result == NET_OK) {
        s->files++;
        say("- %s: sent, %llu bytes\n", name, (unsigned long long)count);
        return true;
    }
    if (s->result == NET_EXISTS && s->files == 0)
        return false; /* another number will be tried */
    note_error(s, "%s was not sent: %s", name, net_error());
    return false;
}

static bool send_run(struct sending *s)
{
    for (unsigned tries = 0; tries < TAKEN_MAX; tries++) {
        bool whole;

        if (!s->run->store->on_stick) /* without a folder on a volume, the number may change */
            store_renumber(s->run->store, s->number);
        whole = store_hand_out(s->run->store, STORE_RESULTS_FIRST, send_file, s);
        if (s->result != NET_EXISTS || s->files > 0)
            return whole;
        if (s->number == NUMBER_MAX || tries + 1 == TAKEN_MAX)
            break;
        s->result = find_number(s, s->number + 1);
        if (s->result != NET_ABSENT)
            break;
    }
    note_error(s, "nothing was sent: %s",
               s->result == NET_EXISTS ? "the server has files under every number that was tried"
                                       : net_error());
    return false;
}

/* NET_SILENT means that another NIC should be tried. */
static enum net_result try_nic(struct sending *s, bool *whole)
{
    enum net_result result;

    console_progress("NIC %s: waiting for the server (Esc or Q ends it)", net_name(s->nic));
    result = net_use(s->nic, &s->folder);
    if (result != NET_OK) {
        note_error(s, "NIC %s: %s", net_name(s->nic), net_error());
        return result;
    }
    take_uuid(s);
    result = find_number(s, s->run->store->number > 0 ? s->run->store->number : 1);
    console_progress_end();
    if (result == NET_ABSENT) {
        *whole = send_run(s);
        result = s->result == NET_STOPPED ? NET_STOPPED : NET_OK;
    } else {
        note_error(s, "NIC %s: %s", net_name(s->nic),
                   result == NET_EXISTS
                       ? "the server has runs of this machine up to number 9999; give server= "
                         "another folder"
                       : net_error());
    }
    net_leave();
    return result;
}

/* If run.json is delivered in another way afterwards, it contains this note. */
static void note_failure(struct sending *s)
{
    out_end(&s->noted);
    say("! The server does not have all of this run: files sent: %u\n", s->files);
    store_append(s->run->store, RECORD_NOTE, &s->note, sizeof(s->note));
}

bool upload_run(const struct run *run, char name[UPLOAD_NAME_BYTES])
{
    struct sending s = {.run = run, .note = {.kind = NOTE_ERROR}};
    struct out out = out_buffer(s.uuid, sizeof(s.uuid));
    enum net_result result = NET_SILENT;
    bool whole = false;
    unsigned nics;

    if (!url_parse(piece_of(run->plan.results.server), &s.folder, &out))
        return false;
    say("\nSending the results to %s\n", run->plan.results.server);
    s.noted = out_buffer(s.note.text, sizeof(s.note.text));
    out_text(&s.noted, "the server does not have all of this run");
    nics = net_start();
    if (nics == 0)
        note_error(&s, "%s", net_error());
    for (s.nic = 0; s.nic < nics && result == NET_SILENT; s.nic++)
        result = try_nic(&s, &whole);
    net_stop();
    if (!whole)
        note_failure(&s);
    out = out_buffer(name, UPLOAD_NAME_BYTES);
    out_printf(&out, "%s-%04u", s.uuid, s.number);
    out_end(&out);
    return whole;
}
