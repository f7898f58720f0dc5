/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs that wait in MONITOR and MWAIT with interrupts off, each on a page of its own, instead of
 * the firmware's loop: asleep as deep as they can, they take neither execution units from a sibling
 * nor memory cycles from anybody. The package does not sleep while one CPU is awake, so waking them
 * is all that it costs. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_PARK_H
#define BARECOUNT_BOOT_PARK_H

#include "boot/cpus.h"

#define PARK_LEAF 5u /* of CPUID */

/*
 * Parks a CPU; it cannot be run before it has been woken. One that is parked stays so; one that
 * failed once is left alone, and that is STATUS_OK. STATUS_START_FAILED: it did not come, or has no
 * MONITOR. STATUS_NO_MEMORY: there is none for pages.
 */
enum status park_cpu(const struct cpus *cpus, unsigned number);

bool park_has(unsigned number);

/*
 * Wakes a CPU and waits until the firmware has it back, which takes up to 100 ms. STATUS_TIMEOUT:
 * the firmware does not have it back within five seconds; it may still run what it was given.
 */
enum status park_wake(unsigned number);

#endif
