/* SPDX-License-Identifier: BSD-2-Clause */
/* Validates kernel records. The functions read nothing beyond the given bytes. */
#ifndef BARECOUNT_KERNELS_CHECK_H
#define BARECOUNT_KERNELS_CHECK_H

#include "kernels/kernel.h"

/* The limits of the numbers keep c0 + c1 * n within 64 bits, even for n = 2 * KERNEL_N_MAX. */
#define KERNEL_N_MAX  (1ull << 40)
#define KERNEL_C0_MAX (1ll << 61)
#define KERNEL_C1_MAX (1ll << 21)

#define KERNEL_BUFFER_MAX (1ull << 40) /* bytes */

#define KERNEL_FILE_BYTES_MAX (1u << 20)

#define KERNEL_FAULT_LIST(X)                                                                       \
    X(KERNEL_OK, "ok")                                                                             \
    X(KERNEL_SHORT, "truncated: fewer bytes than a kernel record has")                             \
    X(KERNEL_BAD_MAGIC, "no kernel starts here (magic)")                                           \
    X(KERNEL_BAD_ABI, "made for another version of the kernel ABI")                                \
    X(KERNEL_BAD_RECORD_BYTES, "the record's size is not that of this ABI")                        \
    X(KERNEL_BAD_SIZE, "code_bytes is 0, or size_bytes is not record + code, padded to 64")        \
    X(KERNEL_TRUNCATED, "truncated: the data ends before the kernel does")                         \
    X(KERNEL_BAD_CRC, "damaged: the CRC does not match")                                           \
    X(KERNEL_BAD_ENTRY, "entry_offset is outside the code")                                        \
    X(KERNEL_BAD_PREPARE, "prepare_offset is outside the code")                                    \
    X(KERNEL_BAD_SECOND, "second_offset is outside the code")                                      \
    X(KERNEL_BAD_PAIR, "a second entry requires one of the flags pair and crowd, and vice versa")  \
    X(KERNEL_BAD_CODE_ALIGN, "code_align is not a power of two up to 4096")                        \
    X(KERNEL_BAD_DEFAULT_N, "default_n is 0 or above 2^40")                                        \
    X(KERNEL_BAD_BUFFER, "buffer_bytes is above 2^40")                                             \
    X(KERNEL_BAD_BUFFER_ALIGN, "buffer_align is not a power of two, or there is no buffer")        \
    X(KERNEL_BAD_PAGE_BYTES, "page_bytes is not a page size, or there is no buffer")               \
    X(KERNEL_BAD_FEATURES, "needs a CPU feature that this program does not know")                  \
    X(KERNEL_BAD_CLOBBERS, "clobbers RSP or something unknown")                                    \
    X(KERNEL_BAD_FLAGS, "has a flag that this program does not know")                              \
    X(KERNEL_BAD_NAME, "the name is empty, not of a-z 0-9 _, or does not end with zeros")          \
    X(KERNEL_BAD_TITLE, "the title is empty, not printable ASCII, or does not end with zeros")     \
    X(KERNEL_BAD_FAMILY, "the family is empty, not of a-z 0-9 _, or does not end with zeros")      \
    X(KERNEL_BAD_ARGUMENT, "the argument's name, range, step and default do not fit together")     \
    X(KERNEL_BAD_KIND, "a count's kind is unknown")                                                \
    X(KERNEL_BAD_UNDECLARED, "a count that is not declared has numbers other than 0")              \
    X(KERNEL_BAD_EXACT, "the low and the high end of an exact count differ")                       \
    X(KERNEL_BAD_BOUND, "a count's numbers are too large")                                         \
    X(KERNEL_BAD_NEGATIVE, "a count can become negative")                                          \
    X(KERNEL_BAD_RANGE, "a count's low end can rise above its high end")                           \
    X(KERNEL_BAD_ROUND,                                                                            \
      "the round lacks its step, buffer or argument, or does not divide default_n")                \
    X(KERNEL_BAD_MOVES,                                                                            \
      "moves lines, but its ROUND does not use 64 bytes of the buffer for each line")              \
    X(KERNEL_BAD_PROPERTY,                                                                         \
      "declares a property twice, in the wrong place, or one that this program lacks")             \
    X(KERNEL_TOO_LARGE, "too large: a file may have at most 1 MiB")                                \
    X(KERNEL_TRAILING, "bytes follow the kernel, but a file holds exactly one")

enum kernel_fault {
#define KERNEL_FAULT_ENUM(code, sentence) code,
    KERNEL_FAULT_LIST(KERNEL_FAULT_ENUM)
#undef KERNEL_FAULT_ENUM
        KERNEL_FAULTS
};

/* Unknown numbers give "unknown fault". */
const char *kernel_fault_text(unsigned fault);

/*
 * CRC-32 of IEEE 802.3, as in zlib's crc32(). `before` is the CRC of the preceding bytes; 0: none.
 */
typedef uint32_t kernel_crc32(uint32_t before, const void *bytes, size_t count);

/*
 * Returns the first fault of the kernel at `bytes`, or KERNEL_OK. `bytes` must be aligned to 8.
 * Bytes after the kernel are ignored.
 */
enum kernel_fault kernel_check(const void *bytes, size_t available, kernel_crc32 *crc32);

/* Like kernel_check(), but the file must contain one kernel and nothing else. */
enum kernel_fault kernel_check_file(const void *bytes, size_t size, kernel_crc32 *crc32);

/*
 * Returns the kernel after `previous` in a table, or the first one if `previous` is null. Returns
 * null at the end of the table (*why is KERNEL_OK) and at a faulty kernel (*why is the fault).
 */
const struct kernel_record *kernel_next(const void *table, size_t table_bytes,
                                        const struct kernel_record *previous, kernel_crc32 *crc32,
                                        enum kernel_fault *why);

/* The number of entries in kernel_record.list. */
size_t kernel_listed(const struct kernel_record *record);

/*
 * What a valid kernel declares: `what` is a number of enum kernel_declares or enum property. A
 * property that is neither in the list nor covered by KERNEL_NO_OTHERS is not declared.
 */
struct kernel_count kernel_declares(const struct kernel_record *record, unsigned what);

/* The limits of a declared count in a valid kernel. n may be up to 2 * KERNEL_N_MAX. */
int64_t kernel_count_low(const struct kernel_count *count, uint64_t n);
int64_t kernel_count_high(const struct kernel_count *count, uint64_t n);

#endif
