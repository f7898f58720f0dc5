/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the built-in kernels and those in the files of \barecount\kernels. */
#include "boot/plan/kernels.h"
#include "boot/efi/early_notes.h"
#include "boot/efi/console.h"
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"
#include "boot/efi/secure_boot.h"

#include "kernels/check.h"
#include "pmu/base/bytes.h"
#include "pmu/base/deflate.h"
#include "pmu/base/piece.h"
#include "pmu/base/text.h"

#define PAGE_BYTES 4096u
#define SUFFIX     ".bin"
#define BUILD      "build it again with scripts/build-kernel"
#define DAMAGED    "The image is damaged: write it again.\n"

/* Defined in boot/plan/kernel_table.asm: the table's size (32 bits), then the deflated table. */
extern const char kernels_packed[], kernels_packed_end[];
static const char *table, *table_end;

struct kernel_file {
    char name[KERNEL_FILENAME_BYTES];
    size_t bytes;
};

static struct {
    struct kernel_file file[KERNEL_FILES_MAX];
    unsigned files;
    unsigned more; /* number of files beyond KERNEL_FILES_MAX */
} found;

bool kernels_is_built_in(const struct kernel_record *kernel)
{
    const char *at = (const char *)kernel;

    return at >= table && at < table_end;
}

bool kernels_has_built_in(const char *name)
{
    for (const char *at = table; at < table_end;) {
        const struct kernel_record *kernel = (const struct kernel_record *)at;

        if (text_same(kernel->name, name))
            return true;
        at += kernel->size_bytes;
    }
    return false;
}

static bool unpack(void)
{
    const char *stream = kernels_packed + sizeof(uint32_t);
    const size_t bytes = *(const uint32_t *)kernels_packed;
    char *to = firmware_memory(bytes);

    if (!to)
        say("\nbarecount cannot start: too little memory for its kernels (%llu bytes needed).\n",
            (unsigned long long)bytes);
    else if (!inflate_bytes(stream, (size_t)(kernels_packed_end - stream), to, bytes))
        say("\nThe built-in kernels cannot be unpacked.\n" DAMAGED);
    else
        table_end = (table = to) + bytes;
    return table;
}

static bool find_built_in(struct machine *machine)
{
    const struct kernel_record *kernel = 0;
    enum kernel_fault fault = KERNEL_OK;

    if (!unpack())
        return false;
    while ((kernel = kernel_next(table, (size_t)(table_end - table), kernel, crc32_ieee, &fault)) &&
           machine->kernels < MACHINE_KERNELS_MAX) {
        machine->kernel[machine->kernels] = kernel;
        machine->kernel_file[machine->kernels++] = "";
    }
    if (fault == KERNEL_OK && !kernel)
        return true;
    say("\nThe built-in kernel after number %u cannot be used: %s.\n" DAMAGED, machine->kernels,
        fault ? kernel_fault_text(fault) : "there is no room for more");
    return false;
}

static bool is_kernel_file(const char *name)
{
    size_t length = text_length(name), suffix = sizeof(SUFFIX) - 1;

    if (name[0] == '.' && name[1] == '_') /* macOS writes a file of such a name beside each file */
        return false;
    return length > suffix && piece_is_any_case(piece_of(name + length - suffix), SUFFIX);
}

/* Ignores case, as FAT does. */
static bool stands_before(const char *a, const char *b)
{
    while (*a && piece_lower(*a) == piece_lower(*b)) {
        a++;
        b++;
    }
    return (uint8_t)piece_lower(*a) < (uint8_t)piece_lower(*b);
}

static void take_name(void *context, const char *name, bool is_folder)
{
    unsigned i;

    (void)context;
    if (is_folder || !is_kernel_file(name))
        return;
    if (text_length(name) >= KERNEL_FILENAME_BYTES) {
        early_error("\\" KERNELS_FOLDER "\\%s: its name is too long: expected %u characters "
                    "or fewer",
                    name, (unsigned)KERNEL_FILENAME_BYTES - 1);
        return;
    }
    if (found.files == KERNEL_FILES_MAX) {
        found.more++;
        return;
    }
    for (i = found.files++; i > 0 && stands_before(name, found.file[i - 1].name); i--)
        found.file[i] = found.file[i - 1];
    text_copy(found.file[i].name, sizeof(found.file[i].name), name);
}

static const char *path_of(const struct kernel_file *file, char path[FILE_PATH_BYTES])
{
    struct out out = out_buffer(path, FILE_PATH_BYTES);

    out_printf(&out, KERNELS_FOLDER "\\%s", file->name);
    return out_end(&out);
}

