/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/events/rows.h"
#include "pmu/uncore/uncore.h"

/* What separates names from other things in tables and in plans. */
static bool is_separator(char c)
{
    switch (c) {
    case ',':
    case '"':
    case ':':
    case '/':
    case '|':
    case '+':
    case '=':
    case '#':
        return true;
    default:
        return false;
    }
}

bool event_name_valid(struct piece name)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.at[i] <= ' ' || name.at[i] > '~' || is_separator(name.at[i]))
            return false;
    return name.size > 0;
}

enum { NAME, SELECT, COUNTERS, FIXED, FLAGS, MSR, VALUE, DESCRIPTION, UNIT, FIELDS };
_Static_assert(FIELDS == EVENT_LINE_FIELDS_MAX, "fields of a row");

#define FIXED_MAX 15u /* IA32_FIXED_CTR_CTRL has room for 16 */

/* Of every select outside the cores: the overflow's PMI, and EN. No event has them. */
#define UNIT_SELECT_NEVER (1u << 20 | 1u << 22)

bool event_row_refuse(const struct event_lines *lines, struct piece found, const char *expected)
{
    char shown[PIECE_SHOW_BYTES];

    event_lines_error(lines, "%s, found '%s'", expected, piece_show(found, shown));
    return false;
}

bool event_row_name(const struct event_lines *lines, struct piece name, struct event_entry *entry)
{
    entry->name = name;
    if (name.size >= EVENT_NAME_BYTES) {
        event_lines_error(lines, "the name: expected at most %u characters, found %u",
                          EVENT_NAME_BYTES - 1, (unsigned)name.size);
        return false;
    }
    return event_name_valid(name) ||
           event_row_refuse(lines, name, "expected a name without blanks and , \" : / | + = #");
}

static bool take_select(const struct event_lines *lines, struct piece field,
                        const struct select_layout *layout, struct event_entry *entry)
{
    entry->has_select = field.size > 0;
    if (!entry->has_select)
        return true;
    if (!piece_hex(field, &entry->select))
        return event_row_refuse(lines, field, "select: expected a hexadecimal number, as 81d0");
    return (entry->select & ~select_bits(layout)) == 0 ||
           event_row_refuse(lines, field,
                            "select: has bits that are no event's (USR, OS, PC, INT, EN, ...)");
}

static bool take_counters(const struct event_lines *lines, struct piece field,
                          struct event_entry *entry)
{
    uint64_t counters = 0;

    if (field.size > 0 && (!piece_hex(field, &counters) || counters == 0 || counters > UINT16_MAX))
        return event_row_refuse(lines, field,
                                "counters: expected hexadecimal bits, from 1 to ffff");
    entry->counters = (uint16_t)counters;
    return true;
}

static bool take_fixed(const struct event_lines *lines, struct piece field,
                       struct event_entry *entry)
{
    uint64_t fixed;

    if (field.size == 0) {
        entry->fixed = EVENT_NOT_FIXED;
        return entry->has_select ||
               event_row_refuse(lines, field, "expected a select or a fixed counter");
    }
    if (!piece_number(field, &fixed) || fixed > FIXED_MAX)
        return event_row_refuse(lines, field,
                                "fixed: expected the number of a counter, from 0 to 15");
    entry->fixed = (int8_t)fixed;
    return true;
}

static bool take_flags(const struct event_lines *lines, struct piece field,
                       struct event_entry *entry)
{
    static const char LETTERS[] = "adp";
    static const uint8_t FLAG[] = {EVENT_ALONE, EVENT_DEPRECATED, EVENT_PRECISE};

    for (size_t i = 0; i < field.size; i++) {
        size_t letter = piece_find((struct piece){LETTERS, 3}, field.at[i]);

        if (letter == 3 || entry->flags & FLAG[letter])
            return event_row_refuse(lines, field,
                                    "flags: expected each of a, d and p at most once");
        entry->flags |= FLAG[letter];
    }
    return true;
}

static bool take_extra(const struct event_lines *lines, struct piece msr, struct piece value,
                       struct event_entry *entry)
{
    uint64_t found;

