/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's files as lines of text for a console or serial line. Lines may be lost, doubled, mixed
 * with other text, or damaged; intact lines can still be recognised. scripts/capture restores the
 * files.
 *
 *   @BC2:0f1e2d3c:2:0001a:UkVTVUxUUw...:89abcdef
 *
 * - 2: the version of this format
 * - 0f1e2d3c: the id of the transfer, which is the CRC-32 of its table of contents without "end"
 * - 2: the number of the file, from 1; 0 is the table of contents
 * - 0001a: the number of the line within its file, from 0
 * - base64 (RFC 4648, section 4) of 36 bytes; fewer in the table of contents and in a file's last
 *   line
 * - 89abcdef: CRC-32 (pmu/base/bytes.h) of everything before its colon
 *
 * Files are compressed (pmu/base/deflate.h) in a way that keeps the beginning of a file readable
 * even if its end is lost. In version 1 of the format, files were not compressed; all else was the
 * same.
 *
 * In the table of contents, line 0 is "run NUMBER JOURNAL-ID FILES", and line k is "NAME BYTES
 * CRC-32" of file k. BYTES is the compressed size; CRC-32 is that of the original file. When all
 * files are sent, the line "end" follows. The table is sent before the first file and again after
 * each file, so that the names of the files are known even if most lines of the table are lost. A
 * line has at most 79 columns. Ids, checksums, and the numbers that identify files and lines are
 * hexadecimal with a fixed width; other numbers (NUMBER, FILES, BYTES) are decimal.
 */
#ifndef BARECOUNT_PMU_FILES_FRAMES_H
#define BARECOUNT_PMU_FILES_FRAMES_H

#include "pmu/base/deflate.h"

#define FRAME_MARK          "@BC2:"
#define FRAME_PAYLOAD_BYTES 36u
#define FRAME_LINE_BYTES    80u /* 79 columns and the terminating zero */
#define FRAME_NAME_BYTES    16u
#define FRAMES_FILES_MAX    15u
#define FRAMES_LINES_MAX    0x100000u /* lines of a file; their numbers have 5 hexadecimal digits */
#define FRAMES_BYTES_MAX    ((size_t)FRAMES_LINES_MAX * FRAME_PAYLOAD_BYTES)

struct frames {
    uint64_t run_id; /* the journal's id, which distinguishes runs with the same number */
    unsigned number; /* the run's number, at most 99999 */
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
 * DEFLATE_BYTES_MAX bytes or more, the result is an arbitrary number greater than `most`.
 */
size_t frames_deflated(struct deflate *work, const void *bytes, size_t count, size_t most);

/*
 * Adds a file with its compressed size and the CRC-32 of the original. False if there are already
 * FRAMES_FILES_MAX files, the compressed size exceeds FRAMES_BYTES_MAX, or the name is too long.
 */
bool frames_add(struct frames *frames, const char *name, size_t deflated, uint32_t crc32);

/* The number of lines for a file whose compressed size is `count` bytes. */
uint32_t frames_lines_of(size_t count);

/* The number of all lines of a transfer, including each repetition of the table of contents. */
uint32_t frames_lines(const struct frames *frames);

/*
 * Write a line of the table of contents (0 to `files`), or its end, and return `text`. All files
 * must have been added.
 */
const char *frames_contents(const struct frames *frames, unsigned line,
                            char text[FRAME_LINE_BYTES]);
const char *frames_end(const struct frames *frames, char text[FRAME_LINE_BYTES]);

/* Writes a line (from 0) of a file, with at most FRAME_PAYLOAD_BYTES, and returns `text`. */
const char *frames_line(const struct frames *frames, unsigned file, uint32_t line,
                        const void *payload, size_t count, char text[FRAME_LINE_BYTES]);

/*
 * Passes all lines of a file to take(), until take() returns false; the result is then false. Files
 * are numbered from 1. All files must have been added.
 */
bool frames_file(const struct frames *frames, unsigned file, struct deflate *work,
                 const void *bytes, size_t count, bool (*take)(void *context, const char *text),
                 void *context);

#endif
