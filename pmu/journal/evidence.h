/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disturbances of samples. They are found by reading registers before and after a window, but never
 * within it. The registers are described in Intel SDM vol. 4 (MSR_SMI_COUNT, IA32_PERF_STATUS,
 * MSR_CORE_PERF_LIMIT_REASONS) and vol. 3B ("Thermal Monitoring and Protection", "P-State Hardware
 * Coordination" for IA32_MPERF and IA32_APERF, "Machine-Check Architecture").
 *
 * Heat. A sample gets EVIDENCE_THERMAL if the core or package was throttled before or after the
 * window, or if the corresponding log bit was set in between.
 *
 * Limits. A sample gets EVIDENCE_LIMIT if heat or a failing supply limited the clock before or
 * after the window, or was logged in between. The reasons are PROCHOT, thermal, running average
 * thermal and VR thermal. Power and turbo limits are only recorded. They do not reject samples: a
 * CPU at its power limit stays there, so all its times would be rejected. EVIDENCE_CLOCK tells
 * whether such a limit changed the clock.
 *
 * Heat, limits and changes of the clock affect only time and cycles (EVIDENCE_OF_TIME). A hot core
 * retires the same instructions, only later.
 *
 * Logs. A log bit that is already set when a kernel starts is neither cleared nor taken as
 * evidence. The exception is a heat log that was set after the CPU was described. New log bits are
 * cleared before the next sample and after the kernel, so that later events are seen. CPUs that
 * measure in parallel may share these registers: a package shares 1B1H, 64FH and 690H, and siblings
 * share 19CH. If a CPU cleared a bit, the other CPUs would not see the event. CPUs that share
 * registers therefore clear bits only at the end of the kernel. Until then, a second event of the
 * same kind sets no new log bit, and another CPU may clear an event's log bit before it is read.
 * Only the register's status bits can then reveal the event.
 *
 * Machine-check banks. A sample gets EVIDENCE_MACHINE if the status of a bank changed. Banks are
 * never written.
 *
 * Gaps. IA32_MPERF counts at the time stamp's rate, except while the core is stopped, for example
 * by STPCLK# or clock modulation. MPERF is read between two readings of the time stamp, so the core
 * was stopped for at least
 *     gap = elapsed - (mperf_after - mperf_before), elapsed = tsc_first_after - tsc_last_before.
 * A sample gets EVIDENCE_GAP if gap > GAP_TICKS + elapsed / GAP_PARTS. GAP_TICKS allows for an
 * MPERF that advances in steps, for example of the bus clock's period. GAP_PARTS allows for
 * different rates: they differ by about 0.3 % if the time stamp is from the crystal clock
 * (CPUID.15H) and MPERF is from the bus clock. A gap, too, affects only time and cycles. An SMI
 * makes no gap, because the core keeps running in SMM. On Xeon Phi and in virtual machines, MPERF
 * is always slower, and each window would have a gap. Before anything is measured, each CPU is
 * therefore tested. If a CPU has three gaps in a row, its samples are not checked for gaps
 * (CPU_MPERF_DIFFERS).
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
#define DIFFERS_READINGS   200000u /* after so many readings, the time stamp is deemed stopped */

/* All fields are 0 if the flag CPU_HAS_APERF is not set. */
struct clocks {
    uint64_t aperf;
    uint64_t mperf;
    uint64_t tsc_first, tsc_last; /* before and after reading MPERF */
};

struct surroundings {
    uint64_t smis;
    uint64_t therm_status;
    uint64_t package_therm_status;
    uint64_t perf_status; /* IA32_PERF_STATUS, or AMD's PStateStat */
    uint64_t limits;
    uint64_t haswell_limits;
    uint32_t nmis;
};

/* The last seen state of the machine-check banks. */
struct machine_checks {
    uint32_t banks; /* number of banks, from bank 0 on */
    uint64_t status[EVIDENCE_BANKS_MAX];
};

/*
 * The number of machine-check banks before the first that raises #GP, at most EVIDENCE_BANKS_MAX.
 */
uint32_t evidence_count_banks(const struct msr_port *port);

/*
 * Finds the current CPU's registers according to record->caps. Adds CPU_HAS_ flags, sets mc_banks,
 * and adds to logs_found the flags of registers in which a heat log is already set. A register that
 * raises #GP is treated as absent. The first bank that raises #GP and all banks after it are not
 * used.
 */
void evidence_probe(const struct msr_port *port, struct cpu_record *record);

/* Reads the registers in `flags`. All others are returned as 0. */
struct surroundings evidence_read(const struct msr_port *port, uint32_t flags, uint32_t nmis);

/*
 * Reads the registers at a kernel's start, like evidence_read(). The result is for
 * evidence_clear(). logs_found of struct cpu_record has the registers in which a heat log was set
 * when the CPU was described. A heat log bit of any other register was set during the run. The bit
 * is therefore returned as 0, so that it later counts as new.
 */
struct surroundings evidence_start(const struct msr_port *port, uint32_t flags,
                                   uint32_t logs_found);

/* Reads the clocks. Must be the last reading before a window, and the first one after it. */
struct clocks evidence_clocks(const struct msr_port *port, uint32_t flags, uint64_t (*tsc)(void));

/*
 * Whether MPERF lags behind the time stamp by more than GAP_TICKS and GAP_PARTS allow, in each of
 * DIFFERS_TRIES attempts. False if the CPU lacks the registers or the time stamp is stopped.
 */
bool evidence_mperf_differs(const struct msr_port *port, uint32_t flags, uint64_t (*tsc)(void));

/* Reads the banks and returns how many have changed since the last call. */
unsigned evidence_machine_checks(const struct msr_port *port, struct machine_checks *checks);

/*
 * Compares two readings. Sets the sample's smis, nmis, limits and thermal fields, and adds
 * EVIDENCE_ bits to its evidence.
 */
void evidence_between(uint32_t flags, const struct surroundings *before,
                      const struct surroundings *after, struct sample *sample);

/*
 * Compares two readings of the clocks. Sets the sample's aperf, mperf and gap_ticks, and may add
 * EVIDENCE_GAP to its evidence. If the flag CPU_MPERF_DIFFERS is set, there are no gaps.
 */
void evidence_between_clocks(uint32_t flags, const struct clocks *before,
                             const struct clocks *after, struct sample *sample);

/*
 * Clears the log bits that are set `now` but were not set at the `start`. Reads, modifies and
 * writes each register. True if there were such bits.
 */
bool evidence_clear(const struct msr_port *port, const struct surroundings *start,
                    const struct surroundings *now);

/* Room for all words of evidence_words() and the terminating zero. */
#define EVIDENCE_WORDS_BYTES 104u

/* Writes the words for EVIDENCE_ bits, separated by spaces. */
void evidence_words(unsigned evidence, struct out *out);

#endif
