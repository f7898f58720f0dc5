/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads a kernel into a space (boot/cpu/space.h) and runs it there. */
#include "boot/cpu/space_parts.h"
#include "boot/cpu/traps.h"
#include "pmu/cpu/msr.h"

#define EFER_NXE  (1ull << 11)
#define EDX_NX    20 /* bit of CPUID.80000001H:EDX */
#define EDX_GIANT 26

/* The start value of register i if it contains no argument: a non-canonical address. */
#define UNGIVEN(i) (0x0badc0de00000000ull | (i))

static uint32_t extended_features(void)
{
    struct cpuid_regs regs;

    cpu_read_cpuid(0x80000000, 0, &regs);
    if (regs.eax < 0x80000001)
        return 0;
    cpu_read_cpuid(0x80000001, 0, &regs);
    return regs.edx;
}

static uint64_t in_space(const struct cpu_space *space, const void *outside)
{
    return space->moved + (uint64_t)outside;
}

/* Translates an address in the space's kernel or buffers; returns any other address unchanged. */
static uint64_t outside(const struct cpu_space *space, uint64_t address)
{
    const struct space_kernel *kernel = space->kernel;

    if (address - space_copy_linear(space) < kernel->use->code_bytes)
        return address - space_copy_linear(space) + (uint64_t)kernel->use->code;
    if (address - space->buffer_linear < kernel->use->buffer_bytes)
        return address - space->buffer_linear + (uint64_t)kernel->buffer;
    if (kernel->first_buffer && address - space->first_linear < kernel->use->buffer_bytes)
        return address - space->first_linear + (uint64_t)kernel->first_buffer;
    return address;
}

static struct nearby nearby(const struct cpu_space *space, uint64_t address)
{
    const struct space_kernel *kernel = space->kernel;
    const uint64_t bytes = kernel->use->buffer_bytes;
    const struct nearby_place place[] = {
        {NEARBY_BUFFER, space->buffer_linear, bytes},
        {NEARBY_FIRST_BUFFER, space->first_linear, kernel->first_buffer ? bytes : 0},
        {NEARBY_STACK, space->linear, SPACE_STACK_BYTES},
        {NEARBY_CODE, space_copy_linear(space), kernel->use->code_bytes},
    };

    return nearby_find(address, place, sizeof(place) / sizeof(place[0]));
}

/* Exceptions get their own stacks, because the kernel may have set RSP to anything. */
static void fill_gates(struct cpu_space *space)
{
    for (unsigned i = 0; i < TRAP_VECTORS; i++) {
        unsigned stack = i == TRAP_NMI  ? STACK_NMI
                         : i == TRAP_DF ? STACK_DF
                         : i == TRAP_MC ? STACK_MC
                                        : STACK_EXCEPTION;

        space->gates[i] = trap_space_gate(i, i == TRAP_BP ? space->kernel->cpl : 0, stack);
    }
    space->gates[SPACE_VECTOR_DONE] = (struct gate){0};
    for (unsigned i = 0; i < STACKS; i++)
        space->stack[i].owner = (struct stack_owner){.context = space->context, .cr3 = cpu_cr3()};
}

/* CR4.CET is cleared, because the kernel has no shadow stack. */
static void make_trip(struct cpu_space *space)
{
    const uint64_t cr4 = cpu_cr4();

    space->idt =
        (struct table_pointer){.limit = sizeof(space->gates) - 1, .base = (uint64_t)space->gates};
    space->trip = (struct trip){
        .cr0 = cpu_cr0() | CR0_WP | CR0_AM,
        .cr3 = (uint64_t)space->map.table,
        .cr4 = cr4 & ~(CR4_CET | (space->found_cr4 & CR4_PGE)),
        .found_cr0 = cpu_cr0(),
        .found_cr3 = cpu_cr3(),
        .found_cr4 = cr4,
        .recovery = &space->context->recovery,
        .self = &space->trip,
        .found_idt = cpu_sidt(),
        .idt = space->idt,
    };
}

