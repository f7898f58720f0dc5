/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disturbances of samples, found by reading registers before and after a window, never within.
 * Intel SDM vol. 4 (MSR_SMI_COUNT, IA32_PERF_STATUS, MSR_CORE_PERF_LIMIT_REASONS), vol. 3B "Thermal
 * Monitoring and Protection", "P-State Hardware Coordination" (IA32_MPERF, IA32_APERF),
 * "Machine-Check Architecture".
 *
 * Heat. A sample is EVIDENCE_THERMAL if the core or package was throttled before or after the
 * window, or if the corresponding log bit came up in between.
 *
 * Limits. Reasons that limited the clock before or after the window, or whose log bits came up in
 * between, are EVIDENCE_LIMIT only if they mean heat or a failing supply: PROCHOT, thermal, running
 * average thermal, VR thermal. Power and turbo limits are only recorded: a CPU at its power limit
 * stays there, so that otherwise all times would be rejected; changes of the clock are detected
 * separately (EVIDENCE_CLOCK).
 *
 * Heat, limits and changes of the clock affect only time and cycles (EVIDENCE_OF_TIME): a hot core
 * retires the same instructions, only later.
 *
 * Logs. A log bit that is already set when a kernel starts is left alone and ignored, except for
 * heat logged after the CPU was described. New log bits are cleared before the next sample and
 * after the kernel, so that later events are seen. CPUs that measure in parallel share such
 * registers (1B1H, 64FH and 690H with the package, 19CH with a sibling), and clearing a bit would
 * hide it from the others; each CPU therefore clears bits only at the end of the kernel. Until then
 * a second event of that kind, or one whose bit another CPU clears, may show only in the status.
 *
 * Machine-check banks. Any change of a status is EVIDENCE_MACHINE. Banks are never written.
 *
 * Gaps. IA32_MPERF counts at the time stamp's rate, except while the core is stopped, as by STPCLK#
 * or clock modulation. MPERF is read between two readings of the time stamp, so that the core was
 * stopped for at least
 *     gap = elapsed - (MPERF after - MPERF before), elapsed = first after - last before.
 * A sample is EVIDENCE_GAP if gap > GAP_TICKS + elapsed / GAP_PARTS. GAP_TICKS allows for an MPERF
 * that advances in steps, such as the bus clock's period; GAP_PARTS for rates that differ by about
 * 0.3 %, if the time stamp derives from the crystal (CPUID.15H) and MPERF from the bus clock. A
 * gap, too, affects only time and cycles. SMM is no gap, as the core runs then. If MPERF is always
 * slower, as on Xeon Phi or in a virtual machine, each window would be a gap; gaps are therefore
 * not checked on a CPU with three in a row while nothing is measured (CPU_MPERF_DIFFERS).
 */
#ifndef BARECOUNT_PMU_JOURNAL_EVIDENCE_H
#define BARECOUNT_PMU_JOURNAL_EVIDENCE_H

#include "pmu/base/out.h"
#include "pmu/journal/record.h"

#define EVIDENCE_BANKS_MAX 32u
#define GAP_TICKS          1000u
#define GAP_PARTS          64u
#define DIFFERS_TICKS      200000u /* time over which MPERF is compared with the time stamp */
#define DIFFERS_TRIES      3u
#define DIFFERS_READINGS   200000u /* limit for a time stamp that does not advance */

/* All 0 without CPU_HAS_APERF. */
struct clocks {
    uint64_t aperf;
    uint64_t mperf;
    uint64_t tsc_first, tsc_last; /* before and after reading MPERF */
};

struct surroundings {
    uint64_t smis;
    uint64_t therm_status;
    uint64_t package_therm_status;
    uint64_t perf_status;
    uint64_t limits;
    uint64_t haswell_limits;
    uint32_t nmis;
};

/* The last seen state of the machine-check banks. */
struct machine_checks {
    uint32_t banks; /* from bank 0 on, at most EVIDENCE_BANKS_MAX */
    uint64_t status[EVIDENCE_BANKS_MAX];
};

/*
 * The number of machine-check banks before the first that raises #GP, at most EVIDENCE_BANKS_MAX.
 */
uint32_t evidence_count_banks(const struct msr_port *port);

/*
 * Finds the current CPU's registers according to record->caps: adds CPU_HAS_ flags, adds to
 * logs_found those with a heat log that is already set, and sets mc_banks. Registers that raise #GP
 * do not exist; the first such bank ends the banks.
 */
void evidence_probe(const struct msr_port *port, struct cpu_record *record);

/* Reads the registers in `flags`; the others are 0. */
struct surroundings evidence_read(const struct msr_port *port, uint32_t flags, uint32_t nmis);

/*
 * The same at a kernel's start, for evidence_clear(). Heat log bits of registers not in logs_found
 * of struct cpu_record came up during the run, and are left out.
 */
struct surroundings evidence_start(const struct msr_port *port, uint32_t flags,
                                   uint32_t logs_found);

/* Reads the clocks: to be called last before a window, first after it. `tsc`: the time stamp. */
struct clocks evidence_clocks(const struct msr_port *port, uint32_t flags, uint64_t (*tsc)(void));

/*
 * Whether MPERF lags behind the time stamp by more than GAP_TICKS and GAP_PARTS allow, in each of
 * DIFFERS_TRIES attempts. False without the registers, or if the time stamp is stopped.
 */
bool evidence_mperf_differs(const struct msr_port *port, uint32_t flags, uint64_t (*tsc)(void));

/* Reads the banks and returns how many have changed since the last call. */
unsigned evidence_machine_checks(const struct msr_port *port, struct machine_checks *checks);

/*
 * Compares two readings and sets the sample's smis, nmis, limits and thermal fields; adds to its
 * EVIDENCE_ bits.
 */
void evidence_between(uint32_t flags, const struct surroundings *before,
                      const struct surroundings *after, struct sample *sample);

/*
 * The same for the clocks: sets aperf, mperf and gap_ticks, and may add EVIDENCE_GAP. With
 * CPU_MPERF_DIFFERS there are no gaps.
 */
void evidence_between_clocks(uint32_t flags, const struct clocks *before,
                             const struct clocks *after, struct sample *sample);

/*
 * Clears log bits that are set `now` and were not at the `start`, by reading, modifying and writing
 * each register. True if there were such bits.
 */
bool evidence_clear(const struct msr_port *port, const struct surroundings *start,
                    const struct surroundings *now);

/* Room for all words of evidence_words() and the terminating zero. */
#define EVIDENCE_WORDS_BYTES 104u

/* Writes the words for EVIDENCE_ bits, separated by spaces. */
void evidence_words(unsigned evidence, struct out *out);

#endif
