/* SPDX-License-Identifier: BSD-2-Clause */
/* A window around a kernel at CPL 3. */
#include "boot/cpu_traps.h"
#include "boot/cpu_user_parts.h"
#include "pmu/msr.h"

/* Vectors of the gates; boot/cpu_user.inc has the first two too. */
#define VECTOR_PREPARED 32u
#define VECTOR_DONE     33u
#define VECTOR_BP       3u
#define GATE_DPL_3      0x6000u
_Static_assert(VECTOR_DONE < TRAP_GATES, "room in the table");

/* The first way to CPL 3, for boot/cpu_user.asm. */
struct user_way {
    uint64_t rip;
    uint64_t cs;
    uint64_t rsp;
    uint64_t ss;
    void *rsp0; /* of the TSS, where it is not aligned */
};
_Static_assert(offsetof(struct user_way, rsp0) == 32, "boot/cpu_user.inc");

/* What user_run() changes of the CPU. */
struct found {
    uint64_t cr3;
    struct table_pointer gdt;
    uint16_t tr;
    struct data_segments segments;
    uint64_t fs_base;
    uint64_t gs_base;
};

/* boot/cpu_user.asm */
extern const char user_prepared_global[], user_done_global[];
extern const char user_prepared_select[], user_done_select[];
extern const char user_prepared_bare[], user_done_bare[];
__attribute__((sysv_abi)) unsigned user_trip(struct window *window, const struct user_way *way);

/* Of the copy's record, at CPL 3. */
static uint64_t copy_linear(const struct user_space *space)
{
    return space->linear + USER_STACK_BYTES + USER_TRAMPOLINE_BYTES;
}

/* The address at CPL 3 of what lies in the kernel. */
static uint64_t at_cpl3(const struct user_space *space, const void *at_cpl0)
{
    return copy_linear(space) + (uint64_t)at_cpl0 - (uint64_t)space->kernel.record;
}

/* And back, of a kernel's or its buffer's; others stay. */
static uint64_t at_cpl0(const struct user_space *space, uint64_t at_cpl3)
{
    const struct user_kernel *kernel = &space->kernel;

    if (at_cpl3 - copy_linear(space) < kernel->record_bytes)
        return at_cpl3 - copy_linear(space) + (uint64_t)kernel->record;
    if (at_cpl3 - space->buffer_linear < kernel->buffer_bytes)
        return at_cpl3 - space->buffer_linear + (uint64_t)kernel->buffer;
    return at_cpl3;
}

static void open_gates(struct cpu_context *context, uint32_t open_msr)
{
    const char *prepared = user_prepared_select, *done = user_done_select;

    if (open_msr == MSR_IA32_PERF_GLOBAL_CTRL) {
        prepared = user_prepared_global;
        done = user_done_global;
    } else if (open_msr == 0) {
        prepared = user_prepared_bare;
        done = user_done_bare;
    }
    context->gates[VECTOR_PREPARED] = trap_gate((uint64_t)prepared, 3);
    context->gates[VECTOR_DONE] = trap_gate((uint64_t)done, 3);
    context->gates[VECTOR_BP].type |= GATE_DPL_3;
}

static void close_gates(struct cpu_context *context)
{
    context->gates[VECTOR_BP].type &= (uint16_t)~GATE_DPL_3;
    context->gates[VECTOR_DONE] = (struct gate){0};
    context->gates[VECTOR_PREPARED] = (struct gate){0};
}

/*
 * LTR, where it will take the selector: what firmware has in TR need not be in its table any more,
 * and a table in ROM (U-Boot's is) would keep a busy bit.
 */
static void load_tr(const struct table_pointer *gdt, uint16_t selector)
{
    volatile uint64_t *entry = (uint64_t *)(gdt->base + (selector & ~SELECTOR_RPL));

    if (selector < sizeof(*entry) || selector & SELECTOR_LOCAL ||
        selector + TSS_ENTRY_BYTES > gdt->limit + 1u || (entry[0] & TSS_MASK) != TSS_AVAILABLE ||
        entry[1] & TSS_HIGH_TYPE)
        return;
    if (entry[0] & TSS_BUSY)
        entry[0] &= ~TSS_BUSY;
    if (!(entry[0] & TSS_BUSY))
        cpu_ltr(selector);
}

static void enter(struct user_space *space, struct found *found)
{
    const struct table_pointer gdt = {.limit = space->gdt_limit, .base = (uint64_t)space->gdt};

    found->segments = cpu_segments();
    found->fs_base = found->gs_base = 0;
    msr_read(MSR_IA32_FS_BASE, &found->fs_base);
    msr_read(MSR_IA32_GS_BASE, &found->gs_base);
    found->gdt = cpu_sgdt();
    found->tr = cpu_tr();
    found->cr3 = cpu_cr3();
    cpu_lgdt(&gdt);
    load_tr(&gdt, USER_TSS_SELECTOR(space->first));
    cpu_set_cr3((uint64_t)space->map.table);
}

/* The segments come from our table: see add_segments() in boot/cpu_user_space.c. */
static void leave(const struct found *found)
{
    cpu_set_cr3(found->cr3);
    cpu_set_segments(found->segments);
    msr_write(MSR_IA32_FS_BASE, found->fs_base);
    msr_write(MSR_IA32_GS_BASE, found->gs_base);
    cpu_lgdt(&found->gdt);
    load_tr(&found->gdt, found->tr);
}

/* The window and the first way in, as CPL 3 has them. */
static void stage(struct user_space *space, const struct window *window, struct window *user,
                  struct user_way *way)
{
    uint64_t trampoline = space->linear + USER_STACK_BYTES;
    uint64_t *top = (uint64_t *)(space->pages + USER_STACK_BYTES) - 2;

    top[0] = window->prepare ? at_cpl3(space, window->prepare)
                             : trampoline + (uint64_t)(user_trampoline_ret - user_trampoline);
    top[1] = at_cpl3(space, window->entry);
    *user = *window;
    if (window->buffer)
        user->buffer = (void *)space->buffer_linear;
    *way = (struct user_way){
        .rip = trampoline,
        .cs = USER_CODE_SELECTOR(space->first),
        .rsp = trampoline - 2 * sizeof(*top),
        .ss = USER_DATA_SELECTOR(space->first),
        .rsp0 = (char *)&space->tss + offsetof(struct tss, rsp0),
    };
}

/*
 * CR4 is written in this function and no other, because of CET's shadow stack: a function that was
 * called with it and returns without it would leave an address there. CR4.PGE goes because what is
 * cached of global pages would outlive CR3, with the firmware's rights. SMEP and SMAP forbid
 * nothing here: CPL 0 neither runs nor touches user pages.
 */
unsigned user_run(struct user_space *space, struct cpu_context *context, uint32_t open_msr,
                  struct window *window)
{
    uint64_t cr4 = cpu_cr4();
    struct found found;
    struct window user;
    struct user_way way;
    unsigned status;

    stage(space, window, &user, &way);
    open_gates(context, open_msr);
    cpu_set_cr4(cr4 & ~(CR4_CET | CR4_PGE));
    enter(space, &found);
    status = user_trip(&user, &way);
    leave(&found);
    cpu_set_cr4(cr4);
    close_gates(context);
    window->tsc_start = user.tsc_start;
    window->tsc_end = user.tsc_end;
    if (status == WINDOW_FAULTED) {
        context->fault_rip = at_cpl0(space, context->fault_rip);
        context->fault_address = at_cpl0(space, context->fault_address);
    }
    return status;
}
