/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds disturbances of samples by reading registers between windows. Sources: Intel SDM vol. 4 for
 * the MSRs, and vol. 3B, "Thermal Monitoring and Protection", "P-State Hardware Coordination"
 * (IA32_MPERF, IA32_APERF), "Machine-Check Architecture".
 *
 * EVIDENCE_THERMAL: the core or package was throttled at the reading before or after the sample, or
 * a log bit says that it was throttled in between.
 *
 * EVIDENCE_LIMIT: the clock was reduced by PROCHOT, a thermal limit, a running average thermal
 * limit (only in MSR 64FH) or a VR thermal limit, at the reading before or after the sample or in
 * between. Power and turbo limits are only recorded: a CPU at its power limit stays there, and all
 * its counts of time and cycles would be rejected.
 *
 * EVIDENCE_MACHINE: the status of a machine-check bank changed. Banks are never written.
 *
 * Logs. A log bit that is set before a kernel is no evidence, except for a thermal log bit that was
 * set after the CPU's record was made. New log bits are cleared after the sample. MSRs 1B1H, 64FH
 * and 690H are shared by a package, and MSR 19CH by siblings. CPUs that measure in parallel and
 * share registers clear log bits only at the kernel's end, so that all of them see the bits. Before
 * the kernel's end, a log bit that is already set cannot show a second occurrence; only the status
 * bit can.
 *
 * Gaps. IA32_MPERF counts at the time stamp's rate, except while the core is stopped, for example
 * by STPCLK# or clock modulation. MPERF is read between two readings of the time stamp, so the core
 * was stopped for at least
 *     gap = elapsed - (mperf_after - mperf_before), elapsed = tsc_first_after - tsc_last_before.
 * EVIDENCE_GAP: gap > GAP_TICKS + elapsed / GAP_PARTS. GAP_TICKS allows for an MPERF that advances
 * in steps, for example of the bus clock's period. GAP_PARTS allows for slightly different rates:
 * about 0.3 % if the time stamp is from the crystal clock (CPUID.15H) and MPERF from the bus clock.
 * An SMI makes no gap, because the core runs in SMM. On Xeon Phi and in some virtual machines,
 * MPERF is always slower than the time stamp. CPUs with such an MPERF are not checked for gaps
 * (CPU_MPERF_DIFFERS).
 */
#ifndef BARECOUNT_PMU_JOURNAL_EVIDENCE_H
#define BARECOUNT_PMU_JOURNAL_EVIDENCE_H

#include "pmu/base/out.h"
#include "pmu/journal/record.h"

#define EVIDENCE_BANKS_MAX 32u
#define GAP_TICKS          1000u
#define GAP_PARTS          64u
#define DIFFERS_TICKS      200000u /* for comparing MPERF with the time stamp */
#define DIFFERS_TRIES      3u
#define DIFFERS_READINGS   200000u /* after so many readings, the time stamp is deemed stopped */

struct clocks {
    uint64_t aperf;
    uint64_t mperf;
    uint64_t tsc_first, tsc_last; /* around the MPERF reading */
};

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
 * The registers that are read after each sample. If all of these registers have the expected
 * values, no further checks are needed.
 */
struct evidence_watch {
    struct msr_look look[EVIDENCE_NOWHERE + 1]; /* banks, then registers, then a zero entry */
    uint32_t banks;
    uint32_t registers;
    uint32_t always;                /* number of registers that are read in every pass */
    uint8_t row[EVIDENCE_ROWS];     /* enum evidence_row */
    uint8_t at[EVIDENCE_ROWS];      /* index of each row in `look`; EVIDENCE_NOWHERE: none */
    uint64_t start[EVIDENCE_ROWS];  /* values at evidence_start(), without new thermal log bits */
    uint64_t before[EVIDENCE_ROWS]; /* values before the current sample */
    bool is_lasting;                /* a status bit was still set before the current sample */
    bool counts_smis;               /* this pass counts SMIs */
    bool clears;
    uint32_t nmis; /* number of NMIs before the current sample */
};

/* The number of machine-check banks before the first that raises #GP. */
uint32_t evidence_count_banks(const struct msr_port *port);

/*
 * Finds the current CPU's registers, and sets mc_banks and the CPU_HAS_ flags. logs_found gets the
 * flags of the registers in which a thermal log bit is already set. A register that raises #GP is
 * absent.
 */
void evidence_probe(const struct msr_port *port, struct cpu_record *record);

/*
 * Reads the registers before a kernel's first sample. clears: new log bits are cleared after each
 * sample. nmis: number of NMIs so far.
 */
void evidence_start(const struct msr_port *port, const struct cpu_record *record, bool clears,
                    uint32_t nmis, struct evidence_watch *watched);

/* This also watches a pass's overflows and its counter of SMIs. */
void evidence_pass(const struct msr_port *port, const struct programmed *programmed,
                   struct evidence_watch *watched);

/* Called only by evidence_after(). */
void evidence_tell(const struct msr_port *port, struct evidence_watch *watched,
                   struct sample *sample);

/*
 * Compares the registers with their values after the previous sample, and sets the sample's fields
 * and EVIDENCE_ bits, except those of machine checks and overflows. A register that raises #GP is
 * read as 0. False if nothing happened.
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
 * Whether MPERF is slower than the time stamp in each of DIFFERS_TRIES attempts. False if the time
 * stamp is stopped.
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
 * Sets the sample's aperf, mperf and gap_ticks, and EVIDENCE_GAP if needed. With CPU_MPERF_DIFFERS,
 * gaps are ignored.
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

/* room for all words */
#define EVIDENCE_WORDS_BYTES 104u

/* Writes the words for EVIDENCE_ bits, separated by spaces. */
void evidence_words(unsigned evidence, struct out *out);

#endif
