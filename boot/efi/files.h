/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files on the stick and on the results volume. Paths are ASCII, relative to the root, with
 * backslashes. The stick is the volume with the folder \barecount on the disk from which the
 * program was booted. If that disk has no such volume, the stick is the boot volume. If the boot
 * volume cannot be written, the stick is the first volume with this folder on any disk. After a
 * network boot, files may be read from the server instead (boot/net/remote.h).
 *
 * The results volume contains FILES_SKIPPED, all paths that begin with FILES_RESULTS, and all new
 * folders. The results volume is the stick unless files_go_elsewhere() has found another volume.
 * Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_FILES_H
#define BARECOUNT_BOOT_EFI_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/base/out.h"

#define FILE_PATH_BYTES 96u
#define FILES_RESULTS   "barecount\\results"
#define FILES_SKIPPED   "barecount\\skipped.csv"

struct file {
    void *handle; /* null: not open */
};

/* See boot/net/remote.h. */
struct files_server {
    bool (*open)(void); /* false: not booted from a server */
    /*
     * Chooses the server if a file was fetched from it, or if no volume has the folder \barecount.
     */
    void (*choose)(bool has_volume);
    bool (*is_open)(void);
    bool (*is_read)(void); /* the server was chosen */
    int64_t (*size)(const char *path);
    int64_t (*read)(const char *path, void *to, size_t size);
    void (*list)(const char *path, void (*each)(void *context, const char *name, bool is_folder),
                 void *context);
};

/*
 * Finds the stick and, after a network boot, the server. False if there is neither. If
 * *all_answered is false, a volume could not be read.
 */
bool files_open(const struct files_server *server, bool *all_answered);

/*
 * Chooses another results volume: the next volume with a folder \barecount on another disk. This
 * volume may be read-only. *tries starts at 0. False if there is no further volume; the first
 * results volume is then used again.
 */
bool files_go_elsewhere(unsigned *tries);

/* Whether there is a results volume. */
bool files_has_volume(void);

/* Whether the program was loaded from a CD or from a BMC's virtual CD. */
bool files_program_on_cd(void);

/* The results volume's label, or "". */
const char *files_volume(void);
/* Writes the results volume's device path, or nothing if the firmware cannot format it. */
void files_place(struct out *out);

/* Free bytes on the results volume; UINT64_MAX: unknown. */
uint64_t files_free(void);

/* Why the last call failed: the firmware's error ("EFI_VOLUME_FULL") or a text. */
const char *files_error(void);

/* Whether the last call failed because there is no such file or folder, or no volume at all. */
bool files_missing(void);
/* Whether the last call failed because the volume is full; open files can still be closed. */
bool files_full(void);
/* Whether the last call failed because a file's clusters are corrupt; other files may work. */
bool files_damaged(void);

/*
 * Reads at most `size` bytes from the start of a file. Returns the number of bytes read, or -1 if
 * the file is missing or cannot be read.
 */
int64_t files_read(const char *path, void *to, size_t size);

/* Like files_read(), but reads the last `size` bytes; only for files that the program writes. */
int64_t files_read_tail(const char *path, void *to, size_t size);

/* Whether a file or folder of that name exists; on a server, only files. */
bool files_exists(const char *path);

/* Size of a file in bytes, or -1 if it cannot be opened or is a folder. */
int64_t files_size(const char *path);

/* Makes a folder for results unless it exists. Its parent must exist. */
bool files_make_folder(const char *path);

/* False if the file still exists. */
bool files_delete(const char *path);

/* False if some entries may be missing. */
bool files_list(const char *path, void (*each)(void *context, const char *name, bool is_folder),
                void *context);

/*
 * If a list (a CSV file to which lines are appended) is empty or missing, writes its header. The
 * header is flushed before any line is appended: a power cut may destroy a file that has just been
 * made, but then the file has no lines yet. False if a write failed.
 */
bool files_begin_list(const char *path, const char *header);

/* Replaces an old file. */
bool file_create(struct file *file, const char *path);
/* Opens a file for appending, and creates it if needed. */
bool file_append(struct file *file, const char *path);
bool file_write(struct file *file, const void *bytes, size_t count);
bool file_seek(struct file *file, uint64_t position);
/* True if all that was written is on the medium. */
bool file_flush(struct file *file);
void file_close(struct file *file);
/* Closes and deletes a file. False if it still exists. */
bool file_delete(struct file *file);

/*
 * Closes the volumes. After a disk has failed, they stay open, because closing them may take a
 * minute.
 */
void files_end(void);

#endif
