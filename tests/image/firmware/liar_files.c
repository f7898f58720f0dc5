/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies that make calls of file systems fail. */
#include "tests/image/firmware/liar.h"

#define FILES_MAX   64u
#define VOLUMES_MAX 16u

struct lying_file {
    EFI_FILE file; /* must be first */
    EFI_FILE_HANDLE real;
    const EFI_FILE_IO_INTERFACE *volume; /* the firmware's */
};
struct lying_volume {
    EFI_FILE_IO_INTERFACE volume;
    EFI_FILE_IO_INTERFACE *real;
};

static struct lying_file files[FILES_MAX];
static struct lying_volume volumes[VOLUMES_MAX];

/*
 * Counts a call for two lies: `kind`, which is about this kind of call, and lies.file, which is
 * about calls of all kinds. True if the call must fail.
 */
static bool fails(struct lie *kind)
{
    bool of_kind = lie_now(kind);

    return lie_now(&lies.file) || of_kind;
}

static EFI_FILE_HANDLE real_of(EFI_FILE_HANDLE file)
{
    return ((struct lying_file *)file)->real;
}

static const EFI_FILE_IO_INTERFACE *volume_of(EFI_FILE_HANDLE file)
{
    return ((struct lying_file *)file)->volume;
}

static EFI_FILE_HANDLE keep(EFI_FILE_HANDLE real, const EFI_FILE_IO_INTERFACE *volume);

static void note_folder(const EFI_FILE_IO_INTERFACE *volume, const CHAR16 *path)
{
    unsigned i = 0;

    for (; path[i] && i + 1 < PATH_CHARS; i++)
        made_folder[i] = (char)path[i];
    made_folder[i] = 0;
    made_at_home = volume == HOME;
}

static EFI_STATUS EFIAPI file_open(EFI_FILE_HANDLE this, EFI_FILE_HANDLE *opened, CHAR16 *name,
                                   UINT64 mode, UINT64 attributes)
{
    EFI_FILE_HANDLE real = 0;
    EFI_STATUS status;

    if (fails(&lies.open))
        return EFI_DEVICE_ERROR;
    status = real_of(this)->Open(real_of(this), &real, name, mode, attributes);
    if (status != EFI_SUCCESS)
        return status;
    *opened = keep(real, volume_of(this));
    if (mode & EFI_FILE_MODE_CREATE && attributes & EFI_FILE_DIRECTORY)
        note_folder(volume_of(this), name);
    return status;
}

/* Marks the handle as closed, even if `status` is an error. */
static EFI_STATUS forget(EFI_FILE_HANDLE this, EFI_STATUS status)
{
    ((struct lying_file *)this)->real = 0;
    held.files--;
    return status;
}

static EFI_STATUS EFIAPI file_close(EFI_FILE_HANDLE this)
{
    return forget(this, real_of(this)->Close(real_of(this)));
}

static EFI_STATUS EFIAPI file_delete(EFI_FILE_HANDLE this)
{
    if (fails(&lies.remove)) {
        real_of(this)->Close(real_of(this));
        return forget(this, EFI_WARN_DELETE_FAILURE);
    }
    return forget(this, real_of(this)->Delete(real_of(this)));
}

static EFI_STATUS EFIAPI file_read(EFI_FILE_HANDLE this, UINTN *bytes, VOID *to)
{
    if (fails(&lies.read))
        return EFI_DEVICE_ERROR;
    return real_of(this)->Read(real_of(this), bytes, to);
}

static EFI_STATUS EFIAPI file_write(EFI_FILE_HANDLE this, UINTN *bytes, VOID *from)
{
    if (fails(&lies.write)) {
        *bytes = 0;
        return EFI_DEVICE_ERROR;
    }
    return real_of(this)->Write(real_of(this), bytes, from);
}

static EFI_STATUS EFIAPI file_seek(EFI_FILE_HANDLE this, UINT64 position)
{
    if (fails(&lies.position))
        return EFI_DEVICE_ERROR;
    return real_of(this)->SetPosition(real_of(this), position);
}

static EFI_STATUS EFIAPI file_info(EFI_FILE_HANDLE this, EFI_GUID *what, UINTN *bytes, VOID *to)
{
    if (fails(&lies.info))
        return EFI_DEVICE_ERROR;
    return real_of(this)->GetInfo(real_of(this), what, bytes, to);
}

static EFI_STATUS EFIAPI file_flush(EFI_FILE_HANDLE this)
{
    if (fails(&lies.flush))
        return EFI_DEVICE_ERROR;
    return real_of(this)->Flush(real_of(this));
}

static EFI_FILE_HANDLE keep(EFI_FILE_HANDLE real, const EFI_FILE_IO_INTERFACE *volume)
{
    unsigned i = 0;

    while (i < FILES_MAX - 1 && files[i].real)
        i++;
    files[i] = (struct lying_file){
        .file = {.Revision = EFI_FILE_HANDLE_REVISION,
                 .Open = file_open,
                 .Close = file_close,
                 .Delete = file_delete,
                 .Read = file_read,
                 .Write = file_write,
                 .SetPosition = file_seek,
                 .GetInfo = file_info,
                 .Flush = file_flush},
        .real = real,
        .volume = volume,
    };
    held.files++;
    return &files[i].file;
}

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *this, EFI_FILE_HANDLE *root)
{
    EFI_FILE_IO_INTERFACE *real = ((struct lying_volume *)this)->real;
    EFI_FILE_HANDLE found = 0;
    EFI_STATUS status;

    if (fails(&lies.volume))
        return lie_acts(&lies.volume_error) ? EFIERR(lies.volume_error.value) : EFI_DEVICE_ERROR;
    status = real->OpenVolume(real, &found);
    if (status == EFI_SUCCESS)
        *root = keep(found, real);
    return status;
}

void end_lie_of_files(void)
{
    for (unsigned i = 0; i < FILES_MAX; i++)
        files[i].real = 0;
}

void *lie_of_files(void *interface)
{
    unsigned i = 0;

    while (i < VOLUMES_MAX - 1 && volumes[i].real && volumes[i].real != interface)
        i++;
    volumes[i] = (struct lying_volume){
        .volume = {.Revision = EFI_FILE_IO_INTERFACE_REVISION, .OpenVolume = open_volume},
        .real = interface,
    };
    return &volumes[i].volume;
}
