/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel record: what a test kernel says of itself, in front of its code.
 *
 * A kernel is one position-independent blob: this record, then its code, padded to KERNEL_ALIGN.
 * The built-in table (build/kernels.bin) is such blobs one after the other; a kernel from the stick
 * is a file with one. Little-endian. kernels/kernel.inc writes the same fields for nasm;
 * kernels/check.c refuses what does not hold together.
 *
 * Calling a kernel: RDI = n (1 to 2^40), RSI = buffer, R8 = bytes of the buffer (buffer_bytes or
 * more), R9 = further arguments (0 for none). Entered by CALL, left by RET; both belong to the
 * window, not to the kernel's counts. A kernel may change every register but RSP, and must leave
 * DF = 0. `prepare`, where there is one, is called first with the same registers; what it leaves in
 * them, except in RAX, RCX and RDX, reaches the kernel.
 *
 * A kernel's buffer is zeroed once, before its first run on a CPU, and then left alone.
 */
#ifndef BARECOUNT_KERNELS_KERNEL_H
#define BARECOUNT_KERNELS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#define KERNEL_MAGIC       "BCKERNEL"
#define KERNEL_ABI         1u
#define KERNEL_ALIGN       64u
#define KERNEL_NAME_BYTES  32u
#define KERNEL_TITLE_BYTES 80u

/* What a kernel declares of one kind of event. */
enum kernel_declared {
    KERNEL_NOT_DECLARED = 0, /* the reason stands beside the code */
    KERNEL_EXACT = 1,        /* low == high */
    KERNEL_RANGE = 2,
};

/* A count that is linear in n: from low_c0 + low_c1 * n to high_c0 + high_c1 * n, both included. */
struct kernel_count {
    uint32_t kind; /* enum kernel_declared */
    uint32_t reserved;
    int64_t low_c0;
    int64_t low_c1;
    int64_t high_c0;
    int64_t high_c1;
};

/* The declarations, in the order of the record. */
enum kernel_declares {
    KERNEL_INSTRUCTIONS,
    KERNEL_BRANCHES,
    KERNEL_TAKEN_BRANCHES,
    KERNEL_LOADS,  /* retired load instructions: one that loads twice counts once */
    KERNEL_STORES, /* retired store instructions */
    KERNEL_DECLARATIONS,
};

/* CPU features a kernel needs (bits of cpu_features). SSE2 is part of x86-64. */
#define KERNEL_NEEDS_AVX  (1ull << 0)
#define KERNEL_NEEDS_AVX2 (1ull << 1)

/*
 * Bits of clobbers, of prepare and kernel together: 0-15 the general registers in their encoding's
 * order (RSP's stays 0), then these.
 */
#define KERNEL_CLOBBERS_X87     (1u << 16)
#define KERNEL_CLOBBERS_VECTORS (1u << 17)

/* Bits of flags. */
#define KERNEL_RING0 (1u << 0) /* needs CPL 0 */
#define KERNEL_PAIR  (1u << 1) /* has a second role for another CPU */

struct kernel_record {
    char magic[8]; /* KERNEL_MAGIC without a final zero */
    uint32_t abi;
    uint32_t record_bytes;   /* of this structure */
    uint32_t size_bytes;     /* record, code and padding: a multiple of KERNEL_ALIGN */
    uint32_t entry_offset;   /* from the start of the record, as all offsets */
    uint32_t prepare_offset; /* 0: none */
    uint32_t second_offset;  /* 0: none */
    uint32_t code_bytes;     /* from the end of the record, without padding */
    uint32_t code_align;     /* of the record's start; a power of two, at most 4096 */
    uint64_t default_n;
    uint64_t buffer_bytes; /* 0: none */
    uint32_t buffer_align; /* a power of two, or 0 without a buffer */
    uint32_t page_bytes;   /* page size the buffer wants; 0: any */
    uint64_t cpu_features;
    uint32_t clobbers;
    uint32_t flags;
    char name[KERNEL_NAME_BYTES];   /* [a-z0-9_], ends with zeros */
    char title[KERNEL_TITLE_BYTES]; /* printable ASCII, ends with zeros */
    struct kernel_count declared[KERNEL_DECLARATIONS];
    uint32_t crc32; /* IEEE 802.3, of all size_bytes with this field taken as 0 */
    uint8_t reserved[52];
};
_Static_assert(offsetof(struct kernel_record, default_n) == 40, "record layout");
_Static_assert(offsetof(struct kernel_record, name) == 80, "record layout");
_Static_assert(offsetof(struct kernel_record, declared) == 192, "record layout");
_Static_assert(offsetof(struct kernel_record, crc32) == 392, "record layout");
_Static_assert(sizeof(struct kernel_record) == 448, "record layout");

#endif
