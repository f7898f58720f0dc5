/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of a trip into a space; boot/cpu/trip.inc has the same offsets for nasm. Inputs are in a
 * read-only page and results in a writable page, both at fixed addresses. Therefore the code that
 * returns from a kernel relies on no register.
 */
#ifndef BARECOUNT_BOOT_CPU_TRIP_H
#define BARECOUNT_BOOT_CPU_TRIP_H

#include "boot/cpu/window.h"
#include "boot/cpu/instructions.h"
#include "pmu/cpu/page_map.h"

#define TRIP_LINEAR     PAGE_MAP_BASE
#define TRIP_OUT_LINEAR (PAGE_MAP_BASE + PAGE_BYTES)

/* General registers, with the numbers that instructions encode. */
enum {
    GPR_RAX,
    GPR_RCX,
    GPR_RDX,
    GPR_RBX,
    GPR_RSP,
    GPR_RBP,
    GPR_RSI,
    GPR_RDI,
    GPR_R8,
    GPR_R9,
    GPRS = 16
};

struct trip {
    const uint64_t *from; /* registers at the kernel's start: `start` or trip_out.gpr */
    uint64_t open_value;
    uint64_t cr0, cr3, cr4;                   /* inside the space */
    uint64_t found_cr0, found_cr3, found_cr4; /* outside the space */
    uint64_t *recovery;                       /* &cpu_context.recovery */
    uint64_t stack;                           /* RSP outside the space */
    struct trip *self;                        /* this struct's address outside the space */
    uint32_t index[DELTAS_MAX];               /* RDPMC indexes */
    uint64_t deltas_msr;
    const char *window;                                    /* where trip_window() jumps to */
    struct table_pointer idt __attribute__((aligned(16))); /* inside the space */
    struct table_pointer found_idt __attribute__((aligned(16)));
    uint64_t start[GPRS]; /* registers before `prepare` */
    uint64_t kept[GPRS];  /* all ones for a register that a kernel must preserve, else 0 */
};
_Static_assert(offsetof(struct trip, open_value) == 8, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip, cr0) == 16, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip, found_cr0) == 40, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip, recovery) == 64, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip, index) == 88, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip, deltas_msr) == 144, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip, window) == 152, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip, idt) == 160, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip, found_idt) == 176, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip, start) == 192, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip, kept) == 320, "boot/cpu/trip.inc");

/* The frame that INT pushes and IRETQ pops. */
struct interrupt_frame {
    uint64_t rip, cs, rflags, rsp, ss;
};

struct trip_out {
    /*
     * The registers as `prepare` left them. If `differs` is not 0: the changed bits of each
     * register that the kernel must preserve. RAX, RCX and RDX are not stored.
     */
    uint64_t gpr[GPRS];
    uint64_t rflags;
    uint64_t tsc_start;
    uint64_t tsc_end;
    uint64_t cr0, cr3, cr4;
    uint64_t read[3][DELTAS_MAX]; /* read by deltas_window */
    struct table_pointer idt __attribute__((aligned(16)));
    uint64_t differs;            /* 0: the kernel kept all that it must preserve */
    struct interrupt_frame user; /* for IRETQ and INT; its end is aligned to 16 bytes */
};
_Static_assert(offsetof(struct trip_out, rflags) == 128, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip_out, tsc_end) == 144, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip_out, cr4) == 168, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip_out, read) == 176, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip_out, idt) == 512, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip_out, differs) == 528, "boot/cpu/trip.inc");
_Static_assert(offsetof(struct trip_out, user) == 536, "boot/cpu/trip.inc");
#define TRIP_OUT_USER_END (offsetof(struct trip_out, user) + sizeof(struct interrupt_frame))
_Static_assert(TRIP_OUT_USER_END % 16 == 0, "INT aligns the stack that it pushes on");

/* Makes a trip; call it with interrupts off. Returns WINDOW_DONE or WINDOW_FAULTED. */
typedef __attribute__((sysv_abi)) unsigned trip_run(struct trip *trip);

/* Defined in boot/cpu/window.asm. */
trip_run trip_prepare, trip_window;
extern const char window_text[], window_text_end[];

/*
 * A write to the MSR window_msrs[i] opens window i of trip_window(). No register opens the last
 * window, so its entry is 0.
 */
#define WINDOW_BYTES 32u
extern const char windows[];
extern const uint32_t window_msrs[];

/*
 * Ends a trip whose kernel was ended by an exception. The trap handler clears *recovery, and
 * returns here with the RSP that the trip had stored in *recovery. CR3 must be found_cr3.
 */
extern const char trip_recover[];

/* Defined in boot/cpu/deltas.asm. */
extern const char deltas_window[];
extern const char deltas_text[], deltas_text_end[];

/*
 * Defined in boot/cpu/window_user.asm: trips to CPL 3, with windows in the order of window_msrs[].
 * A kernel returns to the address that is USER_DONE_AT bytes after the start of its window.
 */
trip_run trip_user_prepare, trip_user_window;
#define USER_DONE_AT 16u
extern const char user_windows[], user_done_prepare[];
extern const char user_text[], user_text_end[];
extern const char user_trampoline[], user_trampoline_end[];

/* Defined in boot/cpu/traps.asm. */
extern const char traps_text[], traps_text_end[];

#endif
