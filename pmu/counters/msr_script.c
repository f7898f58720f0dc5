/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs MSR scripts. */
#include "pmu/counters/msr_script.h"
#include "pmu/counters/program.h"
#include "pmu/base/nearest.h"
#include "pmu/base/text.h"

#define OPERATIONS "nop, read MSR, write MSR VALUE, rdtsc or stop"

enum harmless_kind {
    SETS,   /* a value, which must be restored */
    CLEARS, /* writing 0 clears a log bit; nothing is restored */
    COMMANDS,
};

struct harmless {
    uint32_t msr;
    uint8_t kind; /* enum harmless_kind */
    uint64_t writable;
    const char *name;
    const char *meaning;
};

/*
 * The listed bits only change the CPU's speed or clear a log. Writing these bits causes no faults,
 * locks no register, and sets no address, voltage or clock ratio. The performance monitor's
 * registers must not be listed.
 *
 * Left out on purpose: IA32_PERF_CTL (sets a voltage on old CPUs), IA32_CLOCK_MODULATION (stops the
 * clock), IA32_HWP_REQUEST (needs HWP, which only a reset disables), bit 0 of MSR_POWER_CTL (the
 * external thermal throttle), IA32_TSX_CTRL (changes CPUID).
 *
 * Sources: Intel SDM vol. 4 or, for the last two registers, AMD APM vol. 2 and the PPRs.
 */
#define MSR_OF_THREAD 0x48u /* each thread has its own IA32_SPEC_CTRL */

static const struct harmless HARMLESS[] = {
    {0x48, SETS, 0x7, "IA32_SPEC_CTRL", "IBRS, STIBP, SSBD: less speculation"},
    {0x49, COMMANDS, 0x1, "IA32_PRED_CMD", "IBPB: clears indirect-branch targets"},
    {0x10b, COMMANDS, 0x1, "IA32_FLUSH_CMD", "empties the L1 data cache"},
    {0x19c, CLEARS, 0xaaaa, "IA32_THERM_STATUS", "log bits, cleared by 0; not restored"},
    {0x1a0, SETS, 1ull << 38, "IA32_MISC_ENABLE", "turbo off, for the whole package"},
    {0x1a4, SETS, 0x2f, "MSR_MISC_FEATURE_CONTROL", "prefetchers off"},
    {0x1b0, SETS, 0xf, "IA32_ENERGY_PERF_BIAS", "a hint: 0 performance to 15 energy"},
    {0x1b1, CLEARS, 0xaaa, "IA32_PACKAGE_THERM_STATUS", "log bits, cleared by 0; not restored"},
    {0xc0000108, SETS, 0x2f, "AMD PrefetchControl", "prefetchers off"},
    {0xc0010015, SETS, 1ull << 25, "AMD HWCR", "CpbDis: boost off"},
};
#define HARMLESS_COUNT (sizeof(HARMLESS) / sizeof(HARMLESS[0]))

static const struct {
    const char *word;
    const char *form;
    unsigned operands;
} FORMS[MSR_OPS] = {
    [MSR_OP_NOP] = {"nop", "nop", 0},
    [MSR_OP_READ] = {"read", "read MSR", 1},
    [MSR_OP_WRITE] = {"write", "write MSR VALUE", 2},
    [MSR_OP_STOP] = {"stop", "stop", 0},
    [MSR_OP_RDTSC] = {"rdtsc", "rdtsc", 0},
};

static const struct harmless *find_harmless(uint32_t msr)
{
    for (unsigned i = 0; i < HARMLESS_COUNT; i++)
        if (HARMLESS[i].msr == msr)
            return &HARMLESS[i];
    return 0;
}

static bool take_number(struct piece word, const char *what, uint64_t high, uint64_t *value,
                        struct out *why)
{
    char shown[PIECE_SHOW_BYTES];

    if (piece_number(word, value) && *value <= high)
        return true;
    out_printf(why, "%s: expected a number from 0 to 0x%llx, found '%s'", what,
               (unsigned long long)high, piece_show(word, shown));
    return false;
}

/* False if an operand is wrong, missing or superfluous. */
static bool take_operands(struct piece rest, struct msr_op *op, struct out *why)
{
    char shown[PIECE_SHOW_BYTES];
    uint64_t msr = 0;

    if (FORMS[op->kind].operands > 0 &&
        !take_number(word_next(&rest), "MSR", UINT32_MAX, &msr, why))
        return false;
    op->msr = (uint32_t)msr;
    if (FORMS[op->kind].operands > 1 &&
        !take_number(word_next(&rest), "VALUE", UINT64_MAX, &op->value, why))
        return false;
    if (rest.size == 0)
        return true;
    out_printf(why, "expected the end of the line after '%s', found '%s'", FORMS[op->kind].form,
               piece_show(rest, shown));
    return false;
}

