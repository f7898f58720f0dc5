/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's CPUs, through the firmware's MP services (UEFI PI specification vol. 2,
 * "EFI_MP_SERVICES_PROTOCOL"). Without MP services there is only the boot CPU. Call these functions
 * on the boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_CPUS_H
#define BARECOUNT_BOOT_EFI_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/status.h"

#define CPUS_MAX 1024u

/* Why a CPU cannot be used. CPU_STOPPED is found by this program, the others by the firmware. */
enum cpu_lack {
    CPU_LACKS_NOTHING,
    CPU_DISABLED,
    CPU_UNHEALTHY,
    CPU_UNKNOWN,
    CPU_STOPPED,
};

struct cpu_slot {
    uint64_t apic_id;
    uint32_t package;
    bool usable;
    bool boot;
    enum cpu_lack lack;
};

struct cpus {
    unsigned count;
    unsigned boot;
    unsigned usable;
    unsigned left_out;     /* number of CPUs beyond CPUS_MAX */
    const char *only_boot; /* why only the boot CPU is used; null: MP services work */
    struct cpu_slot cpu[CPUS_MAX];
};

/* boot_apic_id is used if the firmware does not report the boot CPU's APIC ID. */
void cpus_find(struct cpus *cpus, uint32_t boot_apic_id);

/*
 * Runs task(argument) on a CPU, and returns when the task has ended. Returns STATUS_TIMEOUT after
 * timeout_us; by then the firmware has reset the CPU, unless park_lost() returns true. On the boot
 * CPU the task is an ordinary call without a timeout.
 *
 * If a CPU ignores the firmware's INIT and STARTUP, they are sent again up to three times. The call
 * never returns in three cases: the CPU ignores every INIT and STARTUP, the CPU ignores a reset
 * after cpus_run_together(), or the firmware wakes CPUs by MWAIT and this CPU does not wake. No
 * interrupt handler may abort the call, because the firmware's lists of CPUs would become
 * inconsistent.
 */
enum status cpus_run(const struct cpus *cpus, unsigned number, void (*task)(void *argument),
                     void *argument, uint64_t timeout_us);

struct together {
    unsigned cpu;
    void (*task)(void *argument);
    void *argument;
    enum status status; /* out */
    /* For cpus_run_together(). */
    void *ended;
    bool is_parked;
    volatile bool entered, finished;
};

/*
 * Runs each task on its own CPU, which may be the boot CPU; all tasks start together. Returns when
 * every task has ended or timed out. The boot CPU's own task has no timeout. The other tasks have
 * timeout_us, plus an allowance for starting the CPUs; a task that has not ended by then gets
 * STATUS_TIMEOUT.
 */
void cpus_run_together(const struct cpus *cpus, struct together *together, unsigned count,
                       uint64_t timeout_us);

/* Names the error of the CPU's last start, such as "EFI_UNSUPPORTED"; null: no error. */
const char *cpus_start_error(unsigned number);

/*
 * Whether the firmware refuses calls that start a CPU and return at once. The firmware may refuse
 * such calls after the event ready-to-boot (PI specification vol. 2, "StartupThisAP()"). After a
 * refusal, no CPU can be parked or run a task together with another CPU. False until such a call
 * was tried.
 */
bool cpus_one_at_a_time(void);

/*
 * The first call tries to start a CPU with a firmware call that returns at once. Later calls do
 * nothing.
 */
void cpus_try_together(const struct cpus *cpus, unsigned number);

/* How many times a CPU was restarted since the last call of this function for that CPU. */
unsigned cpus_take_restarts(unsigned number);

#endif
