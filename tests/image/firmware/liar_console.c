/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies that make the console fail, be slow or be missing, and that make serial ports time out. */
#include "tests/image/firmware/liar.h"
#include "boot/efi/border.h"

static SIMPLE_TEXT_OUTPUT_INTERFACE screen;
static SIMPLE_INPUT_INTERFACE keys;
static SERIAL_IO_INTERFACE port, *real_port;
static struct console_control control;
static bool text_is_shown, keys_are_reset;

static EFI_STATUS EFIAPI set_mode(struct console_control *this, enum console_mode mode)
{
    (void)this;
    text_is_shown = mode == CONSOLE_TEXT;
    return EFI_SUCCESS;
}

void *lie_of_console_control(void)
{
    control = (struct console_control){.set_mode = set_mode};
    return &control;
}

static EFI_STATUS EFIAPI output_string(SIMPLE_TEXT_OUTPUT_INTERFACE *this, CHAR16 *text)
{
    (void)this;
    if (lie_acts(&lies.console_us))
        REAL->BootServices->Stall(lies.console_us.value);
    if (lie_now(&lies.console))
        return EFI_DEVICE_ERROR;
    if (lie_acts(&lies.hidden_text) && !text_is_shown)
        return EFI_SUCCESS;
    return REAL->ConOut->OutputString(REAL->ConOut, text);
}

static EFI_STATUS EFIAPI clear_screen(SIMPLE_TEXT_OUTPUT_INTERFACE *this)
{
    (void)this;
    return REAL->ConOut->ClearScreen(REAL->ConOut);
}

static EFI_STATUS EFIAPI enable_cursor(SIMPLE_TEXT_OUTPUT_INTERFACE *this, BOOLEAN visible)
{
    (void)this;
    return REAL->ConOut->EnableCursor(REAL->ConOut, visible);
}

static EFI_STATUS EFIAPI reset_keys(SIMPLE_INPUT_INTERFACE *this, BOOLEAN thorough)
{
    (void)this;
    keys_are_reset |= lie_acts(&lies.old_key);
    return REAL->ConIn->Reset(REAL->ConIn, thorough);
}

static EFI_STATUS EFIAPI read_key(SIMPLE_INPUT_INTERFACE *this, EFI_INPUT_KEY *key)
{
    (void)this;
    if (lie_now(&lies.keys))
        return EFI_DEVICE_ERROR;
    if (lie_now(&lies.quit) || (!keys_are_reset && lie_acts(&lies.old_key))) {
        keys_are_reset = true;
        *key = (EFI_INPUT_KEY){.UnicodeChar = 'q'};
        return EFI_SUCCESS;
    }
    return REAL->ConIn->ReadKeyStroke(REAL->ConIn, key);
}

/* Calls that the program does not use stay null. */
void lie_of_console(void)
{
    text_is_shown = keys_are_reset = false;
    screen = (SIMPLE_TEXT_OUTPUT_INTERFACE){.OutputString = output_string,
                                            .ClearScreen = clear_screen,
                                            .EnableCursor = enable_cursor,
                                            .Mode = REAL->ConOut->Mode};
    keys = (SIMPLE_INPUT_INTERFACE){
        .Reset = reset_keys, .ReadKeyStroke = read_key, .WaitForKey = REAL->ConIn->WaitForKey};
    FALSE_SYSTEM.ConOut = lie_acts(&lies.no_console) ? 0 : &screen;
    FALSE_SYSTEM.StdErr = FALSE_SYSTEM.ConOut;
    FALSE_SYSTEM.ConIn = lie_acts(&lies.no_keys) ? 0 : &keys;
    if (lies.no_console.told)
        FALSE_SYSTEM.ConsoleOutHandle = FALSE_SYSTEM.StandardErrorHandle = 0;
    if (lies.no_keys.told)
        FALSE_SYSTEM.ConsoleInHandle = 0;
}

static EFI_STATUS EFIAPI write_port(SERIAL_IO_INTERFACE *this, UINTN *bytes, VOID *from)
{
    (void)this;
    if (lie_now(&lies.serial)) {
        *bytes = 0;
        return EFI_TIMEOUT;
    }
    return real_port->Write(real_port, bytes, from);
}

void *lie_of_serial(void *interface)
{
    real_port = interface;
    port = *real_port;
    port.Write = write_port;
    return &port;
}
