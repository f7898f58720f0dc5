/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files on the stick: the volume with the folder \barecount, on the disk the program came from, or
 * else the very volume it came from; the first volume with that folder, on any disk, where it came
 * from none. Paths are ASCII, from the volume's root, with backslashes. Where the program came over
 * the network, boot/net/remote.h has all that is not written here, if its server has a list or a
 * plan.
 *
 * What begins with FILES_RESULTS, FILES_SKIPPED, and all folders that are made, are on the volume
 * that results go to: the same one, unless files_go_elsewhere() found another.
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

/* A server that files are read from in place of a volume: boot/net/remote.h. */
struct files_server {
    bool (*open)(void); /* false: the program did not come from one */
    /*
     * What has the plan, the events and the kernels: the server, if it has a list of files or a
     * plan; else a volume with our folder, if there is one.
     */
    void (*choose)(bool has_volume);
    bool (*is_open)(void);
    bool (*is_read)(void); /* it was chosen */
    int64_t (*size)(const char *path);
    int64_t (*read)(const char *path, void *to, size_t size);
    void (*list)(const char *path, void (*each)(void *context, const char *name, bool is_folder),
                 void *context);
};

/*
 * Finds and opens the volume. False: there is none with a file system, nor a server with files.
 * Without *all_answered, what it should have may be on a volume that could not be looked at.
 */
bool files_open(const struct files_server *server, bool *all_answered);

/*
 * Lets results go to the next volume that has a folder \barecount, of any disk but that which they
 * go to now; whether it can be written is not known yet. *tries: 0 at first, then how
 * many were tried. False: there are no more, and they go where they went before.
 */
bool files_go_elsewhere(unsigned *tries);

/* Whether there is a volume for results at all. */
bool files_has_volume(void);

/* The label of the volume that results go to; "" when it has none. */
const char *files_volume(void);
/* Its device path as the firmware writes it; nothing where it cannot. */
void files_place(struct out *out);

/* Bytes free on that volume; UINT64_MAX when it does not say. */
uint64_t files_free(void);

/* Why the last of these calls failed, as the firmware names it ("EFI_VOLUME_FULL"), or in words. */
const char *files_error(void);

/* Whether it was because there is no such file or folder. */
bool files_missing(void);
/* Whether it was for want of room: the volume works, and what is open on it can be closed. */
bool files_full(void);
/* Whether it was for a file's clusters, which are not as its folder has them; others may do. */
bool files_damaged(void);

/* Reads at most `size` bytes from a file's start; how many, or -1 when there is no such file. */
int64_t files_read(const char *path, void *to, size_t size);

/* The same from its end, only for files that the program writes. */
int64_t files_read_tail(const char *path, void *to, size_t size);

/* Whether there is a file or folder of that name; on a server, a file. */
bool files_exists(const char *path);

/* Bytes of a file, or -1 when there is no such file. */
int64_t files_size(const char *path);

/* Makes a folder for results, or finds it there. The folder above it must exist. */
bool files_make_folder(const char *path);

/* Takes a file off the volume. False: it is still there. */
bool files_delete(const char *path);

/* Calls each(context, name, is_folder) for what a folder holds. False: not for all of it. */
bool files_list(const char *path, void (*each)(void *context, const char *name, bool is_folder),
                void *context);

/* Opens a new file to write, in the place of any of that name. */
bool file_create(struct file *file, const char *path);
/* Opens a file to write behind its end, and makes it if it is not there. */
bool file_append(struct file *file, const char *path);
bool file_write(struct file *file, const void *bytes, size_t count);
bool file_seek(struct file *file, uint64_t position);
/* Everything written is on the medium when this returns true. */
bool file_flush(struct file *file);
void file_close(struct file *file);
/* Closes a file and takes it off the volume. False: it is still there. */
bool file_delete(struct file *file);

/*
 * Before the program ends: no file is open any more, and none can be opened. Once a disk has
 * failed, what is open stays so, as to close it may take a minute.
 */
void files_end(void);

#endif
