/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the registers that reveal disturbances of samples. */
#include "pmu/journal/evidence.h"
#include "pmu/cpu/msr.h"

#define NEW_BITS(before, after) ((after) & ~(before))

/*
 * Haswell and Broadwell have limit reasons at 690H. On other models, 690H may be a branch record
 * (MSR_LASTBRANCH_16_FROM_IP). A branch record can be read too, so a read does not show which
 * register 690H is.
 */
static const uint8_t AT_690H[] = {0x3c, 0x3d, 0x3f, 0x45, 0x46, 0x47, 0x4f, 0x56, 0};

#define LIMITS_NOW_HEAT         (LIMITS_LOG_HEAT >> LIMITS_LOG_SHIFT)
#define HASWELL_LIMITS_NOW_HEAT (HASWELL_LIMITS_LOG_HEAT >> LIMITS_LOG_SHIFT)
#define LIMITS_NOW_POWER        (LIMITS_LOG_POWER >> LIMITS_LOG_SHIFT)

/*
 * AMD's CPUs have none of these registers. On AMD, ROW_SMIS is the row of a counter of SMIs, and
 * ROW_PERF is the row of PStateStat.
 */
static const struct {
    uint32_t flag;
    uint32_t msr;
    uint32_t feature;      /* 0: found by reading */
    uint32_t evidence;     /* EVIDENCE_ bit; 0: none */
    const uint8_t *models; /* family 6 models that have the register, then 0; null: any */
    uint64_t now;          /* status bits: evidence if set before or after a sample */
    uint64_t log;          /* log bits to clear when newly set */
    uint64_t log_evidence; /* log bits: evidence if newly set between two readings */
    uint64_t tells;        /* other bits to compare before and after a sample */
} REGISTERS[] = {
    [ROW_SMIS] = {.flag = CPU_HAS_SMI_COUNT, .msr = MSR_SMI_COUNT, .tells = ~0ull},
    [ROW_THERM] = {.flag = CPU_HAS_THERM_STATUS,
                   .msr = MSR_IA32_THERM_STATUS,
                   .feature = FEATURE_THERMAL,
                   .evidence = EVIDENCE_THERMAL,
                   .now = THERM_STATUS_NOW,
                   .log = THERM_STATUS_LOG,
                   .log_evidence = THERM_STATUS_LOG},
    [ROW_PACKAGE_THERM] = {.flag = CPU_HAS_PACKAGE_THERM_STATUS,
                           .msr = MSR_IA32_PACKAGE_THERM_STATUS,
                           .feature = FEATURE_PACKAGE_THERMAL,
                           .evidence = EVIDENCE_THERMAL,
                           .now = THERM_STATUS_NOW,
                           .log = THERM_STATUS_LOG,
                           .log_evidence = THERM_STATUS_LOG},
    [ROW_PERF] = {.flag = CPU_HAS_PERF_STATUS,
                  .msr = MSR_IA32_PERF_STATUS,
                  .tells = PERF_STATUS_STATE},
    [ROW_LIMITS] = {.flag = CPU_HAS_CORE_LIMITS,
                    .msr = MSR_CORE_PERF_LIMIT_REASONS,
                    .evidence = EVIDENCE_LIMIT,
                    .now = LIMITS_NOW_HEAT,
                    .log = LIMITS_LOG,
                    .log_evidence = LIMITS_LOG_HEAT},
    [ROW_HASWELL_LIMITS] = {.flag = CPU_HAS_CORE_LIMITS_HASWELL,
                            .msr = MSR_HASWELL_LIMIT_REASONS,
                            .evidence = EVIDENCE_LIMIT,
                            .models = AT_690H,
                            .now = HASWELL_LIMITS_NOW_HEAT,
                            .log = LIMITS_LOG,
                            .log_evidence = HASWELL_LIMITS_LOG_HEAT},
    [ROW_OVERFLOW] = {.now = ~0ull},
};
_Static_assert(sizeof(REGISTERS) / sizeof(REGISTERS[0]) == ROWS + 1, "one for each row");

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

    for (unsigned i = 0; i < ROWS && caps->vendor != VENDOR_AMD; i++)
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

