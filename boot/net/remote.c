/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches plan, events and kernels for a program that was booted over the network. */
#include "boot/efi/early_notes.h"
#include "boot/efi/console.h"
#include "boot/efi/firmware.h"
#include "boot/net/net.h"
#include "boot/net/remote.h"
#include "pmu/base/piece.h"
#include "pmu/base/text.h"

#define HOME        "barecount/"
#define LIST        HOME "files.txt"
#define PLAN        HOME "plan.cfg"
#define FILES_MAX   256u
#define BYTES_MAX   (8u << 20) /* largest size of a file; event tables have the same limit */
#define LINE_FORMAT "plan.cfg or events/index.csv"

struct remote_file {
    char path[FILE_PATH_BYTES]; /* with '/' between folders */
    const char *bytes;          /* null: not fetched */
    size_t size;
};

static struct {
    bool is_open;
    bool is_read;
    struct url folder;
    char name[URL_TEXT_BYTES];
    unsigned files;
    struct remote_file *file; /* FILES_MAX entries */
    char *scratch;
} remote;

bool remote_is_open(void)
{
    return remote.is_open;
}

static void choose(bool has_volume)
{
    remote.is_read = remote.is_open && !has_volume;
    for (unsigned i = 0; i < remote.files; i++)
        remote.is_read |= remote.file[i].bytes != 0;
}

bool remote_is_read(void)
{
    return remote.is_read;
}

const char *remote_name(void)
{
    return remote.name;
}

static bool keep(struct remote_file *file, size_t size)
{
    char *bytes = firmware_memory(size > 0 ? size : 1);

    if (!bytes) {
        early_error("%s%s: the firmware has no memory for it", remote.name, file->path);
        return false;
    }
    for (size_t i = 0; i < size; i++)
        bytes[i] = remote.scratch[i];
    file->bytes = bytes;
    file->size = size;
    return true;
}

static enum net_result fetch(struct remote_file *file)
{
    const struct net_file wanted = {&remote.folder, file->path};
    enum net_result result;
    size_t size;

    console_progress("Fetching %s", file->path);
    result = net_fetch(&wanted, remote.scratch, BYTES_MAX, &size);
    console_progress_end();
    if (result == NET_OK && !keep(file, size))
        result = NET_REFUSED;
    return result;
}

static struct remote_file *add(struct piece path)
{
    struct remote_file *file = &remote.file[remote.files];
    struct out out = out_buffer(file->path, sizeof(file->path));

    if (remote.files == FILES_MAX)
        return 0;
    *file = (struct remote_file){.size = 0};
    out_text(&out, HOME);
    piece_put(path, &out);
    out_end(&out);
    if (out.failed)
        return 0;
    remote.files++;
    return file;
}

/* A path is printable ASCII without blanks, backslashes, a leading slash or "..". */
static bool is_path(struct piece path)
{
    for (size_t i = 0; i < path.size; i++)
        if (path.at[i] <= ' ' || path.at[i] > '~' || path.at[i] == '\\')
            return false;
    return path.at[0] != '/' && !piece_holds(path, "..");
}

static void take_list(const struct remote_file *list)
{
    struct piece rest = {list->bytes, list->size};

    for (unsigned line = 1; rest.size > 0; line++) {
        size_t size = piece_find(rest, '\n');
        struct piece comment, text = piece_cut((struct piece){rest.at, size}, '#', &comment);
        char shown[PIECE_SHOW_BYTES];

        size += size < rest.size;
        rest = (struct piece){rest.at + size, rest.size - size};
        if (text.size == 0)
            continue;
        if (!is_path(text))
            early_error("%s" LIST ":%u: expected a path such as " LINE_FORMAT ", found '%s'",
                        remote.name, line, piece_show(text, shown));
        else if (!add(text))
            early_error("%s" LIST ":%u: expected at most %u files, with short paths; left out: "
                        "'%s'",
                        remote.name, line, FILES_MAX - 1, piece_show(text, shown));
    }
}

