/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Short scripts of MSR operations, run before and after a kernel. No loops: a script ends.
 *
 *   nop
 *   read 0x34          gives a result
 *   write 0x1a4 0xf    gives a result only when it raises #GP; put back by msr_script_restore()
 *   rdtsc              gives a result
 *   stop               what follows is not run
 *
 * A write to a register of the list of harmless ones changes the bits that the list names and keeps
 * all others. Any other write is refused (msr_op_allowed) unless the plan says unsafe_msr=yes, and
 * is then done as it stands.
 */
#ifndef BARECOUNT_PMU_COUNTERS_MSR_SCRIPT_H
#define BARECOUNT_PMU_COUNTERS_MSR_SCRIPT_H

#include "pmu/base/out.h"
#include "pmu/base/piece.h"

#define MSR_SCRIPT_OPS_MAX 32u /* of all scripts of a plan together */

struct msr_port; /* pmu/counters/program.h */

enum msr_op_kind { MSR_OP_NOP, MSR_OP_READ, MSR_OP_WRITE, MSR_OP_STOP, MSR_OP_RDTSC, MSR_OPS };

struct msr_op {
    enum msr_op_kind kind;
    uint32_t msr;
    uint64_t value;
    uint32_t line; /* of the plan */
};

struct msr_script {
    uint32_t count;
    struct msr_op op[MSR_SCRIPT_OPS_MAX];
};

/* What an operation gave. */
struct msr_result {
    uint64_t value; /* read; or, of a write that raised #GP, what was to be written */
    uint32_t msr;   /* 0 for rdtsc */
    uint8_t kind;   /* enum msr_op_kind: MSR_OP_READ, MSR_OP_WRITE or MSR_OP_RDTSC */
    uint8_t step;   /* its index in the script */
    uint8_t fault;  /* 1: the access raised #GP */
    uint8_t reserved;
};
_Static_assert(sizeof(struct msr_result) == 16, "journal layout");

/* What the scripts overwrote on one CPU, in the order in which it was. All zero at the start. */
struct msr_saved {
    uint32_t count;
    struct {
        uint32_t msr;
        uint64_t value;
    } entry[MSR_SCRIPT_OPS_MAX];
};

/* Reads one line. False, and a sentence in *why, when it is no operation. op->line is left alone.
 */
bool msr_op_parse(struct piece line, struct msr_op *op, struct out *why);

/* Whether an operation may be run without unsafe_msr=yes. False: *why says what is not allowed. */
bool msr_op_allowed(const struct msr_op *op, struct out *why);

/*
 * Whether a write can be put back while other CPUs do the same: not where what it overwrites is to
 * come back and the register may be another thread's as well. False: *why says so.
 */
bool msr_op_is_own(const struct msr_op *op, struct out *why);

/* The list of registers that are harmless to write, a line each: number, name, bits, meaning. */
void msr_print_harmless(struct out *out);

/*
 * Runs a script on the CPU that runs. `results` has room for script->count. Returns how many it
 * made. What a write replaces is kept in *saved, once for each register; a register that cannot be
 * read (unsafe_msr=yes only) is written and not put back.
 */
unsigned msr_script_run(const struct msr_script *script, const struct msr_port *port,
                        uint64_t (*tsc)(void), struct msr_result *results, struct msr_saved *saved);

/* Writes back what was saved, last first, and forgets it. Returns the first MSR that refused, or 0.
 */
uint32_t msr_script_restore(struct msr_saved *saved, const struct msr_port *port);

#endif
