/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs that wait in MONITOR and MWAIT with interrupts off, each on a page of its own, instead of
 * the firmware's loop: asleep as deep as they can, they take neither execution units from a sibling
 * nor memory cycles from anybody. The package does not sleep while one CPU is awake, so waking them
 * is all that it costs. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_PARK_H
#define BARECOUNT_BOOT_EFI_PARK_H

#include "boot/efi/cpus.h"
#include "boot/cpu/watch.h"

#define PARK_LEAF 5u /* of CPUID */

/* In microseconds, for estimates. */
#define PARK_START_US 20000u  /* INIT, 10 ms, STARTUP; twice as much */
#define PARK_LOOK_US  100000u /* until the firmware has seen that a CPU came back */

/* Whether there is memory for the pages; to be asked before anything else here. */
bool park_ready(const struct cpus *cpus);

/*
 * Parks a CPU; it cannot be run before it has been woken. One that is parked stays so; one that
 * failed once is left alone, and that is STATUS_OK. STATUS_START_FAILED: it did not come in time;
 * should it come later, it goes back at once. STATUS_NO_MONITOR: it cannot wait so.
 */
enum status park_cpu(const struct cpus *cpus, unsigned number);

/*
 * Lets a CPU look at a watched one (boot/cpu/watch.h) again and again, awake, instead. It is woken
 * in the same way.
 */
enum status park_as_guard(const struct cpus *cpus, unsigned number, struct watched *watched);

/* Whether a CPU is in MWAIT. */
bool park_has(unsigned number);

/* Tells all CPUs to come back; park_wake() then has to wait but once for what they do together. */
void park_call_all(const struct cpus *cpus);

/*
 * Wakes a CPU and waits until the firmware has it back, which takes up to PARK_LOOK_US; one that
 * failed too. STATUS_TIMEOUT: the firmware does not have it back within five seconds, or it never
 * came; it may still run what it was given.
 */
enum status park_wake(unsigned number);

#endif
