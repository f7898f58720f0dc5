/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware services other than files, console and CPUs. Boot CPU only. */
#ifndef BARECOUNT_BOOT_EFI_FIRMWARE_H
#define BARECOUNT_BOOT_EFI_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/cpu/mcfg.h"
#include "pmu/cpu/memory_map.h"
#include "pmu/cpu/smbios.h"
#include "pmu/files/machine_file.h"
#include "pmu/journal/record.h"

/* The load options as UTF-16 units, valid until the program ends; null and 0 if there are none. */
const unsigned short *firmware_load_options(size_t *units);

/* Stops the watchdog, which would reset the machine five minutes after the program's start. */
void firmware_watchdog_off(void);

/* Whether the firmware failed to stop the watchdog. */
bool firmware_watchdog_runs(void);

/*
 * Sets the watchdog's time, rounded up to whole seconds; 0 stops the watchdog. Returns the time
 * that was set before. Does nothing and returns 0 if firmware_watchdog_runs(). EDK II's watchdog
 * needs the firmware's timer, so it does not work while the timer is stopped.
 */
uint64_t firmware_watchdog(uint64_t us);

/* Added to the watchdog's time, because the firmware's clock may be inaccurate. */
#define WATCHDOG_MARGIN_US 60000000u

/*
 * The firmware's periodic timer (PI specification vol. 2 "Timer Architectural Protocol"), which
 * interrupts the boot CPU about every 10 ms. The firmware needs the timer for events, for keys, and
 * to notice that a CPU has finished. Therefore the timer is stopped only while the boot CPU
 * measures.
 */
enum firmware_timer {
    TIMER_ABSENT, /* not accessible, or off */
    TIMER_STOPS,
    TIMER_REFUSES,
    TIMER_STUCK, /* cannot be restarted */
};

/* Stops the timer briefly to find out whether it can be stopped. */
enum firmware_timer firmware_timer_try(void);

/*
 * Stop the timer, and let it go on. Call no firmware between the two calls. The two functions do
 * nothing if the timer cannot be stopped. firmware_timer_go_on() also tries to restart a timer that
 * is TIMER_STUCK.
 */
void firmware_timer_stop(void);
void firmware_timer_go_on(void);

/* The timer's state after the last firmware_timer_try(), _stop() or _go_on(). */
enum firmware_timer firmware_timer(void);

void firmware_wait_us(uint64_t us);

/* Each function returns only if the firmware cannot carry out the request. */
void firmware_shut_down(void);
void firmware_reboot(void);

/* Allocates zeroed pages that are kept until the program ends; null: no memory. */
void *firmware_memory(size_t bytes);

uint64_t firmware_memory_taken(void);

/* Zeroed pages of the type EfiLoaderCode for data of one plan. All are freed together. */
void *firmware_plan_memory(size_t bytes);
void firmware_plan_memory_free(void);

/* Zeroed pages for files that are rendered in memory. All are freed together. */
void *firmware_file_memory(size_t bytes);
void firmware_file_memory_free(void);

/*
 * Allocates contiguous pages, not zeroed, aligned to `align` (a power of two, at least 4096); null:
 * no memory. The pages are on `node` of the SRAT, or on any node if `node` is NODE_UNKNOWN. The
 * lowest pages above 4 GiB are preferred, because the highest memory has the fewest channels if
 * DIMMs differ in size. If no pages above 4 GiB fit, the highest pages below it are taken, because
 * U-Boot uses low memory that it reports as free. All buffers are freed together.
 */
void *firmware_buffer(uint64_t bytes, uint64_t align, uint32_t node);
void firmware_buffers_free(void);

/* The NUMA node of a CPU or of memory; NODE_UNKNOWN if the SRAT does not name it. */
uint32_t firmware_cpu_node(uint64_t apic_id);
uint32_t firmware_memory_node(const void *memory, uint64_t bytes);

/* The DIMMs that SMBIOS lists; count 0: it lists none. */
void firmware_find_dimms(struct smbios_dimms *dimms);

/*
 * The memory-mapped PCI configuration space, from the ACPI table MCFG; no ranges if there is no
 * MCFG.
 */
const struct mcfg *firmware_mcfg(void);

/* The firmware's memory map, read once; empty if the firmware provides none. */
const struct memory_map *firmware_memory_map(void);

/*
 * firmware_list_pci() calls take() for each PCI device. firmware_list_acpi() calls take() for each
 * ACPI table that the firmware lists.
 */
void firmware_list_pci(void (*take)(void *context, const struct machine_pci *pci), void *context);
void firmware_list_acpi(void (*take)(void *context, const uint8_t *table, uint32_t bytes),
                        void *context);

/* Frees all memory that the functions above have allocated. */
void firmware_memory_give_back(void);

#define FIRMWARE_TIME_BYTES 24u
/*
 * The time as ISO 8601, with Z if the firmware's clock is UTC. False if the clock cannot be read,
 * or if its date is invalid or before 2025. `text` is then the error status or the date.
 */
bool firmware_time(char text[FIRMWARE_TIME_BYTES]);

/* Fills in what the firmware and SMBIOS say about the machine. */
void firmware_describe(struct run_record *run);

/*
 * Frequency of the time stamp counter in Hz, measured for 50 ms against the ACPI timer (ACPI
 * specification, "Power Management Timer"); 0 if the timer is missing or does not count.
 */
uint64_t firmware_measure_tsc(void);

#endif
