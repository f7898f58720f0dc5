/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program has found out about the machine, kept from run to run. */
#ifndef BARECOUNT_BOOT_PLAN_MACHINE_H
#define BARECOUNT_BOOT_PLAN_MACHINE_H

#include "boot/cpu/cpu.h"
#include "boot/efi/cpus.h"
#include "kernels/kernel.h"
#include "pmu/cpu/tsc.h"
#include "pmu/events/emulation.h"
#include "pmu/journal/record.h"

#define BARECOUNT_VERSION   "0.1.0"
#define MACHINE_KERNELS_MAX 2048u

struct machine {
    struct cpus cpus;
    struct cpu_caps boot_caps; /* from CPUID alone */
    struct cpu_context *contexts;
    bool has_core_types;
    uint8_t core_type[CPUS_MAX]; /* CORE_TYPE_*; 0: not hybrid, or unknown */
    const struct kernel_record *kernel[MACHINE_KERNELS_MAX];
    const char *kernel_file[MACHINE_KERNELS_MAX]; /* "": built in */
    unsigned kernels;
    bool has_files;
    bool has_all_volumes;
    uint64_t tsc_hz;
    uint64_t tsc_nominal_hz;  /* 0: not known */
    uint64_t tsc_measured_hz; /* 0: not measured */
    uint32_t tsc_source;
    uint64_t picoseconds_per_instruction; /* of a simple loop */
    struct emulation emulation;
    uint64_t start_tsc;
    bool cpu_lost;                 /* a CPU did not return, and may still run a task */
    bool given_up[CPUS_MAX];       /* CPUs that did not answer */
    struct known_uncore *packages; /* see boot/run/uncore.c */
    struct run_record record;
};

/* Writes no MSRs. If nothing can run, prints why and returns false. */
bool machine_find(struct machine *machine);

/* On a hybrid machine, asks every usable CPU once for its core type. */
void machine_find_core_types(struct machine *machine);

/* Time stamp ticks per microsecond; an upper bound if the rate is not known. */
static inline uint64_t machine_ticks_per_us(const struct machine *machine)
{
    return (machine->tsc_hz > 0 ? machine->tsc_hz : TSC_HZ_MAX) / 1000000;
}

/* Microseconds since machine_find(). */
uint64_t machine_us(const struct machine *machine);

/* See kernel_record.cpu_features. */
bool machine_supports(const struct cpu_caps *caps, uint64_t cpu_features);

/* Call this once. */
void remarks_find(const struct machine *machine);

#endif
