/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Short scripts of MSR operations, which run before and after a kernel.
 *
 *   nop
 *   read 0x34          gives a result
 *   write 0x1a4 0xf    gives a result only if it raises #GP
 *   rdtsc              gives a result
 *   stop               ends the script
 *
 * A list (msr_print_harmless()) names the harmless bits of some registers. A write that sets only
 * such bits keeps the register's other bits. Any other write requires unsafe_msr=yes, and replaces
 * the whole register.
 */
#ifndef BARECOUNT_PMU_COUNTERS_MSR_SCRIPT_H
#define BARECOUNT_PMU_COUNTERS_MSR_SCRIPT_H

#include "pmu/base/out.h"
#include "pmu/base/piece.h"

#define MSR_SCRIPT_OPS_MAX 32u /* in all scripts together */

struct msr_port; /* pmu/counters/program.h */

enum msr_op_kind { MSR_OP_NOP, MSR_OP_READ, MSR_OP_WRITE, MSR_OP_STOP, MSR_OP_RDTSC, MSR_OPS };

struct msr_op {
    enum msr_op_kind kind;
    uint32_t msr;
    uint64_t value;
    uint32_t line; /* line of the plan */
};

struct msr_script {
    uint32_t count;
    struct msr_op op[MSR_SCRIPT_OPS_MAX];
};

struct msr_result {
    uint64_t value; /* what was read (0 after #GP), or the value whose write raised #GP */
    uint32_t msr;   /* 0 for rdtsc */
    uint8_t kind;   /* MSR_OP_READ, MSR_OP_WRITE or MSR_OP_RDTSC */
    uint8_t step;   /* index of the operation */
    uint8_t fault;  /* 1: raised #GP */
    uint8_t reserved;
};
_Static_assert(sizeof(struct msr_result) == 16, "journal layout");

/* The old values of the MSRs that one CPU has overwritten, oldest first. Initialise with zeros. */
struct msr_saved {
    uint32_t count;
    struct {
        uint32_t msr;
        uint64_t value;
    } entry[MSR_SCRIPT_OPS_MAX];
};

/* If the line is not a valid operation, returns false and says why. Does not set op->line. */
bool msr_op_parse(struct piece line, struct msr_op *op, struct out *why);

/* Whether an operation may run without unsafe_msr=yes; if not, *why says what is not allowed. */
bool msr_op_allowed(const struct msr_op *op, struct out *why);

/*
 * Whether other CPUs may make the same write at the same time. False, with the reason, if the old
 * value must be restored and another thread may share the register.
 */
bool msr_op_is_own(const struct msr_op *op, struct out *why);

/* One line per register: number, name, bits, meaning. */
void msr_print_harmless(struct out *out);

/*
 * Runs a script on the current CPU, and returns the number of results. Saves a register's old value
 * at its first write, unless the write gives a command or clears a log. A register that cannot be
 * read is written, but not restored.
 */
unsigned msr_script_run(const struct msr_script *script, const struct msr_port *port,
                        uint64_t (*tsc)(void), struct msr_result *results, struct msr_saved *saved);

/*
 * Restores the saved values, newest first, and empties *saved. Returns the first MSR that refused
 * its value, or 0.
 */
uint32_t msr_script_restore(struct msr_saved *saved, const struct msr_port *port);

#endif
