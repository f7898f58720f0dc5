/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMU's description in CPUID, and counts of one counter in one window. */
#include "conform.h"

struct cpu cpu;
uint32_t kernel_argument[2];

/*
 * The counts of the window itself: a call before the kernel, and mov, xor, xor and wrmsr after the
 * kernel. Their cycles are [call] and [mov xor xor wrmsr].
 */
const uint32_t window_cost[COLUMNS] = {
    [COL_INSTRUCTIONS] = 5, [COL_INDIRECT_CALL] = 1, [COL_STORE] = 1, [COL_CYCLES] = 2};

static const struct {
    uint8_t model;
    uint8_t family;
    uint8_t bus_ratio;
} models[] = {
    {0x1a, NHM, 20}, {0x2a, SNB, 34}, {0x3c, HSW, 35}, {0x5e, SKL, 167},
    {0x55, SKX, 84}, {0x6a, ICX, 92}, {0x86, ICX, 1},
};

static void find_family(uint32_t signature)
{
    unsigned model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);
    uint32_t type = cpuid(7, 0).edx >> 15 & 1 ? cpuid(0x1a, 0).eax >> 24 : 0;

    cpu.bus_ratio = 1;
    if (type) {
        cpu.family = type == 0x40 ? CORE : ATOM;
        return;
    }
    for (unsigned i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        if (models[i].model == model) {
            cpu.family = models[i].family;
            cpu.bus_ratio = models[i].bus_ratio;
        }
    }
}

/* SDM, "Architectural Performance Monitoring", and vol. 4, IA32_PERF_CAPABILITIES. */
void read_cpu(void)
{
    struct leaf one = cpuid(1, 0);
    struct leaf pmu = cpuid(0, 0).eax >= 10 ? cpuid(10, 0) : (struct leaf){0};
    uint64_t capabilities = 0;

    cpu.version = pmu.eax & 0xff;
    cpu.gp = pmu.eax >> 8 & 0xff;
    cpu.gp_width = pmu.eax >> 16 & 0xff;
    cpu.fixed = pmu.edx & 31;
    cpu.fixed_width = pmu.edx >> 5 & 0xff;
    find_family(one.eax);
    cpu.any = cpu.version >= 3 && !(pmu.edx >> 15 & 1);
    cpu.pdcm = one.ecx >> 15 & 1;
    cpu.rtm = cpuid(7, 0).ebx >> 11 & 1;
    cpu.debug_store = one.edx >> 21 & 1;
    if (cpu.version && cpu.pdcm && !try_rdmsr(IA32_PERF_CAPABILITIES, &capabilities)) {
        cpu.smm_freeze = capabilities >> 12 & 1;
        cpu.full_width = capabilities >> 13 & 1;
        cpu.metrics = capabilities >> 15 & 1;
    }
}

uint64_t low_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : BIT(count) - 1;
}

uint64_t counter_bits(void)
{
    return low_bits(cpu.gp) | low_bits(cpu.fixed) << 32;
}

int next_counter(int bit)
{
    while (bit < 64 && !(counter_bits() >> bit & 1)) {
        bit++;
    }
    return bit;
}

const char *counter_name(int bit)
{
    static const char *const names[] = {
        [0] = "IA32_PMC0",        [1] = "IA32_PMC1",        [2] = "IA32_PMC2",
        [3] = "IA32_PMC3",        [4] = "IA32_PMC4",        [5] = "IA32_PMC5",
        [6] = "IA32_PMC6",        [7] = "IA32_PMC7",        [32] = "IA32_FIXED_CTR0",
        [33] = "IA32_FIXED_CTR1", [34] = "IA32_FIXED_CTR2", [35] = "IA32_FIXED_CTR3",
    };

    return names[bit];
}

unsigned counter_width(int bit)
{
    return bit < 32 ? cpu.gp_width : cpu.fixed_width;
}

void stop_all(void)
{
    if (cpu.version >= 2) {
        wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
        wrmsr(IA32_FIXED_CTR_CTRL, 0);
    }
    for (unsigned i = 0; i < cpu.gp; i++) {
        wrmsr(IA32_PERFEVTSEL0 + i, 0);
    }
    if (cpu.version >= 2) {
        wrmsr(IA32_PERF_GLOBAL_STATUS_RESET, rdmsr(IA32_PERF_GLOBAL_STATUS));
    }
}

void select_event(int bit, uint32_t select)
{
    if (bit < 32) {
        wrmsr(IA32_PERFEVTSEL0 + (uint32_t)bit, select);
    } else {
        unsigned shift = 4 * ((unsigned)bit - 32);

        wrmsr(IA32_FIXED_CTR_CTRL,
              (rdmsr(IA32_FIXED_CTR_CTRL) & ~(15ull << shift)) | (uint64_t)select << shift);
    }
}

static uint32_t counter_msr(int bit)
{
    return bit < 32 ? IA32_PMC0 + (uint32_t)bit : IA32_FIXED_CTR0 + (uint32_t)bit - 32;
}

/*
 * Without full-width writes, a write to a general counter stores bits 31:0 of the value,
 * sign-extended.
 */
void write_counter(int bit, uint64_t value)
{
    uint32_t alias = bit < 32 && cpu.full_width ? IA32_A_PMC0 - IA32_PMC0 : 0;

    wrmsr(counter_msr(bit) + alias, value & low_bits(counter_width(bit)));
}

uint64_t read_counter(int bit)
{
    return rdmsr(counter_msr(bit));
}

/* The predictor and the caches are trained for this kernel. */
static code *known;

void run_window(uint32_t msr, uint64_t opening, code *kernel)
{
    known = kernel == known ? known : NULL;
    window(msr, opening, kernel);
}

uint64_t count_from(uint64_t preset, int bit, uint32_t select, code *kernel)
{
    stop_all();
    write_counter(bit, preset);
    if (cpu.version == 1) {
        run_window(IA32_PERFEVTSEL0 + (uint32_t)bit, select, kernel);
    } else {
        select_event(bit, select);
        run_window(IA32_PERF_GLOBAL_CTRL, BIT(bit), kernel);
    }
    return read_counter(bit);
}

uint64_t count(int bit, uint32_t select, code *kernel)
{
    /*
     * A branch that is executed once in each run needs 8 runs to fill its history, and at most 2
     * more to train its counter.
     */
    for (int i = 0; kernel != known && i < 12; i++) {
        count_from(0, 0, CYCLES | USR, kernel);
    }
    known = kernel;
    return count_from(0, bit, select, kernel);
}

uint32_t own_select(int bit)
{
    return bit < 32 ? INSTRUCTIONS : FIXED_OS;
}

uint64_t expected(const uint32_t *kernel_count, uint32_t mask)
{
    uint64_t sum = 0;

    for (int i = 0; i < COLUMNS; i++) {
        sum += mask >> i & 1 ? kernel_count[i] + window_cost[i] : 0;
    }
    return sum;
}

uint64_t own_count(int bit)
{
    static const uint8_t columns[] = {COL_INSTRUCTIONS, COL_CYCLES, COL_CYCLES, COL_CYCLES};
    unsigned own = bit < 32 ? COL_INSTRUCTIONS : columns[bit - 32];

    return expected(kernels[0].count, 1u << own) * (bit == FIXED(3) ? 4 : 1);
}
