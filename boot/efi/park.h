/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parks CPUs: each waits in MWAIT on its own page, with interrupts off. In their deepest sleep
 * state, parked CPUs use neither a sibling's execution units nor memory bandwidth. A package stays
 * awake while one of its CPUs measures or is kept awake. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_PARK_H
#define BARECOUNT_BOOT_EFI_PARK_H

#include "boot/efi/cpus.h"
#include "boot/cpu/watch.h"

#define PARK_LEAF 5u /* MONITOR and MWAIT */

#define PARK_START_US 20000u  /* 2 * (INIT, 10 ms, STARTUP) */
#define PARK_LOOK_US  100000u /* time until the firmware notices that a CPU has returned */
#define PARK_STORE_US 20000u  /* far longer than a CPU takes to leave its deepest sleep state */

/* Call this first. False: no memory. */
bool park_ready(const struct cpus *cpus);

/*
 * A CPU has failed if it did not start, end a task or return in time; it is not parked again. A CPU
 * is settled if it is parked or has failed.
 */
bool park_is_settled(unsigned number);
bool park_has_failed(unsigned number);

/*
 * Parks a CPU, which then runs only the tasks of park_give(). If the CPU is already settled, does
 * nothing and returns STATUS_OK. Returns STATUS_START_FAILED if the firmware refused to start the
 * CPU, or if the CPU did not start in time; a CPU that starts later returns to the firmware at
 * once. Returns STATUS_NO_MONITOR if the CPU has no MONITOR and MWAIT.
 */
enum status park_cpu(const struct cpus *cpus, unsigned number);

/*
 * Makes a CPU the guard, which watches another CPU (boot/cpu/watch.h) until park_wake() or
 * park_call_all().
 */
enum status park_as_guard(const struct cpus *cpus, unsigned number, struct watched *watched);

/*
 * Lets a parked CPU run a task that needs no firmware, and does not wait for the task's end. The
 * task must first set *started. False if the CPU is not parked or is a guard.
 */
bool park_give(unsigned number, void (*task)(void *argument), void *argument,
               const volatile bool *started);

/*
 * Waits until the task has ended. False if the task has not ended within timeout_us; the CPU has
 * then failed.
 */
bool park_wait(unsigned number, uint64_t timeout_us);

/* Whether a CPU failed to end its task in time, and may still be running the task. */
bool park_lost(unsigned number);

/* Whether a CPU is parked, and sleeps in MWAIT whenever it has no task. */
bool park_has(unsigned number);

/*
 * If `awake` is true, a parked CPU executes PAUSE in a loop, so that its package stays awake. If
 * `awake` is false, the CPU sleeps again.
 */
void park_keep_awake(unsigned number, bool awake);

/* See park_keep_awake(). */
bool park_is_awake(unsigned number);

/* Tells all parked CPUs to return to the firmware, so that they return in parallel. */
void park_call_all(const struct cpus *cpus);

/*
 * Wakes a CPU, even one that failed, and waits until the firmware has it back. *by_nmi is true if
 * an NMI had to wake the CPU, because no store woke it in time. Returns STATUS_TIMEOUT if the CPU
 * never started, or if it is not back within five seconds; it may then still be running its task.
 */
enum status park_wake(unsigned number, bool *by_nmi);

#endif
