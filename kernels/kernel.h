/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record in front of a kernel's code.
 *
 * A kernel is one position-independent blob: this record and its list of properties, then its code,
 * padded to KERNEL_ALIGN.
 * The built-in table (build/kernels.bin) is a sequence of blobs; a file on the stick is one blob.
 * Numbers are little-endian.
 *
 * Calling a kernel: RDI = n (1 to 2^40), RSI = buffer, R8 = size of the buffer (at least
 * buffer_bytes), R9 = the kernel's argument (0 for none). The CALL and the RET belong to the
 * window. A kernel may change the registers listed in its record, but never RSP, and must leave DF
 * clear.
 *
 * `prepare` is called before the window, with two more registers: RCX, the CPU's index among the
 * CPUs that run the kernel (0: the first role), and RDX, the buffer of the first role. The kernel
 * gets the general registers as `prepare` leaves them, except RAX, RCX and RDX.
 *
 * A kernel for several CPUs has a second role: for one other CPU (KERNEL_PAIR), or for all others
 * that the plan measures (KERNEL_CROWD). The first role begins when `prepare` has ended on all
 * CPUs. Events are counted for both roles of a pair, but only for the first role of a crowd. The
 * declared counts apply to every role whose events are counted.
 *
 * A kernel's buffer is zeroed once on each CPU, before the kernel's first run there. A CPU of the
 * second role has its own buffer, and may also access the first role's.
 */
#ifndef BARECOUNT_KERNELS_KERNEL_H
#define BARECOUNT_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/counters/property.h"

#define KERNEL_MAGIC          "BCKERNEL"
#define KERNEL_ABI            1u
#define KERNEL_ALIGN          64u
#define KERNEL_NAME_BYTES     32u
#define KERNEL_TITLE_BYTES    80u
#define KERNEL_ARGUMENT_BYTES 12u
#define KERNEL_FAMILY_BYTES   16u
#define KERNEL_LIST_MAX       8u

enum kernel_declared {
    KERNEL_NOT_DECLARED = 0,
    KERNEL_EXACT = 1, /* low == high */
    KERNEL_RANGE = 2,
    KERNEL_NO_OTHERS = 3, /* in the list: unlisted properties below `property` are 0 */
};

/* A count from low_c0 + low_c1 * n to high_c0 + high_c1 * n, inclusive. */
struct kernel_count {
    uint32_t kind;     /* enum kernel_declared */
    uint32_t property; /* in the list: enum property; elsewhere 0 */
    int64_t low_c0;
    int64_t low_c1;
    int64_t high_c0;
    int64_t high_c1;
};

/* The events whose counts a kernel declares, in the order of kernel_record.declared. */
enum kernel_declares {
    KERNEL_INSTRUCTIONS,
    KERNEL_BRANCHES,
    KERNEL_TAKEN_BRANCHES,
    KERNEL_LOADS,  /* retired load instructions; one that loads twice counts once */
    KERNEL_STORES, /* retired store instructions */
    KERNEL_DECLARATIONS,
};
_Static_assert((int)KERNEL_DECLARATIONS == PROPERTY_FIRST, "one sequence of numbers");
#define KERNEL_COUNTS PROPERTY_END /* the five events above and the properties */

/*
 * For each CPU feature: its bit in cpu_features, and its name in NEEDS of kernel.inc. SSE2 is part
 * of x86-64.
 */
