/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program wants of the firmware beside files, console and CPUs. Boot CPU only. */
#ifndef BARECOUNT_BOOT_FIRMWARE_H
#define BARECOUNT_BOOT_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/record.h"

/*
 * The command line or load options that the program was started with, in UTF-16 units as long as
 * the program runs; null and 0 without any. What they are is for arguments_parse() to tell.
 */
const unsigned short *firmware_load_options(size_t *units);

/* The firmware's watchdog would reset the machine five minutes after the start of the program. */
void firmware_watchdog_off(void);

void firmware_wait_us(uint64_t us);

/* These do not return when the firmware can do them. */
void firmware_shut_down(void);
void firmware_reboot(void);

/* Zeroed pages that stay ours to the end; null when there are none. */
void *firmware_memory(size_t bytes);
uint64_t firmware_memory_taken(void);

/* Before the program ends: all that firmware_memory() gave. */
void firmware_memory_give_back(void);

#define FIRMWARE_TIME_BYTES 24u
/* The time as ISO 8601, with Z where the firmware keeps UTC; "" when its clock is not set. */
void firmware_time(char text[FIRMWARE_TIME_BYTES]);

/* Fills in what the firmware and SMBIOS say of the machine. */
void firmware_describe(struct run_record *run);

/*
 * Frequency of the time-stamp counter in Hz, measured against the ACPI power management timer over
 * 50 ms (ACPI specification, "Power Management Timer"); 0 without one.
 */
uint64_t firmware_measure_tsc(void);

#endif
