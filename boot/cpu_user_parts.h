/* SPDX-License-Identifier: BSD-2-Clause */
/* What boot/cpu_user.c and boot/cpu_user_space.c share: the inside of a user space. */
#ifndef BARECOUNT_BOOT_CPU_USER_PARTS_H
#define BARECOUNT_BOOT_CPU_USER_PARTS_H

#include "boot/cpu_user.h"
#include "pmu/page_map.h"

#define USER_STACK_BYTES      16384u
#define USER_TRAMPOLINE_BYTES PAGE_BYTES
#define USER_GDT_BYTES        4096u

/* The selectors of ours, from user_space.first on. */
#define USER_CODE_SELECTOR(first) ((uint16_t)((first) | 3))
#define USER_DATA_SELECTOR(first) ((uint16_t)(((first) + 8) | 3))
#define USER_TSS_SELECTOR(first)  ((uint16_t)((first) + 16))
#define USER_GDT_ADDED            32u
#define SELECTOR_RPL              3u
#define SELECTOR_LOCAL            4u

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
    uint64_t unused[11]; /* RSP1, RSP2, the IST */
    uint16_t reserved2;
    uint16_t io_map; /* at the limit or behind it: no port is allowed */
};
_Static_assert(sizeof(struct tss) == 104, "the manual's layout");

struct user_space {
    uint64_t gdt[USER_GDT_BYTES / sizeof(uint64_t)]; /* the firmware's, then ours */
    struct tss tss;
    uint16_t gdt_limit;
    uint16_t first; /* selector of ours */
    struct page_map map;
    void *tables;
    uint32_t tables_count;
    char *pages; /* at CPL 0: stack, trampoline, copy of the kernel */
    uint64_t pages_bytes;
    uint64_t linear;        /* of `pages`, at CPL 3 */
    uint64_t buffer_linear; /* of the kernel's buffer, at CPL 3 */
    struct user_kernel kernel;
};

/* boot/cpu_user.asm */
extern const char user_trampoline[], user_trampoline_ret[], user_trampoline_end[];

#endif