static void load_tables(struct cpu_space *space)
{
    const struct table_pointer gdt = {.limit = space->gdt_limit, .base = (uint64_t)space->gdt};

    cpu_lgdt(&gdt);
    space_load_tr(&gdt, SPACE_TSS_SELECTOR(space->first));
}

static void look_at_cpu(struct cpu_space *space, uint32_t features)
{
    struct page_map *map = &space->map;

    space->found_cr4 = cpu_cr4();
    space->has_xcr0 = space->found_cr4 & CR4_OSXSAVE;
    space->found = space_read_state(space->has_xcr0);
    msr_read(MSR_IA32_FS_BASE, &space->found.fs_base);
    msr_read(MSR_IA32_GS_BASE, &space->found.gs_base);
    map->levels = space->found_cr4 & CR4_LA57 ? 5 : 4;
    map->giant = features >> EDX_GIANT & 1;
    map->no_execute = features >> EDX_NX & 1;
}

/* space_prepare() sets RDI. */
static void make_start(struct cpu_space *space)
{
    const struct space_kernel *kernel = space->kernel;
    uint64_t *frame = space_frame(space);

    space->moved = space_copy_linear(space) - (uint64_t)kernel->use->code;
    for (unsigned i = 0; i < GPRS; i++) {
        space->trip.start[i] = UNGIVEN(i);
        space->trip.kept[i] = i == GPR_RSP || !(kernel->use->clobbers >> i & 1) ? ~0ull : 0;
    }
    space->trip.start[GPR_RCX] = kernel->role;
    space->trip.start[GPR_RDX] = kernel->use->buffer_bytes ? space->first_linear : 0;
    space->trip.start[GPR_RSP] = space_frame_linear(space);
    space->trip.start[GPR_RSI] = kernel->use->buffer_bytes ? space->buffer_linear : 0;
    space->trip.start[GPR_R8] = kernel->use->buffer_bytes;
    space->trip.start[GPR_R9] = kernel->use->argument;
    space->trip.from = space->trip.start;
    frame[1] = (uint64_t)window_empty;
    for (unsigned i = 0; i < CANARIES; i++)
        frame[FRAME_WORDS - CANARIES + i] = CANARY(i);
}

enum status space_load(struct cpu_space *space, struct cpu_context *context,
                       const struct space_kernel *kernel)
{
    const uint32_t features = extended_features();
    enum status status;
    uint32_t rights;
    int pat;

    space->kernel = kernel;
    space->is_user = kernel->cpl == 3;
    space->context = context;
    space->is_ended = false;
    space_restore(space); /* in case the last task was cut off before space_unload() */
    if (kernel->use->page_bytes == PAGE_BYTES_1G && !(features >> EDX_GIANT & 1))
        return STATUS_NO_PAGES;
    pat = space_take_type(space, kernel->use->memory);
    if (pat < 0)
        return STATUS_NO_MEMORY_TYPE;
    look_at_cpu(space, features);
    rights = PAGE_MAP_PAT(pat) | (kernel->cpl == 3 ? PAGE_MAP_USER : 0) |
             (space->found_cr4 & CR4_PGE ? 0 : PAGE_MAP_GLOBAL);
    status = space_map(space, rights);
    if (status != STATUS_OK || !space_make_gdt(space))
        return STATUS_NO_SPACE;
    space->is_loaded = true;
    if (space->map.no_execute && !(space->found.efer & EFER_NXE))
        msr_write(MSR_IA32_EFER, space->found.efer | EFER_NXE);
    cpu_set_cr4(space->found_cr4 | CR4_PGE);
    load_tables(space);
    fill_gates(space);
    make_trip(space);
    make_start(space);
    space->state = space_read_state(space->has_xcr0);
    space->state.fs_base = space->found.fs_base;
    space->state.gs_base = space->found.gs_base;
    return STATUS_OK;
}

