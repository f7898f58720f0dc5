/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds disturbances of samples by reading registers between windows, but never within a window.
 * The registers are described in Intel SDM vol. 4 (MSR_SMI_COUNT, IA32_PERF_STATUS,
 * MSR_CORE_PERF_LIMIT_REASONS) and vol. 3B ("Thermal Monitoring and Protection", "P-State Hardware
 * Coordination" for IA32_MPERF and IA32_APERF, "Machine-Check Architecture").
 *
 * Heat. A sample gets EVIDENCE_THERMAL if the core or package was throttled at the reading before
 * or after the sample, or if the corresponding log bit was set in between.
 *
 * Limits. A sample gets EVIDENCE_LIMIT if heat or a failing supply limited the clock at the reading
 * before or after the sample, or, according to the log bits, between these readings. EVIDENCE_LIMIT
 * stands for the limit reasons PROCHOT, thermal, running average thermal (only in MSR 64FH) and VR
 * thermal. Power and turbo limits are only recorded and do not reject samples, because a CPU at its
 * power limit stays there, so that all its counts of time and cycles would be rejected.
 * EVIDENCE_CLOCK shows whether a power or turbo limit changed the clock.
 *
 * Heat, limits and changes of the clock affect only time and cycles (EVIDENCE_OF_TIME). A hot core
 * retires the same instructions, only later.
 *
 * Logs. A log bit that is already set when a kernel starts is neither cleared nor treated as
 * evidence, unless it is a thermal log bit that was set after the CPU's record was made. New log
 * bits are cleared after the sample and after the kernel, so that later events are seen. CPUs that
 * measure in parallel may share the registers with log bits: a package shares MSRs 1B1H, 64FH and
 * 690H, and siblings share MSR 19CH. If one CPU cleared a shared log bit, the other CPUs would not
 * see the event, so CPUs that share registers clear log bits only at the end of the kernel. Before
 * that, a second event of the same kind sets no new log bit, and a CPU that has ended the kernel
 * may clear a log bit before another CPU reads it. Only the register's status bits can then reveal
 * the event.
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
 * different rates of MPERF and the time stamp: they differ by about 0.3 % if the time stamp is from
 * the crystal clock (CPUID.15H) and MPERF is from the bus clock. Like heat, a gap affects only time
 * and cycles. An SMI makes no gap, because the core keeps running in SMM. On Xeon Phi and in some
 * virtual machines, MPERF is always slower than the time stamp, so each window would have a gap.
 * Each CPU is therefore tested before anything is measured. If all DIFFERS_TRIES tests of a CPU
 * show a gap, its samples are not checked for gaps (CPU_MPERF_DIFFERS).
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
#define DIFFERS_READINGS   200000u /* after this many readings, the time stamp is deemed stopped */

struct clocks {
    uint64_t aperf;
    uint64_t mperf;
    uint64_t tsc_first, tsc_last; /* time stamps just before and just after MPERF was read */
};

/* The kinds of registers that give evidence. */
enum evidence_row {
    ROW_SMIS,
    ROW_THERM,
    ROW_PACKAGE_THERM,
    ROW_PERF,
    ROW_LIMITS,
    ROW_HASWELL_LIMITS,
    ROWS,
    ROW_OVERFLOW = ROWS, /* the counters' status, which pmu_overflowed() reads again and clears */
};
#define EVIDENCE_ROWS    (ROWS + 1u)
#define EVIDENCE_NOWHERE (EVIDENCE_BANKS_MAX + EVIDENCE_ROWS)

/*
 * The registers of a CPU that are read after each sample, and their values after the previous
 * sample. Usually all registers have their expected values, and the sample needs no further checks.
 */
struct evidence_watch {
    struct msr_look look[EVIDENCE_NOWHERE + 1]; /* banks, then registers, then a zero entry */
    uint32_t banks;
    uint32_t registers;
    uint32_t always;                /* number of registers that are read in every pass */
    uint8_t row[EVIDENCE_ROWS];     /* enum evidence_row of each register */
    uint8_t at[EVIDENCE_ROWS];      /* index of each row in `look`; EVIDENCE_NOWHERE: none */
    uint64_t start[EVIDENCE_ROWS];  /* values at evidence_start(), without new thermal log bits */
    uint64_t before[EVIDENCE_ROWS]; /* values before the current sample */
    bool is_lasting;                /* a status bit was still set before the current sample */
    bool counts_smis;               /* a counter of this pass counts SMIs */
    bool clears;                    /* new log bits are cleared after a sample */
    uint32_t nmis;                  /* number of NMIs before the current sample */
};

/*
 * The number of machine-check banks before the first that raises #GP, at most EVIDENCE_BANKS_MAX.
 */
uint32_t evidence_count_banks(const struct msr_port *port);

/*
 * Finds the current CPU's registers according to record->caps. Adds CPU_HAS_ flags, sets mc_banks,
 * and adds to logs_found the flags of registers in which a thermal log bit is already set. A
 * register that raises #GP is treated as absent. The first bank that raises #GP and all banks after
 * it are not used.
 */
void evidence_probe(const struct msr_port *port, struct cpu_record *record);

/*
 * Chooses the registers of a CPU, and reads them before a kernel's first sample. record->logs_found
 * contains the flags of registers in which a thermal log bit was set when the CPU's record was
 * made. A thermal log bit that is now set in any other register was set during the run, so it is
 * treated as new. `clears` says that new log bits are cleared as soon as they have been seen.
 * `nmis` is the number of NMIs so far.
 */
void evidence_start(const struct msr_port *port, const struct cpu_record *record, bool clears,
                    uint32_t nmis, struct evidence_watch *watched);

/* Also watches the overflows of a programmed pass and its counter of SMIs. */
void evidence_pass(const struct msr_port *port, const struct programmed *programmed,
                   struct evidence_watch *watched);

/* Compares the last two readings of the registers. Only for evidence_after(). */
void evidence_tell(const struct msr_port *port, struct evidence_watch *watched,
                   struct sample *sample);

/*
 * Reads the registers after a sample, and compares them with the reading after the previous sample.
 * An event between two samples is therefore evidence against the later sample. Sets the sample's
 * smis, nmis, limits, mc_changed and thermal fields, and adds EVIDENCE_ bits to its evidence, but
 * not those of machine checks and overflows. A register that raises #GP is read as 0. Returns false
 * if the registers show neither a disturbance nor an overflow.
 */
static inline bool evidence_after(const struct msr_port *port, uint32_t nmis,
                                  struct evidence_watch *watched, struct sample *sample)
{
    const uint64_t told =
        port->look(port->context, watched->look, watched->banks + watched->registers);

    sample->nmis = (uint16_t)(nmis - watched->nmis);
    watched->nmis = nmis;
    if (sample->nmis)
        sample->evidence |= EVIDENCE_NMI;
    sample->smis = watched->at[ROW_SMIS] == EVIDENCE_NOWHERE ? SMIS_UNKNOWN : 0;
    sample->thermal = (uint16_t)watched->look[watched->at[ROW_THERM]].value;
    sample->package_thermal = (uint16_t)watched->look[watched->at[ROW_PACKAGE_THERM]].value;
    sample->limits = 0;
    sample->mc_changed = 0;
    if (!told && !watched->is_lasting)
        return false;
    evidence_tell(port, watched, sample);
    return true;
}

/* Clears the log bits that were set since evidence_start(). */
void evidence_end(const struct msr_port *port, struct evidence_watch *watched);

/*
 * Whether, in each of DIFFERS_TRIES attempts, MPERF lags behind the time stamp by more than
 * GAP_TICKS and GAP_PARTS allow. `clocks` reads the clocks, and `tsc` the time stamp. False if the
 * time stamp is stopped.
 */
bool evidence_mperf_differs(void (*clocks)(struct clocks *now), uint64_t (*tsc)(void));

static inline uint64_t evidence_ticks(const struct clocks *before, const struct clocks *after)
{
    return after->tsc_first - before->tsc_last;
}

/* MPERF was stopped for at least this many ticks. */
static inline uint64_t evidence_gap(const struct clocks *before, const struct clocks *after)
{
    uint64_t elapsed = evidence_ticks(before, after), mperf = after->mperf - before->mperf;

    return mperf < elapsed ? elapsed - mperf : 0;
}

static inline bool evidence_is_gap(const struct clocks *before, const struct clocks *after)
{
    return evidence_gap(before, after) > GAP_TICKS + evidence_ticks(before, after) / GAP_PARTS;
}

/*
 * Compares two readings of the clocks. Sets the sample's aperf, mperf and gap_ticks, and may add
 * EVIDENCE_GAP to its evidence. Does not look for gaps if the flag CPU_MPERF_DIFFERS is set.
 */
static inline void evidence_between_clocks(uint32_t flags, const struct clocks *before,
                                           const struct clocks *after, struct sample *sample)
{
    uint64_t gap = evidence_gap(before, after);

    sample->aperf = after->aperf - before->aperf;
    sample->mperf = after->mperf - before->mperf;
    sample->gap_ticks = 0;
    if (flags & CPU_MPERF_DIFFERS)
        return;
    sample->gap_ticks = gap > UINT32_MAX ? UINT32_MAX : (uint32_t)gap;
    if (evidence_is_gap(before, after))
        sample->evidence |= EVIDENCE_GAP;
}

/* Room for all words of evidence_words() and the terminating zero. */
#define EVIDENCE_WORDS_BYTES 104u

/* Writes the words for EVIDENCE_ bits, separated by spaces. */
void evidence_words(unsigned evidence, struct out *out);

#endif
