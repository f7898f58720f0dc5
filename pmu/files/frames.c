/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes files as lines for a serial port. */
#include "pmu/files/frames.h"
#include "pmu/base/bytes.h"
#include "pmu/base/text.h"

/* Mark, id, file, number of the line, payload and checksum, with the colons between them. */
_Static_assert(5 + 9 + 2 + 6 + FRAME_PAYLOAD_BYTES / 3 * 4 + 9 < FRAME_LINE_BYTES, "79 columns");

void frames_start(struct frames *frames, unsigned number, uint64_t run_id)
{
    *frames = (struct frames){.number = number, .run_id = run_id};
}

uint32_t frames_lines_of(size_t count)
{
    return (uint32_t)((count + FRAME_PAYLOAD_BYTES - 1) / FRAME_PAYLOAD_BYTES);
}

static struct out contents(const struct frames *frames, unsigned line,
                           char payload[FRAME_PAYLOAD_BYTES + 1])
{
    struct out out = out_buffer(payload, FRAME_PAYLOAD_BYTES + 1);

    if (line == 0)
        out_printf(&out, "run %04u %016llx %u", frames->number, (unsigned long long)frames->run_id,
                   frames->files);
    else if (line <= frames->files)
        out_printf(&out, "%s %llu %08x", frames->file[line - 1].name,
                   (unsigned long long)frames->file[line - 1].bytes, frames->file[line - 1].crc32);
    else
        out_text(&out, "end");
    return out;
}

struct total {
    size_t bytes, most;
};

static bool add_up(void *context, const char *bytes, size_t count)
{
    struct total *total = context;

    (void)bytes;
    total->bytes += count;
    return total->bytes <= total->most;
}

size_t frames_deflated(struct deflate *work, const void *bytes, size_t count, size_t most)
{
    char piece[FRAME_PAYLOAD_BYTES];
    struct total total = {.most = most};
    struct out out = out_stream(piece, sizeof(piece), add_up, &total);

    if (count >= DEFLATE_BYTES_MAX)
        return most + 1;
    deflate_bytes(work, bytes, count, &out);
    out_flush(&out);
    return total.bytes;
}

bool frames_add(struct frames *frames, const char *name, size_t deflated, uint32_t crc32)
{
    char payload[FRAME_PAYLOAD_BYTES + 1];
    uint32_t id = 0;

    if (frames->files == FRAMES_FILES_MAX || text_length(name) >= FRAME_NAME_BYTES ||
        deflated > FRAMES_BYTES_MAX)
        return false;
    text_copy(frames->file[frames->files].name, FRAME_NAME_BYTES, name);
    frames->file[frames->files].bytes = deflated;
    frames->file[frames->files].crc32 = crc32;
    frames->files++;
    for (unsigned line = 0; line <= frames->files; line++) {
        struct out out = contents(frames, line, payload);

        id = crc32_ieee(id, payload, out.used);
    }
    frames->id = id;
    return true;
}

uint32_t frames_lines(const struct frames *frames)
{
    uint32_t lines = (frames->files + 1) * (frames->files + 1) + 1;

    for (unsigned i = 0; i < frames->files; i++)
        lines += frames_lines_of(frames->file[i].bytes);
    return lines;
}

static void put_base64(struct out *out, const uint8_t *bytes, size_t count)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t at = 0; at < count; at += 3) {
        size_t left = count - at;
        uint32_t three = (uint32_t)bytes[at] << 16;

        three |= left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0;
        three |= left > 2 ? bytes[at + 2] : 0;
        out_char(out, DIGITS[three >> 18]);
        out_char(out, DIGITS[three >> 12 & 63]);
        out_char(out, left > 1 ? DIGITS[three >> 6 & 63] : '=');
        out_char(out, left > 2 ? DIGITS[three & 63] : '=');
    }
}

const char *frames_line(const struct frames *frames, unsigned file, uint32_t line,
                        const void *payload, size_t count, char text[FRAME_LINE_BYTES])
{
    struct out out = out_buffer(text, FRAME_LINE_BYTES);

    out_printf(&out, FRAME_MARK "%08x:%x:%05x:", frames->id, file, line);
    put_base64(&out, payload, count);
    out_printf(&out, ":%08x", crc32_ieee(0, text, out.used));
    return out_end(&out);
}

struct lines {
    const struct frames *frames;
    unsigned file;
    uint32_t line; /* of the next line */
    bool (*take)(void *context, const char *text);
    void *context;
};

static bool take_line(void *context, const char *payload, size_t count)
{
    struct lines *lines = context;
    char text[FRAME_LINE_BYTES];

    return lines->take(lines->context, frames_line(lines->frames, lines->file, lines->line++,
                                                   payload, count, text));
}

bool frames_file(const struct frames *frames, unsigned file, struct deflate *work,
                 const void *bytes, size_t count, bool (*take)(void *context, const char *text),
                 void *context)
{
    struct lines lines = {frames, file, 0, take, context};
    char payload[FRAME_PAYLOAD_BYTES];
    struct out out = out_stream(payload, sizeof(payload), take_line, &lines);

    deflate_bytes(work, bytes, count, &out);
    return out_flush(&out);
}

const char *frames_contents(const struct frames *frames, unsigned line, char text[FRAME_LINE_BYTES])
{
    char payload[FRAME_PAYLOAD_BYTES + 1];
    struct out out = contents(frames, line, payload);

    return frames_line(frames, 0, line, payload, out.used, text);
}

const char *frames_end(const struct frames *frames, char text[FRAME_LINE_BYTES])
{
    return frames_contents(frames, frames->files + 1, text);
}
