/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a run's files (kernels, event tables and plan), and makes the folder for the results. */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/check.h"
#include "pmu/base/bytes.h"
#include "scripts/linux/files.h"
#include "scripts/linux/host.h"

#define MEMORY_ALIGN 64u
#define RUNS_MAX     9999u
#define BUILD        "build it again with scripts/build-kernel"

/* Defined in kernel_table.asm. */
extern const char kernel_table[], kernel_table_end[];

char early_errors[EARLY_ERRORS_MAX][EARLY_ERROR_BYTES];
unsigned early_error_count;

static char events_folder[PATH_BYTES];

void early_error(const char *format, ...)
{
    va_list arguments;

    if (early_error_count == EARLY_ERRORS_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(early_errors[early_error_count++], EARLY_ERROR_BYTES, format, arguments);
    va_end(arguments);
}

void *files_memory(size_t bytes)
{
    size_t whole = (bytes + MEMORY_ALIGN - 1) / MEMORY_ALIGN * MEMORY_ALIGN;
    void *at = aligned_alloc(MEMORY_ALIGN, whole);

    return at ? memset(at, 0, whole) : NULL;
}

char *files_read(const char *path, size_t most, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    char *text = NULL;
    int why;

    if (!file)
        return NULL;
    if (fstat(fileno(file), &about) == 0) {
        /* The size of a pipe is unknown. */
        bool is_short = S_ISREG(about.st_mode) && (size_t)about.st_size < most;

        *bytes = is_short ? (size_t)about.st_size : most;
        text = files_memory(*bytes + 1);
    }
    if (text)
        *bytes = fread(text, 1, *bytes, file);
    if (text && ferror(file)) { /* errno says why, such as EISDIR for a folder */
        free(text);
        text = NULL;
    }
    why = errno;
    fclose(file);
    errno = why;
    return text;
}

static void event_path(const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%.3800s/%s", events_folder, name);
}

static int64_t event_size(const char *name)
{
    char path[PATH_BYTES];
    struct stat about;

    event_path(name, path);
    return stat(path, &about) == 0 ? (int64_t)about.st_size : -1;
}

static int64_t event_read(const char *name, void *to, size_t size)
{
    char path[PATH_BYTES];
    FILE *file;
    size_t got;

    event_path(name, path);
    file = fopen(path, "rb");
    if (!file)
        return -1;
    got = fread(to, 1, size, file);
    fclose(file);
    return (int64_t)got;
}

static const char *event_error(void)
{
    return strerror(errno);
}

static bool event_list(void (*each)(void *context, const char *name, bool is_folder), void *context)
{
    DIR *folder = opendir(events_folder);
    const struct dirent *entry;

    if (!folder)
        return errno == ENOENT;
    while ((entry = readdir(folder)))
        each(context, entry->d_name, entry->d_type == DT_DIR);
    closedir(folder);
    return true;
}

bool files_is_folder(const char *path)
{
    DIR *folder = opendir(path);

    return folder && closedir(folder) == 0;
}

const struct tables_port *files_events(const char *folder)
{
    static struct tables_port port = {
        .folder = events_folder,
        .separator = '/',
        .memory = files_memory,
        .size = event_size,
        .read = event_read,
        .error = event_error,
        .list = event_list,
    };

    snprintf(events_folder, sizeof(events_folder), "%s", folder);
    return &port;
}

static const struct kernel_record *offered[OFFER_MAX];
static const char *offered_file[OFFER_MAX];

static bool find_built_in(struct kernel_offer *offer)
{
    const struct kernel_record *kernel = NULL;
    enum kernel_fault fault = KERNEL_OK;
    size_t bytes = (size_t)(kernel_table_end - kernel_table);

    while ((kernel = kernel_next(kernel_table, bytes, kernel, crc32_ieee, &fault)) &&
           offer->kernels < OFFER_MAX) {
        offered[offer->kernels] = kernel;
        offered_file[offer->kernels++] = "";
    }
    if (fault == KERNEL_OK && !kernel)
        return true;
    return REFUSE("the built-in kernel after number %u cannot be used: %s\n", offer->kernels,
                  fault ? kernel_fault_text(fault) : "there is no room for more");
}

static int is_kernel_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 4, ".bin") == 0;
}

static bool is_taken(const struct kernel_offer *offer, const char *path,
                     const struct kernel_record *kernel)
{
    for (unsigned i = 0; i < offer->kernels; i++) {
        if (strcmp(offered[i]->name, kernel->name) != 0)
            continue;
        early_error("%s: a kernel '%s' is %s%s already; give this one another name", path,
                    kernel->name, offered_file[i][0] ? "in " : "built in", offered_file[i]);
        return true;
    }
    return false;
}

static void take_kernel(struct kernel_offer *offer, const char *path, const char *name)
{
    size_t bytes = 0;
    char *file = files_read(path, KERNEL_FILE_BYTES_MAX + 1, &bytes);
    const struct kernel_record *kernel = (const struct kernel_record *)(const void *)file;
    enum kernel_fault fault;

    if (!file) {
        early_error("%s: it cannot be read: %s", path, strerror(errno));
        return;
    }
    fault = bytes > KERNEL_FILE_BYTES_MAX ? KERNEL_TOO_LARGE
                                          : kernel_check_file(file, bytes, crc32_ieee);
    if (fault == KERNEL_BAD_ABI)
        early_error("%s: %s, %u; this program takes version %u; " BUILD, path,
                    kernel_fault_text(fault), kernel->abi, KERNEL_ABI);
    else if (fault != KERNEL_OK)
        early_error("%s: %s; " BUILD, path, kernel_fault_text(fault));
    else if (offer->kernels == OFFER_MAX)
        early_error("%s: there is no room for more kernels, so this one is left out", path);
    else if (!is_taken(offer, path, kernel)) {
        offered[offer->kernels] = kernel;
        offered_file[offer->kernels++] = name;
    }
}

bool files_kernels(const char *folder, struct kernel_offer *offer)
{
    struct dirent **entry;
    int found;

    offer->kernel = offered;
    offer->file = offered_file;
    if (!find_built_in(offer))
        return false;
    if (!folder)
        return true;
    found = scandir(folder, &entry, is_kernel_file, alphasort);
    if (found < 0)
        return REFUSE("--kernels %s: %s\n", folder, strerror(errno));
    for (int i = 0; i < found; i++) {
        char path[PATH_BYTES];

        snprintf(path, sizeof(path), "%.3800s/%s", folder, entry[i]->d_name);
        take_kernel(offer, path, entry[i]->d_name);
    }
    return true; /* the entries stay allocated: `offered_file` points to their names */
}

unsigned files_next_run(const char *folder, char path[PATH_BYTES])
{
    struct stat about;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return 0;
    if (stat(folder, &about) == 0 && !S_ISDIR(about.st_mode)) {
        errno = ENOTDIR;
        return 0;
    }
    for (unsigned number = 1; number <= RUNS_MAX; number++) {
        snprintf(path, PATH_BYTES, "%.3800s/%04u", folder, number);
        if (mkdir(path, 0777) == 0)
            return number;
        if (errno != EEXIST)
            return 0;
    }
    errno = 0;
    return 0;
}
