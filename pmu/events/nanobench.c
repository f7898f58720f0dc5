/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nanoBench's lines: EvtSel.UMASK, hexadecimal, then attributes that begin with a dot and whose
 * numbers are as C writes them, then a blank and the name (nanoBench, README, "Performance Counter
 * Config Files").
 */
#include "pmu/events/rows.h"

#define COUNTERS_BITS 16u /* of event_entry.counters */

enum kind { IS_FIELD, IS_ALONE, IS_COUNTER, IS_EXTRA };

struct attribute {
    const char *word;
    bool has_value;
    enum kind kind;
    uint32_t what; /* the field, or the extra register */
};

static const struct attribute ATTRIBUTES[] = {
    {"CMSK", true, IS_FIELD, SELECT_CMASK}, {"AnyT", false, IS_FIELD, SELECT_ANY},
    {"EDG", false, IS_FIELD, SELECT_E},     {"INV", false, IS_FIELD, SELECT_INV},
    {"TakenAlone", false, IS_ALONE, 0},     {"CTR", true, IS_COUNTER, 0},
    {"MSR_3F6H", true, IS_EXTRA, 0x3f6},    {"MSR_PF", true, IS_EXTRA, 0x3f7},
    {"MSR_RSP0", true, IS_EXTRA, 0x1a6},    {"MSR_RSP1", true, IS_EXTRA, 0x1a7},
};
#define ATTRIBUTES_COUNT (sizeof(ATTRIBUTES) / sizeof(ATTRIBUTES[0]))

static const struct attribute *find_attribute(struct piece word)
{
    for (unsigned i = 0; i < ATTRIBUTES_COUNT; i++)
        if (piece_is(word, ATTRIBUTES[i].word))
            return &ATTRIBUTES[i];
    return 0;
}

/* Puts an attribute into the entry; false when its number is out of range. */
static bool apply(const struct attribute *attribute, uint64_t value,
                  const struct select_layout *layout, struct event_entry *entry)
{
    switch (attribute->kind) {
    case IS_FIELD:
        return select_set(layout, (enum select_field)attribute->what, value, &entry->select);
    case IS_ALONE:
        entry->flags |= EVENT_ALONE;
        return true;
    case IS_COUNTER:
        if (value >= COUNTERS_BITS)
            return false;
        entry->counters = (uint16_t)(1u << value);
        return true;
    default: /* a second register would need a second value */
        if (entry->msr)
            return false;
        entry->msr = attribute->what;
        entry->value = value;
        return true;
    }
}

/* One attribute; bit i of *seen: ATTRIBUTES[i] has been there. */
static bool take(const struct event_lines *lines, struct piece item,
                 const struct select_layout *layout, struct event_entry *entry, uint32_t *seen)
{
    struct piece text;
    struct piece word = piece_cut(item, '=', &text);
    const struct attribute *attribute = find_attribute(word);
    uint64_t value = 1;

    if (!attribute)
        return event_row_refuse(lines, item,
                                "expected CMSK=, AnyT, EDG, INV, TakenAlone, CTR=, MSR_3F6H=, "
                                "MSR_PF=, MSR_RSP0= or MSR_RSP1=");
    if (*seen >> (attribute - ATTRIBUTES) & 1)
        return event_row_refuse(lines, item, "expected each attribute once");
    *seen |= 1u << (attribute - ATTRIBUTES);
    if (attribute->has_value && !piece_number(text, &value))
        return event_row_refuse(lines, item, "expected '=' and a number, decimal or 0x...");
    if (!attribute->has_value && text.at)
        return event_row_refuse(lines, item, "expected no value");
    return apply(attribute, value, layout, entry) ||
           event_row_refuse(lines, item, "out of range, or a second extra register");
}

bool event_row_nanobench(const struct event_lines *lines, struct piece line,
                         const struct select_layout *layout, struct event_entry *entry)
{
    struct piece rest;
    struct piece code = {line.at, piece_find_blank(line)};
    struct piece name = piece_trim((struct piece){line.at + code.size, line.size - code.size});
    struct piece number = piece_cut(code, '.', &rest);
    struct piece umask = piece_cut(rest, '.', &rest);
    uint64_t event_value, umask_value;
    uint32_t seen = 0;

    *entry = (struct event_entry){.fixed = EVENT_NOT_FIXED, .has_select = true};
    if (!piece_hex(number, &event_value) ||
        !select_set(layout, SELECT_EVENT, event_value, &entry->select) ||
        !piece_hex(umask, &umask_value) ||
        !select_set(layout, SELECT_UMASK, umask_value, &entry->select))
        return event_row_refuse(
            lines, line, "expected " EVENT_ROW_NAMES " or, as nanoBench, 3C.00.CMSK=1.INV Name");
    while (rest.at)
        if (!take(lines, piece_cut(rest, '.', &rest), layout, entry, &seen))
            return false;
    return event_row_name(lines, name, entry);
}