    if (msr.size == 0)
        return value.size == 0 ||
               event_row_refuse(lines, value, "value: expected nothing without an msr");
    if (!piece_hex(msr, &found) || found > UINT32_MAX || !select_extra_name((uint32_t)found))
        return event_row_refuse(lines, msr, "msr: expected 1a6, 1a7, 3f6 or 3f7");
    if (!piece_hex(value, &entry->value))
        return event_row_refuse(lines, value, "value: expected a hexadecimal number");
    if (entry->value > select_extra_max((uint32_t)found))
        return event_row_refuse(lines, value, "value: the register has not so many bits");
    entry->msr = (uint32_t)found;
    return entry->has_select || event_row_refuse(lines, msr, "msr: expected a select beside it");
}

/* What counts the event; nothing for one of the cores. */
static bool take_unit(const struct event_lines *lines, struct piece field,
                      struct event_entry *entry)
{
    if (field.size == 0)
        return true;
    entry->kind = (uint8_t)uncore_kind_of(field.at, field.size);
    return (entry->kind != KIND_NONE && entry->kind != KIND_ENERGY) ||
           event_row_refuse(lines, field, "unit: expected one that this program knows, as cbox");
}

static bool take_core(const struct event_lines *lines, struct piece *field,
                      const struct select_layout *layout, struct event_entry *entry)
{
    return take_select(lines, field[SELECT], layout, entry) &&
           take_counters(lines, field[COUNTERS], entry) && take_fixed(lines, field[FIXED], entry) &&
           take_flags(lines, field[FLAGS], entry) &&
           take_extra(lines, field[MSR], field[VALUE], entry);
}

/* The extra register of a unit: which one it has is known where the package is. */
static bool take_unit_extra(const struct event_lines *lines, struct piece msr, struct piece value,
                            struct event_entry *entry)
{
    uint64_t found;

    if (msr.size == 0)
        return value.size == 0 ||
               event_row_refuse(lines, value, "value: expected nothing without an msr");
    if (!piece_hex(msr, &found) || found == 0 || found > UINT32_MAX)
        return event_row_refuse(lines, msr, "msr: expected the number of the unit's register");
    entry->msr = (uint32_t)found;
    return piece_hex(value, &entry->value) ||
           event_row_refuse(lines, value, "value: expected a hexadecimal number");
}

static bool is_one_bit(unsigned bits)
{
    return bits != 0 && (bits & (bits - 1)) == 0;
}

/* A select that the unit has not is an error where the package is known. */
static bool take_uncore(const struct event_lines *lines, struct piece *field,
                        struct event_entry *entry)
{
    entry->has_select = true;
    entry->fixed = EVENT_NOT_FIXED;
    if (!piece_hex(field[SELECT], &entry->select))
        return event_row_refuse(lines, field[SELECT],
                                "select: expected a hexadecimal number, as 8f34");
    if (entry->select & UNIT_SELECT_NEVER)
        return event_row_refuse(lines, field[SELECT],
                                "select: has bits that are no event's (EN, PMI)");
    if (field[FIXED].size > 0)
        return event_row_refuse(lines, field[FIXED], "fixed: expected nothing beside a unit");
    if (!take_counters(lines, field[COUNTERS], entry))
        return false;
    if (entry->kind == KIND_IMC_FREE && !is_one_bit(entry->counters))
        return event_row_refuse(lines, field[COUNTERS], "counters: expected the one that it is");
    return take_flags(lines, field[FLAGS], entry) &&
           take_unit_extra(lines, field[MSR], field[VALUE], entry);
}

bool event_row_csv(const struct event_lines *lines, struct piece line, enum event_row_form form,
                   const struct select_layout *layout, struct event_entry *entry)
{
    struct piece field[EVENT_LINE_FIELDS_MAX] = {0};
    unsigned count = event_line_fields(line, field);
    char shown[PIECE_SHOW_BYTES];

    *entry = (struct event_entry){0};
    if (count == 0)
        return event_row_refuse(lines, line,
                                "expected quotes around a whole field, two for one inside");
    if (count != (form == ROW_WITHOUT_UNIT ? UNIT : FIELDS) &&
        !(form == ROW_ANY && count == UNIT)) {
        event_lines_error(lines, "expected the %u fields %s, found %u in '%s'",
                          form == ROW_WITHOUT_UNIT ? UNIT : FIELDS,
                          form == ROW_WITHOUT_UNIT ? EVENT_ROW_NAMES : EVENT_ROW_NAMES_UNIT, count,
                          piece_show(line, shown));
        return false;
    }
    entry->description = field[DESCRIPTION];
    if (!event_row_name(lines, field[NAME], entry) || !take_unit(lines, field[UNIT], entry))
        return false;
    return entry->kind ? take_uncore(lines, field, entry) : take_core(lines, field, layout, entry);
}
