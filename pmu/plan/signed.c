/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the text in a signed plan. */
#include "pmu/plan/signed.h"
#include "pmu/base/bytes.h"

#define PE_OFFSET_AT    0x3cu /* in the image: offset of the PE header, 4 bytes */
#define SECTIONS_AT     6u    /* in the PE header: number of sections, 2 bytes */
#define OPTIONAL_AT     20u   /* in the PE header: size of the optional header, 2 bytes */
#define PE_HEADER_BYTES 24u
#define SECTION_BYTES   40u
#define TEXT_BYTES_AT   8u /* in a section header: size without padding */
#define FILE_BYTES_AT   16u
#define FILE_OFFSET_AT  20u
#define NAME            ".plan"

bool plan_is_image(struct piece file)
{
    return file.size >= 2 && file.at[0] == 'M' && file.at[1] == 'Z';
}

/* 0 if the file ends before the end of the number. */
static uint64_t number(struct piece file, uint64_t at, unsigned bytes)
{
    return at + bytes <= file.size ? bytes_get((const uint8_t *)file.at + at, bytes) : 0;
}

struct piece plan_of_image(struct piece file)
{
    uint64_t pe = number(file, PE_OFFSET_AT, 4);
    uint64_t sections = number(file, pe + SECTIONS_AT, 2);
    uint64_t section = pe + PE_HEADER_BYTES + number(file, pe + OPTIONAL_AT, 2);

    for (; sections > 0 && section + SECTION_BYTES <= file.size; sections--) {
        uint64_t offset = number(file, section + FILE_OFFSET_AT, 4);
        uint64_t bytes = number(file, section + TEXT_BYTES_AT, 4);

        if (piece_is((struct piece){file.at + section, sizeof(NAME) - 1}, NAME))
            return bytes <= number(file, section + FILE_BYTES_AT, 4) && offset + bytes <= file.size
                       ? (struct piece){file.at + offset, bytes}
                       : (struct piece){file.at, 0};
        section += SECTION_BYTES;
    }
    return (struct piece){file.at, 0};
}

struct piece plan_parse_file(struct piece file, struct plan *plan, array_memory *memory)
{
    struct piece text = plan_is_image(file) ? plan_of_image(file) : file;
    bool is_cut = text.size >= PLAN_FILE_BYTES_MAX;

    if (is_cut)
        text.size = PLAN_FILE_BYTES_MAX;
    plan_parse(text.at, text.size, plan, memory);
    if (is_cut)
        plan_add_error(plan, 0, "only the first %u bytes of the file are read",
                       PLAN_FILE_BYTES_MAX);
    return text;
}
