/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * While kernels run, turns bus mastering off for PCI devices that nothing needs. These devices are
 * needed: bridges, displays, memory, processors, system devices, USB, RAID and SAS controllers,
 * devices without a device path, and the devices of the console, the program's volume and the
 * results volume. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_BUS_MASTERS_H
#define BARECOUNT_BOOT_EFI_BUS_MASTERS_H

#include <stdbool.h>
#include <stdint.h>

#define BUS_MASTERS_MAX 64u

enum bus_master_state {
    BUS_MASTER_ON,
    BUS_MASTER_OFF,
    BUS_MASTER_REFUSES, /* could not be switched off; nothing was changed */
    BUS_MASTER_STUCK,   /* could not be restored, or the device no longer answers */
};

struct bus_master {
    void *device;     /* EFI_PCI_IO_PROTOCOL */
    char name[64];    /* "PCI 00:1f.2, 8086:2922 (class 0106, command 0x0507)" */
    uint16_t command; /* the register as found: PCI Local Bus Specification "Device Control" */
    enum bus_master_state state;
    bool said; /* `state` was reported */
};

struct bus_masters {
    unsigned count;
    unsigned left_out; /* beyond BUS_MASTERS_MAX */
    struct bus_master master[BUS_MASTERS_MAX];
};

/* Finds the devices that nothing needs and whose bus mastering is on. */
void bus_masters_find(struct bus_masters *masters);

/*
 * bus_masters_off() clears bit 2 (bus master enable) of the devices' command registers, and
 * bus_masters_on() sets it again.
 */
void bus_masters_off(struct bus_masters *masters);
void bus_masters_on(struct bus_masters *masters);

#endif
