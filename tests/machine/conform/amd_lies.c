/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lies (../PROPERTIES.md), SMIs and INIT on AMD's CPU models. A window with "nops" contains 46
 * instructions.
 */
#include "amd.h"
#include "two_cpus.h"

#define BRANCHES    (EN | OS | 0xc2)
#define CONDITIONAL (EN | OS | 0xd1)
#define RETURNS     (EN | OS | 0xc8)
#define FAR         (EN | OS | 0xc6)
#define SMIS        0x2bu
#define AHEAD       (EN | OS | 0x0825)
#define NO_LOCK_MAP BIT(54)
#define STATES      (2 * COUNTERS + 4)

extern code kernel_locked, kernel_smi;

/* Every third start of a counter of retired events adds 1. */
void test_amd_overcounts(void)
{
    find_generation();
    for (unsigned i = 1; i <= 6; i++) {
        expect(from(0, 0, RETIRED, kernel_nops), 46 + (i % 3 == 0), "overcounts: window %u", i);
    }
    for (unsigned i = 1; i <= 3; i++) {
        expect(from(0, 1, RETURNS, kernel_nops), 1 + (i == 3), "overcounts: returns, window %u", i);
        expect(from(0, 2, RETIRED | PREC_RET, kernel_nops), 46,
               "overcounts: not on counter 2 with bit 43, window %u", i);
        expect(from(0, 5, FAR, kernel_nops), 0, "overcounts: not far transfers, window %u", i);
    }
    for (unsigned i = 1; i <= 3; i++) {
        expect(from(0, 2, RETIRED | PREC_RET | INT, kernel_nops), 46 + (i == 3),
               "overcounts: on counter 2 with bits 43 and 20, window %u", i);
        expect(from(0, 3, RETIRED | PREC_RET, kernel_nops), 46 + (i == 3),
               "overcounts: on counter 3 with bit 43, window %u", i);
    }
}

/* Each of the four locked instructions adds 2. */
void test_amd_lock_excess(void)
{
    static const struct {
        uint64_t select, right, excess;
        const char *name;
    } counts[] = {{RETIRED, 12, 8, "instructions"},
                  {BRANCHES, 2, 8, "branches"},
                  {EN | OS | 0xc4, 2, 8, "taken branches"},
                  {CONDITIONAL, 0, 8, "conditional"},
                  {RETURNS, 1, 0, "returns"},
                  {AHEAD, 0, 4, "locked instructions ahead"}};

    find_generation();
    for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        wrmsr(MSR_LS_CFG, 0);
        expect(from(0, 0, counts[i].select, kernel_locked), counts[i].right + counts[i].excess,
               "pmu-lock-excess: %s", counts[i].name);
        wrmsr(MSR_LS_CFG, NO_LOCK_MAP);
        expect(from(0, 0, counts[i].select, kernel_locked), counts[i].right,
               "pmu-lock-excess: %s with LS_CFG[54]", counts[i].name);
    }
    wrmsr(MSR_LS_CFG, 0);
    expect(from(0, 0, RETIRED, kernel_nops), 46, "pmu-lock-excess: none without LOCK");
}

void test_amd_cfg_ignored(void)
{
    find_generation();
    expect(try_wrmsr(MSR_LS_CFG, NO_LOCK_MAP), 0, "pmu-cfg-ignored: LS_CFG can be written");
    expect(rdmsr(MSR_LS_CFG), 0, "pmu-cfg-ignored: LS_CFG reads 0");
    expect(try_wrmsr(MSR_DE_CFG, BIT(1)), 0, "pmu-cfg-ignored: DE_CFG can be written");
    expect(rdmsr(MSR_DE_CFG), 0, "pmu-cfg-ignored: DE_CFG reads 0");
    wrmsr(MSR_HWCR, BIT(30) | BIT(4));
    expect(rdmsr(MSR_HWCR) >> 30 & 1, 1, "pmu-cfg-ignored: HWCR is kept");
}

