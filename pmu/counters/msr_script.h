/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Short scripts of MSR operations, which run before and after a kernel. A script has no loops, so
 * it always ends.
 *
 *   nop
 *   read 0x34          gives a result
 *   write 0x1a4 0xf    gives a result only if it raises #GP
 *   rdtsc              gives a result
 *   stop               ends the script
 *
 * A list of harmless registers says which of their bits may be written. A write of such bits leaves
 * the register's other bits unchanged. A write of any other bit or register requires unsafe_msr=yes
 * in the plan, and then replaces the whole register. msr_script_restore() undoes all writes except
 * listed ones that give a command or clear a log bit.
 */
#ifndef BARECOUNT_PMU_COUNTERS_MSR_SCRIPT_H
#define BARECOUNT_PMU_COUNTERS_MSR_SCRIPT_H

#include "pmu/base/out.h"
#include "pmu/base/piece.h"

#define MSR_SCRIPT_OPS_MAX 32u /* the most operations in all scripts of a plan together */

struct msr_port; /* pmu/counters/program.h */

enum msr_op_kind { MSR_OP_NOP, MSR_OP_READ, MSR_OP_WRITE, MSR_OP_STOP, MSR_OP_RDTSC, MSR_OPS };

struct msr_op {
    enum msr_op_kind kind;
    uint32_t msr;
    uint64_t value;
    uint32_t line; /* the number of the operation's line in the plan */
};

struct msr_script {
    uint32_t count;
    struct msr_op op[MSR_SCRIPT_OPS_MAX];
};

/* The result of an operation. */
struct msr_result {
    uint64_t value; /* what was read (0 after #GP), or the value whose write raised #GP */
    uint32_t msr;   /* 0 for rdtsc */
    uint8_t kind;   /* enum msr_op_kind: MSR_OP_READ, MSR_OP_WRITE or MSR_OP_RDTSC */
    uint8_t step;   /* the operation's index in the script */
    uint8_t fault;  /* 1: the access raised #GP */
    uint8_t reserved;
};
_Static_assert(sizeof(struct msr_result) == 16, "journal layout");

/* The values that scripts overwrote on one CPU, oldest first. Initialise with zeros. */
struct msr_saved {
    uint32_t count;
    struct {
        uint32_t msr;
        uint64_t value;
    } entry[MSR_SCRIPT_OPS_MAX];
};

/*
 * Parses a line of a script, but does not set op->line. If the line is not an operation, returns
 * false and writes the reason to *why.
 */
bool msr_op_parse(struct piece line, struct msr_op *op, struct out *why);

/* Whether an operation may run without unsafe_msr=yes; otherwise *why says what is not allowed. */
bool msr_op_allowed(const struct msr_op *op, struct out *why);

/*
 * Whether other CPUs may make the same write at the same time. Returns false and writes the reason
 * to *why if the old value must be restored and another thread may share the register.
 */
bool msr_op_is_own(const struct msr_op *op, struct out *why);

/* Writes the list of harmless registers, one per line: number, name, bits, meaning. */
void msr_print_harmless(struct out *out);

/*
 * Runs a script on the current CPU. Returns the number of results, at most script->count. At the
 * first write to a register that must be restored, saves its old value in *saved. A write that the
 * list does not allow is made even if the register cannot be read; msr_script_restore() then cannot
 * undo it.
 */
unsigned msr_script_run(const struct msr_script *script, const struct msr_port *port,
                        uint64_t (*tsc)(void), struct msr_result *results, struct msr_saved *saved);

/*
 * Restores the saved values, newest first, and empties *saved. Returns the first MSR that refused
 * its value, or 0.
 */
uint32_t msr_script_restore(struct msr_saved *saved, const struct msr_port *port);

#endif
