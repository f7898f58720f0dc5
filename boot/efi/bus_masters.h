/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI devices that use the bus of their own accord, and are needed by nobody while a kernel runs.
 * Not among them: bridges, displays, USB, what serves the system, and whatever the console, the
 * program's volume or that of the results hangs on. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_BUS_MASTERS_H
#define BARECOUNT_BOOT_EFI_BUS_MASTERS_H

#include <stdbool.h>
#include <stdint.h>

#define BUS_MASTERS_MAX 64u

enum bus_master_state {
    BUS_MASTER_ON,
    BUS_MASTER_OFF,
    BUS_MASTER_REFUSES, /* its bit did not go: left as it is */
    BUS_MASTER_STUCK,   /* its bit did not come back, or nobody answers */
};

struct bus_master {
    void *device;     /* the firmware's */
    char name[64];    /* "PCI 00:1f.2, 8086:2922 (class 0106, command 0x0507)" */
    uint16_t command; /* as it was found; PCI Local Bus Specification "Device Control" */
    enum bus_master_state state;
    bool said; /* for who speaks of it */
};

struct bus_masters {
    unsigned count;
    unsigned left_out; /* there are so many more */
    struct bus_master master[BUS_MASTERS_MAX];
};

/* Those that are on now. */
void bus_masters_find(struct bus_masters *masters);

/* Clears bit 2 of each one's command register; the second sets it again, last first. */
void bus_masters_off(struct bus_masters *masters);
void bus_masters_on(struct bus_masters *masters);

#endif