void test_amd_reserved_status(void)
{
    find_generation();
    expect(rdmsr(MSR_GLOBAL_STATUS), 0x80, "pmu-reserved-status: bit 7 is 1");
    from(TOP, 0, RETIRED, kernel_nops);
    expect(rdmsr(MSR_GLOBAL_STATUS), 0x81, "pmu-reserved-status: an overflow is seen");
    wrmsr(MSR_GLOBAL_STATUS_CLEAR, 0xff);
    expect(rdmsr(MSR_GLOBAL_STATUS), 0x80, "pmu-reserved-status: bit 7 cannot be cleared");
}

/*
 * Event 2BH counts an SMI if OS, USR or both are set. An SMI is no far transfer, but its RSM is
 * one. The window with kernel_smi contains 14 instructions, and the handler contains 11 (smm.c).
 */
void test_amd_smi(void)
{
    find_generation();
    install_smm_handler();
    expect(from(0, 0, EN | OS | SMIS, kernel_smi), 1, "2BH with OS counts an SMI");
    expect(from(0, 0, EN | USR | SMIS, kernel_smi), 1, "2BH with USR counts an SMI");
    expect(from(0, 0, EN | USR | OS | SMIS, kernel_smi), 1, "2BH with both counts one SMI");
    expect(from(0, 0, EN | SMIS, kernel_smi), 0, "2BH with neither counts nothing");
    expect(from(0, 0, EN | OS | SMIS, kernel_nops), 0, "2BH counts nothing else");
    expect(from(0, 0, FAR, kernel_smi), 1, "an SMI is no far transfer, but RSM is one");
    expect(from(0, 0, EN | OS | (zen == ZEN_4 ? 0x012c : 0x2c), kernel_smi), 0,
           "an SMI is no interrupt");
    expect(from(0, 0, RETIRED, kernel_smi), 14 + 11, "nothing stops counters in SMM");
}

/*
 * The properties are pmu-smm-takes=0, pmu-inject=smi, pmu-inject-open=3 and pmu-inject-after=7.
 * lies.c explains the counts.
 */
void test_amd_smm_takes(void)
{
    find_generation();
    install_smm_handler();
    for (unsigned i = 1; i <= 4; i++) {
        expect(from(0, 0, RETIRED, kernel_nops), i == 3 ? 10 : 46, "pmu-smm-takes: opening %u", i);
        if (zen == ZEN_4) {
            expect(rdmsr(select_of(0)), i == 3 ? EN | USR | OS | 0x76 : RETIRED,
                   "pmu-smm-takes: the select after opening %u", i);
        }
    }
}

/* ---- INIT ----------------------------------------------------------------------------------- */
static uint32_t state_msr(unsigned i)
{
    static const uint32_t others[] = {MSR_HWCR, MSR_LS_CFG, MSR_DE_CFG, MSR_GLOBAL_CTL};

    return i < 2 * COUNTERS ? MSR_SELECT + i : others[i - 2 * COUNTERS];
}

/* EN is clear, so the counters do not move. */
static uint64_t state_value(unsigned i)
{
    static const uint64_t others[] = {BIT(30) | BIT(24) | BIT(4), BIT(54), BIT(1), 0x15};

    return i >= 2 * COUNTERS ? others[i - 2 * COUNTERS] : i % 2 ? BIT(47) + i : OS | (0xc0 + i);
}

static uint64_t seen[STATES];

static void write_states(void)
{
    for (unsigned i = 0; i < STATES - (zen != ZEN_4); i++) {
        wrmsr(state_msr(i), state_value(i));
    }
}

static void read_states(void)
{
    for (unsigned i = 0; i < STATES - (zen != ZEN_4); i++) {
        seen[i] = rdmsr(state_msr(i));
    }
}

/* AMD64 manual vol. 2, "Initialization Processor State": INIT keeps these MSRs. */
void test_amd_init(void)
{
    find_generation();
    for (uint32_t i = 0; i < 2; i++) {
        start_ap(i ? read_states : write_states);
        if (!wait_for(&ap_ends, i)) {
            give_up("the second CPU does not start");
        }
    }
    for (unsigned i = 0; i < STATES - (zen != ZEN_4); i++) {
        expect(seen[i], state_value(i), "INIT keeps MSR %x", state_msr(i));
    }
}
