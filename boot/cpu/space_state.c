/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks and restores the state that a kernel must preserve. */
#include "boot/cpu/space_parts.h"
#include "pmu/counters/changed.h"
#include "pmu/cpu/msr.h"
#include "pmu/journal/record.h"

#define MXCSR_FLAGS 0x3fu /* exception flags */
/* TF, IF, DF, IOPL, NT, AC; all are clear when a kernel starts. */
#define RFLAGS_KEPT   (1ull << 8 | 1ull << 9 | 1ull << 10 | 3ull << 12 | 1ull << 14 | 1ull << 18)
#define TO_LEAVE(bit) (1u << CHANGED_##bit)

/*
 * Whether `selector` refers to a TSS descriptor, busy or available. The firmware may have removed
 * the descriptor.
 */
bool space_can_load_tr(const struct table_pointer *gdt, uint16_t selector)
{
    const uint64_t *entry = (const uint64_t *)(gdt->base + (selector & ~SELECTOR_RPL));

    return selector >= sizeof(*entry) && !(selector & SELECTOR_LOCAL) &&
           selector + TSS_ENTRY_BYTES <= gdt->limit + 1u &&
           (entry[0] & TSS_MASK) == TSS_AVAILABLE && !(entry[1] & TSS_HIGH_TYPE);
}

/*
 * LTR refuses a busy TSS, so the busy bit is cleared first. TR stays as it is if the GDT is in ROM
 * (U-Boot), or if the selector refers to no TSS descriptor.
 */
void space_load_tr(const struct table_pointer *gdt, uint16_t selector)
{
    volatile uint64_t *entry = (uint64_t *)(gdt->base + (selector & ~SELECTOR_RPL));

    if (!space_can_load_tr(gdt, selector))
        return;
    if (entry[0] & TSS_BUSY)
        entry[0] &= ~TSS_BUSY;
    if (!(entry[0] & TSS_BUSY))
        cpu_ltr(selector);
}

struct space_state space_read_state(bool has_xcr0)
{
    return (struct space_state){
        .cr8 = cpu_cr8(),
        .xcr0 = has_xcr0 ? cpu_xcr0() : 0,
        .dr7 = cpu_dr7(),
        .gdt = cpu_sgdt(),
        .tr = cpu_tr(),
        .segments = cpu_segments(),
        .efer = cpu_efer(),
        .mxcsr = cpu_mxcsr(),
        .fcw = cpu_fcw(),
    };
}

static bool same_table(const struct table_pointer *a, const struct table_pointer *b)
{
    return a->base == b->base && a->limit == b->limit;
}

static bool same_segments(const struct data_segments *a, const struct data_segments *b)
{
    return a->ss == b->ss && a->ds == b->ds && a->es == b->es && a->fs == b->fs && a->gs == b->gs;
}

/* Whether the state that put_back() restores is unchanged. */
static bool is_as_before(const struct cpu_space *space)
{
    const struct space_state *was = &space->state;
    const struct table_pointer gdt = cpu_sgdt();
    const struct data_segments is = cpu_segments();
    const struct data_segments *segments = &was->segments;
    uint64_t differs =
        (uint64_t)((is.ss ^ segments->ss) | (is.ds ^ segments->ds) | (is.es ^ segments->es) |
                   (is.fs ^ segments->fs) | (is.gs ^ segments->gs) | (cpu_tr() ^ was->tr) |
                   (gdt.limit ^ was->gdt.limit) | (cpu_fcw() ^ was->fcw));

    differs |= (gdt.base ^ was->gdt.base) | (cpu_dr7() ^ was->dr7) | (cpu_cr8() ^ was->cr8) |
               ((cpu_mxcsr() ^ was->mxcsr) & ~MXCSR_FLAGS) | (cpu_efer() ^ was->efer);
    return differs == 0 && (!space->has_xcr0 || cpu_xcr0() == was->xcr0);
}

/*
 * Restores the changed state, and returns the changes as bits of CHANGED_LIST. is_as_before() must
 * compare the same state. IRETQ to CPL 3 clears segment registers, so their change is reported only
 * at CPL 0.
 */
static uint32_t put_back(struct cpu_space *space)
{
    const struct space_state *was = &space->state;
    const struct space_state is = space_read_state(space->has_xcr0);
    uint32_t changed = 0;

#define PUT_BACK(bit, differs, write)                                                              \
    if (differs) {                                                                                 \
        changed |= TO_LEAVE(bit);                                                                  \
        write;                                                                                     \
    }
    PUT_BACK(DR7, is.dr7 != was->dr7, cpu_set_dr7(was->dr7))
    PUT_BACK(CR8, is.cr8 != was->cr8, cpu_set_cr8(was->cr8))
    PUT_BACK(XCR0, is.xcr0 != was->xcr0, cpu_set_xcr0(was->xcr0))
    PUT_BACK(EFER, is.efer != was->efer, msr_write(MSR_IA32_EFER, was->efer))
    PUT_BACK(GDT, !same_table(&is.gdt, &was->gdt), cpu_lgdt(&was->gdt))
    PUT_BACK(TR, is.tr != was->tr, space_load_tr(&was->gdt, was->tr))
    PUT_BACK(MXCSR, (is.mxcsr ^ was->mxcsr) & ~MXCSR_FLAGS, cpu_set_mxcsr(was->mxcsr))
    PUT_BACK(FCW, is.fcw != was->fcw, cpu_start_x87(was->fcw))
#undef PUT_BACK
    if (!same_segments(&is.segments, &was->segments)) {
        changed |= space->is_user ? 0 : TO_LEAVE(SEGMENTS);
        cpu_set_segments(was->segments);
        msr_write(MSR_IA32_FS_BASE, was->fs_base);
        msr_write(MSR_IA32_GS_BASE, was->gs_base);
    }
    return changed;
}

