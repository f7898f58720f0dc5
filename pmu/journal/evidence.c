/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the registers that reveal disturbances of samples. */
#include "pmu/journal/evidence.h"
#include "pmu/cpu/msr.h"

#define NEW_BITS(before, after) ((after) & ~(before))

/*
 * Family 6 models with limit reasons at 690H: Haswell 3CH 3FH 45H 46H, Broadwell 3DH 47H 4FH 56H.
 * On other models 690H may be a branch record (MSR_LASTBRANCH_16_FROM_IP), so a successful read
 * does not prove that the register has limit reasons.
 */
static const uint8_t AT_690H[] = {0x3c, 0x3d, 0x3f, 0x45, 0x46, 0x47, 0x4f, 0x56, 0};

#define LIMITS_NOW_HEAT         (LIMITS_LOG_HEAT >> LIMITS_LOG_SHIFT)
#define HASWELL_LIMITS_NOW_HEAT (HASWELL_LIMITS_LOG_HEAT >> LIMITS_LOG_SHIFT)
#define LIMITS_NOW_POWER        (LIMITS_LOG_POWER >> LIMITS_LOG_SHIFT)

/*
 * A register, the feature that says that it exists, and the meaning of its bits. AMD's CPUs have
 * none of these registers, only that of the P-state.
 */
static const struct {
    uint32_t flag;
    uint32_t msr;
    uint32_t feature;      /* 0: the register is probed */
    uint32_t evidence;     /* EVIDENCE_ bit for `now` and `log_evidence`; 0: none */
    size_t at;             /* offset in struct surroundings */
    const uint8_t *models; /* family 6 models that have it, ending with 0; null: any */
    uint64_t now;          /* status bits: evidence if set before or after */
    uint64_t log;          /* log bits to clear when newly set */
    uint64_t log_evidence; /* log bits: evidence if newly set */
} REGISTERS[] = {
    {.flag = CPU_HAS_SMI_COUNT, .msr = MSR_SMI_COUNT, .at = offsetof(struct surroundings, smis)},
    {.flag = CPU_HAS_THERM_STATUS,
     .msr = MSR_IA32_THERM_STATUS,
     .feature = FEATURE_THERMAL,
     .evidence = EVIDENCE_THERMAL,
     .at = offsetof(struct surroundings, therm_status),
     .now = THERM_STATUS_NOW,
     .log = THERM_STATUS_LOG,
     .log_evidence = THERM_STATUS_LOG},
    {.flag = CPU_HAS_PACKAGE_THERM_STATUS,
     .msr = MSR_IA32_PACKAGE_THERM_STATUS,
     .feature = FEATURE_PACKAGE_THERMAL,
     .evidence = EVIDENCE_THERMAL,
     .at = offsetof(struct surroundings, package_therm_status),
     .now = THERM_STATUS_NOW,
     .log = THERM_STATUS_LOG,
     .log_evidence = THERM_STATUS_LOG},
    {.flag = CPU_HAS_PERF_STATUS,
     .msr = MSR_IA32_PERF_STATUS,
     .at = offsetof(struct surroundings, perf_status)},
    {.flag = CPU_HAS_CORE_LIMITS,
     .msr = MSR_CORE_PERF_LIMIT_REASONS,
     .evidence = EVIDENCE_LIMIT,
     .at = offsetof(struct surroundings, limits),
     .now = LIMITS_NOW_HEAT,
     .log = LIMITS_LOG,
     .log_evidence = LIMITS_LOG_HEAT},
    {.flag = CPU_HAS_CORE_LIMITS_HASWELL,
     .msr = MSR_HASWELL_LIMIT_REASONS,
     .evidence = EVIDENCE_LIMIT,
     .at = offsetof(struct surroundings, haswell_limits),
     .models = AT_690H,
     .now = HASWELL_LIMITS_NOW_HEAT,
     .log = LIMITS_LOG,
     .log_evidence = HASWELL_LIMITS_LOG_HEAT},
};
#define REGISTERS_COUNT (sizeof(REGISTERS) / sizeof(REGISTERS[0]))

static uint64_t value_of(const struct surroundings *surroundings, unsigned i)
{
    return *(const uint64_t *)(const void *)((const char *)surroundings + REGISTERS[i].at);
}

static bool is_model(const struct cpu_caps *caps, const uint8_t *models)
{
    if (!models)
        return true;
    while (*models && *models != caps->model)
        models++;
    return caps->family == 6 && *models;
}

