/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's files as lines of text for a console or serial line. Lines may be lost, doubled, damaged,
 * or mixed with other text. scripts/capture restores the files.
 *
 *   @BC2:0f1e2d3c:2:0001a:UkVTVUxUUw...:89abcdef
 *
 * - 2: version of the format. Version 1 did not compress files.
 * - 0f1e2d3c: CRC-32 of the table of contents without "end": the transfer's id
 * - 2: number of the file, from 1; 0 is the table of contents
 * - 0001a: number of the line within the file, from 0
 * - base64 (RFC 4648, section 4) of at most 36 bytes
 * - 89abcdef: CRC-32 (pmu/base/bytes.h) of everything before its colon
 *
 * Files are compressed (pmu/base/deflate.h); the beginning of a file is readable even if its end is
 * lost. The table of contents has the line 0 "run NUMBER JOURNAL-ID FILES" and a line k "NAME BYTES
 * CRC-32" for each file k. BYTES is the size of the compressed file. CRC-32 is the checksum of the
 * original file. The table is sent before the first file and again after each file, because lines
 * may be lost. When all files are sent, the line "end" follows.
 *
 * NUMBER, FILES and BYTES are decimal; all other numbers are hexadecimal with a fixed width.
 */
#ifndef BARECOUNT_PMU_FILES_FRAMES_H
#define BARECOUNT_PMU_FILES_FRAMES_H

#include "pmu/base/deflate.h"

#define FRAME_MARK          "@BC2:"
#define FRAME_PAYLOAD_BYTES 36u
#define FRAME_LINE_BYTES    80u /* with the terminating zero */
#define FRAME_NAME_BYTES    16u
#define FRAMES_FILES_MAX    15u
#define FRAMES_LINES_MAX    0x100000u /* lines of a file; their numbers have 5 hexadecimal digits */
#define FRAMES_BYTES_MAX    ((size_t)FRAMES_LINES_MAX * FRAME_PAYLOAD_BYTES)

struct frames {
    uint64_t run_id; /* the journal's id */
    unsigned number; /* number of the run; at most 99999 */
    unsigned files;
    uint32_t id;
    struct {
        char name[FRAME_NAME_BYTES];
        size_t bytes; /* compressed */
        uint32_t crc32;
    } file[FRAMES_FILES_MAX];
};

void frames_start(struct frames *frames, unsigned number, uint64_t run_id);

/*
 * The compressed size of a file. If the compressed size exceeds `most`, or if the file has
 * DEFLATE_BYTES_MAX bytes or more, the result is only some number greater than `most`.
 */
size_t frames_deflated(struct deflate *work, const void *bytes, size_t count, size_t most);

/*
 * Adds a file with its compressed size and the CRC-32 of the original; all files must be added
 * before lines are written. False if there are too many files, or if the file or its name is too
 * long.
 */
bool frames_add(struct frames *frames, const char *name, size_t deflated, uint32_t crc32);

/* The number of lines for a file of `count` compressed bytes. */
uint32_t frames_lines_of(size_t count);

/* The number of all lines of a transfer, with all repetitions of the table of contents. */
uint32_t frames_lines(const struct frames *frames);

/* Write a line of the table of contents (0 to `files`), or its end, and return `text`. */
const char *frames_contents(const struct frames *frames, unsigned line,
                            char text[FRAME_LINE_BYTES]);
const char *frames_end(const struct frames *frames, char text[FRAME_LINE_BYTES]);

/* Writes a line (from 0) of a file (from 1), with at most FRAME_PAYLOAD_BYTES; returns `text`. */
const char *frames_line(const struct frames *frames, unsigned file, uint32_t line,
                        const void *payload, size_t count, char text[FRAME_LINE_BYTES]);

/*
 * Passes all lines of a file (from 1) to take(), until take() returns false; the result is then
 * false.
 */
bool frames_file(const struct frames *frames, unsigned file, struct deflate *work,
                 const void *bytes, size_t count, bool (*take)(void *context, const char *text),
                 void *context);

#endif