/* Requests no further files if the server stops answering or a key ends the transfer. */
static void fetch_all(unsigned first)
{
    for (unsigned i = first; i < remote.files; i++) {
        enum net_result result = fetch(&remote.file[i]);

        if (result == NET_OK)
            continue;
        early_error("%s%s: %s", remote.name, remote.file[i].path, net_error());
        if (result == NET_SILENT || result == NET_STOPPED) {
            if (i + 1 < remote.files)
                early_error("%s: files not requested after this error: %u", remote.name,
                            remote.files - i - 1);
            return;
        }
    }
}

/* NET_SILENT means that another NIC should be tried. */
static enum net_result take_all(void)
{
    struct remote_file *list = add(piece_of("files.txt"));
    enum net_result result = fetch(list);

    if (result == NET_OK) {
        take_list(list);
        fetch_all(1);
    } else if (result == NET_ABSENT || result == NET_REFUSED) {
        early_error("%s" LIST ": %s. Without this list only plan.cfg is fetched", remote.name,
                    net_error());
        add(piece_of("plan.cfg"));
        fetch_all(1);
        result = NET_OK;
    }
    return result;
}

static void try_nics(void)
{
    unsigned nics = net_start();
    enum net_result result = NET_SILENT;

    if (nics == 0)
        early_error("%s: %s", remote.name, net_error());
    for (unsigned i = 0; i < nics && result == NET_SILENT; i++) {
        console_progress("NIC %s: waiting for %s", net_name(i), remote.name);
        remote.files = 0;
        result = net_use(i, &remote.folder);
        if (result == NET_OK)
            result = take_all();
        console_progress_end();
        if (result != NET_OK)
            early_error("%s: NIC %s: %s", remote.name, net_name(i), net_error());
        net_leave();
    }
    net_stop();
}

static bool open_server(void)
{
    struct out out = out_buffer(remote.name, sizeof(remote.name));

    if (!net_source(&remote.folder))
        return false;
    url_to_folder(&remote.folder);
    url_put(&remote.folder, "", &out);
    out_end(&out);
    remote.is_open = true;
    remote.file = firmware_memory(FILES_MAX * sizeof(*remote.file));
    remote.scratch = firmware_memory(BYTES_MAX);
    if (remote.file && remote.scratch)
        try_nics();
    else
        early_error("%s: the firmware does not have %u MiB of memory for a file", remote.name,
                    BYTES_MAX >> 20);
    return true;
}

/* Whether `path` is remote_path or a folder above it, ignoring case. `path` has backslashes. */
static bool leads_to(const char *path, const char *remote_path)
{
    while (*path && piece_lower(*path == '\\' ? '/' : *path) == piece_lower(*remote_path)) {
        path++;
        remote_path++;
    }
    return *path == 0 && (*remote_path == 0 || *remote_path == '/');
}

/* Null: not fetched. */
static const struct remote_file *find(const char *path)
{
    for (unsigned i = 0; i < remote.files; i++)
        if (remote.file[i].bytes && text_length(path) == text_length(remote.file[i].path) &&
            leads_to(path, remote.file[i].path))
            return &remote.file[i];
    return 0;
}

static int64_t size_of(const char *path)
{
    const struct remote_file *file = find(path);

    return file ? (int64_t)file->size : -1;
}

static int64_t read_from(const char *path, void *to, size_t size)
{
    const struct remote_file *file = find(path);
    char *bytes = to;
    size_t count;

    if (!file)
        return -1;
    count = file->size < size ? file->size : size;
    for (size_t i = 0; i < count; i++)
        bytes[i] = file->bytes[i];
    return (int64_t)count;
}

/* Lists only files, because no caller needs folders. */
static void list(const char *path, void (*each)(void *context, const char *name, bool is_folder),
                 void *context)
{
    for (unsigned i = 0; i < remote.files; i++) {
        const char *name = remote.file[i].path;

        if (!remote.file[i].bytes || !leads_to(path, name))
            continue;
        name += text_length(path);
        if (*name == '/' && piece_find(piece_of(name + 1), '/') == text_length(name + 1))
            each(context, name + 1, false);
    }
}

const struct files_server REMOTE_FILES = {
    .open = open_server,
    .choose = choose,
    .is_open = remote_is_open,
    .is_read = remote_is_read,
    .size = size_of,
    .read = read_from,
    .list = list,
};