uint32_t evidence_count_banks(const struct msr_port *port)
{
    uint64_t cap, value;
    uint32_t banks = 0;

    if (!port->read(port->context, MSR_IA32_MCG_CAP, &cap))
        return 0;
    while (banks < EVIDENCE_BANKS_MAX && banks < (cap & MCG_CAP_BANKS) &&
           port->read(port->context, MSR_IA32_MC0_STATUS + MC_BANK_MSRS * banks, &value))
        banks++;
    return banks;
}

void evidence_probe(const struct msr_port *port, struct cpu_record *record)
{
    const struct cpu_caps *caps = &record->caps;
    uint64_t value;

    for (unsigned i = 0; i < REGISTERS_COUNT && caps->vendor != VENDOR_AMD; i++)
        if (caps_has(caps, REGISTERS[i].feature) && is_model(caps, REGISTERS[i].models) &&
            port->read(port->context, REGISTERS[i].msr, &value)) {
            record->flags |= REGISTERS[i].flag;
            record->logs_found |= value & REGISTERS[i].log_evidence ? REGISTERS[i].flag : 0;
        }
    if (caps_is_zen(caps) && port->read(port->context, MSR_AMD_PSTATE_STATUS, &value))
        record->flags |= CPU_HAS_PSTATE;
    if (caps_has(caps, FEATURE_APERF) && port->read(port->context, MSR_IA32_MPERF, &value) &&
        port->read(port->context, MSR_IA32_APERF, &value))
        record->flags |= CPU_HAS_APERF;
    record->mc_banks = caps_has(caps, FEATURE_MCA) ? evidence_count_banks(port) : 0;
}

struct surroundings evidence_read(const struct msr_port *port, uint32_t flags, uint32_t nmis)
{
    struct surroundings now = {.nmis = nmis};

    for (unsigned i = 0; i < REGISTERS_COUNT; i++)
        if (flags & REGISTERS[i].flag)
            port->read(port->context, REGISTERS[i].msr,
                       (uint64_t *)(void *)((char *)&now + REGISTERS[i].at));
    if (flags & CPU_HAS_PSTATE)
        port->read(port->context, MSR_AMD_PSTATE_STATUS, &now.perf_status);
    return now;
}

struct surroundings evidence_start(const struct msr_port *port, uint32_t flags, uint32_t logs_found)
{
    struct surroundings now = evidence_read(port, flags, 0);

    for (unsigned i = 0; i < REGISTERS_COUNT; i++)
        if (!(logs_found & REGISTERS[i].flag))
            *(uint64_t *)(void *)((char *)&now + REGISTERS[i].at) &= ~REGISTERS[i].log_evidence;
    return now;
}

struct clocks evidence_clocks(const struct msr_port *port, uint32_t flags, uint64_t (*tsc)(void))
{
    struct clocks now = {0};

    if (!(flags & CPU_HAS_APERF))
        return now;
    port->read(port->context, MSR_IA32_APERF, &now.aperf);
    now.tsc_first = tsc();
    port->read(port->context, MSR_IA32_MPERF, &now.mperf);
    now.tsc_last = tsc();
    return now;
}

static uint64_t ticks_between(const struct clocks *before, const struct clocks *after)
{
    return after->tsc_first - before->tsc_last;
}

/* MPERF was stopped for at least this many ticks. */
static uint64_t gap_between(const struct clocks *before, const struct clocks *after)
{
    uint64_t elapsed = ticks_between(before, after), mperf = after->mperf - before->mperf;

    return mperf < elapsed ? elapsed - mperf : 0;
}

static bool is_gap(const struct clocks *before, const struct clocks *after)
{
    return gap_between(before, after) > GAP_TICKS + ticks_between(before, after) / GAP_PARTS;
}

bool evidence_mperf_differs(const struct msr_port *port, uint32_t flags, uint64_t (*tsc)(void))
{
    for (unsigned i = 0; i < DIFFERS_TRIES; i++) {
        const struct clocks before = evidence_clocks(port, flags, tsc);
        unsigned readings = DIFFERS_READINGS;
        struct clocks after;

        if (!(flags & CPU_HAS_APERF))
            return false;
        while (tsc() - before.tsc_last < DIFFERS_TICKS && readings > 0)
            readings--;
        after = evidence_clocks(port, flags, tsc);
        if (!is_gap(&before, &after))
            return false;
    }
    return true;
}

unsigned evidence_machine_checks(const struct msr_port *port, struct machine_checks *checks)
{
    const uint32_t banks = checks->banks;
    unsigned changed = 0;

    for (uint32_t i = 0; i < banks; i++) {
        uint64_t status = checks->status[i];

        port->read(port->context, MSR_IA32_MC0_STATUS + MC_BANK_MSRS * i, &status);
        changed += status != checks->status[i];
        checks->status[i] = status;
    }
    return changed;
}

