/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's files as lines of text that survive a console and a serial line: what comes out can be
 * lost, doubled, mixed with other text, or damaged, and what is whole is still known to be whole.
 * scripts/capture makes the files again.
 *
 *   @BC2:0f1e2d3c:2:0001a:UkVTVUxUUw...:89abcdef
 *
 * - 2: the version of this format
 * - 0f1e2d3c: the id of a sending, CRC-32 of its table of contents, without its end mark
 * - 2: the file, from 1; 0: the table of contents
 * - 0001a: the line within its file, from 0
 * - base64 (RFC 4648, section 4) of 36 bytes, of fewer in a file's last line
 * - 89abcdef: CRC-32 (pmu/base/bytes.h) of all that stands before its colon
 *
 * A file goes deflated (pmu/base/deflate.h), so that its beginning can be read when the rest is
 * lost. In version 1 files went as they are; all else was the same.
 *
 * The table of contents: line 0 is "run NUMBER JOURNAL-ID FILES", line k is "NAME BYTES CRC-32" of
 * file k, the line after these is "end", at the end only. BYTES is how many are sent, CRC-32 is the
 * file's own. The table comes before the first file and after each, so also at the end: files are
 * named when most of it is lost. A line has at most 79 columns. Numbers are decimal, or hexadecimal
 * of a fixed width (ids, checksums, a line's own).
 */
#ifndef BARECOUNT_PMU_FILES_FRAMES_H
#define BARECOUNT_PMU_FILES_FRAMES_H

#include "pmu/base/deflate.h"

#define FRAME_MARK          "@BC2:"
#define FRAME_PAYLOAD_BYTES 36u
#define FRAME_LINE_BYTES    80u /* 79 columns and a zero */
#define FRAME_NAME_BYTES    16u
#define FRAMES_FILES_MAX    15u
#define FRAMES_LINES_MAX    0x100000u /* of a file: five digits */
#define FRAMES_BYTES_MAX    ((size_t)FRAMES_LINES_MAX * FRAME_PAYLOAD_BYTES)

struct frames {
    uint64_t run_id; /* of the journal: tells runs of the same number apart */
    unsigned number; /* of the run, at most 99999 */
    unsigned files;
    uint32_t id;
    struct {
        char name[FRAME_NAME_BYTES];
        size_t bytes; /* deflated */
        uint32_t crc32;
    } file[FRAMES_FILES_MAX];
};

void frames_start(struct frames *frames, unsigned number, uint64_t run_id);

/*
 * How many bytes a file has once it is deflated. It reads no further when they are more than
 * `most`, and returns any number above that, as it does for a file of DEFLATE_BYTES_MAX or more.
 */
size_t frames_deflated(struct deflate *work, const void *bytes, size_t count, size_t most);

/*
 * Adds a file of `deflated` bytes as they are sent, and the CRC-32 of the file itself. False: there
 * are FRAMES_FILES_MAX already, it has more than FRAMES_BYTES_MAX, or its name is too long.
 */
bool frames_add(struct frames *frames, const char *name, size_t deflated, uint32_t crc32);

/* Lines that so many bytes take. */
uint32_t frames_lines_of(size_t count);

/* All lines: of each file once, and of the table of contents as often as it comes. */
uint32_t frames_lines(const struct frames *frames);

/*
 * Lines of the table of contents, from 0 to `files`, and its end. Returns text. All files must have
 * been added.
 */
const char *frames_contents(const struct frames *frames, unsigned line,
                            char text[FRAME_LINE_BYTES]);
const char *frames_end(const struct frames *frames, char text[FRAME_LINE_BYTES]);

/* A line of a file, numbered from 0, of at most FRAME_PAYLOAD_BYTES. Returns text. */
const char *frames_line(const struct frames *frames, unsigned file, uint32_t line,
                        const void *payload, size_t count, char text[FRAME_LINE_BYTES]);

/*
 * Gives all lines of a file to take(), until one returns false. False: one did. Files are numbered
 * from 1; all must have been added.
 */
bool frames_file(const struct frames *frames, unsigned file, struct deflate *work,
                 const void *bytes, size_t count, bool (*take)(void *context, const char *text),
                 void *context);

#endif