#define KERNEL_FEATURE_LIST(X)                                                                     \
    X(0, AVX, "avx")                                                                               \
    X(1, AVX2, "avx2")                                                                             \
    X(2, SSE3, "sse3")                                                                             \
    X(3, SSSE3, "ssse3")                                                                           \
    X(4, SSE4_1, "sse4_1")                                                                         \
    X(5, SSE4_2, "sse4_2")                                                                         \
    X(6, POPCNT, "popcnt")                                                                         \
    X(7, LZCNT, "lzcnt")                                                                           \
    X(8, BMI1, "bmi1")                                                                             \
    X(9, BMI2, "bmi2")                                                                             \
    X(10, ADX, "adx")                                                                              \
    X(11, MOVBE, "movbe")                                                                          \
    X(12, AES, "aes")                                                                              \
    X(13, PCLMULQDQ, "pclmulqdq")                                                                  \
    X(14, SHA, "sha")                                                                              \
    X(15, FMA, "fma")                                                                              \
    X(16, F16C, "f16c")                                                                            \
    X(17, GFNI, "gfni")                                                                            \
    X(18, VAES, "vaes")                                                                            \
    X(19, VPCLMULQDQ, "vpclmulqdq")                                                                \
    X(20, AVX512F, "avx512f")                                                                      \
    X(21, AVX512BW, "avx512bw")                                                                    \
    X(22, AVX512DQ, "avx512dq")                                                                    \
    X(23, AVX512VL, "avx512vl")                                                                    \
    X(24, AVX512CD, "avx512cd")                                                                    \
    X(25, AVX512_IFMA, "avx512_ifma")                                                              \
    X(26, AVX512_VBMI, "avx512_vbmi")                                                              \
    X(27, AVX512_VBMI2, "avx512_vbmi2")                                                            \
    X(28, AVX512_VNNI, "avx512_vnni")                                                              \
    X(29, AVX512_BITALG, "avx512_bitalg")                                                          \
    X(30, AVX512_VPOPCNTDQ, "avx512_vpopcntdq")                                                    \
    X(31, AVX_VNNI, "avx_vnni")                                                                    \
    X(32, CX16, "cx16")                                                                            \
    X(33, RDRAND, "rdrand")                                                                        \
    X(34, RDSEED, "rdseed")                                                                        \
    X(35, CLFLUSHOPT, "clflushopt")                                                                \
    X(36, CLWB, "clwb")                                                                            \
    X(37, PREFETCHW, "prefetchw")                                                                  \
    X(38, SERIALIZE, "serialize")                                                                  \
    X(39, MOVDIRI, "movdiri")                                                                      \
    X(40, MOVDIR64B, "movdir64b")                                                                  \
    X(41, RDTSCP, "rdtscp")                                                                        \
    X(42, RDPID, "rdpid")

enum kernel_feature {
#define KERNEL_FEATURE_ENUM(bit, name, text) KERNEL_FEATURE_##name = bit,
    KERNEL_FEATURE_LIST(KERNEL_FEATURE_ENUM)
#undef KERNEL_FEATURE_ENUM
        KERNEL_FEATURES
};
#define KERNEL_NEEDS(name) (1ull << KERNEL_FEATURE_##name)

/*
 * Bits of clobbers, for `prepare` and kernel together. Bits 0-15 are the general registers in the
 * order of their encoding; RSP's bit is never set.
 */
#define KERNEL_CLOBBERS_X87     (1u << 16)
#define KERNEL_CLOBBERS_VECTORS (1u << 17)

/* Bits of flags. */
#define KERNEL_RING0 (1u << 0) /* requires CPL 0 */
#define KERNEL_PAIR  (1u << 1)
#define KERNEL_CROWD (1u << 2)
#define KERNEL_KNOWN (1u << 3) /* its counts are known, and the built-in plan runs it */
/*
 * What each n (each repetition of the kernel's work) does with whole lines, if the buffer is larger
 * than all caches. A round uses no line twice.
 */
#define KERNEL_READS      (1u << 4)
#define KERNEL_WRITES     (1u << 5) /* by ordinary stores, which also read the line */
#define KERNEL_STREAMS    (1u << 6) /* by non-temporal stores */
#define KERNEL_LINE_BYTES 64u
#define KERNEL_MOVES      (KERNEL_READS | KERNEL_WRITES | KERNEL_STREAMS)

/*
 * How to compute a round, the smallest n that covers the whole buffer or pattern. Counts and times
 * match the title only if n is at least one round.
 */
enum kernel_round {
    ROUND_NONE,     /* any n will do */
    ROUND_BUFFER,   /* each n uses round_step bytes of the buffer */
    ROUND_BLOCKS,   /* each n uses round_step * argument bytes of the buffer */
    ROUND_ARGUMENT, /* a round is n = round_step * argument */
    KERNEL_ROUNDS
};

