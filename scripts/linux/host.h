/* SPDX-License-Identifier: BSD-2-Clause */
/* What this Linux and its machine are: CPUs that may be measured, clock, names. */
#ifndef BARECOUNT_LINUX_HOST_H
#define BARECOUNT_LINUX_HOST_H

#include <stdio.h>

#include "pmu/events/emulation.h"
#include "pmu/plan/plan.h"
#include "pmu/journal/record.h"

#define BARECOUNT_VERSION "0.1.0"

/* Says why on stderr, by a format that ends its line; is false. */
#define REFUSE(...) (fprintf(stderr, "barecount-linux: " __VA_ARGS__), false)

struct host_cpu {
    bool exists; /* Linux knows it */
    bool online;
    bool allowed;         /* this process may run on it */
    struct cpu_caps caps; /* of one that is online and allowed, as the next */
    struct cpu_cache cache[CPU_CACHES_MAX];
    uint32_t microcode;
};

struct host {
    struct host_cpu cpu[PLAN_CPUS_MAX];
    unsigned cpus; /* the highest number that exists, and 1 */
    unsigned usable;
    /* host_describe() finds both; the time, for estimates, is that of a simple loop here and now.
     */
    struct emulation emulation;
    uint64_t picoseconds_per_instruction;
    struct run_record machine; /* the part of the record that describes it, with linux_host */
};

/* Its CPUs. */
void host_find(struct host *host);

/* The rest, which takes its time: what a run says of the machine. */
void host_describe(struct host *host);

/* The calling thread runs on this CPU alone from now on. False: it cannot; errno. */
bool host_pin(unsigned cpu);

/* Not on the CPUs that are measured, as far as there are others. */
void host_stay_off(const struct host *host, const bool *measured);

/* "is offline", "does not exist", "is not in this process's CPU set"; null: it can be measured. */
const char *host_cpu_trouble(const struct host *host, unsigned cpu);

/* What a plan's choice of CPUs asks of one. */
struct plan_cpu host_plan_cpu(const struct host *host, unsigned cpu);

/* Other usable threads of the same core. */
uint32_t host_siblings(const struct host *host, unsigned cpu);

/* The time, ISO 8601, UTC. */
void host_time(char text[24]);
uint64_t host_us(void);

/* Executes CPUID, for caps_read() and caps_caches(). */
void host_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);
uint64_t host_tsc(void);

#endif