static struct msr_look *register_look(struct evidence_watch *watched, unsigned i)
{
    return &watched->look[watched->banks + i];
}

/*
 * Bits that are expected to be 0: the status bits of REGISTERS, and the bits of power limits. Power
 * limits are only recorded: they are no evidence.
 */
static uint64_t status_bits(enum evidence_row row)
{
    const bool has_limits = row == ROW_LIMITS || row == ROW_HASWELL_LIMITS;

    return REGISTERS[row].now | (has_limits ? LIMITS_NOW_POWER : 0);
}

static void add(struct evidence_watch *watched, unsigned row, uint32_t msr, uint64_t cares)
{
    const unsigned i = watched->banks + watched->registers;

    watched->row[watched->registers++] = (uint8_t)row;
    if (row < ROWS)
        watched->at[row] = (uint8_t)i;
    watched->look[i] = (struct msr_look){.msr = msr, .cares = cares};
}

static void add_row(struct evidence_watch *watched, enum evidence_row row, uint32_t msr)
{
    add(watched, row, msr, REGISTERS[row].tells | REGISTERS[row].log | status_bits(row));
}

static void choose(uint32_t flags, uint32_t banks, struct evidence_watch *watched)
{
    *watched = (struct evidence_watch){.banks = banks};
    for (uint32_t i = 0; i < banks; i++)
        watched->look[i] =
            (struct msr_look){.msr = MSR_IA32_MC0_STATUS + MC_BANK_MSRS * i, .cares = ~0ull};
    for (unsigned row = 0; row < ROWS; row++) {
        watched->at[row] = EVIDENCE_NOWHERE;
        if (flags & REGISTERS[row].flag)
            add_row(watched, row, REGISTERS[row].msr);
    }
    if (flags & CPU_HAS_PSTATE)
        add_row(watched, ROW_PERF, MSR_AMD_PSTATE_STATUS);
    watched->always = watched->registers;
}

static void look(const struct msr_port *port, struct evidence_watch *watched)
{
    port->look(port->context, watched->look, watched->banks + watched->registers);
}

/*
 * Stores the last values as the values before the next sample. Reads a status bit that is set
 * again. A bit that is clear by then is stored as clear, and is no evidence against the next
 * sample.
 */
static void settle(const struct msr_port *port, struct evidence_watch *watched)
{
    watched->is_lasting = false;
    for (uint32_t i = 0; i < watched->banks; i++)
        watched->look[i].calm = watched->look[i].value;
    for (uint32_t i = 0; i < watched->registers; i++) {
        struct msr_look *look = register_look(watched, i);
        const uint64_t status = status_bits(watched->row[i]);
        uint64_t lasting = look->value & look->cares & status, again;

        if (lasting && port->read(port->context, (uint32_t)look->msr, &again))
            lasting &= again;
        look->calm = look->value & ~status;
        watched->before[i] = look->calm | lasting;
        watched->is_lasting |= lasting != 0;
    }
}

/*
 * Clears new log bits in the registers and in the last values. Writing 0 clears a log bit, and
 * writing 1 keeps it.
 */
static void clear_logs(const struct msr_port *port, struct evidence_watch *watched)
{
    for (uint32_t i = 0; i < watched->always; i++) {
        struct msr_look *look = register_look(watched, i);
        uint64_t came = NEW_BITS(watched->start[i], look->value) & REGISTERS[watched->row[i]].log;
        uint64_t value;

        if (!came)
            continue;
        if (port->read(port->context, (uint32_t)look->msr, &value))
            port->write(port->context, (uint32_t)look->msr, value & ~came);
        look->value &= ~came;
    }
}

