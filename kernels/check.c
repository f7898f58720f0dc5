/* SPDX-License-Identifier: BSD-2-Clause */
/* Validates kernel records. */
#include "kernels/check.h"
#include "kernels/choose.h"
#include "pmu/base/list.h"

#include <stdbool.h>

#define CODE_ALIGN_MAX 4096u

static const uint64_t FEATURES_KNOWN = (1ull << KERNEL_FEATURES) - 1;
static const uint32_t FLAGS_KNOWN =
    KERNEL_RING0 | KERNEL_PAIR | KERNEL_CROWD | KERNEL_KNOWN | KERNEL_MOVES;
static const uint32_t CLOBBERS_KNOWN =
    (0xffffu & ~(1u << 4)) | KERNEL_CLOBBERS_X87 | KERNEL_CLOBBERS_VECTORS; /* bit 4: RSP */

static const char *const SENTENCES[KERNEL_FAULTS] = {KERNEL_FAULT_LIST(LIST_TEXT)};

const char *kernel_fault_text(unsigned fault)
{
    return fault < KERNEL_FAULTS ? SENTENCES[fault] : "unknown fault";
}

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static bool is_zero(const void *bytes, size_t count)
{
    const uint8_t *next = bytes;

    while (count > 0 && *next == 0) {
        next++;
        count--;
    }
    return count == 0;
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_argument_character(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_printable(char c)
{
    return c >= ' ' && c <= '~';
}

/* Whether a field is text: allowed characters (at least one), then zeros (at least one). */
static bool is_text(const char *field, size_t field_bytes, bool (*allowed)(char))
{
    size_t length = 0;

    while (length < field_bytes && allowed(field[length]))
        length++;
    return length > 0 && length < field_bytes && is_zero(field + length, field_bytes - length);
}

static bool is_page_size(uint32_t bytes)
{
    return bytes == 4096 || bytes == 2u << 20 || bytes == 1u << 30;
}

size_t kernel_listed(const struct kernel_record *record)
{
    return (record->record_bytes - sizeof(*record)) / sizeof(record->list[0]);
}

static uint32_t crc_of(const struct kernel_record *record, kernel_crc32 *crc32)
{
    static const uint32_t NO_CRC = 0;
    const uint8_t *bytes = (const uint8_t *)record;
    size_t field = offsetof(struct kernel_record, crc32);
    size_t behind = field + sizeof(record->crc32);
    uint32_t crc = crc32(0, bytes, field);

    crc = crc32(crc, &NO_CRC, sizeof(NO_CRC));
    return crc32(crc, bytes + behind, record->size_bytes - behind);
}

static enum kernel_fault check_extent(const struct kernel_record *record, size_t available,
                                      kernel_crc32 *crc32)
{
    static const char MAGIC[] = KERNEL_MAGIC;
    uint64_t padded;

    for (size_t i = 0; i < sizeof(record->magic); i++) {
        if (record->magic[i] != MAGIC[i])
            return KERNEL_BAD_MAGIC;
    }
    if (record->abi != KERNEL_ABI)
        return KERNEL_BAD_ABI;
    if (record->record_bytes < sizeof(*record) ||
        (record->record_bytes - sizeof(*record)) % sizeof(record->list[0]) != 0 ||
        kernel_listed(record) > KERNEL_LIST_MAX)
        return KERNEL_BAD_RECORD_BYTES;
    padded = (uint64_t)record->record_bytes + record->code_bytes + KERNEL_ALIGN - 1;
    padded -= padded % KERNEL_ALIGN;
    if (record->code_bytes == 0 || record->size_bytes != padded)
        return KERNEL_BAD_SIZE;
    if (record->size_bytes > available)
        return KERNEL_TRUNCATED;
    return crc_of(record, crc32) == record->crc32 ? KERNEL_OK : KERNEL_BAD_CRC;
}

/*
 * If the offset is inside the record, the subtraction wraps around, so the result is not below
 * code_bytes.
 */
static bool is_in_code(const struct kernel_record *record, uint64_t offset)
{
    return offset - record->record_bytes < record->code_bytes;
}

static enum kernel_fault check_code(const struct kernel_record *record)
{
    uint32_t roles = record->flags & (KERNEL_PAIR | KERNEL_CROWD);

    if (!is_in_code(record, record->entry_offset))
        return KERNEL_BAD_ENTRY;
    if (record->prepare_offset != 0 && !is_in_code(record, record->prepare_offset))
        return KERNEL_BAD_PREPARE;
    if (record->second_offset != 0 && !is_in_code(record, record->second_offset))
        return KERNEL_BAD_SECOND;
    if (roles == (KERNEL_PAIR | KERNEL_CROWD) || (roles != 0) != (record->second_offset != 0))
        return KERNEL_BAD_PAIR;
    if (!is_power_of_two(record->code_align) || record->code_align > CODE_ALIGN_MAX)
        return KERNEL_BAD_CODE_ALIGN;
    return KERNEL_OK;
}

static enum kernel_fault check_needs(const struct kernel_record *record)
{
    bool buffer = record->buffer_bytes != 0;

    if (record->default_n == 0 || record->default_n > KERNEL_N_MAX)
        return KERNEL_BAD_DEFAULT_N;
    if (record->buffer_bytes > KERNEL_BUFFER_MAX)
        return KERNEL_BAD_BUFFER;
    if (buffer ? !is_power_of_two(record->buffer_align) : record->buffer_align != 0)
        return KERNEL_BAD_BUFFER_ALIGN;
    if (record->page_bytes != 0 && !(buffer && is_page_size(record->page_bytes)))
        return KERNEL_BAD_PAGE_BYTES;
    if (record->cpu_features & ~FEATURES_KNOWN)
        return KERNEL_BAD_FEATURES;
    if (record->clobbers & ~CLOBBERS_KNOWN)
        return KERNEL_BAD_CLOBBERS;
    if (record->flags & ~FLAGS_KNOWN)
        return KERNEL_BAD_FLAGS;
    return KERNEL_OK;
}

static bool is_bounded(int64_t c0, int64_t c1)
{
    return c0 >= -KERNEL_C0_MAX && c0 <= KERNEL_C0_MAX && c1 >= -KERNEL_C1_MAX &&
           c1 <= KERNEL_C1_MAX;
}

/*
 * The lowest and highest counts are linear in n. So low <= high holds for all n >= 1 if it holds at
 * n = 1 and if the slope of low is not above the slope of high.
 */
static enum kernel_fault check_count(const struct kernel_count *count)
{
    bool same = count->low_c0 == count->high_c0 && count->low_c1 == count->high_c1;
    int64_t low = count->low_c1;
    int64_t high = count->high_c1;

    if (count->kind > KERNEL_RANGE)
        return KERNEL_BAD_KIND;
    if (count->kind == KERNEL_NOT_DECLARED) {
        bool blank =
            is_zero(&count->low_c0, sizeof(*count) - offsetof(struct kernel_count, low_c0));
        return blank ? KERNEL_OK : KERNEL_BAD_UNDECLARED;
    }
    if (count->kind == KERNEL_EXACT && !same)
        return KERNEL_BAD_EXACT;
    if (!is_bounded(count->low_c0, low) || !is_bounded(count->high_c0, high))
        return KERNEL_BAD_BOUND;
    if (low < 0 || kernel_count_low(count, 1) < 0)
        return KERNEL_BAD_NEGATIVE;
    if (low > high || kernel_count_low(count, 1) > kernel_count_high(count, 1))
        return KERNEL_BAD_RANGE;
    return KERNEL_OK;
}

/* Checks the list's entries: each property, and KERNEL_NO_OTHERS, may occur at most once. */
static enum kernel_fault check_list(const struct kernel_record *record)
{
    enum kernel_fault fault;

    for (size_t i = 0; i < kernel_listed(record); i++) {
        struct kernel_count count = record->list[i];
        const bool rest = count.kind == KERNEL_NO_OTHERS;

        if (count.property < PROPERTY_FIRST || count.property >= PROPERTY_END + (rest ? 1u : 0u))
            return KERNEL_BAD_PROPERTY;
        for (size_t k = 0; k < i; k++)
            if ((record->list[k].kind == KERNEL_NO_OTHERS) == rest &&
                (rest || record->list[k].property == count.property))
                return KERNEL_BAD_PROPERTY;
        count.kind = rest ? KERNEL_NOT_DECLARED : count.kind;
        fault = check_count(&count);
        if (fault != KERNEL_OK)
            return fault;
    }
    return KERNEL_OK;
}

static enum kernel_fault check_argument(const struct kernel_record *record)
{
    uint32_t low = record->argument_low, high = record->argument_high;
    uint32_t step = record->argument_step, value = record->argument_default;

    if (record->argument[0] == 0) {
        bool blank = is_zero(record->argument, sizeof(record->argument)) && value == 0 &&
                     low == 0 && high == 0 && step == 0;
        return blank ? KERNEL_OK : KERNEL_BAD_ARGUMENT;
    }
    if (!is_text(record->argument, sizeof(record->argument), is_argument_character) || step == 0 ||
        value < low || value > high || (value - low) % step != 0)
        return KERNEL_BAD_ARGUMENT;
    return KERNEL_OK;
}

static enum kernel_fault check_round(const struct kernel_record *record)
{
    uint32_t of = record->round_of;
    bool walks = of == ROUND_BUFFER || of == ROUND_BLOCKS;
    bool asks = of == ROUND_BLOCKS || of == ROUND_ARGUMENT;

    if (of >= KERNEL_ROUNDS || (of == ROUND_NONE) != (record->round_step == 0) ||
        (walks && record->buffer_bytes == 0) || (asks && record->argument_low == 0) ||
        record->default_n % kernel_round(record, record->buffer_bytes, record->argument_default))
        return KERNEL_BAD_ROUND;
    return KERNEL_OK;
}

static enum kernel_fault check_moves(const struct kernel_record *record)
{
    uint32_t lines = 0;

    for (uint32_t flag = KERNEL_READS; flag <= KERNEL_STREAMS; flag <<= 1)
        lines += (record->flags & flag) != 0;
    return lines == 0 || (record->round_of == ROUND_BUFFER &&
                          record->round_step == lines * KERNEL_LINE_BYTES)
               ? KERNEL_OK
               : KERNEL_BAD_MOVES;
}

static enum kernel_fault check_rest(const struct kernel_record *record)
{
    enum kernel_fault fault = check_argument(record);

    if (!is_text(record->name, sizeof(record->name), is_name_character))
        return KERNEL_BAD_NAME;
    if (!is_text(record->title, sizeof(record->title), is_printable))
        return KERNEL_BAD_TITLE;
    if (!is_text(record->family, sizeof(record->family), is_name_character))
        return KERNEL_BAD_FAMILY;
    if (fault != KERNEL_OK)
        return fault;
    for (size_t i = 0; i < KERNEL_DECLARATIONS; i++) {
        if (record->declared[i].property != PROPERTY_NONE)
            return KERNEL_BAD_PROPERTY;
        fault = check_count(&record->declared[i]);
        if (fault != KERNEL_OK)
            return fault;
    }
    fault = check_list(record);
    if (fault == KERNEL_OK)
        fault = check_round(record);
    return fault == KERNEL_OK ? check_moves(record) : fault;
}

enum kernel_fault kernel_check(const void *bytes, size_t available, kernel_crc32 *crc32)
{
    const struct kernel_record *record = bytes;
    enum kernel_fault fault;

    if (available < sizeof(*record))
        return KERNEL_SHORT;
    fault = check_extent(record, available, crc32);
    if (fault == KERNEL_OK)
        fault = check_code(record);
    if (fault == KERNEL_OK)
        fault = check_needs(record);
    if (fault == KERNEL_OK)
        fault = check_rest(record);
    return fault;
}

enum kernel_fault kernel_check_file(const void *bytes, size_t size, kernel_crc32 *crc32)
{
    const struct kernel_record *record = bytes;
    enum kernel_fault fault;

    if (size > KERNEL_FILE_BYTES_MAX)
        return KERNEL_TOO_LARGE;
    fault = kernel_check(bytes, size, crc32);
    return fault == KERNEL_OK && record->size_bytes != size ? KERNEL_TRAILING : fault;
}

const struct kernel_record *kernel_next(const void *table, size_t table_bytes,
                                        const struct kernel_record *previous, kernel_crc32 *crc32,
                                        enum kernel_fault *why)
{
    const uint8_t *next = table;
    size_t left = table_bytes;

    if (previous != NULL) {
        next = (const uint8_t *)previous + previous->size_bytes;
        left -= (size_t)(next - (const uint8_t *)table);
    }
    *why = left == 0 ? KERNEL_OK : kernel_check(next, left, crc32);
    return left != 0 && *why == KERNEL_OK ? (const void *)next : NULL;
}

struct kernel_count kernel_declares(const struct kernel_record *record, unsigned what)
{
    struct kernel_count count = {.kind = KERNEL_NOT_DECLARED};

    if (what < KERNEL_DECLARATIONS)
        return record->declared[what];
    for (size_t i = 0; i < kernel_listed(record); i++) {
        if (record->list[i].kind == KERNEL_NO_OTHERS && what < record->list[i].property)
            count.kind = KERNEL_EXACT; /* 0 */
        else if (record->list[i].kind != KERNEL_NO_OTHERS && record->list[i].property == what)
            return record->list[i];
    }
    return count;
}

int64_t kernel_count_low(const struct kernel_count *count, uint64_t n)
{
    return count->low_c0 + count->low_c1 * (int64_t)n;
}

int64_t kernel_count_high(const struct kernel_count *count, uint64_t n)
{
    return count->high_c0 + count->high_c1 * (int64_t)n;
}
