/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a kernel record hold together? For the built-in table and for files from the stick alike.
 *
 * Pure, freestanding, no allocation; any CPU may call it. Nothing of a kernel is trusted before it
 * was accepted; nothing is read beyond the bytes that are said to be there.
 */
#ifndef BARECOUNT_KERNELS_CHECK_H
#define BARECOUNT_KERNELS_CHECK_H

#include "kernels/kernel.h"

/* Bounds that keep c0 + c1 * n within 64 bits for every n a plan may ask for. */
#define KERNEL_N_MAX  (1ull << 40)
#define KERNEL_C0_MAX (1ll << 61)
#define KERNEL_C1_MAX (1ll << 21)

/* Bytes of a buffer, at the most. */
#define KERNEL_BUFFER_MAX (1ull << 40)

/* Bytes of a file with a kernel, at the most. */
#define KERNEL_FILE_BYTES_MAX (1u << 20)

/* What can be wrong. */
#define KERNEL_FAULT_LIST(X)                                                                       \
    X(KERNEL_OK, "ok")                                                                             \
    X(KERNEL_SHORT, "truncated: fewer bytes than a kernel record has")                             \
    X(KERNEL_BAD_MAGIC, "no kernel starts here (magic)")                                           \
    X(KERNEL_BAD_ABI, "made for another version of the kernel ABI")                                \
    X(KERNEL_BAD_RECORD_BYTES, "the record's own size is not the one of this ABI")                 \
    X(KERNEL_BAD_SIZE, "size_bytes is not record and code, padded to 64")                          \
    X(KERNEL_TRUNCATED, "truncated: the kernel is longer than what is there")                      \
    X(KERNEL_BAD_CRC, "damaged: the CRC does not match")                                           \
    X(KERNEL_BAD_ENTRY, "entry_offset is outside the code")                                        \
    X(KERNEL_BAD_PREPARE, "prepare_offset is outside the code")                                    \
    X(KERNEL_BAD_SECOND, "second_offset is outside the code")                                      \
    X(KERNEL_BAD_PAIR, "a second entry and one flag of pair and crowd do not come together")       \
    X(KERNEL_BAD_CODE_ALIGN, "code_align is not a power of two up to 4096")                        \
    X(KERNEL_BAD_DEFAULT_N, "default_n is 0 or above 2^40")                                        \
    X(KERNEL_BAD_BUFFER, "buffer_bytes is above 2^40")                                             \
    X(KERNEL_BAD_BUFFER_ALIGN, "buffer_align is not a power of two, or stands without a buffer")   \
    X(KERNEL_BAD_PAGE_BYTES, "page_bytes is no page size, or stands without a buffer")             \
    X(KERNEL_BAD_FEATURES, "needs a CPU feature that this program does not know")                  \
    X(KERNEL_BAD_CLOBBERS, "clobbers RSP or something unknown")                                    \
    X(KERNEL_BAD_FLAGS, "has a flag that this program does not know")                              \
    X(KERNEL_BAD_NAME, "the name is empty, not of a-z 0-9 _, or does not end with zeros")          \
    X(KERNEL_BAD_TITLE, "the title is empty, not printable ASCII, or does not end with zeros")     \
    X(KERNEL_BAD_FAMILY, "the family is empty, not of a-z 0-9 _, or does not end with zeros")      \
    X(KERNEL_BAD_ARGUMENT, "the argument's name, range, step and default do not go together")      \
    X(KERNEL_BAD_KIND, "a count's kind is unknown")                                                \
    X(KERNEL_BAD_UNDECLARED, "a count that is not declared has numbers")                           \
    X(KERNEL_BAD_EXACT, "an exact count has two values")                                           \
    X(KERNEL_BAD_BOUND, "a count's numbers are too large")                                         \
    X(KERNEL_BAD_NEGATIVE, "a count can become negative")                                          \
    X(KERNEL_BAD_RANGE, "a count's low end can rise above its high end")                           \
    X(KERNEL_BAD_ROUND,                                                                            \
      "the round is of what the kernel lacks, or default_n no whole number of them")               \
    X(KERNEL_BAD_MOVES,                                                                            \
      "moves lines, and its round does not have 64 bytes of the buffer for each")                  \
    X(KERNEL_BAD_RESERVED, "a reserved field is not 0")                                            \
    X(KERNEL_TOO_LARGE, "too large: a file has 1 MiB at the most")                                 \
    X(KERNEL_TRAILING, "bytes stand behind the kernel, and a file holds exactly one")

enum kernel_fault {
#define KERNEL_FAULT_ENUM(code, sentence) code,
    KERNEL_FAULT_LIST(KERNEL_FAULT_ENUM)
#undef KERNEL_FAULT_ENUM
        KERNEL_FAULTS
};

/* The sentence of a fault; "unknown fault" for one outside the list. */
const char *kernel_fault_text(unsigned fault);

/*
 * CRC-32 of IEEE 802.3 as zlib's crc32(): the checksum of what came before (0 at first) continued
 * over `count` bytes. The caller brings it, so that this folder needs no other.
 */
typedef uint32_t kernel_crc32(uint32_t before, const void *bytes, size_t count);

/*
 * The first fault of the kernel at `bytes` (aligned to 8), of which `available` bytes are there, or
 * KERNEL_OK. Bytes behind the kernel are not looked at.
 */
enum kernel_fault kernel_check(const void *bytes, size_t available, kernel_crc32 *crc32);

/* The same of a file, which holds one kernel and nothing else. */
enum kernel_fault kernel_check_file(const void *bytes, size_t size, kernel_crc32 *crc32);

/*
 * The kernel behind `previous` in a table, or the first for NULL; NULL at the end of the table and
 * at a kernel with a fault, which *why tells apart (KERNEL_OK at the end).
 */
const struct kernel_record *kernel_next(const void *table, size_t table_bytes,
                                        const struct kernel_record *previous, kernel_crc32 *crc32,
                                        enum kernel_fault *why);

/* The ends of a declared count for n <= KERNEL_N_MAX, of a kernel that was accepted. */
int64_t kernel_count_low(const struct kernel_count *count, uint64_t n);
int64_t kernel_count_high(const struct kernel_count *count, uint64_t n);

#endif
