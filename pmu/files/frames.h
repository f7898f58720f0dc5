/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's files as lines of text that survive a console and a serial line: what comes out can be
 * lost, doubled, mixed with other text, or damaged, and what is whole is still known to be whole.
 * scripts/capture makes the files again.
 *
 *   @BC1:0f1e2d3c:2:0001a:UkVTVUxUUw...:89abcdef
 *    |   |        | |     |             CRC-32 (pmu/base/bytes.h) of all that stands before its
 * colon |   |        | |     base64 (RFC 4648, section 4) of 36 bytes, of fewer in a file's last
 * line |   |        | number of the line within its file, from 0 |   |        file, from 1; 0: the
 * table of contents |   id: CRC-32 of the table of contents, without its end mark, with the version
 * of this format
 *
 * The table of contents: line 0 is "run NUMBER JOURNAL-ID FILES", line k is "NAME BYTES CRC-32" of
 * file k, the one behind them is "end", at the end only. It comes before the first file, behind
 * each, and so again at the end: files are named when most of it is lost. A line has at most 79
 * columns. Numbers are decimal, or hexadecimal of a fixed width (ids, checksums, a line's own).
 */
#ifndef BARECOUNT_PMU_FILES_FRAMES_H
#define BARECOUNT_PMU_FILES_FRAMES_H

#include "pmu/base/out.h"

#define FRAME_MARK          "@BC1:"
#define FRAME_PAYLOAD_BYTES 36u
#define FRAME_LINE_BYTES    80u /* 79 columns and a zero */
#define FRAME_NAME_BYTES    16u
#define FRAMES_FILES_MAX    15u
#define FRAMES_LINES_MAX    0x100000u /* of a file: five digits */

struct frames {
    uint64_t run_id; /* of the journal: tells runs of the same number apart */
    unsigned number; /* of the run, at most 99999 */
    unsigned files;
    uint32_t id;
    struct {
        char name[FRAME_NAME_BYTES];
        size_t bytes;
        uint32_t crc32;
    } file[FRAMES_FILES_MAX];
};

void frames_start(struct frames *frames, unsigned number, uint64_t run_id);

/*
 * Adds a file. False: there are FRAMES_FILES_MAX already, it takes more than FRAMES_LINES_MAX
 * lines, or its name is too long.
 */
bool frames_add(struct frames *frames, const char *name, const void *bytes, size_t count);

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

#endif
