/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets up the memory that a child's kernel runs in, and checks what the kernel must preserve. */
#include <sys/mman.h>

#include "pmu/counters/changed.h"
#include "pmu/cpu/page_map.h"
#include "scripts/linux/child_space.h"

#define STACK_BYTES   (64u << 10)
#define CANARIES      4u
#define CANARY(i)     (0xca11ab1e00c0ffeeull + (i))
#define UNGIVEN(i)    (0x0bad0bad00000000ull | (i)) /* value of registers that pass no argument */
#define HUGE_SHIFT    26
#define HUGE_2M       (21u << HUGE_SHIFT)
#define HUGE_1G       (30u << HUGE_SHIFT)
#define MXCSR_FLAGS   0x3fu /* exception flags, which a kernel's arithmetic may set */
#define RFLAGS_KEPT   (1ull << 8 | 1ull << 10 | 1ull << 14 | 1ull << 18) /* TF, DF, NT, AC */
#define TO_LEAVE(bit) (1u << CHANGED_##bit)
#define WINDOWS_OWN   7u /* CHANGED_LIST's bits of RAX, RCX and RDX, which the window changes */

static struct {
    const struct child_task *task;
    char *code;
    char *buffer;
    uint64_t *frame; /* RSP before the kernel is called; points to the canaries */
    uint64_t start[WINDOW_GPRS];
    uint32_t mxcsr;
    uint16_t fcw;
    const void *entry;
} space;

static uint32_t read_mxcsr(void)
{
    uint32_t value;

    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value;
}

static uint16_t read_fcw(void)
{
    uint16_t value;

    __asm__ volatile("fnstcw %0" : "=m"(value));
    return value;
}

static uint64_t whole(uint64_t bytes, uint64_t of)
{
    return (bytes + of - 1) / of * of;
}

static bool load_code(const struct child_task *task)
{
    size_t bytes = whole(task->use->code_bytes, PAGE_BYTES);
    const char *from = task->use->code;

    if (!from)
        return true;
    space.code = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (space.code == MAP_FAILED)
        return false;
    for (uint64_t i = 0; i < task->use->code_bytes; i++)
        space.code[i] = from[i];
    return mprotect(space.code, bytes, PROT_READ | PROT_EXEC) == 0;
}

static bool load_stack(void)
{
    char *at =
        mmap(NULL, STACK_BYTES + 2 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED || mprotect(at + PAGE_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE) != 0)
        return false;
    space.frame = (uint64_t *)(at + PAGE_BYTES + STACK_BYTES) - CANARIES;
    for (unsigned i = 0; i < CANARIES; i++)
        space.frame[i] = CANARY(i);
    for (unsigned i = 0; i < STACK_BYTES / PAGE_BYTES; i++) /* avoids page faults in a window */
        ((volatile char *)at)[(1 + i) * PAGE_BYTES] = 0;
    return true;
}

int space_page_flags(uint32_t page_bytes)
{
    switch (page_bytes) {
    case PAGE_BYTES_2M:
        return MAP_HUGETLB | (int)HUGE_2M;
    case PAGE_BYTES_1G:
        return MAP_HUGETLB | (int)HUGE_1G;
    default:
        return 0;
    }
}

static enum status load_buffer(const struct child_task *task)
{
    const struct kernel_use *use = task->use;
    const uint32_t page = use->page_bytes;
    const int huge = space_page_flags(page);
    const uint64_t given = huge ? page : PAGE_BYTES; /* alignment that mmap() guarantees */
    uint64_t bytes = whole(use->buffer_bytes, given);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | huge;

    space.buffer = task->buffer;
    if (use->buffer_bytes == 0 || task->buffer)
        return STATUS_OK;
    if (use->buffer_align > given)
        bytes += use->buffer_align;
    if (page == PAGE_BYTES)
        flags &= ~MAP_POPULATE; /* madvise() must ask for small pages first */
    space.buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (space.buffer == MAP_FAILED)
        return huge ? STATUS_HUGE_PAGES : STATUS_NO_MEMORY;
    if (page == PAGE_BYTES)
        madvise(space.buffer, bytes, MADV_NOHUGEPAGE);
    if (use->buffer_align > given)
        space.buffer = (char *)whole((uint64_t)space.buffer, use->buffer_align);
    mlock(space.buffer, whole(use->buffer_bytes, PAGE_BYTES));
    for (uint64_t i = 0; i < use->buffer_bytes; i += PAGE_BYTES)
        ((volatile char *)space.buffer)[i] = 0;
    return STATUS_OK;
}