void evidence_start(const struct msr_port *port, const struct cpu_record *record, bool clears,
                    uint32_t nmis, struct evidence_watch *watched)
{
    choose(record->flags, record->mc_banks, watched);
    watched->clears = clears;
    watched->nmis = nmis;
    look(port, watched);
    for (uint32_t i = 0; i < watched->registers; i++) {
        const enum evidence_row row = watched->row[i];

        watched->start[i] = register_look(watched, i)->value;
        if (!(record->logs_found & REGISTERS[row].flag))
            watched->start[i] &= ~REGISTERS[row].log_evidence;
    }
    if (clears)
        clear_logs(port, watched);
    settle(port, watched);
}

void evidence_pass(const struct msr_port *port, const struct programmed *programmed,
                   struct evidence_watch *watched)
{
    uint32_t i;

    if (watched->counts_smis)
        watched->at[ROW_SMIS] = EVIDENCE_NOWHERE;
    watched->registers = watched->always;
    watched->counts_smis = programmed->smi_msr != 0;
    if (programmed->overflow_bits)
        add(watched, ROW_OVERFLOW, programmed->status_msr, programmed->overflow_bits);
    if (!watched->counts_smis)
        return;
    add_row(watched, ROW_SMIS, programmed->smi_msr);
    i = watched->registers - 1;
    port->read(port->context, programmed->smi_msr, &watched->before[i]);
    register_look(watched, i)->calm = watched->before[i];
}

bool evidence_mperf_differs(void (*clocks)(struct clocks *now), uint64_t (*tsc)(void))
{
    for (unsigned i = 0; i < DIFFERS_TRIES; i++) {
        unsigned readings = DIFFERS_READINGS;
        struct clocks before, after;

        clocks(&before);
        while (tsc() - before.tsc_last < DIFFERS_TICKS && readings > 0)
            readings--;
        clocks(&after);
        if (!evidence_is_gap(&before, &after))
            return false;
    }
    return true;
}

static uint32_t limits_between(uint64_t before, uint64_t after, uint64_t heat)
{
    return (uint32_t)((NEW_BITS(before, after) & LIMITS_LOG) |
                      ((before | after) & (heat | LIMITS_NOW_POWER)));
}

/*
 * The ratio is in bits 15:8 of IA32_PERF_STATUS; up to Penryn, the low byte is a voltage. On
 * Nehalem and AMD, bits 15:8 are 0, and the low byte is the ratio (Nehalem) or the P-state (AMD).
 */
static uint64_t ratio_of(uint64_t perf_status)
{
    uint64_t high = perf_status & PERF_CTL_RATIO;

    return high ? high : perf_status & PERF_STATUS_STATE;
}

static void tell(const struct evidence_watch *watched, unsigned i, struct sample *sample)
{
    const enum evidence_row row = watched->row[i];
    const struct msr_look *look = &watched->look[watched->banks + i];
    const uint64_t first = watched->before[i], last = look->value;
    unsigned evidence = 0;

    if ((first | last) & REGISTERS[row].now || NEW_BITS(first, last) & REGISTERS[row].log_evidence)
        evidence = REGISTERS[row].evidence;
    if (row == ROW_SMIS && first != last) {
        evidence = EVIDENCE_SMI;
        sample->smis = (uint16_t)(last - first);
    }
    if (row == ROW_PERF && (first ^ last) & PERF_STATUS_STATE && ratio_of(first) != ratio_of(last))
        evidence = EVIDENCE_CLOCK;
    if (row == ROW_LIMITS)
        sample->limits |= limits_between(first, last, LIMITS_NOW_HEAT);
    if (row == ROW_HASWELL_LIMITS)
        sample->limits |= limits_between(first, last, HASWELL_LIMITS_NOW_HEAT);
    sample->evidence |= (uint16_t)evidence;
}

void evidence_tell(const struct msr_port *port, struct evidence_watch *watched,
                   struct sample *sample)
{
    for (uint32_t i = 0; i < watched->banks; i++)
        sample->mc_changed += watched->look[i].value != watched->look[i].calm;
    for (uint32_t i = 0; i < watched->registers; i++)
        tell(watched, i, sample);
    if (watched->clears)
        clear_logs(port, watched);
    settle(port, watched);
}

void evidence_end(const struct msr_port *port, struct evidence_watch *watched)
{
    look(port, watched);
    clear_logs(port, watched);
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
