/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/console.h"
#include "boot/efi_border.h"
#include "pmu/text.h"

#define CHUNK 120u

static bool progress_shown;

static bool drain(void *context, const char *bytes, size_t count)
{
    CHAR16 wide[2 * CHUNK + 1];
    size_t used = 0;

    (void)context;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n')
            wide[used++] = '\r';
        wide[used++] = (CHAR16)(bytes[i] & 0x7f);
    }
    wide[used] = 0;
    EFI_SYSTEM->ConOut->OutputString(EFI_SYSTEM->ConOut, wide);
    return true;
}

void console_start(void)
{
    /* Keys typed at the firmware's own screens are not meant for us. */
    if (EFI_SYSTEM->ConIn)
        EFI_SYSTEM->ConIn->Reset(EFI_SYSTEM->ConIn, FALSE);
    EFI_SYSTEM->ConOut->ClearScreen(EFI_SYSTEM->ConOut);
    EFI_SYSTEM->ConOut->EnableCursor(EFI_SYSTEM->ConOut, FALSE);
}

void say(const char *format, ...)
{
    char buffer[CHUNK];
    struct out out = out_stream(buffer, sizeof(buffer), drain, 0);
    va_list arguments;

    va_start(arguments, format);
    out_vprintf(&out, format, arguments);
    va_end(arguments);
    out_flush(&out);
}

void say_wrapped(const char *sentence, unsigned indent)
{
    size_t left = text_length(sentence), width = CONSOLE_COLUMNS - indent;

    while (left > width) {
        size_t cut = width;

        while (cut > 0 && sentence[cut] != ' ')
            cut--;
        cut = cut ? cut : width;
        for (size_t i = 0; i < cut; i++)
            say("%c", sentence[i]);
        say("\n%*s", (int)indent, "");
        sentence += cut + (sentence[cut] == ' ');
        left = text_length(sentence);
    }
    say("%s\n", sentence);
}

void console_progress(const char *format, ...)
{
    char buffer[CONSOLE_COLUMNS + 1];
    struct out line = out_buffer(buffer, sizeof(buffer));
    va_list arguments;

    va_start(arguments, format);
    out_vprintf(&line, format, arguments);
    va_end(arguments);
    out_pad(&line, 0, CONSOLE_COLUMNS - 1);
    say("\r%s\r", out_end(&line));
    progress_shown = true;
}

void console_progress_end(void)
{
    if (progress_shown)
        say("\r%*s\r", (int)CONSOLE_COLUMNS - 1, "");
    progress_shown = false;
}

int console_key(void)
{
    EFI_INPUT_KEY key = {0};

    if (!EFI_SYSTEM->ConIn ||
        EFI_SYSTEM->ConIn->ReadKeyStroke(EFI_SYSTEM->ConIn, &key) != EFI_SUCCESS)
        return KEY_NONE;
    if (key.ScanCode == SCAN_ESC || key.UnicodeChar == KEY_ESC)
        return KEY_ESC;
    if (key.UnicodeChar >= 'A' && key.UnicodeChar <= 'Z')
        return key.UnicodeChar - 'A' + 'a';
    return key.UnicodeChar < 0x7f ? key.UnicodeChar : KEY_NONE;
}