enum status space_load(const struct child_task *task)
{
    enum status status = load_buffer(task);

    if (status != STATUS_OK)
        return status;
    if (!load_code(task) || !load_stack())
        return STATUS_NO_MEMORY;
    space.task = task;
    for (unsigned i = 0; i < WINDOW_GPRS; i++)
        space.start[i] = UNGIVEN(i);
    space.start[1] = task->role;
    space.start[2] = (uint64_t)(task->first_buffer ? task->first_buffer : space.buffer);
    space.start[GPR_RSP] = (uint64_t)space.frame;
    space.start[6] = (uint64_t)space.buffer;
    space.start[8] = task->use->buffer_bytes;
    space.start[9] = task->use->argument;
    space.mxcsr = read_mxcsr();
    space.fcw = read_fcw();
    space_aim(false);
    return STATUS_OK;
}

static const void *in_space(const void *outside)
{
    const char *code = space.task->use->code;

    return code ? space.code + ((const char *)outside - code) : outside;
}

void space_aim(bool twice)
{
    space.entry = in_space(kernel_entry(space.task->use, space.task->role, twice));
}

void space_prepare(uint64_t n)
{
    const void *prepare = space.task->use->prepare;

    space.start[7] = n;
    linux_window.frame = (uint64_t)space.frame;
    for (unsigned i = 0; i < WINDOW_GPRS; i++)
        linux_window.gpr[i] = space.start[i];
    if (prepare) {
        linux_window.entry = in_space(prepare);
        window_prepare();
        for (unsigned i = 3; i < WINDOW_GPRS; i++)
            linux_window.gpr[i] = linux_window.out[i];
    }
    linux_window.entry = space.entry;
}

uint32_t space_changed(void)
{
    const uint32_t free = WINDOWS_OWN | (space.task->use->clobbers & ~TO_LEAVE(RSP));
    const uint32_t mxcsr = read_mxcsr();
    const uint16_t fcw = read_fcw();
    uint32_t changed = 0;

    for (unsigned i = 0; i < WINDOW_GPRS; i++)
        changed |= (uint32_t)(linux_window.out[i] != space.start[i]) << i;
    changed &= ~free & 0xffffu;
    for (unsigned i = 0; i < CANARIES; i++)
        if (space.frame[i] != CANARY(i))
            changed |= TO_LEAVE(STACK);
    if (linux_window.rflags & RFLAGS_KEPT)
        changed |= TO_LEAVE(RFLAGS);
    if ((mxcsr ^ space.mxcsr) & ~MXCSR_FLAGS)
        changed |= TO_LEAVE(MXCSR);
    if (fcw != space.fcw)
        changed |= TO_LEAVE(FCW);
    return changed;
}

bool space_offset(uint64_t address, uint64_t *offset)
{
    *offset = address - (uint64_t)space.code;
    return space.code && *offset < space.task->use->code_bytes;
}

struct nearby space_nearby(uint64_t address)
{
    const struct child_task *task = space.task;
    const uint64_t bytes = task->use->buffer_bytes;
    const struct nearby_place place[] = {
        {NEARBY_BUFFER, (uint64_t)space.buffer, bytes},
        {NEARBY_FIRST_BUFFER, (uint64_t)task->first_buffer, task->first_buffer ? bytes : 0},
        {NEARBY_STACK, (uint64_t)(space.frame + CANARIES) - STACK_BYTES, STACK_BYTES},
        {NEARBY_CODE, (uint64_t)space.code, space.code ? task->use->code_bytes : 0},
    };

    return nearby_find(address, place, sizeof(place) / sizeof(place[0]));
}
