/* SPDX-License-Identifier: BSD-2-Clause */
/* The private data of a space, shared by boot/cpu/space*.c. */
#ifndef BARECOUNT_BOOT_CPU_SPACE_PARTS_H
#define BARECOUNT_BOOT_CPU_SPACE_PARTS_H

#include "boot/cpu/space.h"
#include "boot/cpu/trip.h"
#include "pmu/cpu/page_map.h"

#define SPACE_STACK_BYTES      16384u
#define SPACE_TRAMPOLINE_BYTES PAGE_BYTES
#define SPACE_GDT_BYTES        4096u
#define SPACE_VECTOR_DONE      32u /* see window_user.asm */

/* The selectors that the program adds; `first` is cpu_space.first. */
#define SPACE_CODE_SELECTOR(first) ((uint16_t)((first) | 3))
#define SPACE_DATA_SELECTOR(first) ((uint16_t)(((first) + 8) | 3))
#define SPACE_TSS_SELECTOR(first)  ((uint16_t)((first) + 8 * SPACE_GDT_TSS))
#define SPACE_GDT_TSS              2u
#define SPACE_GDT_ADDED            32u
#define DESCRIPTOR_PRESENT         (1ull << 47)
#define SELECTOR_RPL               3u
#define SELECTOR_LOCAL             4u

/*
 * A descriptor describes a present TSS if (low half & TSS_MASK) is TSS_AVAILABLE and (high half &
 * TSS_HIGH_TYPE) is 0 (Intel SDM vol. 3A "TSS Descriptor in 64-bit mode").
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
    uint64_t unused[3]; /* RSP1, RSP2, reserved */
    uint64_t ist[7];
    uint64_t reserved2;
    uint16_t reserved3;
    uint16_t io_map; /* an offset beyond the TSS's limit, so no I/O port is allowed */
};
_Static_assert(sizeof(struct tss) == 104, "the manual's layout");

/* NMI, #DF and #MC can interrupt a handler, so each has its own stack. */
enum { STACK_EXCEPTION = 1, STACK_NMI, STACK_DF, STACK_MC, STACKS = STACK_MC };

/* An exception stack, followed by a page that is read-only in the space. */
struct trap_stack {
    uint8_t bytes[PAGE_BYTES];
    struct stack_owner {
        struct cpu_context *context;
        uint64_t cr3; /* CR3 outside the space */
    } owner;
    uint8_t unused[PAGE_BYTES - sizeof(struct stack_owner)];
};
_Static_assert(offsetof(struct stack_owner, cr3) == 8, "boot/cpu/traps.asm");

/* The kernel's stack frame: addresses of the kernel and of the empty kernel, then canaries. */
#define CANARIES    2u
#define FRAME_WORDS (2 + CANARIES)
#define CANARY(i)   (0x5eed0dd5afe57ac0ull + (i))

/* CPU state that a trip does not store in struct trip_out. */
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
    uint64_t gdt[SPACE_GDT_BYTES / sizeof(uint64_t)];
    struct gate gates[SPACE_VECTOR_DONE + 1];
    struct tss tss;
    uint16_t gdt_limit;
    uint16_t first; /* the program's first selector */
    struct page_map map;
    char *pages; /* stack, trampoline, copy of the kernel */
    uint64_t pages_bytes;
    uint64_t linear; /* address of `pages` in the space */
    uint64_t buffer_linear;
    uint64_t first_linear; /* address of role 0's buffer in the space */
    struct cpu_context *context;
    const struct space_kernel *kernel;
    bool is_user;
    uint64_t moved;           /* distance from the original code to the copy */
    struct table_pointer idt; /* `prepare` may load another */
    bool is_loaded;
    bool is_ended;            /* the last trip ended with an exception */
    struct space_state found; /* the firmware's state */
    struct space_state state; /* while a kernel is loaded */
    uint64_t found_cr4;
    uint64_t found_pat;
    bool has_xcr0;
    bool has_typed; /* the plan gives the buffer a memory type */
    bool has_pat;   /* IA32_PAT was written */
};

/* PAGE_MAP_PAT() in `rights` applies only to buffers. */
enum status space_map(struct cpu_space *space, uint32_t rights);
bool space_make_gdt(struct cpu_space *space);

/* Defined in boot/cpu/space_state.c. */
struct space_state space_read_state(bool has_xcr0);
bool space_can_load_tr(const struct table_pointer *gdt, uint16_t selector);
void space_load_tr(const struct table_pointer *gdt, uint16_t selector);

/*
 * space_take_type() returns the index of the IA32_PAT entry with the memory type (0 for
 * MEMORY_DEFAULT), or -1 if the CPU cannot provide the type.
 */
int space_take_type(struct cpu_space *space, uint32_t memory);
void space_give_type_back(struct cpu_space *space);

/* The copy's linear address. */
static inline uint64_t space_copy_linear(const struct cpu_space *space)
{
    return space->linear + SPACE_STACK_BYTES + SPACE_TRAMPOLINE_BYTES;
}

/*
 * The kernel's stack frame: space_frame() returns its address outside the space, and
 * space_frame_linear() its address in the space.
 */
static inline uint64_t *space_frame(const struct cpu_space *space)
{
    return (uint64_t *)(space->pages + SPACE_STACK_BYTES) - FRAME_WORDS;
}

static inline uint64_t space_frame_linear(const struct cpu_space *space)
{
    return space->linear + SPACE_STACK_BYTES - FRAME_WORDS * sizeof(uint64_t);
}

#endif
