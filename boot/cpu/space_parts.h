/* SPDX-License-Identifier: BSD-2-Clause */
/* What boot/cpu_space*.c share: the inside of a space. */
#ifndef BARECOUNT_BOOT_CPU_SPACE_PARTS_H
#define BARECOUNT_BOOT_CPU_SPACE_PARTS_H

#include "boot/cpu/space.h"
#include "boot/cpu/trip.h"
#include "pmu/cpu/page_map.h"

#define SPACE_STACK_BYTES      16384u
#define SPACE_TRAMPOLINE_BYTES PAGE_BYTES
#define SPACE_GDT_BYTES        4096u
#define SPACE_VECTOR_DONE      32u /* boot/cpu/window_user.asm */

/* The selectors of ours, from cpu_space.first on. */
#define SPACE_CODE_SELECTOR(first) ((uint16_t)((first) | 3))
#define SPACE_DATA_SELECTOR(first) ((uint16_t)(((first) + 8) | 3))
#define SPACE_TSS_SELECTOR(first)  ((uint16_t)((first) + 16))
#define SPACE_GDT_ADDED            32u
#define SELECTOR_RPL               3u
#define SELECTOR_LOCAL             4u

/*
 * Intel SDM vol. 3A "TSS Descriptor in 64-bit mode": present, a system segment, its type available
 * or busy; nothing where the upper half would have a type.
 */
#define TSS_ENTRY_BYTES 16u
#define TSS_MASK        (0x9dull << 40)
#define TSS_AVAILABLE   (0x89ull << 40)
#define TSS_BUSY        (0x02ull << 40)
#define TSS_HIGH_TYPE   (0x1full << 40)

/* Intel SDM vol. 3A "Task Management in 64-bit Mode". */
struct __attribute__((packed)) tss {
    uint32_t reserved;
    uint64_t rsp0;
    uint64_t unused[3]; /* RSP1, RSP2 */
    uint64_t ist[7];
    uint64_t reserved2;
    uint16_t reserved3;
    uint16_t io_map; /* at the limit or behind it: no port is allowed */
};
_Static_assert(sizeof(struct tss) == 104, "the manual's layout");

/* Stacks of the TSS, by number from 1: an NMI may come in a handler, #DF and #MC in any. */
enum { STACK_EXCEPTION = 1, STACK_NMI, STACK_DF, STACK_MC, STACKS = STACK_MC };

/* A stack, and in a page of its own, which is not writable in the space, what its handler needs. */
struct trap_stack {
    uint8_t bytes[PAGE_BYTES];
    struct stack_owner {
        struct cpu_context *context;
        uint64_t cr3; /* outside */
    } owner;
    uint8_t unused[PAGE_BYTES - sizeof(struct stack_owner)];
};
_Static_assert(offsetof(struct stack_owner, cr3) == 8, "boot/cpu/traps.asm");

/* Words above the kernel's frame: the empty kernel's address, for deltas, and what stays as it is.
 */
#define CANARIES    6u
#define FRAME_WORDS (2 + CANARIES)
#define CANARY(i)   (0x5eed0dd5afe57ac0ull + (i))

/* What a trip may change and its way back does not look at; as it was when the kernel was loaded.
 */
struct space_state {
    uint64_t cr8, xcr0, efer, dr7;
    struct table_pointer gdt;
    uint16_t tr;
    struct data_segments segments;
    uint64_t fs_base, gs_base;
    uint32_t mxcsr;
    uint16_t fcw;
};

struct cpu_space {
    union {
        struct trip trip;
        uint8_t trip_page[PAGE_BYTES];
    };
    union {
        struct trip_out out;
        uint8_t out_page[PAGE_BYTES];
    };
    struct trap_stack stack[STACKS];
    uint64_t gdt[SPACE_GDT_BYTES / sizeof(uint64_t)]; /* the firmware's, then ours */
    struct gate gates[SPACE_VECTOR_DONE + 1];
    struct tss tss;
    uint16_t gdt_limit;
    uint16_t first; /* selector of ours */
    struct page_map map;
    char *pages; /* stack, trampoline, copy of the kernel */
    uint64_t pages_bytes;
    uint64_t linear;        /* of `pages`, in the space */
    uint64_t buffer_linear; /* of the kernel's buffer */
    uint64_t first_linear;  /* of the first role's */
    struct cpu_context *context;
    const struct space_kernel *kernel; /* the next fields keep what each trip needs of it */
    bool is_user;
    uint64_t moved;           /* of the kernel's code: from its address to that in the space */
    uint64_t start[GPRS];     /* what is in the registers before `prepare` */
    uint32_t kept;            /* which of them a kernel must leave alone, bit by bit */
    struct table_pointer idt; /* ours: kernels may have another between `prepare` and their end */
    bool is_loaded;
    bool is_ended;            /* the last trip ended with an exception */
    struct space_state found; /* the firmware's */
    struct space_state state; /* with a kernel loaded */
    uint64_t found_cr4;
    uint64_t found_pat;
    bool has_xcr0;
    bool has_typed; /* the buffer's memory is of a type of its own */
    bool has_pat;   /* IA32_PAT was written */
};

/* boot/cpu/space_make.c: what is in memory. Of `rights`, PAGE_MAP_PAT() of the buffer's. */
enum status space_map(struct cpu_space *space, uint32_t rights);
bool space_make_gdt(struct cpu_space *space);

/* boot/cpu/space_state.c: what is in registers. */
struct space_state space_read_state(bool has_xcr0);
void space_load_tr(const struct table_pointer *gdt, uint16_t selector);

/* boot/cpu/space_state.c: the entry of IA32_PAT, or -1. */
int space_take_type(struct cpu_space *space, uint32_t memory);
void space_give_type_back(struct cpu_space *space);

/* Of the copy's record, in the space. */
static inline uint64_t space_copy_linear(const struct cpu_space *space)
{
    return space->linear + SPACE_STACK_BYTES + SPACE_TRAMPOLINE_BYTES;
}

/* The words that the kernel is called with, as they stand outside; their address in the space. */
static inline uint64_t *space_frame(const struct cpu_space *space)
{
    return (uint64_t *)(space->pages + SPACE_STACK_BYTES) - FRAME_WORDS;
}

static inline uint64_t space_frame_linear(const struct cpu_space *space)
{
    return space->linear + SPACE_STACK_BYTES - FRAME_WORDS * sizeof(uint64_t);
}

#endif
