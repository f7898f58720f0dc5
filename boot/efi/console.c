/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints lines on the firmware's console and reads keys from it. */
#include "boot/efi/console.h"
#include "boot/cpu/instructions.h"
#include "boot/efi/border.h"

#define CHUNK 120u

/*
 * A console is slow if showing a piece of text takes longer than this on average: 25 to 100 ms,
 * depending on the TSC's frequency.
 */
#define SLOW_TICKS 100000000u

static struct {
    char buffer[CHUNK];
    struct out out;
    char line[CHUNK]; /* not shown yet */
    size_t line_used;
    bool progress_shown, is_text;
    uint64_t spent_ticks; /* spent on showing `pieces` */
    uint64_t pieces;
} console;

static void show_text(void)
{
    EFI_GUID guid = CONSOLE_CONTROL_GUID;
    struct console_control *control = efi_any_interface(&guid);

    console.is_text = true;
    if (control)
        control->set_mode(control, CONSOLE_TEXT);
}

/* Shows whole lines, because a slow console takes as long for a word as for a line. */
static void show_line(void)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *screen = EFI_SYSTEM->ConOut;
    CHAR16 wide[2 * CHUNK + 1];
    size_t used = 0;
    uint64_t start = cpu_tsc();

    for (size_t i = 0; i < console.line_used; i++) {
        if (console.line[i] == '\n')
            wide[used++] = '\r';
        wide[used++] = (CHAR16)(console.line[i] & 0x7f);
    }
    wide[used] = 0;
    console.line_used = 0;
    if (used == 0 || !screen)
        return;
    if (!console.is_text)
        show_text();
    screen->OutputString(screen, wide);
    console.spent_ticks += cpu_tsc() - start;
    console.pieces++;
}

static bool drain(void *context, const char *bytes, size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++) {
        console.line[console.line_used++] = bytes[i];
        if (bytes[i] == '\n' || console.line_used == CHUNK)
            show_line();
    }
    return true;
}

void console_forget_keys(void)
{
    if (EFI_SYSTEM->ConIn)
        EFI_SYSTEM->ConIn->Reset(EFI_SYSTEM->ConIn, FALSE);
}

void console_start(void)
{
    console_forget_keys();
    if (!EFI_SYSTEM->ConOut)
        return;
    EFI_SYSTEM->ConOut->ClearScreen(EFI_SYSTEM->ConOut);
    EFI_SYSTEM->ConOut->EnableCursor(EFI_SYSTEM->ConOut, FALSE);
}

uint64_t console_ticks(void)
{
    return console.spent_ticks;
}

struct out *console_out(void)
{
    if (!console.out.drain)
        console.out = out_stream(console.buffer, sizeof(console.buffer), drain, 0);
    return &console.out;
}

void say(const char *format, ...)
{
    struct out *out = console_out();
    va_list arguments;

    va_start(arguments, format);
    out_vprintf(out, format, arguments);
    va_end(arguments);
    out_flush(out);
}

void say_wrapped(const char *sentence, unsigned indent)
{
    report_wrapped(sentence, indent, console_out());
    out_flush(console_out());
}

static void show_progress(const char *format, va_list arguments)
{
    char buffer[CONSOLE_COLUMNS + 1];
    struct out out = out_buffer(buffer, sizeof(buffer));

    out_vprintf(&out, format, arguments);
    out_pad(&out, 0, CONSOLE_COLUMNS - 1);
    say("\r%s\r", out_end(&out));
    show_line();
    console.progress_shown = true;
}

void console_progress_start(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    show_progress(format, arguments);
    va_end(arguments);
}

void console_progress(const char *format, ...)
{
    va_list arguments;

    if (console.pieces > 0 && console.spent_ticks / console.pieces > SLOW_TICKS)
        return;
    va_start(arguments, format);
    show_progress(format, arguments);
    va_end(arguments);
}

void console_progress_end(void)
{
    if (console.progress_shown)
        say("\r%*s\r", (int)CONSOLE_COLUMNS - 1, "");
    show_line();
    console.progress_shown = false;
}

int console_key(void)
{
    EFI_INPUT_KEY key = {0};

    show_line();
    if (!EFI_SYSTEM->ConIn ||
        EFI_SYSTEM->ConIn->ReadKeyStroke(EFI_SYSTEM->ConIn, &key) != EFI_SUCCESS)
        return KEY_NONE;
    if (key.ScanCode == SCAN_ESC || key.UnicodeChar == KEY_ESC)
        return KEY_ESC;
    if (key.UnicodeChar >= 'A' && key.UnicodeChar <= 'Z')
        return key.UnicodeChar - 'A' + 'a';
    return key.UnicodeChar < 0x7f ? key.UnicodeChar : KEY_NONE;
}

bool console_has_screen(void)
{
    EFI_GUID guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    struct efi_handles screens = efi_handles_of(&guid);

    efi_handles_free(&screens);
    return screens.count > 0;
}

/*
 * A keyboard has a device path without a UART node. The firmware's combined console has no device
 * path, and a serial terminal has a device path with a UART node.
 */
bool console_has_keyboard(void)
{
    EFI_GUID guid = EFI_SIMPLE_TEXT_INPUT_PROTOCOL_GUID, path_guid = DEVICE_PATH_PROTOCOL;
    struct efi_handles handles = efi_handles_of(&guid);
    bool found = false;

    for (UINTN i = 0; i < handles.count; i++) {
        const uint8_t *path = efi_interface(handles.at[i], &path_guid);
        uint32_t bytes;

        found |= path && !efi_path_node(path, MESSAGING_DEVICE_PATH, MSG_UART_DP, &bytes);
    }
    efi_handles_free(&handles);
    return found;
}

bool console_stop_asked(void)
{
    bool asked = false;
    int key;

    while ((key = console_key()) != KEY_NONE)
        asked |= key == KEY_ESC || key == 'q';
    return asked;
}
