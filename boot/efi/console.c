/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines to the firmware's console, and keys from it. */
#include "boot/efi/console.h"
#include "boot/cpu/instructions.h"
#include "boot/efi/border.h"

#define CHUNK 120u

/* A console that takes longer for a piece of text, 25 to 100 ms, is not asked to show progress. */
#define SLOW_TICKS 100000000u

static bool progress_shown;
static char line[CHUNK]; /* said, and not shown yet */
static size_t line_used;
static uint64_t spent_ticks, pieces;

/* What is shown costs as much for a word as for a line: so it is shown by lines. */
static void show_line(void)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *console = EFI_SYSTEM->ConOut;
    CHAR16 wide[2 * CHUNK + 1];
    size_t used = 0;
    uint64_t start = cpu_tsc();

    for (size_t i = 0; i < line_used; i++) {
        if (line[i] == '\n')
            wide[used++] = '\r';
        wide[used++] = (CHAR16)(line[i] & 0x7f);
    }
    wide[used] = 0;
    line_used = 0;
    if (used == 0 || !console)
        return;
    console->OutputString(console, wide);
    spent_ticks += cpu_tsc() - start;
    pieces++;
}

static bool drain(void *context, const char *bytes, size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++) {
        line[line_used++] = bytes[i];
        if (bytes[i] == '\n' || line_used == CHUNK)
            show_line();
    }
    return true;
}

void console_start(void)
{
    /* Keys typed at the firmware's own screens are not meant for us. */
    if (EFI_SYSTEM->ConIn)
        EFI_SYSTEM->ConIn->Reset(EFI_SYSTEM->ConIn, FALSE);
    if (!EFI_SYSTEM->ConOut)
        return;
    EFI_SYSTEM->ConOut->ClearScreen(EFI_SYSTEM->ConOut);
    EFI_SYSTEM->ConOut->EnableCursor(EFI_SYSTEM->ConOut, FALSE);
}

uint64_t console_ticks(void)
{
    return spent_ticks;
}

struct out *console_out(void)
{
    static char buffer[CHUNK];
    static struct out out;

    if (!out.drain)
        out = out_stream(buffer, sizeof(buffer), drain, 0);
    return &out;
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

void console_progress(const char *format, ...)
{
    char buffer[CONSOLE_COLUMNS + 1];
    struct out out = out_buffer(buffer, sizeof(buffer));
    va_list arguments;

    if (pieces > 0 && spent_ticks / pieces > SLOW_TICKS)
        return;
    va_start(arguments, format);
    out_vprintf(&out, format, arguments);
    va_end(arguments);
    out_pad(&out, 0, CONSOLE_COLUMNS - 1);
    say("\r%s\r", out_end(&out));
    show_line();
    progress_shown = true;
}

void console_progress_end(void)
{
    if (progress_shown)
        say("\r%*s\r", (int)CONSOLE_COLUMNS - 1, "");
    show_line();
    progress_shown = false;
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
