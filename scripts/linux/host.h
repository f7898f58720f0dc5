/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine as Linux shows it: the CPUs that may be measured, the clock, and a description. */
#ifndef BARECOUNT_LINUX_HOST_H
#define BARECOUNT_LINUX_HOST_H

#include <stdio.h>

#include "pmu/events/emulation.h"
#include "pmu/plan/plan.h"
#include "pmu/journal/record.h"

#define BARECOUNT_VERSION "0.1.0"

/* Prints an error on stderr; the macro's value is false. The format must end in a newline. */
#define REFUSE(...) (fprintf(stderr, "barecount-linux: " __VA_ARGS__), false)

struct host_cpu {
    bool exists;
    bool online;
    bool allowed;
    /* `caps`, `cache` and `place` are set only if the CPU is online and allowed. */
    struct cpu_caps caps;
    struct cpu_cache cache[CPU_CACHES_MAX];
    struct zen_place place;
    uint32_t microcode;
};

struct host {
    struct host_cpu cpu[PLAN_CPUS_MAX];
    unsigned cpus; /* highest number of an existing CPU + 1 */
    unsigned usable;
    struct emulation emulation;           /* set by host_describe() */
    uint64_t picoseconds_per_instruction; /* in a simple loop; set by host_describe() */
    struct run_record machine;            /* only its fields about the machine are set */
};

/* Finds the CPUs. */
void host_find(struct host *host);

/* Fills in the fields that take a long time to find and that only a measurement needs. */
void host_describe(struct host *host);

/* Restricts the calling thread to this CPU. False: see errno. */
bool host_pin(unsigned cpu);

/* Moves this process to CPUs that are not measured, if there are any. */
void host_stay_off(const struct host *host, const bool *measured);

/* Why a CPU cannot be measured, such as "is offline"; null if it can be. */
const char *host_cpu_trouble(const struct host *host, unsigned cpu);

/* The properties by which a plan can select a CPU. */
struct plan_cpu host_plan_cpu(const struct host *host, unsigned cpu);

/* How many other threads of this CPU's core are usable CPUs. */
uint32_t host_siblings(const struct host *host, unsigned cpu);

/* The time as ISO 8601 in UTC. */
void host_time(char text[24]);
uint64_t host_us(void);

/* Executes CPUID, for functions such as caps_read(). */
void host_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);
uint64_t host_tsc(void);

#endif
