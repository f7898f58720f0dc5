/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's CPUs, through the firmware's MP services (UEFI PI specification vol. 2,
 * "EFI_MP_SERVICES_PROTOCOL"). Without them there is the boot CPU alone. Boot CPU only.
 */
#ifndef BARECOUNT_BOOT_EFI_CPUS_H
#define BARECOUNT_BOOT_EFI_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/base/status.h"

#define CPUS_MAX 1024u

/* Why a CPU is not usable, as the firmware says. */
enum cpu_lack { CPU_LACKS_NOTHING, CPU_DISABLED, CPU_UNHEALTHY, CPU_UNKNOWN, CPU_LACKS };

struct cpu_slot {
    uint64_t apic_id;
    bool usable;
    bool boot;
    enum cpu_lack lack;
};

struct cpus {
    unsigned count;
    unsigned boot; /* number of the boot CPU */
    unsigned usable;
    unsigned left_out;     /* beyond CPUS_MAX */
    const char *only_boot; /* why there is only the boot CPU; null when MP services are there */
    struct cpu_slot cpu[CPUS_MAX];
};

/* The boot CPU's APIC ID is for firmware that does not tell it. */
void cpus_find(struct cpus *cpus, uint32_t boot_apic_id);

/*
 * Runs task(argument) on a CPU while all others wait (boot/run/quiet.h), and waits for its end.
 * STATUS_TIMEOUT after timeout_us: the firmware has taken the CPU back. On the boot CPU the task is
 * called, and nothing but boot/run/guard.h bounds it.
 *
 * A CPU that ignores the INIT and STARTUP which the firmware sends it is started again, three times
 * at the most; firmware may wait for it without a bound. Not covered: a CPU that ignores those too,
 * and firmware that wakes CPUs in another way (MONITOR and MWAIT) in vain; nor a CPU that ignores
 * them when the firmware takes it back from cpus_run_together(). Then the call does not return. To
 * leave it by force, out of an interrupt, would leave that firmware's interrupt handling and its
 * lists of CPUs in the middle of their work.
 */
enum status cpus_run(const struct cpus *cpus, unsigned number, void (*task)(void *argument),
                     void *argument, uint64_t timeout_us);

/* A task of several that run at the same time. */
struct together {
    unsigned cpu;
    void (*task)(void *argument);
    void *argument;
    enum status status; /* out: as cpus_run() returns it */
    /* for cpus_run_together() alone */
    void *ended;
    volatile bool entered, finished;
};

/*
 * Runs the tasks at the same time, each on its CPU: all wait until each has arrived that does. One
 * may be the boot CPU's. Returns when all have ended, or their CPUs were taken back after
 * timeout_us.
 */
void cpus_run_together(const struct cpus *cpus, struct together *together, unsigned count,
                       uint64_t timeout_us);

/* How often a CPU was started again since the last such question. */
unsigned cpus_take_restarts(unsigned number);

#endif
