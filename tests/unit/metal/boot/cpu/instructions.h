/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces boot/cpu/instructions.h on the host. The test defines what is only declared here. */
#ifndef BARECOUNT_TESTS_UNIT_METAL_INSTRUCTIONS_H
#define BARECOUNT_TESTS_UNIT_METAL_INSTRUCTIONS_H

#include <stdint.h>

#define RFLAGS_IF (1ull << 9)

struct table_pointer {
    uint16_t limit;
    uint64_t base;
};

uint64_t cpu_tsc(void);
void cpu_pause(void);
void cpu_monitor(const volatile void *line);
void cpu_mwait(uint32_t hint);

static inline uint64_t cpu_flags_then_cli(void)
{
    return 0;
}

static inline void cpu_sti(void)
{
}

static inline void cpu_clflush(const volatile void *line)
{
    (void)line;
}

static inline void cpu_fence(void)
{
}

#endif