static void add_error(const struct kernel_file *file, const char *what, const char *advice)
{
    early_error("\\" KERNELS_FOLDER "\\%s: %s; %s", file->name, what, advice);
}

/* If the name is not ASCII, the program has tried to open a wrong name, and prints that name. */
static void error_unread(const struct kernel_file *file)
{
    early_error("\\" KERNELS_FOLDER
                "\\%s: it cannot be read: %s; expected a name in ASCII, and an undamaged volume",
                file->name, files_error());
}

static void add_fault(const struct kernel_file *file, const struct kernel_record *kernel,
                      enum kernel_fault fault)
{
    if (fault == KERNEL_BAD_ABI)
        early_error("\\" KERNELS_FOLDER "\\%s: %s, %u; this program takes version %u; " BUILD,
                    file->name, kernel_fault_text(fault), kernel->abi, KERNEL_ABI);
    else
        add_error(file, kernel_fault_text(fault), BUILD);
}

/*
 * Returns the total size of all usable files, each rounded up to whole pages. Reports the other
 * files as errors.
 */
static size_t measure_files(void)
{
    char path[FILE_PATH_BYTES];
    size_t pages = 0;

    for (unsigned i = 0; i < found.files; i++) {
        struct kernel_file *file = &found.file[i];
        int64_t size = files_size(path_of(file, path));

        file->bytes = 0;
        if (size < 0)
            error_unread(file);
        else if (size == 0)
            add_fault(file, 0, KERNEL_SHORT);
        else if (size > (int64_t)KERNEL_FILE_BYTES_MAX)
            add_fault(file, 0, KERNEL_TOO_LARGE);
        else
            file->bytes = (size_t)size;
        pages += (file->bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    }
    return pages * PAGE_BYTES;
}

static bool is_taken(const struct machine *machine, const struct kernel_file *file,
                     const struct kernel_record *kernel)
{
    for (unsigned i = 0; i < machine->kernels; i++) {
        const char *other = machine->kernel_file[i];

        if (!text_same(machine->kernel[i]->name, kernel->name))
            continue;
        early_error("\\" KERNELS_FOLDER "\\%s: a kernel '%s' is %s%s already; give this one "
                    "another name",
                    file->name, kernel->name, other[0] ? "in " : "built in", other);
        return true;
    }
    return false;
}

static void take_kernel(struct machine *machine, const struct kernel_file *file,
                        const struct kernel_record *kernel)
{
    enum kernel_fault fault = kernel_check_file(kernel, file->bytes, crc32_ieee);

    if (fault != KERNEL_OK)
        add_fault(file, kernel, fault);
    else if (machine->kernels == MACHINE_KERNELS_MAX)
        add_error(file, "there is no room for more kernels", "it is left out");
    else if (!is_taken(machine, file, kernel)) {
        machine->kernel[machine->kernels] = kernel;
        machine->kernel_file[machine->kernels++] = file->name;
    }
}

static void read_files(struct machine *machine, char *to)
{
    char path[FILE_PATH_BYTES];

    for (unsigned i = 0; i < found.files; i++) {
        const struct kernel_file *file = &found.file[i];

        if (file->bytes == 0)
            continue;
        if (files_read(path_of(file, path), to, file->bytes) == (int64_t)file->bytes) {
            secure_boot_measure(path, to, file->bytes);
            take_kernel(machine, file, (const struct kernel_record *)to);
        } else {
            error_unread(file);
        }
        to += (file->bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
}

static void find_on_stick(struct machine *machine)
{
    size_t bytes;
    char *to;

    if (!machine->has_files)
        return;
    if (!files_list(KERNELS_FOLDER, take_name, 0) && !files_missing())
        early_error("\\" KERNELS_FOLDER ": not all of it can be read: %s", files_error());
    if (found.more > 0)
        early_error("\\" KERNELS_FOLDER ": expected %u files or fewer; left out: %u",
                    KERNEL_FILES_MAX, found.more);
    if (found.files > 0 && secure_boot_refuses_unsigned()) {
        early_error("\\" KERNELS_FOLDER ": Secure Boot is on, and no signature covers kernels in "
                    "files; left out: %u; 'make sign UNSIGNED_KERNELS=yes' allows them",
                    found.files + found.more);
        return;
    }
    bytes = measure_files();
    if (bytes == 0)
        return;
    to = firmware_memory(bytes); /* need not be executable: kernels run from copies */
    if (to)
        read_files(machine, to);
    else
        early_error("\\" KERNELS_FOLDER ": its kernels are left out: %s",
                    status_text(STATUS_NO_MEMORY));
}

bool kernels_find(struct machine *machine)
{
    if (!find_built_in(machine))
        return false;
    find_on_stick(machine);
    return true;
}
