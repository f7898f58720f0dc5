/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines to all serial ports that the firmware shows (UEFI specification, "EFI_SERIAL_IO_PROTOCOL"),
 * past the console, so that no screen has to show them. Where it shows none and there is no screen
 * either, the console itself is the line. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_SERIAL_H
#define BARECOUNT_BOOT_EFI_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

enum serial_way {
    SERIAL_NONE,    /* a screen, and no port */
    SERIAL_PORTS,   /* one or more */
    SERIAL_CONSOLE, /* neither: what else could it be */
};

/* Finds the ports. Their settings stay as the firmware has them. */
enum serial_way serial_open(void);

/* Ports that still take what is written. */
unsigned serial_ports(void);

/* What a byte takes on all of them, one after the other, in nanoseconds. */
uint64_t serial_byte_ns(void);

/*
 * Writes a line, to the console where `console` is true, and to all ports where it is not. One that
 * does not take it in its driver's time (a second, as a rule) is not written to any more. False:
 * none is left.
 */
bool serial_line(const char *text, bool console);

#endif
