/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes lines to serial ports or, if the caller says so, to the console. */
#include <stdbool.h>
#include <stdint.h>

#include "boot/efi/console.h"
#include "boot/efi/border.h"
#include "boot/efi/serial.h"

#define PORTS_MAX     4u      /* more would be slow, because all ports get each line in turn */
#define BITS_PER_BYTE 10ull   /* start and stop bit */
#define BAUD_USUAL    115200u /* if not reported */
#define NS_PER_S      1000000000ull

static struct {
    SERIAL_IO_INTERFACE *at[PORTS_MAX];
    unsigned count;
} ports;

static bool has_terminal(EFI_HANDLE port)
{
    EFI_GUID text = SIMPLE_TEXT_OUTPUT_PROTOCOL;
    struct efi_handles terminals = efi_handles_of(&text);
    bool found = false;

    for (UINTN i = 0; i < terminals.count && !found; i++)
        found = efi_leads_through(terminals.at[i], port);
    efi_handles_free(&terminals);
    return found;
}

static void find_ports(bool all)
{
    EFI_GUID guid = SERIAL_IO_PROTOCOL;
    struct efi_handles handles = efi_handles_of(&guid);

    ports.count = 0;
    for (UINTN i = 0; i < handles.count && ports.count < PORTS_MAX; i++)
        if ((all || has_terminal(handles.at[i])) &&
            (ports.at[ports.count] = efi_interface(handles.at[i], &guid)))
            ports.count++;
    efi_handles_free(&handles);
}

enum serial_way serial_open(bool all)
{
    find_ports(all);
    if (ports.count > 0)
        return SERIAL_PORTS;
    return console_has_screen() ? SERIAL_NONE : SERIAL_CONSOLE;
}

unsigned serial_ports(void)
{
    return ports.count;
}

static uint64_t baud_of(const SERIAL_IO_INTERFACE *port)
{
    return port->Mode && port->Mode->BaudRate > 0 ? port->Mode->BaudRate : BAUD_USUAL;
}

uint64_t serial_byte_ns(void)
{
    uint64_t ns = ports.count > 0 ? 0 : BITS_PER_BYTE * NS_PER_S / BAUD_USUAL;

    for (unsigned i = 0; i < ports.count; i++)
        ns += BITS_PER_BYTE * NS_PER_S / baud_of(ports.at[i]);
    return ns;
}

static bool write_all(SERIAL_IO_INTERFACE *port, const char *bytes, UINTN count)
{
    UINTN written = count;

    return port->Write(port, &written, (void *)bytes) == EFI_SUCCESS && written == count;
}

bool serial_line(const char *text, bool console)
{
    UINTN count = 0;
    unsigned left = 0;

    if (console) {
        say("%s\n", text);
        return true;
    }
    while (text[count])
        count++;
    for (unsigned i = 0; i < ports.count; i++)
        if (write_all(ports.at[i], text, count) && write_all(ports.at[i], "\r\n", 2))
            ports.at[left++] = ports.at[i];
    ports.count = left;
    return left > 0;
}
