/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the list of lies, and starts the program once for each line of the list. */
#include "tests/image/firmware/liar.h"

#include "pmu/base/out.h"
#include "pmu/base/text.h"

#define LIST          L"lies.txt"
#define PROGRAM       L"\\EFI\\barecount\\BOOTX64.EFI"
#define COMMAND_LINE  L"BOOTX64.EFI --cpus boot"
#define LIST_BYTES    16384u
#define LINE_BYTES    160u
#define PATH_BYTES    1024u
#define NODE_END      0x7fu
#define NODE_MEDIA    4u
#define NODE_FILE     4u
#define SAY_BYTES     480u
#define LIES_COUNT    (sizeof(struct lies) / sizeof(struct lie))
#define NAME_OF(name) #name,

struct lies lies;
struct held held;
char made_folder[PATH_CHARS];
bool made_at_home;
EFI_FILE_IO_INTERFACE *HOME;
EFI_HANDLE SELF;
EFI_SYSTEM_TABLE *REAL;
EFI_SYSTEM_TABLE FALSE_SYSTEM;

static const char *const NAMES[] = {LIES(NAME_OF)};
_Static_assert(sizeof(NAMES) / sizeof(NAMES[0]) == LIES_COUNT, "each lie has a name");

bool lie_now(struct lie *lie)
{
    lie->calls++;
    return (lie->onwards ? lie->calls >= lie->value : lie->calls == lie->value) && lie_acts(lie);
}

void lie_hangs(void)
{
    REAL->ConOut->OutputString(REAL->ConOut, L"\r\nliar: hangs\r\n");
    for (;;)
        REAL->BootServices->Stall(1000);
}

bool lie_acts(struct lie *lie)
{
    lie->acted += lie->told;
    return lie->told;
}

bool lie_of_cpu(struct lie *lie, UINTN cpu)
{
    return cpu < 64 && lie->value >> cpu & 1 && lie_acts(lie);
}

bool same_guid(const EFI_GUID *a, const EFI_GUID *b)
{
    const uint64_t *left = (const uint64_t *)a, *right = (const uint64_t *)b;

    return left[0] == right[0] && left[1] == right[1];
}

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    char text[SAY_BYTES];
    CHAR16 wide[SAY_BYTES + 2];
    struct out out = out_buffer(text, sizeof(text));
    va_list arguments;
    size_t i = 0;

    va_start(arguments, format);
    out_vprintf(&out, format, arguments);
    va_end(arguments);
    for (out_end(&out); text[i]; i++)
        wide[i] = (CHAR16)text[i];
    wide[i++] = '\r';
    wide[i++] = '\n';
    wide[i] = 0;
    REAL->ConOut->OutputString(REAL->ConOut, wide);
}

static struct lie *lie_named(const char *name)
{
    struct lie *all = (struct lie *)&lies;

    for (unsigned i = 0; i < LIES_COUNT; i++)
        if (text_same(NAMES[i], name))
            return &all[i];
    return 0;
}

/* Parses `name`, `name=7`, `name=7+` or `-`. Returns false if there is no such lie. */
static bool take_word(char *word)
{
    char *at = word;
    struct lie *lie;
    bool has_value;

    while (*at && *at != '=')
        at++;
    has_value = *at == '=';
    *at = 0;
    lie = lie_named(word);
    if (!lie)
        return text_same(word, "-");
    lie->told = true;
    lie->value = has_value ? 0 : 1;
    for (at += has_value; has_value && *at >= '0' && *at <= '9'; at++)
        lie->value = lie->value * 10 + (uint64_t)(*at - '0');
    lie->onwards = has_value && *at == '+';
    return true;
}

static bool take_line(const char *line)
{
    char word[LINE_BYTES];
    bool right = true;

    lies = (struct lies){.pages = {.told = false}};
    while (*line) {
        size_t i = 0;

        for (; *line && *line != ' '; line++)
            word[i++] = *line;
        word[i] = 0;
        right = (i == 0 || take_word(word)) && right;
        line += *line == ' ';
    }
    return right;
}

static EFI_LOADED_IMAGE *image_of(EFI_HANDLE handle)
{
    EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *image = 0;

    REAL->BootServices->HandleProtocol(handle, &guid, (void **)&image);
    return image;
}

static void make_path(EFI_HANDLE volume, uint8_t path[PATH_BYTES])
{
    static const CHAR16 NAME[] = PROGRAM;
    EFI_GUID guid = DEVICE_PATH_PROTOCOL;
    const uint8_t *from = 0, *name = (const uint8_t *)NAME;
    const uint8_t end[4] = {NODE_END, 0xff, 4, 0};
    unsigned at = 0;

    REAL->BootServices->HandleProtocol(volume, &guid, (void **)&from);
    for (; from && from[at] != NODE_END && at < PATH_BYTES / 2;) {
        unsigned bytes = from[at + 2] | (unsigned)from[at + 3] << 8;

        for (; bytes > 0; bytes--, at++)
            path[at] = from[at];
    }
    path[at++] = NODE_MEDIA;
    path[at++] = NODE_FILE;
    path[at++] = (uint8_t)(4 + sizeof(NAME));
    path[at++] = 0;
    for (unsigned i = 0; i < sizeof(NAME); i++)
        path[at++] = name[i];
    for (unsigned i = 0; i < sizeof(end); i++)
        path[at++] = end[i];
}

