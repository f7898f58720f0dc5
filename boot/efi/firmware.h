/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program wants of the firmware beside files, console and CPUs. Boot CPU only. */
#ifndef BARECOUNT_BOOT_EFI_FIRMWARE_H
#define BARECOUNT_BOOT_EFI_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/cpu/mcfg.h"
#include "pmu/cpu/memory_map.h"
#include "pmu/journal/record.h"

/*
 * The command line or load options that the program was started with, in UTF-16 units as long as
 * the program runs; null and 0 without any. What they are is for arguments_parse() to tell.
 */
const unsigned short *firmware_load_options(size_t *units);

/* The firmware's watchdog would reset the machine five minutes after the start of the program. */
void firmware_watchdog_off(void);

/* Whether it runs on all the same: the firmware failed to stop it when last it was told to. */
bool firmware_watchdog_runs(void);

/*
 * Resets the machine after that time, in whole seconds. Where the firmware's timer is behind it (in
 * EDK II it is), that needs the timer, which stands still while the boot CPU measures, and
 * interrupts: then nothing resets a kernel that hangs there, and only a platform's own watchdog
 * would.
 */
void firmware_watchdog(uint64_t us);

/*
 * The firmware's periodic timer (PI specification vol. 2 "Timer Architectural Protocol"), which
 * ticks on the boot CPU every 10 ms or so. Events, keys, and the taking back of CPUs wait for it:
 * it stands still only while the boot CPU itself measures.
 */
enum firmware_timer {
    TIMER_ABSENT, /* the firmware does not show it, or has it off */
    TIMER_STOPS,
    TIMER_REFUSES,
    TIMER_STUCK, /* it was stopped, and could not be set again */
};

/* Stops it for a moment to see whether that can be done. */
enum firmware_timer firmware_timer_try(void);

/*
 * Without effect where it cannot be stopped. No firmware may be called between the two. One that is
 * TIMER_STUCK is tried again by each further firmware_timer_go_on().
 */
void firmware_timer_stop(void);
void firmware_timer_go_on(void);

/* What was found out so far. */
enum firmware_timer firmware_timer(void);

void firmware_wait_us(uint64_t us);

/* These do not return when the firmware can do them. */
void firmware_shut_down(void);
void firmware_reboot(void);

/* Zeroed pages that stay ours to the end; null when there are none. */
void *firmware_memory(size_t bytes);

uint64_t firmware_memory_taken(void);

/* The same, for the code of a plan, until it is freed with all such. */
void *firmware_plan_memory(size_t bytes);
void firmware_plan_memory_free(void);

/* The same, for a file that is made in memory, until it is freed with all such. */
void *firmware_file_memory(size_t bytes);
void firmware_file_memory_free(void);

/*
 * Pages in one piece, at a multiple of `align` (a power of two, 4096 or more), on a node of the
 * SRAT, NODE_UNKNOWN for any; null when there are none. They are not zeroed. All are freed at once.
 */
void *firmware_buffer(uint64_t bytes, uint64_t align, uint32_t node);
void firmware_buffers_free(void);

/* The node of a CPU, or of memory; NODE_UNKNOWN without an SRAT, or where it does not say. */
uint32_t firmware_cpu_node(uint64_t apic_id);
uint32_t firmware_memory_node(const void *memory, uint64_t bytes);

/* Where PCI configuration space is in memory, by the table MCFG; no ranges without one. */
const struct mcfg *firmware_mcfg(void);

/* The firmware's map of memory, read once; without descriptors when it gives none. */
const struct memory_map *firmware_memory_map(void);

/* Before the program ends: all memory that was given. */
void firmware_memory_give_back(void);

#define FIRMWARE_TIME_BYTES 24u
/*
 * The time as ISO 8601, with Z where the firmware keeps UTC. False: its clock is not set, for it
 * tells no date, or one before there was this program; then the text is what it says instead, a
 * date as it came or a status.
 */
bool firmware_time(char text[FIRMWARE_TIME_BYTES]);

/* Whether the firmware starts signed programs only. */
enum secure_boot firmware_secure_boot(void);

/* Fills in what the firmware and SMBIOS say of the machine. */
void firmware_describe(struct run_record *run);

/*
 * Frequency of the time-stamp counter in Hz, measured against the ACPI power management timer over
 * 50 ms (ACPI specification, "Power Management Timer"); 0 without one.
 */
uint64_t firmware_measure_tsc(void);

#endif