/*
 * The limit reasons that a register logged between two readings, and the heat and power limits that
 * were in effect at either reading.
 */
static uint32_t limits_between(uint64_t before, uint64_t after, uint64_t heat)
{
    return (uint32_t)((NEW_BITS(before, after) & LIMITS_LOG) |
                      ((before | after) & (heat | LIMITS_NOW_POWER)));
}

/*
 * The ratio is in bits 15:8. Up to Penryn, the low byte is a voltage. On Nehalem and AMD, bits 15:8
 * are 0; Nehalem's ratio and the number of AMD's P-state are in the low byte.
 */
static uint64_t ratio_of(uint64_t perf_status)
{
    uint64_t high = perf_status & PERF_CTL_RATIO;

    return high ? high : perf_status & PERF_STATUS_STATE;
}

void evidence_between(uint32_t flags, const struct surroundings *before,
                      const struct surroundings *after, struct sample *sample)
{
    unsigned evidence = 0;

    for (unsigned i = 0; i < REGISTERS_COUNT; i++) {
        uint64_t first = value_of(before, i), last = value_of(after, i);

        if ((first | last) & REGISTERS[i].now || NEW_BITS(first, last) & REGISTERS[i].log_evidence)
            evidence |= REGISTERS[i].evidence;
    }
    if (before->smis != after->smis)
        evidence |= EVIDENCE_SMI;
    if (before->nmis != after->nmis)
        evidence |= EVIDENCE_NMI;
    if ((before->perf_status ^ after->perf_status) & PERF_STATUS_STATE &&
        ratio_of(before->perf_status) != ratio_of(after->perf_status))
        evidence |= EVIDENCE_CLOCK;
    sample->evidence |= (uint16_t)evidence;
    sample->nmis = (uint16_t)(after->nmis - before->nmis);
    sample->smis =
        flags & CPU_HAS_SMI_COUNT ? (uint16_t)(after->smis - before->smis) : SMIS_UNKNOWN;
    sample->thermal = (uint16_t)after->therm_status;
    sample->package_thermal = (uint16_t)after->package_therm_status;
    sample->limits =
        limits_between(before->limits, after->limits, LIMITS_NOW_HEAT) |
        limits_between(before->haswell_limits, after->haswell_limits, HASWELL_LIMITS_NOW_HEAT);
}

void evidence_between_clocks(uint32_t flags, const struct clocks *before,
                             const struct clocks *after, struct sample *sample)
{
    uint64_t gap = gap_between(before, after);

    sample->aperf = after->aperf - before->aperf;
    sample->mperf = after->mperf - before->mperf;
    sample->gap_ticks = 0;
    if (flags & CPU_MPERF_DIFFERS)
        return;
    sample->gap_ticks = gap > UINT32_MAX ? UINT32_MAX : (uint32_t)gap;
    if (is_gap(before, after))
        sample->evidence |= EVIDENCE_GAP;
}

/* Writing zeros clears log bits, writing ones leaves them. */
bool evidence_clear(const struct msr_port *port, const struct surroundings *start,
                    const struct surroundings *now)
{
    bool any = false;

    for (unsigned i = 0; i < REGISTERS_COUNT; i++) {
        uint64_t came = NEW_BITS(value_of(start, i), value_of(now, i)) & REGISTERS[i].log;
        uint64_t value;

        if (!came)
            continue;
        any = true;
        if (port->read(port->context, REGISTERS[i].msr, &value))
            port->write(port->context, REGISTERS[i].msr, value & ~came);
    }
    return any;
}

void evidence_words(unsigned evidence, struct out *out)
{
    static const struct {
        unsigned bit;
        const char *word;
    } WORDS[] = {
        {EVIDENCE_SMI, "smi"},           {EVIDENCE_NMI, "nmi"},
        {EVIDENCE_OVERFLOW, "overflow"}, {EVIDENCE_REGISTER, "register"},
        {EVIDENCE_THERMAL, "thermal"},   {EVIDENCE_CLOCK, "clock"},
        {EVIDENCE_LIMIT, "limit"},       {EVIDENCE_MACHINE, "machine-check"},
        {EVIDENCE_GAP, "gap"},           {EVIDENCE_SHARED, "multiplexed"},
        {EVIDENCE_SWITCHED, "switched"},
    };
    bool first = true;

    for (unsigned i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        if (!(evidence & WORDS[i].bit))
            continue;
        out_printf(out, "%s%s", first ? "" : " ", WORDS[i].word);
        first = false;
    }
}
