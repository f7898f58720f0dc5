/* SPDX-License-Identifier: BSD-2-Clause */
/* What stays the same from the program's start to its end. */
#ifndef BARECOUNT_BOOT_PLAN_SESSION_H
#define BARECOUNT_BOOT_PLAN_SESSION_H

#include "boot/cpu/cpu.h"
#include "boot/efi/cpus.h"
#include "kernels/kernel.h"
#include "pmu/journal/record.h"

#define BARECOUNT_VERSION   "0.1.0"
#define SESSION_KERNELS_MAX 2048u

struct session {
    struct cpus cpus;
    struct cpu_caps boot_caps;    /* of the boot CPU, by CPUID alone */
    struct cpu_context *contexts; /* one for each CPU */
    bool has_core_types;
    uint8_t core_type[CPUS_MAX]; /* CORE_TYPE_*; 0 where no CPU is hybrid */
    const struct kernel_record *kernel[SESSION_KERNELS_MAX];
    const char *kernel_file[SESSION_KERNELS_MAX]; /* of the stick; "" for a built-in one */
    unsigned kernels;
    bool has_files;
    bool has_all_volumes; /* none that may have files failed to answer */
    uint64_t tsc_hz;
    uint64_t tsc_measured_hz; /* against the ACPI timer; 0: not measured */
    uint32_t tsc_source;
    uint64_t picoseconds_per_instruction; /* of a simple loop here and now: for estimates */
    bool emulated;                        /* by QEMU, instruction by instruction */
    uint64_t start_tsc;
    struct run_record machine; /* the part of the record that describes the machine */
};

/* Looks around; writes no MSR. False, after saying why, when nothing can be run. */
bool session_start(struct session *session);

/* Asks every CPU of a hybrid machine for its core type, once. */
void session_find_core_types(struct session *session);

/* Microseconds since the program's start. */
uint64_t session_us(const struct session *session);

/* Whether a CPU has what a kernel needs (kernel_record.cpu_features). */
bool session_supports(const struct cpu_caps *caps, uint64_t cpu_features);

#endif
