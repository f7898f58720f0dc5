/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends the last run as lines over serial ports or the console. */
#include "pmu/files/frames.h"
#include "boot/efi/console.h"
#include "boot/send/send.h"
#include "boot/efi/serial.h"
#include "pmu/base/bytes.h"
#include "pmu/base/text.h"

#define SMALL_BYTES    65536u                  /* limit for optional files: 13 s at 115200 baud */
#define LINE_BYTES     (FRAME_LINE_BYTES + 1u) /* 79 columns and CR LF */
#define LOOK_LINES     16u                     /* lines between two checks for keys */
#define PROGRESS_LINES 256u
#define LATE_TIMES     3u /* sending may take this many times the expected time, plus LATE_US */
#define LATE_US        10000000u
#define US_PER_S       1000000u

static struct deflate work; /* too large for a stack */

struct sending {
    const struct run *run;
    struct frames frames;
    bool console; /* lines go to the console, because there is no port */
    uint32_t lines, sent;
    unsigned file; /* index of the next file */
    uint64_t expected_us, started_us;
    const char *ended; /* why sending ended early; null: it did not */
};

/* Whether a file is sent even if it is not small. */
static bool must_go(const struct sending *s, const char *name)
{
    return text_same(name, "results.csv") || text_same(name, "run.json") ||
           s->run->plan.results.frames == FRAMES_ALWAYS;
}

static bool enter(void *context, const char *name, const void *bytes, size_t count)
{
    struct sending *s = context;
    const bool must = must_go(s, name);
    const size_t most = must ? FRAMES_BYTES_MAX : SMALL_BYTES;
    const size_t deflated = frames_deflated(&work, bytes, count, most);

    if (deflated <= most)
        frames_add(&s->frames, name, deflated, crc32_ieee(0, bytes, count));
    else if (must)
        say("! Frames  %s is too large for frames: more than %llu KiB deflated\n", name,
            (unsigned long long)(most >> 10));
    else
        say("          %s, more than %llu KiB deflated, is left out; frames=always in [results]\n"
            "          sends it\n",
            name, (unsigned long long)(most >> 10));
    return true;
}

static void look_around(struct sending *s)
{
    uint64_t us = machine_us(s->run->machine) - s->started_us, left_us;
    char time[TIME_WORDS_BYTES];

    if (console_stop_asked())
        s->ended = "a key ended it";
    if (us > LATE_TIMES * s->expected_us + LATE_US)
        s->ended = "sending takes much longer than expected; has a port's receiver stopped?";
    left_us = s->expected_us * (s->lines - s->sent) / s->lines;
    if (s->sent % PROGRESS_LINES == 0 && s->sent > 0 && !s->console && !s->ended)
        console_progress("Frames: %u of %u lines, about %s left; Q ends it", s->sent, s->lines,
                         time_words(left_us + US_PER_S, false, time));
}

static bool send_line(void *context, const char *text)
{
    struct sending *s = context;

    if (s->sent % LOOK_LINES == 0)
        look_around(s);
    if (!s->ended && !serial_line(text, s->console))
        s->ended = "no serial port accepts lines any more";
    s->sent += !s->ended;
    return !s->ended;
}

static bool send_contents(struct sending *s)
{
    char text[FRAME_LINE_BYTES];

    for (unsigned line = 0; line <= s->frames.files; line++)
        if (!send_line(s, frames_contents(&s->frames, line, text)))
            return false;
    return true;
}

static bool send_file(void *context, const char *name, const void *bytes, size_t count)
{
    struct sending *s = context;

    if (s->file == s->frames.files || !text_same(name, s->frames.file[s->file].name))
        return true; /* it was left out */
    s->file++;
    return frames_file(&s->frames, s->file, &work, bytes, count, send_line, s) && send_contents(s);
}

static void say_files(const struct sending *s)
{
    char time[TIME_WORDS_BYTES], ports[COUNTED_BYTES];

    say("Frames    ");
    for (unsigned i = 0; i < s->frames.files; i++)
        say("%s%s", i > 0 ? ", " : "", s->frames.file[i].name);
    say(": %u lines, about %s\n", s->lines, time_words(s->expected_us + US_PER_S, false, time));
    if (s->console)
        say("          over this console; ");
    else
        say("          over %s; ", counted(serial_ports(), "serial port", ports));
    say("Esc or Q ends it; scripts/capture makes files from a log\n");
}

static bool send_all(const struct run *run, bool console)
{
    struct sending s = {.run = run, .console = console};
    char text[FRAME_LINE_BYTES];

    say("\n");
    frames_start(&s.frames, run->store->number, run->store->journal.run_id);
    store_hand_out(run->store, STORE_SUMMARY_FIRST, enter, &s);
    if (s.frames.files == 0) {
        say("! Frames  there is nothing to send\n");
        return false;
    }
    s.lines = frames_lines(&s.frames);
    s.expected_us = s.lines * LINE_BYTES * serial_byte_ns() / 1000;
    s.started_us = machine_us(run->machine);
    say_files(&s);
    if (send_contents(&s) && store_hand_out(run->store, STORE_SUMMARY_FIRST, send_file, &s))
        send_line(&s, frames_end(&s.frames, text));
    else if (!s.ended)
        s.ended = "there was too little memory for a file";
    console_progress_end();
    if (s.ended)
        say("! Frames  ended at line %u of %u: %s\n", s.sent, s.lines, s.ended);
    else
        say("Frames    sent: %u lines; F in the menu sends them again\n", s.sent);
    return !s.ended;
}

bool frames_after(const struct run *run, bool taken)
{
    enum plan_frames frames = run->plan.results.frames;
    enum serial_way way;

    if (frames == FRAMES_NEVER || (frames == FRAMES_AUTO && taken))
        return false;
    way = serial_open(frames == FRAMES_ALWAYS);
    if (way != SERIAL_NONE || frames == FRAMES_ALWAYS)
        return send_all(run, way != SERIAL_PORTS);
    say("! There is no serial line to send the results over. To keep them, connect a FAT\n"
        "  volume with the folder \\barecount, or set server= or frames=always in the plan's\n"
        "  [results]; frames=always also uses ports that are not the firmware's terminals\n");
    return false;
}

void frames_again(const struct run *run)
{
    const bool all = run->plan.results.frames == FRAMES_ALWAYS;

    send_all(run, serial_open(all) != SERIAL_PORTS);
}
