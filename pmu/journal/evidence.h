/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What disturbs a sample from outside: read before and after a window, never within. Intel SDM
 * vol. 4 (MSR_SMI_COUNT, IA32_PERF_STATUS, MSR_CORE_PERF_LIMIT_REASONS), vol. 3B "Thermal
 * Monitoring and Protection", "P-State Hardware Coordination" (IA32_MPERF, IA32_APERF),
 * "Machine-Check Architecture".
 *
 * Heat. A sample is EVIDENCE_THERMAL when the core or its package was throttled at either look, or
 * when the log bit of that came up in between.
 *
 * Limits. Of the reasons why the clock is below what was asked for, only those that tell of heat or
 * of a supply that fails are EVIDENCE_LIMIT: PROCHOT, thermal, running average thermal, VR thermal;
 * when one limited the clock at either look, or its log bit came up in between. Limits of power and
 * of turbo are recorded and are no evidence: a CPU at its power limit stays there, so that every
 * sample would be rejected, while retired counts do not change and the clock is watched itself
 * (EVIDENCE_CLOCK).
 *
 * Logs. A log bit that was set at a kernel's start is left to its owner, and tells nothing, but for
 * heat that no log told of when the CPU was described. What came up since is cleared before the
 * next sample and at the kernel's end, so that the next event is seen. CPUs that measure in
 * parallel share such registers (1B1H, 64FH, 690H with the package, 19CH with a sibling): one that
 * cleared a bit would hide it from the others. There it stays until the kernel's end on each CPU: a
 * second event of the same kind within one kernel, and one whose bit another CPU clears at its own
 * end, may be seen by the status alone.
 *
 * Machine-check banks. A status that changed is EVIDENCE_MACHINE, whatever it changed to. They are
 * read, and never written.
 *
 * Gaps. IA32_MPERF ticks at the time stamp's rate, but not while the core stands still, as it does
 * for STPCLK# or clock modulation. It is read between two readings of the time stamp, so that the
 * core stood still for at least
 *     gap = elapsed - (MPERF after - MPERF before), elapsed = first after - last before.
 * It is EVIDENCE_GAP when gap > GAP_TICKS + elapsed / GAP_PARTS. GAP_TICKS: MPERF may advance in
 * steps, of the bus clock's period for one. GAP_PARTS: where the time stamp comes from the crystal
 * (CPUID.15H) and MPERF from the bus clock, their rates may differ by about 0.3 %. A gap is
 * evidence against time and cycles alone (EVIDENCE_OF_TIME). SMM is no gap, as the core is at work
 * there. Where MPERF ticks more slowly always, as on Xeon Phi or in a virtual machine, each window
 * would be a gap: a CPU that shows three in a row while nothing is measured (CPU_MPERF_DIFFERS) is
 * not asked for gaps.
 */
#ifndef BARECOUNT_PMU_JOURNAL_EVIDENCE_H
#define BARECOUNT_PMU_JOURNAL_EVIDENCE_H

#include "pmu/base/out.h"
#include "pmu/journal/record.h"

#define EVIDENCE_BANKS_MAX 32u
#define GAP_TICKS          1000u
#define GAP_PARTS          64u
#define DIFFERS_TICKS      200000u /* how long MPERF is compared with the time stamp */
#define DIFFERS_TRIES      3u
#define DIFFERS_READINGS   200000u /* of a time stamp that does not get there */

/* All 0 without CPU_HAS_APERF. */
struct clocks {
    uint64_t aperf;
    uint64_t mperf;
    uint64_t tsc_first, tsc_last; /* MPERF was read in between */
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

/* Machine-check banks as they were last seen. */
struct machine_checks {
    uint32_t banks; /* from bank 0 on, at most EVIDENCE_BANKS_MAX */
    uint64_t status[EVIDENCE_BANKS_MAX];
};

/*
 * Finds the registers of the running CPU by record->caps: adds CPU_HAS_ flags, and to logs_found
 * those whose log of heat is set; sets mc_banks. What raises #GP is not there; a bank that does
 * ends the banks.
 */
void evidence_probe(const struct msr_port *port, struct cpu_record *record);

/* Reads those that `flags` names; the others are 0. */
struct surroundings evidence_read(const struct msr_port *port, uint32_t flags, uint32_t nmis);

/*
 * What a kernel starts with, for evidence_clear(): the same, without log bits of heat in registers
 * that are not in cpu_record.logs_found. These came up in the run.
 */
struct surroundings evidence_start(const struct msr_port *port, uint32_t flags,
                                   uint32_t logs_found);

/* The clocks: to be called last before a window and first after it. `tsc` reads the time stamp. */
struct clocks evidence_clocks(const struct msr_port *port, uint32_t flags, uint64_t (*tsc)(void));

/*
 * Whether MPERF falls behind the time stamp by more than GAP_TICKS and GAP_PARTS allow, each of
 * DIFFERS_TRIES times. False without the registers, or when the time stamp stands still.
 */
bool evidence_mperf_differs(const struct msr_port *port, uint32_t flags, uint64_t (*tsc)(void));

/* Looks at the banks again: how many have changed since the last look. */
unsigned evidence_machine_checks(const struct msr_port *port, struct machine_checks *checks);

/*
 * What happened between two readings, into the sample: its EVIDENCE_ bits are added to; smis, nmis,
 * limits and both thermal fields are set.
 */
void evidence_between(uint32_t flags, const struct surroundings *before,
                      const struct surroundings *after, struct sample *sample);

/*
 * The same for the clocks: EVIDENCE_GAP is added; aperf, mperf and gap_ticks are set. No gaps with
 * CPU_MPERF_DIFFERS.
 */
void evidence_between_clocks(uint32_t flags, const struct clocks *before,
                             const struct clocks *after, struct sample *sample);

/*
 * Clears the log bits that are set `now` and were not at the `start`, and no other bits: each
 * register is read again for what it holds when it is written. True: there were such bits.
 */
bool evidence_clear(const struct msr_port *port, const struct surroundings *start,
                    const struct surroundings *now);

/* Room for all the words of evidence_words(), and the final zero. */
#define EVIDENCE_WORDS_BYTES 104u

/* The words for EVIDENCE_ bits, with spaces between them. */
void evidence_words(unsigned evidence, struct out *out);

#endif