void space_unload(struct cpu_space *space)
{
    const struct space_state *found = &space->found;

    space_give_type_back(space);
    if (!space->is_loaded)
        return;
    cpu_set_cr4(space->found_cr4 & ~CR4_PGE); /* flushes global translations */
    cpu_set_cr4(space->found_cr4);
    if (space->state.efer != found->efer)
        msr_write(MSR_IA32_EFER, found->efer);
    cpu_lgdt(&found->gdt);
    space_load_tr(&found->gdt, found->tr);
    space->is_loaded = false;
}

void space_restore(struct cpu_space *space)
{
    space->is_loaded = false;
    space_give_type_back(space);
}

static __attribute__((noinline)) void note_fault(struct cpu_space *space)
{
    struct cpu_context *context = space->context;

    space->is_ended = true;
    context->fault_rip = outside(space, context->fault_rip);
    context->fault_nearby = nearby(space, context->fault_address);
    context->fault_address = outside(space, context->fault_address);
}

static __attribute__((noinline)) void make_user(struct cpu_space *space, const char *user_done)
{
    space->gates[SPACE_VECTOR_DONE] = trap_gate((uint64_t)user_done, 3, 0);
    space->out.user = (struct interrupt_frame){
        .rip = space->linear + SPACE_STACK_BYTES,
        .cs = SPACE_CODE_SELECTOR(space->first),
        .rflags = RFLAGS_FIXED,
        .rsp = space_frame_linear(space),
        .ss = SPACE_DATA_SELECTOR(space->first),
    };
}

static unsigned go(struct cpu_space *space, const void *entry, trip_run *run, trip_run *run_user,
                   const char *user_done)
{
    unsigned outcome;

    space_frame(space)[0] = in_space(space, entry);
    if (space->is_user)
        make_user(space, user_done);
    outcome = (space->is_user ? run_user : run)(&space->trip);
    if (outcome == WINDOW_FAULTED)
        note_fault(space);
    return outcome;
}

unsigned space_prepare(struct cpu_space *space, const struct window *window)
{
    struct trip *trip = &space->trip;

    space->is_ended = false;
    trip->start[GPR_RDI] = window->n;
    if (!space->kernel->use->prepare)
        return WINDOW_DONE;
    trip->from = trip->start;
    trip->idt = space->idt;
    if (go(space, space->kernel->use->prepare, trip_prepare, trip_user_prepare,
           user_done_prepare) != WINDOW_DONE)
        return WINDOW_FAULTED;
    trip->from = space->out.gpr;
    trip->idt = space->out.idt;
    return WINDOW_DONE;
}

void space_choose_window(struct cpu_space *space, uint32_t open_msr, uint64_t open_value)
{
    unsigned at = 0;

    while (window_msrs[at] != open_msr && window_msrs[at])
        at++;
    space->trip.window = (space->is_user ? user_windows : windows) + at * WINDOW_BYTES;
    space->trip.deltas_msr = open_msr;
    space->trip.open_value = open_value;
}

unsigned space_window(struct cpu_space *space, struct window *window)
{
    const unsigned outcome =
        go(space, window->entry, trip_window, trip_user_window, space->trip.window + USER_DONE_AT);

    window->tsc_start = space->out.tsc_start;
    window->tsc_end = space->out.tsc_end;
    return outcome;
}

unsigned space_deltas(struct cpu_space *space, struct deltas *deltas)
{
    unsigned outcome;

    space->trip.window = deltas_window;
    for (unsigned i = 0; i < DELTAS_MAX; i++)
        space->trip.index[i] = deltas->index[i];
    outcome = go(space, deltas->window.entry, trip_window, trip_window, 0);
    for (unsigned t = 0; t < 3; t++)
        for (unsigned i = 0; i < DELTAS_MAX; i++)
            deltas->read[t][i] = space->out.read[t][i];
    deltas->window.tsc_start = space->out.tsc_start;
    deltas->window.tsc_end = space->out.tsc_end;
    return outcome;
}