static const uint64_t *canaries(const struct cpu_space *space)
{
    return &space_frame(space)[FRAME_WORDS - CANARIES];
}

static uint32_t changed_registers(const struct cpu_space *space)
{
    uint32_t changed = 0;

    for (unsigned i = GPR_RBX; i < GPRS && space->out.differs; i++)
        changed |= (uint32_t)(space->out.gpr[i] != 0) << i;
    for (unsigned i = 0; i < CANARIES; i++)
        if (canaries(space)[i] != CANARY(i))
            changed |= TO_LEAVE(STACK);
    return changed;
}

/* Changes that the trip has already undone, as bits of CHANGED_LIST. */
static uint32_t changed_in_trip(const struct cpu_space *space)
{
    const struct trip_out *out = &space->out;

    return (out->rflags & RFLAGS_KEPT ? TO_LEAVE(RFLAGS) : 0) |
           (out->cr0 != space->trip.cr0 ? TO_LEAVE(CR0) : 0) |
           (out->cr3 != space->trip.cr3 ? TO_LEAVE(CR3) : 0) |
           (out->cr4 != space->trip.cr4 ? TO_LEAVE(CR4) : 0) |
           (!same_table(&out->idt, &space->idt) ? TO_LEAVE(IDT) : 0);
}

/* Whether changed_registers() and changed_in_trip() would find no change. */
static bool kept_all(const struct cpu_space *space)
{
    const struct trip_out *out = &space->out;
    const struct trip *trip = &space->trip;
    uint64_t differs = out->differs | (out->rflags & RFLAGS_KEPT) | (out->cr0 ^ trip->cr0) |
                       (out->cr3 ^ trip->cr3) | (out->cr4 ^ trip->cr4) |
                       (out->idt.base ^ space->idt.base) | (out->idt.limit ^ space->idt.limit);

    for (unsigned i = 0; i < CANARIES; i++)
        differs |= canaries(space)[i] ^ CANARY(i);
    return differs == 0;
}

static __attribute__((noinline)) uint32_t find_changes(struct cpu_space *space)
{
    uint32_t changed = put_back(space);

    if (!space->is_ended)
        return changed | changed_registers(space) | changed_in_trip(space);
    cpu_start_x87(space->state.fcw);
    cpu_set_mxcsr(space->state.mxcsr);
    return 0;
}

uint32_t space_changed(struct cpu_space *space)
{
    if (!space->is_ended && kept_all(space) && is_as_before(space))
        return 0;
    return find_changes(space);
}

#define CPUID_1_EDX_PAT (1u << 16)
#define PAT_ENTRIES     8u
#define PAT_BITS        8u
#define PAT_SPARE       7u /* entry to overwrite if none has the wanted type; UC after reset */

/* PAT encodings. */
static const uint8_t PAT_TYPE[] = {
    [MEMORY_WB] = 6, [MEMORY_WT] = 4, [MEMORY_WC] = 1, [MEMORY_UC] = 0};

static bool has_pat(void)
{
    struct cpuid_regs regs;

    cpu_read_cpuid(1, 0, &regs);
    return regs.edx & CPUID_1_EDX_PAT;
}

/*
 * Flushes the caches, so that no line of the buffer keeps the old memory type (Intel SDM vol. 3A
 * "Programming the PAT"). The caller flushes the TLB.
 */
int space_take_type(struct cpu_space *space, uint32_t memory)
{
    uint64_t pat = 0;

    space->has_typed = space->has_pat = false;
    if (memory == MEMORY_DEFAULT)
        return 0;
    if (memory >= sizeof(PAT_TYPE) || !has_pat() || !msr_read(MSR_IA32_PAT, &pat))
        return -1;
    space->has_typed = true;
    cpu_wbinvd();
    for (unsigned i = 0; i < PAT_ENTRIES; i++)
        if ((pat >> PAT_BITS * i & 0xff) == PAT_TYPE[memory])
            return (int)i;
    space->found_pat = pat;
    space->has_pat = true;
    pat &= ~(0xffull << PAT_BITS * PAT_SPARE);
    pat |= (uint64_t)PAT_TYPE[memory] << PAT_BITS * PAT_SPARE;
    return msr_write(MSR_IA32_PAT, pat) ? (int)PAT_SPARE : -1;
}

void space_give_type_back(struct cpu_space *space)
{
    if (space->has_typed)
        cpu_wbinvd();
    if (space->has_pat)
        msr_write(MSR_IA32_PAT, space->found_pat);
    space->has_typed = space->has_pat = false;
}