bool msr_op_parse(struct piece line, struct msr_op *op, struct out *why)
{
    struct piece rest = line;
    struct piece word = word_next(&rest);
    struct nearest best = nearest_to(word);
    char shown[PIECE_SHOW_BYTES];

    op->value = 0;
    for (unsigned kind = 0; kind < MSR_OPS; kind++) {
        if (!piece_is(word, FORMS[kind].word))
            continue;
        op->kind = (enum msr_op_kind)kind;
        return take_operands(rest, op, why);
    }
    out_printf(why, "expected " OPERATIONS ", found '%s'", piece_show(line, shown));
    for (unsigned kind = 0; kind < MSR_OPS; kind++)
        nearest_consider(&best, piece_of(FORMS[kind].word));
    nearest_say(&best, why);
    return false;
}

bool msr_op_allowed(const struct msr_op *op, struct out *why)
{
    const struct harmless *harmless = find_harmless(op->msr);

    if (op->kind != MSR_OP_WRITE || (harmless && (op->value & ~harmless->writable) == 0))
        return true;
    if (harmless)
        out_printf(why, "write 0x%x: only bits 0x%llx of %s are harmless to write", op->msr,
                   (unsigned long long)harmless->writable, harmless->name);
    else
        out_printf(why, "write 0x%x: not in the list of MSRs that are safe to write", op->msr);
    out_text(why, "; unsafe_msr=yes in [run] allows it");
    return false;
}

bool msr_op_is_own(const struct msr_op *op, struct out *why)
{
    const struct harmless *harmless = find_harmless(op->msr);

    if (op->kind != MSR_OP_WRITE || (harmless && harmless->kind != SETS) ||
        op->msr == MSR_OF_THREAD)
        return true;
    out_printf(why,
               "write 0x%x: CPUs may share this register, so its value could not be restored; "
               "expected mode=serial",
               op->msr);
    return false;
}

void msr_print_harmless(struct out *out)
{
    for (unsigned i = 0; i < HARMLESS_COUNT; i++)
        out_printf(out, "0x%-8x  %-29s  bits 0x%-10llx  %s\n", HARMLESS[i].msr, HARMLESS[i].name,
                   (unsigned long long)HARMLESS[i].writable, HARMLESS[i].meaning);
}

/* *saved has room for every operation. */
static void save(struct msr_saved *saved, uint32_t msr, uint64_t value)
{
    for (unsigned i = 0; i < saved->count; i++)
        if (saved->entry[i].msr == msr)
            return;
    saved->entry[saved->count].msr = msr;
    saved->entry[saved->count++].value = value;
}

/* Replaces the whole register. */
static bool write_any(const struct msr_op *op, const struct msr_port *port, struct msr_saved *saved)
{
    uint64_t old;
    bool readable = port->read(port->context, op->msr, &old);

    if (!port->write(port->context, op->msr, op->value))
        return false;
    if (readable)
        save(saved, op->msr, old);
    return true;
}

static bool write_harmless(const struct msr_op *op, const struct harmless *harmless,
                           const struct msr_port *port, struct msr_saved *saved)
{
    uint64_t old, kept = ~harmless->writable;

    if (harmless->kind == COMMANDS)
        return port->write(port->context, op->msr, op->value);
    if (!port->read(port->context, op->msr, &old))
        return false;
    if (harmless->kind == CLEARS)
        return port->write(port->context, op->msr, old & (op->value | kept));
    if (!port->write(port->context, op->msr, (old & kept) | op->value))
        return false;
    save(saved, op->msr, old);
    return true;
}

static bool write_msr(const struct msr_op *op, const struct msr_port *port, struct msr_saved *saved)
{
    const struct harmless *harmless = find_harmless(op->msr);

    if (harmless && (op->value & ~harmless->writable) == 0)
        return write_harmless(op, harmless, port, saved);
    return write_any(op, port, saved);
}

unsigned msr_script_run(const struct msr_script *script, const struct msr_port *port,
                        uint64_t (*tsc)(void), struct msr_result *results, struct msr_saved *saved)
{
    unsigned made = 0;

    for (unsigned i = 0; i < script->count && script->op[i].kind != MSR_OP_STOP; i++) {
        const struct msr_op *op = &script->op[i];
        struct msr_result result = {
            .value = op->value, .msr = op->msr, .kind = (uint8_t)op->kind, .step = (uint8_t)i};

        if (op->kind == MSR_OP_READ) {
            result.fault = !port->read(port->context, op->msr, &result.value);
            if (result.fault)
                result.value = 0;
        } else if (op->kind == MSR_OP_WRITE) {
            result.fault = !write_msr(op, port, saved);
        } else if (op->kind == MSR_OP_RDTSC) {
            result.value = tsc();
        }
        if (result.fault || op->kind == MSR_OP_READ || op->kind == MSR_OP_RDTSC)
            results[made++] = result;
    }
    return made;
}

uint32_t msr_script_restore(struct msr_saved *saved, const struct msr_port *port)
{
    uint32_t refused = 0;

    for (; saved->count > 0; saved->count--) {
        uint32_t msr = saved->entry[saved->count - 1].msr;

        if (!port->write(port->context, msr, saved->entry[saved->count - 1].value) && refused == 0)
            refused = msr;
    }
    return refused;
}
