/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parks CPUs: each waits in MONITOR and MWAIT on its own page, with interrupts off, instead of in
 * the firmware's loop. In their deepest sleep state, parked CPUs use neither a sibling's execution
 * units nor memory bandwidth. A package cannot sleep while one of its CPUs measures or is kept
 * awake. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_PARK_H
#define BARECOUNT_BOOT_EFI_PARK_H

#include "boot/efi/cpus.h"
#include "boot/cpu/watch.h"

#define PARK_LEAF 5u /* the CPUID leaf on MONITOR and MWAIT */

/* In microseconds. */
#define PARK_START_US 20000u  /* 2 * (INIT, 10 ms, STARTUP) */
#define PARK_LOOK_US  100000u /* time until the firmware notices that a CPU has returned */
#define PARK_STORE_US 20000u  /* far longer than a CPU takes to leave its deepest sleep state */

/*
 * Allocates the pages; call this before any other function of this file. False if there is no
 * memory.
 */
bool park_ready(const struct cpus *cpus);

/*
 * park_is_settled(): whether a CPU is parked, or has failed to start, to end a task or to return.
 * park_has_failed(): whether it has failed in one of these ways, so that it will not be parked.
 */
bool park_is_settled(unsigned number);
bool park_has_failed(unsigned number);

/*
 * Parks a CPU, which then runs only the tasks that park_give() gives it. Does nothing and returns
 * STATUS_OK if park_is_settled(). Returns STATUS_START_FAILED if the firmware refused to start the
 * CPU or the CPU did not start in time (if it starts later, it leaves at once), and
 * STATUS_NO_MONITOR if the CPU has no MONITOR and MWAIT.
 */
enum status park_cpu(const struct cpus *cpus, unsigned number);

/*
 * Makes a CPU the guard: it watches another CPU (boot/cpu/watch.h) instead of sleeping, until
 * park_wake() or park_call_all().
 */
enum status park_as_guard(const struct cpus *cpus, unsigned number, struct watched *watched);

/*
 * Lets a parked CPU run a task that does not need the firmware, and returns without waiting for the
 * end of the task. The task must first set *started. False if the CPU is not parked or is a guard.
 */
bool park_give(unsigned number, void (*task)(void *argument), void *argument,
               const volatile bool *started);

/*
 * Waits until the task has ended. False if the task has not ended within timeout_us; the CPU is
 * then given up.
 */
bool park_wait(unsigned number, uint64_t timeout_us);

/*
 * Whether a CPU failed to end its task in time and has not returned to the firmware since. The CPU
 * may still be running the task, because the firmware has not reset it.
 */
bool park_lost(unsigned number);

/* Whether a CPU is parked, and sleeps in MWAIT whenever it has no task. */
bool park_has(unsigned number);

/*
 * Lets a parked CPU pause in a loop, so that its package stays awake, or lets the CPU sleep again.
 */
void park_keep_awake(unsigned number, bool awake);

/* Whether a parked CPU is kept awake. */
bool park_is_awake(unsigned number);

/*
 * Tells all parked CPUs to return to the firmware, so that they return in parallel and not one by
 * one as park_wake() wakes them.
 */
void park_call_all(const struct cpus *cpus);

/*
 * Wakes a CPU, even one that failed, and waits until the firmware has it back, which usually takes
 * less than PARK_LOOK_US. *by_nmi is true if an NMI was needed, now or in park_give(), because no
 * store woke the CPU in time. Returns STATUS_TIMEOUT if the CPU never started, or if the firmware
 * did not get it back within five seconds; the CPU may then still run its task.
 */
enum status park_wake(unsigned number, bool *by_nmi);

#endif
