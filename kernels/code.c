/* SPDX-License-Identifier: BSD-2-Clause */
/* Assembles kernels. */
#include "kernels/code.h"

#define INT3 0xccu

/* RSI is set last, because the other registers are computed from it. */
static const uint8_t SETUP[] = {
    0x4c, 0x8d, 0xb6, 0x00, 0x80, 0x00, 0x00, /* lea r14, [rsi + 0x8000] */
    0x48, 0x8d, 0xbe, 0x00, 0x80, 0x01, 0x00, /* lea rdi, [rsi + 0x18000] */
    0x48, 0x8d, 0xae, 0x00, 0x80, 0x03, 0x00, /* lea rbp, [rsi + 0x38000] */
    0x48, 0x8d, 0xb6, 0x00, 0x80, 0x02, 0x00, /* lea rsi, [rsi + 0x28000] */
};
static const uint8_t MOV_R15[] = {0x41, 0xbf};                       /* mov r15d, imm32 */
static const uint8_t DEC_R15_JNZ[] = {0x49, 0xff, 0xcf, 0x0f, 0x85}; /* dec r15; jnz rel32 */
static const uint8_t RET[] = {0xc3};

struct writer {
    uint8_t *at;
    uint64_t used;
};

static void put(struct writer *w, const void *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        w->at[w->used++] = ((const uint8_t *)bytes)[i];
}

static void put32(struct writer *w, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};

    put(w, bytes, sizeof(bytes));
}

static uint64_t padded(uint64_t bytes)
{
    return (bytes + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
}

static void pad(struct writer *w)
{
    uint64_t end = padded(w->used);

    while (w->used < end)
        w->at[w->used++] = INT3;
}

struct kernel_code_places kernel_code_places(const struct kernel_code *code)
{
    uint32_t counter = code->loop ? sizeof(MOV_R15) + sizeof(uint32_t) : 0;

    return (struct kernel_code_places){
        .init_at = sizeof(SETUP),
        .copy_at = (uint32_t)sizeof(SETUP) + code->init_bytes + counter,
    };
}

static uint64_t entry_size(const struct kernel_code *code, uint64_t copies)
{
    uint64_t loop = code->loop ? sizeof(DEC_R15_JNZ) + sizeof(uint32_t) : 0;

    return kernel_code_places(code).copy_at + copies * code->code_bytes + loop + sizeof(RET);
}

uint64_t kernel_code_size(const struct kernel_code *code)
{
    return sizeof(struct kernel_record) + padded(entry_size(code, code->unroll)) +
           padded(entry_size(code, 2ull * code->unroll));
}

static void put_entry(struct writer *w, const struct kernel_code *code, uint64_t copies)
{
    uint64_t start;

    put(w, SETUP, sizeof(SETUP));
    put(w, code->init, code->init_bytes);
    if (code->loop) {
        put(w, MOV_R15, sizeof(MOV_R15));
        put32(w, code->loop);
    }
    start = w->used;
    for (uint64_t i = 0; i < copies; i++)
        put(w, code->code, code->code_bytes);
    if (code->loop) {
        put(w, DEC_R15_JNZ, sizeof(DEC_R15_JNZ));
        put32(w, (uint32_t)(start - (w->used + sizeof(uint32_t))));
    }
    put(w, RET, sizeof(RET));
}

static void put_text(char *to, size_t size, const char *text)
{
    for (size_t i = 0; i + 1 < size && text[i]; i++)
        to[i] = text[i];
}

static void put_record(const struct kernel_code *code, struct kernel_record *record)
{
    *record = (struct kernel_record){
        .abi = KERNEL_ABI,
        .record_bytes = sizeof(*record),
        .size_bytes = (uint32_t)kernel_code_size(code),
        .entry_offset = sizeof(*record),
        .code_align = KERNEL_ALIGN,
        .default_n = (uint64_t)code->unroll * (code->loop ? code->loop : 1),
        .buffer_bytes = KERNEL_CODE_BUFFER,
        .buffer_align = KERNEL_ALIGN,
        .copies = 1,
        .clobbers = (0xffffu & ~(1u << 4)) | KERNEL_CLOBBERS_X87 | KERNEL_CLOBBERS_VECTORS,
    };
    for (size_t i = 0; i < sizeof(record->magic); i++)
        record->magic[i] = KERNEL_MAGIC[i];
    put_text(record->name, sizeof(record->name), code->name);
    put_text(record->title, sizeof(record->title),
             code->loop ? "code of the plan, in a loop" : "code of the plan");
    put_text(record->family, sizeof(record->family), KERNEL_CODE_FAMILY);
}

uint32_t kernel_code_make(const struct kernel_code *code, void *to, kernel_crc32 *crc32)
{
    struct kernel_record *record = to;
    struct writer w = {to, sizeof(*record)};
    uint64_t twice;

    put_record(code, record);
    put_entry(&w, code, code->unroll);
    pad(&w);
    twice = w.used;
    put_entry(&w, code, 2ull * code->unroll);
    record->code_bytes = (uint32_t)(w.used - sizeof(*record));
    pad(&w);
    record->crc32 = crc32(0, to, w.used); /* the field crc32 is still 0 */
    return (uint32_t)twice;
}
