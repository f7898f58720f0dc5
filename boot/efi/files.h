/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files on the stick. The stick is a volume of the disk from which the program was booted: the one
 * with the folder \barecount, or the boot volume itself if no volume of that disk has the folder.
 * If the program was booted neither from a volume with that folder nor from one that can be
 * written, the stick is the first volume with the folder \barecount on any disk. Paths are ASCII,
 * relative to the root, with backslashes. If the program was booted over the network and a file was
 * fetched from its server, boot/net/remote.h serves the files that the program only reads.
 *
 * The results volume holds all paths that begin with FILES_RESULTS, the file FILES_SKIPPED, and all
 * new folders. The results volume is the stick unless files_go_elsewhere() has found another
 * volume. Boot CPU only.
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

/* A server from which files are read instead of from the volume: boot/net/remote.h. */
struct files_server {
    bool (*open)(void); /* false: not booted from a server */
    /*
     * Chooses where plan, events and kernels come from: the server if a file was fetched from it
     * or if there is no volume with the folder \barecount, otherwise that volume.
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
 * Finds the stick, and the server if the program was booted over the network. False if there is no
 * file system and no server with files. If *all_answered is false, files may be missing because a
 * volume could not be read.
 */
bool files_open(const struct files_server *server, bool *all_answered);

/*
 * Makes the next volume that is on another disk and has a folder \barecount the results volume. The
 * new volume may turn out to be read-only. *tries starts at 0 and counts the volumes tried. False
 * if there is no further volume; the first results volume is then used again.
 */
bool files_go_elsewhere(unsigned *tries);

/* Whether there is any volume for results. */
bool files_has_volume(void);

/* Whether the program was loaded from a CD, or from a virtual CD of a BMC. */
bool files_program_on_cd(void);

/* The label of the results volume; "" if it has none. */
const char *files_volume(void);
/*
 * Writes the results volume's device path as the firmware formats it; writes nothing if the
 * firmware cannot.
 */
void files_place(struct out *out);

/* Free bytes on the results volume; UINT64_MAX if unknown. */
uint64_t files_free(void);

/*
 * Why the last call of a function of this file failed: the name of the firmware's error
 * ("EFI_VOLUME_FULL"), or a text.
 */
const char *files_error(void);

/* Whether the last call failed because the file or folder does not exist. */
bool files_missing(void);
/* Whether the last call failed because the volume is full; open files can still be closed. */
bool files_full(void);
/* Whether the last call failed because a file's clusters are corrupt; other files may work. */
bool files_damaged(void);

/*
 * Reads at most `size` bytes from the start of a file. Returns the number of bytes read, or -1 if
 * the file cannot be read or does not exist.
 */
int64_t files_read(const char *path, void *to, size_t size);

/* Like files_read(), but reads the last `size` bytes; only for files that the program writes. */
int64_t files_read_tail(const char *path, void *to, size_t size);

/* Whether a file or folder of that name exists; on a server, only files. */
bool files_exists(const char *path);

/* Size of a file in bytes, or -1 if it does not exist, cannot be opened or is a folder. */
int64_t files_size(const char *path);

/* Makes a folder for results unless it exists. The folder's parent must exist. */
bool files_make_folder(const char *path);

/* Deletes a file. False if the file still exists. */
bool files_delete(const char *path);

/*
 * Calls each(context, name, is_folder) for a folder's entries. False if some entries may be
 * missing.
 */
bool files_list(const char *path, void (*each)(void *context, const char *name, bool is_folder),
                void *context);

/*
 * If a list (a CSV file to which lines are appended) is empty or missing, writes a list that
 * consists of the header, and flushes it. After a power cut, the clusters of a file that has just
 * been made may be marked free. The clusters of an existing list stay allocated when lines are
 * appended to it. False if a write failed.
 */
bool files_begin_list(const char *path, const char *header);

/* Opens a new file for writing and replaces an old one of that name. */
bool file_create(struct file *file, const char *path);
/* Opens a file for appending and creates it if needed. */
bool file_append(struct file *file, const char *path);
bool file_write(struct file *file, const void *bytes, size_t count);
bool file_seek(struct file *file, uint64_t position);
/* True if all that was written is on the medium. */
bool file_flush(struct file *file);
void file_close(struct file *file);
/* Closes and deletes a file. False if the file still exists. */
bool file_delete(struct file *file);

/*
 * Closes the volumes before the program ends. After a disk has failed, they stay open, because
 * closing them may take a minute.
 */
void files_end(void);

#endif