/*
 * Prints how often the program called each service, how often each lie had an effect, and how many
 * resources the program still holds.
 */
static void tell_end(unsigned number, EFI_STATUS status)
{
    char called[SAY_BYTES], acted[SAY_BYTES];
    struct out calls = out_buffer(called, sizeof(called)), acts = out_buffer(acted, sizeof(acted));
    const struct lie *all = (const struct lie *)&lies;

    for (unsigned i = 0; i < LIES_COUNT; i++) {
        if (all[i].calls > 0)
            out_printf(&calls, " %s=%llu", NAMES[i], (unsigned long long)all[i].calls);
        if (all[i].told)
            out_printf(&acts, " %s=%llu", NAMES[i], (unsigned long long)all[i].acted);
    }
    tell("\r\nliar: calls%s", out_end(&calls));
    tell("liar: acted%s", out_end(&acts));
    tell("liar: made %s %s", made_at_home ? "esp" : "data", made_folder);
    tell("liar: left pages=%lld pools=%lld events=%lld files=%lld children=%lld",
         (long long)held.pages, (long long)held.pools, (long long)held.events,
         (long long)held.files, (long long)held.children);
    tell("liar: end %u status=0x%llx", number, (unsigned long long)status);
}

/*
 * Calls the program's entry point directly, because StartImage() would write to the image before
 * map_as_free() has made it writable.
 */
static EFI_STATUS start_protected(EFI_HANDLE program, const EFI_LOADED_IMAGE *image)
{
    EFI_IMAGE_ENTRY_POINT enter = map_as_image(image);
    EFI_STATUS status = enter(program, &FALSE_SYSTEM);

    map_as_free((EFI_PHYSICAL_ADDRESS)image->ImageBase,
                (image->ImageSize + EFI_PAGE_MASK) >> EFI_PAGE_SHIFT);
    REAL->BootServices->UnloadImage(program);
    return status;
}

static void start(unsigned number, EFI_HANDLE volume)
{
    uint8_t path[PATH_BYTES];
    EFI_HANDLE program = 0;
    EFI_LOADED_IMAGE *image;
    EFI_STATUS status;

    make_path(volume, path);
    status = REAL->BootServices->LoadImage(FALSE, SELF, (EFI_DEVICE_PATH *)path, 0, 0, &program);
    image = status == EFI_SUCCESS ? image_of(program) : 0;
    if (!image) {
        tell("liar: %u: the program cannot be loaded: 0x%llx", number, (unsigned long long)status);
        return;
    }
    held = (struct held){.pages = 0};
    made_folder[0] = 0;
    FALSE_SYSTEM = *REAL;
    lie_of_services();
    lie_of_runtime();
    lie_of_console();
    lie_of_tables();
    if (lie_acts(&lies.revision))
        FALSE_SYSTEM.Hdr.Revision = (UINT32)lies.revision.value;
    if (lie_acts(&lies.no_vendor))
        FALSE_SYSTEM.FirmwareVendor = 0;
    if (lie_acts(&lies.no_device))
        image->DeviceHandle = 0;
    if (lie_acts(&lies.by_hand)) {
        image->LoadOptions = COMMAND_LINE;
        image->LoadOptionsSize = sizeof(COMMAND_LINE);
    }
    image->SystemTable = &FALSE_SYSTEM;
    lie_of_devices();
    lie_of_registers();
    status = lies.w_xor_x.told ? start_protected(program, image)
                               : REAL->BootServices->StartImage(program, 0, 0);
    end_lie_of_registers();
    end_lie_of_devices();
    end_lie_of_files();
    tell_end(number, status);
}

static UINTN read_list(char *list)
{
    EFI_FILE_HANDLE root = 0, file = 0;
    UINTN bytes = 0;

    if (!HOME || HOME->OpenVolume(HOME, &root) != EFI_SUCCESS)
        return 0;
    if (root->Open(root, &file, LIST, EFI_FILE_MODE_READ, 0) == EFI_SUCCESS) {
        bytes = LIST_BYTES;
        if (file->Read(file, &bytes, list) != EFI_SUCCESS)
            bytes = 0;
        file->Close(file);
    }
    root->Close(root);
    return bytes;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);
EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static char list[LIST_BYTES];
    EFI_GUID guid = SIMPLE_FILE_SYSTEM_PROTOCOL;
    EFI_HANDLE volume;
    UINTN bytes;
    unsigned number = 0;

    SELF = image;
    REAL = system;
    REAL->BootServices->SetWatchdogTimer(0, 0, 0, 0);
    volume = image_of(image)->DeviceHandle;
    REAL->BootServices->HandleProtocol(volume, &guid, (void **)&HOME);
    bytes = read_list(list);
    if (bytes == 0)
        tell("liar: \\lies.txt is missing, empty or unreadable");
    for (UINTN at = 0; at < bytes; at++) {
        char line[LINE_BYTES];
        size_t used = 0;

        for (; at < bytes && list[at] != '\n'; at++)
            if (used + 1 < sizeof(line))
                line[used++] = list[at];
        line[used] = 0;
        tell("liar: start %u: %s", ++number, line);
        if (take_line(line))
            start(number, volume);
        else
            tell("liar: %u: a word of this line is no lie", number);
    }
    REAL->RuntimeServices->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, 0);
    return EFI_ABORTED;
}
