/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's CPUs, through the firmware's MP services (UEFI PI specification vol. 2,
 * "EFI_MP_SERVICES_PROTOCOL"). Without MP services there is only the boot CPU. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_CPUS_H
#define BARECOUNT_BOOT_EFI_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/status.h"

#define CPUS_MAX 1024u

/*
 * Why a CPU cannot be used: according to the firmware or, for CPU_STOPPED, to this program
 * (skipped_cpus_leave_out()).
 */
enum cpu_lack {
    CPU_LACKS_NOTHING,
    CPU_DISABLED,
    CPU_UNHEALTHY,
    CPU_UNKNOWN,
    CPU_STOPPED,
};

struct cpu_slot {
    uint64_t apic_id;
    uint32_t package; /* number of the package, from the firmware */
    bool usable;
    bool boot;
    enum cpu_lack lack;
};

struct cpus {
    unsigned count;
    unsigned boot; /* number of the boot CPU */
    unsigned usable;
    unsigned left_out;     /* number of CPUs beyond CPUS_MAX */
    const char *only_boot; /* why only the boot CPU is used; null: MP services work */
    struct cpu_slot cpu[CPUS_MAX];
};

/* boot_apic_id is the boot CPU's APIC ID, used if the firmware does not report it. */
void cpus_find(struct cpus *cpus, uint32_t boot_apic_id);

/*
 * Runs task(argument) on a CPU while all other CPUs wait (boot/run/quiet.h), and returns when the
 * task has ended. A parked CPU need not be started (boot/efi/park.h); any other CPU is started by
 * the firmware. Returns STATUS_TIMEOUT after timeout_us; the firmware has then reset the CPU,
 * unless park_lost() returns true. On the boot CPU the task is an ordinary call, and only
 * boot/run/guard.h and the firmware's watchdog limit its time.
 *
 * If a CPU ignores the firmware's INIT and STARTUP, they are sent again up to three times, because
 * the firmware may wait for the CPU forever. The call never returns in three cases: the CPU also
 * ignores the repeated INIT and STARTUP; the CPU ignores INIT and STARTUP when the firmware resets
 * it after cpus_run_together(); or the firmware wakes CPUs by MONITOR and MWAIT, and this CPU does
 * not wake. An interrupt must not abort the call, because that would leave the firmware's interrupt
 * handling and lists of CPUs inconsistent.
 */
enum status cpus_run(const struct cpus *cpus, unsigned number, void (*task)(void *argument),
                     void *argument, uint64_t timeout_us);

/* One of several tasks that run at the same time. */
struct together {
    unsigned cpu;
    void (*task)(void *argument);
    void *argument;
    enum status status; /* out: as cpus_run() returns it */
    /* Used only by cpus_run_together(). */
    void *ended;
    bool is_parked;
    volatile bool entered, finished;
};

/*
 * Runs the tasks at the same time, each on its own CPU. One of the CPUs may be the boot CPU. All
 * tasks start together, once every CPU has started or the boot CPU has waited long enough. Returns
 * when all tasks have ended, or after timeout_us plus the time allowed for starting the CPUs; tasks
 * that have not ended then get STATUS_TIMEOUT.
 */
void cpus_run_together(const struct cpus *cpus, struct together *together, unsigned count,
                       uint64_t timeout_us);

/*
 * The name of the error with which the firmware refused the last start of the CPU, such as
 * "EFI_UNSUPPORTED"; null: it did not refuse.
 */
const char *cpus_start_error(unsigned number);

/*
 * A call of the firmware that starts a CPU can return at once, or when the CPU's task has ended.
 * Returns whether the firmware refuses calls that return at once, as it may after the event
 * ready-to-boot (PI specification vol. 2, "StartupThisAP()"). If the firmware refuses such calls,
 * no CPU can be parked or run a task together with another CPU. The result is false until a call
 * that returns at once has been tried.
 */
bool cpus_one_at_a_time(void);

/*
 * Tries, with one CPU, a call that starts the CPU and returns at once. Does nothing on later calls.
 */
void cpus_try_together(const struct cpus *cpus, unsigned number);

/* How many times a CPU was restarted since the last call of this function for that CPU. */
unsigned cpus_take_restarts(unsigned number);

#endif