struct kernel_record {
    char magic[8];
    uint32_t abi;
    uint32_t record_bytes;   /* size of this structure, and of the list behind it */
    uint32_t size_bytes;     /* record, code and padding: a multiple of KERNEL_ALIGN */
    uint32_t entry_offset;   /* like all offsets, from the start of the record */
    uint32_t prepare_offset; /* 0: none */
    uint32_t second_offset;  /* 0: none */
    uint32_t code_bytes;     /* without record and padding */
    uint32_t code_align;     /* alignment of the record: a power of two, at most 4096 */
    uint64_t default_n;
    uint64_t buffer_bytes; /* 0: none */
    uint32_t buffer_align; /* a power of two; 0 without a buffer */
    uint32_t page_bytes;   /* required page size of the buffer; 0: any */
    uint64_t cpu_features;
    uint32_t clobbers;
    uint32_t flags;
    char name[KERNEL_NAME_BYTES];   /* [a-z0-9_], padded with zeros */
    char title[KERNEL_TITLE_BYTES]; /* printable ASCII, padded with zeros */
    struct kernel_count declared[KERNEL_DECLARATIONS];
    uint32_t crc32; /* of the kernel's size_bytes bytes, computed with 0 in this field */
    /*
     * The argument is passed in R9. Its possible values are argument_low, argument_low +
     * argument_step and so on, up to argument_high. The argument's name consists of [a-z_], padded
     * with zeros. If the kernel takes no argument, the name and the four numbers are 0.
     */
    char argument[KERNEL_ARGUMENT_BYTES];
    uint32_t argument_default;
    uint32_t argument_low;
    uint32_t argument_high;
    uint32_t argument_step;           /* at least 1; 0 without an argument */
    char family[KERNEL_FAMILY_BYTES]; /* [a-z0-9_], padded with zeros */
    uint16_t round_of;                /* enum kernel_round */
    uint16_t copies;     /* per n: operations that `title` names; 0: unknown, or independent of n */
    uint32_t round_step; /* at least 1; 0 with ROUND_NONE */
    /*
     * The declared counts of properties: up to KERNEL_LIST_MAX entries. A program without support
     * for the list rejects kernels with entries, because record_bytes includes the entries.
     */
    struct kernel_count list[];
};
_Static_assert(offsetof(struct kernel_record, default_n) == 40, "record layout");
_Static_assert(offsetof(struct kernel_record, name) == 80, "record layout");
_Static_assert(offsetof(struct kernel_record, declared) == 192, "record layout");
_Static_assert(offsetof(struct kernel_record, crc32) == 392, "record layout");
_Static_assert(offsetof(struct kernel_record, argument_default) == 408, "record layout");
_Static_assert(offsetof(struct kernel_record, family) == 424, "record layout");
_Static_assert(offsetof(struct kernel_record, round_of) == 440, "record layout");
_Static_assert(sizeof(struct kernel_record) == 448, "record layout");

struct kernel_use {
    const void *code; /* record and code, which are copied; offsets of faults count from here */
    uint64_t code_bytes;
    const void *entry;
    const void *second_entry; /* for all roles except the first; null: the kernel has one role */
    const void *twice_entry;  /* for samples at 2n of a kernel with one role; null: use `entry` */
    const void *prepare;      /* null: none */
    uint64_t n;
    uint64_t buffer_bytes; /* 0: none */
    uint64_t buffer_align;
    uint64_t argument;   /* R9 */
    uint32_t page_bytes; /* size of the buffer's pages; 0: any that fit */
    uint32_t memory;     /* enum memory_type */
    uint32_t clobbers;   /* kernel_record.clobbers */
};

/* The entry point of a role (0: the first) for a sample at n or, if `twice`, at 2n. */
static inline const void *kernel_entry(const struct kernel_use *use, uint64_t role, bool twice)
{
    if (role > 0)
        return use->second_entry;
    return twice && use->twice_entry ? use->twice_entry : use->entry;
}

/* The n that the kernel is called with for a sample at n or, if `twice`, at 2n. */
static inline uint64_t kernel_n(const struct kernel_use *use, bool twice)
{
    return twice && !use->twice_entry ? 2 * use->n : use->n;
}

#endif
