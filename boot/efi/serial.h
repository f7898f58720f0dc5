/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes lines to serial ports of the firmware (UEFI specification, "EFI_SERIAL_IO_PROTOCOL"). If
 * there are neither ports nor a screen, the console is assumed to be a serial line. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_SERIAL_H
#define BARECOUNT_BOOT_EFI_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

enum serial_way {
    SERIAL_NONE,    /* a screen but no port */
    SERIAL_PORTS,   /* one or more ports */
    SERIAL_CONSOLE, /* neither a port nor a screen */
};

/*
 * Finds up to four ports that the firmware uses as terminals, or any four ports if `all` is true.
 * Does not change the ports' settings.
 */
enum serial_way serial_open(bool all);

/* Number of ports that have accepted all writes so far. */
unsigned serial_ports(void);

/*
 * Nanoseconds to send a byte to all ports in turn, or to a console of 115,200 baud if there are no
 * ports.
 */
uint64_t serial_byte_ns(void);

/*
 * If `console` is true, writes a line to the console, and returns true. If `console` is false,
 * writes the line to the ports. A port that does not accept the line within its driver's timeout
 * (usually a second) gets no further lines. False if no port is left.
 */
bool serial_line(const char *text, bool console);

#endif
