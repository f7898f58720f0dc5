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
 * more), R9 = its argument (0 for none). Entered by CALL, left by RET; both belong to the window,
 * not to the kernel's counts. A kernel may change the registers that its record says, RSP never,
 * and must leave DF = 0. `prepare`, where there is one, is called first with the same registers,
 * and with RCX = its number among the CPUs that run the kernel together (0: the first role) and RDX
 * = the buffer of the first role (its own for number 0); what it leaves in the registers, except in
 * RAX, RCX and RDX, reaches the kernel.
 *
 * A kernel of several CPUs has a second role: of one other CPU (KERNEL_PAIR), or of all others that
 * the plan measures (KERNEL_CROWD). All have prepared before the first begins. Roles of a pair are
 * counted both, of a crowd the first; the declared counts hold for both roles.
 *
 * A kernel's buffer is zeroed once, before its first run on a CPU, and then left alone. A second
 * role's buffer is its own; it may read and write the first one's too.
 */
#ifndef BARECOUNT_KERNELS_KERNEL_H
#define BARECOUNT_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_MAGIC          "BCKERNEL"
#define KERNEL_ABI            1u
#define KERNEL_ALIGN          64u
#define KERNEL_NAME_BYTES     32u
#define KERNEL_TITLE_BYTES    80u
#define KERNEL_ARGUMENT_BYTES 12u
#define KERNEL_FAMILY_BYTES   16u

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

/*
 * CPU features a kernel needs (bits of cpu_features), as NEEDS of kernel.inc names them: bit, name.
 * SSE2 is part of x86-64.
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
 * Bits of clobbers, of prepare and kernel together: 0-15 the general registers in their encoding's
 * order (RSP's stays 0), then these.
 */
#define KERNEL_CLOBBERS_X87     (1u << 16)
#define KERNEL_CLOBBERS_VECTORS (1u << 17)

/* Bits of flags. */
#define KERNEL_RING0 (1u << 0) /* needs CPL 0 */
#define KERNEL_PAIR  (1u << 1) /* has a second role for another CPU */
#define KERNEL_CROWD (1u << 2) /* has a second role for all other CPUs */
#define KERNEL_KNOWN (1u << 3) /* stands in the plan that is built in: its answer is known */
/* What each n moves, of a buffer that no cache holds: whole lines of 64 bytes, each its own. */
#define KERNEL_READS      (1u << 4) /* reads one */
#define KERNEL_WRITES     (1u << 5) /* writes one by ordinary stores, which read it first */
#define KERNEL_STREAMS    (1u << 6) /* writes one by non-temporal stores */
#define KERNEL_LINE_BYTES 64u
#define KERNEL_MOVES      (KERNEL_READS | KERNEL_WRITES | KERNEL_STREAMS)

/* A round: what n must go through once for counts and times to mean what the title says. */
enum kernel_round {
    ROUND_NONE,     /* nothing: any n does */
    ROUND_BUFFER,   /* each n goes through round_step bytes of the buffer */
    ROUND_BLOCKS,   /* each n goes through round_step times the argument of it */
    ROUND_ARGUMENT, /* round_step times the argument is how many n it takes */
    KERNEL_ROUNDS
};

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
    /*
     * What R9 is: a name of [a-z_], ended by zeros, and its values: from low to high, both
     * included, in steps from low on. Without a name all four are 0, and R9 is.
     */
    char argument[KERNEL_ARGUMENT_BYTES];
    uint32_t argument_default;
    uint32_t argument_low;
    uint32_t argument_high;
    uint32_t argument_step;           /* 1 or more */
    char family[KERNEL_FAMILY_BYTES]; /* [a-z0-9_], ends with zeros */
    uint16_t round_of;                /* enum kernel_round */
    uint16_t copies;     /* how often each n does what the title names; 0: n does not matter, or an
                            older kernel.inc did not tell */
    uint32_t round_step; /* 0 with ROUND_NONE, else 1 or more */
};
_Static_assert(offsetof(struct kernel_record, default_n) == 40, "record layout");
_Static_assert(offsetof(struct kernel_record, name) == 80, "record layout");
_Static_assert(offsetof(struct kernel_record, declared) == 192, "record layout");
_Static_assert(offsetof(struct kernel_record, crc32) == 392, "record layout");
_Static_assert(offsetof(struct kernel_record, argument_default) == 408, "record layout");
_Static_assert(offsetof(struct kernel_record, family) == 424, "record layout");
_Static_assert(offsetof(struct kernel_record, round_of) == 440, "record layout");
_Static_assert(sizeof(struct kernel_record) == 448, "record layout");

/* A kernel in use: what a CPU must know of it to run it. */
struct kernel_use {
    const void *code; /* what is copied: record and code; fault offsets count from here */
    uint64_t code_bytes;
    const void *entry;
    const void *second_entry; /* of every role but the first; null: there is one role */
    const void *twice_entry;  /* of the samples at 2n, where there is one role; null: the same */
    const void *prepare;      /* null: none */
    uint64_t n;
    uint64_t buffer_bytes; /* 0: none */
    uint64_t buffer_align;
    uint64_t argument;   /* R9 */
    uint32_t page_bytes; /* of the buffer's pages; 0: whatever fits */
    uint32_t memory;     /* enum memory_type of the buffer */
    uint32_t clobbers;   /* kernel_record.clobbers */
};

/* Where a sample's run begins; `twice`: one at 2n. Role 0 is the first. */
static inline const void *kernel_entry(const struct kernel_use *use, uint64_t role, bool twice)
{
    if (role > 0)
        return use->second_entry;
    return twice && use->twice_entry ? use->twice_entry : use->entry;
}

/* The n that it runs with. */
static inline uint64_t kernel_n(const struct kernel_use *use, bool twice)
{
    return twice && !use->twice_entry ? 2 * use->n : use->n;
}

#endif
