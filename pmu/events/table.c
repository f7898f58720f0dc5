/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads event tables. */
#include "pmu/events/index.h"
#include "pmu/events/rows.h"
#include "pmu/uncore/uncore.h"

#define FORMAT "barecount-events"

struct reader {
    struct event_tables *tables;
    const struct cpu_caps *caps;
    const struct select_layout *layout;
    struct event_lines lines;
    size_t left_out;
    bool users_own;
    bool names_seen;
    unsigned columns;
    bool refusing;           /* further lines are left out; the reason was reported */
    enum event_match for_us; /* result of the latest `for` line */
};

/* Bit 0 of `which` includes core events, and bit 1 includes uncore events. */
static struct event_entry *find(const struct event_tables *tables, struct piece name,
                                unsigned which)
{
    for (size_t i = 0; i < tables->count; i++)
        if (which >> (tables->entry[i].kind != 0) & 1 &&
            piece_same_name(tables->entry[i].name, name))
            return &tables->entry[i];
    return 0;
}

struct event_entry *event_table_find(const struct event_tables *tables, struct piece name)
{
    return find(tables, name, 1);
}

struct event_entry *event_table_find_unit(const struct event_tables *tables, struct piece name)
{
    return find(tables, name, 2);
}

void event_entry_describe(const struct event_entry *entry, struct out *out)
{
    struct piece rest = entry->description;

    while (rest.size > 0) {
        size_t quote = piece_find(rest, '"');
        size_t shown = quote < rest.size ? quote + 1 : quote;
        size_t used = shown < rest.size && quote < rest.size ? shown + 1 : shown;

        piece_put((struct piece){rest.at, shown}, out);
        rest = (struct piece){rest.at + used, rest.size - used};
    }
}

/* Handles the line of column names; false for any other line. */
static bool take_names(struct reader *r, struct piece line)
{
    struct piece rest;
    char shown[PIECE_SHOW_BYTES];

    if (r->names_seen || (r->users_own && !piece_is(piece_cut(line, ',', &rest), "name")))
        return false;
    r->names_seen = true;
    if (piece_is(line, EVENT_ROW_NAMES_UNIT)) {
        r->columns = EVENT_ROW_COLUMNS + 1;
    } else if (piece_is(line, EVENT_ROW_NAMES)) {
        r->columns = EVENT_ROW_COLUMNS;
    } else if (!piece_is(line, EVENT_ROW_NAMES_ERRATA)) {
        event_lines_error(&r->lines,
                          "expected '" EVENT_ROW_NAMES_ERRATA "', found '%s'; the rest is left out",
                          piece_show(line, shown));
        r->refusing = true;
    }
    return true;
}

/* Handles the lines `for` and `for,...` of a user's table; false for any other line. */
static bool take_for(struct reader *r, struct piece line)
{
    struct piece field[EVENT_LINE_FIELDS_MAX] = {0};
    struct piece rest;
    unsigned count;

    if (!r->users_own || !piece_is(piece_cut(line, ',', &rest), "for"))
        return false;
    count = event_line_fields(line, field);
    if (count == 1) {
        r->for_us = MATCH_YES;
        return true;
    }
    if (count == 1 + FOR_FIELDS) {
        r->for_us = event_lines_match(&r->lines, field + 1, r->caps);
    } else {
        event_lines_error(&r->lines, "expected 'for,vendor,family,models,steppings,core_type' or "
                                     "'for' alone; all lines up to the next 'for' are left out");
        r->for_us = MATCH_WRONG;
    }
    if (r->for_us == MATCH_WRONG)
        r->left_out++;
    return true;
}

/* In nanoBench's form, a blank comes before the first comma, if there is a comma. */
static bool take_row(const struct reader *r, struct piece line, struct event_entry *entry)
{
    size_t comma = r->users_own ? piece_find(line, ',') : 0;

    if (r->users_own && (comma == line.size || piece_find_blank(line) < comma))
        return event_row_nanobench(&r->lines, line, r->layout, entry);
    return event_row_csv(&r->lines, line, r->columns, r->layout, entry);
}

static bool add(struct reader *r, const struct event_entry *entry)
{
    struct event_tables *tables = r->tables;
    struct event_entry *same = r->users_own ? find(tables, entry->name, 3) : 0;

    if (same) {
        *same = *entry;
        return true;
    }
    if (tables->count == tables->room) {
        event_lines_error(&r->lines, "there is room for only %u events; the rest is left out",
                          (unsigned)tables->room);
        r->refusing = true;
        return false;
    }
    tables->entry[tables->count++] = *entry;
    return true;
}

size_t event_table_read(struct event_tables *tables, const char *text, size_t size,
                        const struct cpu_caps *caps, bool users_own,
                        const struct event_errors *errors)
{
    struct reader r = {
        .tables = tables,
        .caps = caps,
        .layout = select_layout(caps->vendor),
        .users_own = users_own,
        .for_us = MATCH_YES,
        .columns = EVENT_ROW_COLUMNS + 2,
    };
    struct event_entry entry;
    struct piece line;

    r.refusing = !event_lines_open(&r.lines, text, size, FORMAT, errors);
    if (r.refusing) /* all lines count as left out */
        r.lines = (struct event_lines){.at = text, .left = size};
    while (event_lines_next(&r.lines, &line)) {
        if (!users_own && !r.refusing && r.lines.left == 0 && text[size - 1] != '\n') {
            event_lines_error(&r.lines, "the file ends within this line");
            r.refusing = true;
        }
        if (r.refusing || take_names(&r, line) || take_for(&r, line))
            r.left_out += r.refusing;
        else if (r.for_us != MATCH_YES)
            r.left_out += r.for_us == MATCH_WRONG;
        else if (!take_row(&r, line, &entry) || !add(&r, &entry))
            r.left_out++;
    }
    return r.left_out;
}

/* The number of leading characters that are allowed in a name. */
static size_t name_length(struct piece text)
{
    static const bool NEVER[UINT8_MAX + 1] = {
        [0 ... ' '] = true, ['"' ... '#'] = true, ['+' ... ','] = true, ['/'] = true,
        [':'] = true,       ['='] = true,         ['|'] = true,         [0x7f ... 0xff] = true,
    };
    size_t i = 0;

    while (i < text.size && !NEVER[(uint8_t)text.at[i]])
        i++;
    return i;
}

bool event_name_valid(struct piece name)
{
    return name.size > 0 && name_length(name) == name.size;
}

enum { NAME, SELECT, COUNTERS, FIXED, FLAGS, MSR, VALUE, DESCRIPTION, UNIT, ERRATA, FIELDS };
_Static_assert(UNIT == EVENT_ROW_COLUMNS && FIELDS == EVENT_LINE_FIELDS_MAX, "fields of a row");

#define FIXED_MAX 15u /* IA32_FIXED_CTR_CTRL has fields for 16 counters */

/* Bits that no event of an uncore unit may have in its select: PMI on overflow, and EN. */
#define UNIT_SELECT_NEVER (1u << 20 | 1u << 22)

bool event_row_refuse(const struct event_lines *lines, struct piece found, const char *expected)
{
    char shown[PIECE_SHOW_BYTES];

    event_lines_error(lines, "%s, found '%s'", expected, piece_show(found, shown));
    return false;
}

static bool take_name(const struct event_lines *lines, struct piece name, bool valid,
                      struct event_entry *entry)
{
    entry->name = name;
    if (name.size >= EVENT_NAME_BYTES) {
        event_lines_error(lines, "the name: expected at most %u characters, found %u",
                          EVENT_NAME_BYTES - 1, (unsigned)name.size);
        return false;
    }
    return valid ||
           event_row_refuse(lines, name, "expected a name without blanks and , \" : / | + = #");
}

bool event_row_name(const struct event_lines *lines, struct piece name, struct event_entry *entry)
{
    return take_name(lines, name, event_name_valid(name), entry);
}

static bool take_select(const struct event_lines *lines, struct piece field,
                        const struct select_layout *layout, struct event_entry *entry)
{
    entry->has_select = field.size > 0;
    if (!entry->has_select)
        return true;
    if (!piece_hex(field, &entry->select))
        return event_row_refuse(lines, field,
                                "select: expected a hexadecimal number, such as 81d0");
    return (entry->select & ~select_bits(layout)) == 0 ||
           event_row_refuse(lines, field,
                            "select: has bits that no event has (USR, OS, PC, INT, EN, ...)");
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
    static const char LETTERS[] = "adop";
    static const uint8_t FLAG[] = {EVENT_ALONE, EVENT_DEPRECATED, EVENT_OTHERWISE, EVENT_PRECISE};

    for (size_t i = 0; i < field.size; i++) {
        size_t letter = piece_find((struct piece){LETTERS, 4}, field.at[i]);

        if (letter == 4 || entry->flags & FLAG[letter])
            return event_row_refuse(lines, field,
                                    "flags: expected each of a, d, o and p at most once");
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
               event_row_refuse(lines, value, "value: expected an empty field if msr is empty");
    if (!piece_hex(msr, &found) || found > UINT32_MAX || !select_extra_name((uint32_t)found))
        return event_row_refuse(lines, msr, "msr: expected 1a6, 1a7, 3e0 to 3e3, 3f6 or 3f7");
    if (!piece_hex(value, &entry->value))
        return event_row_refuse(lines, value, "value: expected a hexadecimal number");
    if (entry->value > select_extra_max((uint32_t)found))
        return event_row_refuse(lines, value, "value: the register does not have that many bits");
    entry->msr = (uint32_t)found;
    return entry->has_select || event_row_refuse(lines, msr, "msr: expected a select in this row");
}

static bool take_unit(const struct event_lines *lines, struct piece field,
                      struct event_entry *entry)
{
    if (field.size == 0)
        return true;
    entry->kind = (uint8_t)uncore_kind_of(field.at, field.size);
    return (entry->kind != KIND_NONE && entry->kind != KIND_ENERGY) ||
           event_row_refuse(lines, field,
                            "unit: expected one that this program knows, such as cbox");
}

static bool take_core(const struct event_lines *lines, struct piece *field,
                      const struct select_layout *layout, struct event_entry *entry)
{
    return take_select(lines, field[SELECT], layout, entry) &&
           take_counters(lines, field[COUNTERS], entry) && take_fixed(lines, field[FIXED], entry) &&
           take_flags(lines, field[FLAGS], entry) &&
           take_extra(lines, field[MSR], field[VALUE], entry);
}

/* Whether the package has the register is checked later. */
static bool take_unit_extra(const struct event_lines *lines, struct piece msr, struct piece value,
                            struct event_entry *entry)
{
    uint64_t found;

    if (msr.size == 0)
        return value.size == 0 ||
               event_row_refuse(lines, value, "value: expected an empty field if msr is empty");
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

static bool take_uncore(const struct event_lines *lines, struct piece *field,
                        struct event_entry *entry)
{
    entry->has_select = true;
    entry->fixed = EVENT_NOT_FIXED;
    if (!piece_hex(field[SELECT], &entry->select))
        return event_row_refuse(lines, field[SELECT],
                                "select: expected a hexadecimal number, such as 8f34");
    if (entry->select & UNIT_SELECT_NEVER)
        return event_row_refuse(lines, field[SELECT],
                                "select: has bits that no event has (EN, PMI)");
    if (field[FIXED].size > 0)
        return event_row_refuse(lines, field[FIXED],
                                "fixed: expected an empty field if unit is given");
    if (!take_counters(lines, field[COUNTERS], entry))
        return false;
    if (entry->kind == KIND_IMC_FREE && !is_one_bit(entry->counters))
        return event_row_refuse(lines, field[COUNTERS], "counters: expected exactly one counter");
    return take_flags(lines, field[FLAGS], entry) &&
           take_unit_extra(lines, field[MSR], field[VALUE], entry);
}

/*
 * Like event_line_fields(), but also sets *valid if the first field is a valid name. A name at the
 * line's start is read only once, for speed.
 */
static unsigned fields_of(struct piece line, struct piece field[1 + EVENT_LINE_FIELDS_MAX],
                          bool *valid)
{
    size_t length = name_length(line);
    unsigned count;

    *valid = length > 0 && length < line.size && line.at[length] == ',';
    if (*valid) {
        field[0] = (struct piece){line.at, length++};
        count = event_line_fields((struct piece){line.at + length, line.size - length}, field + 1);
        return count > 0 ? count + 1 : 0;
    }
    count = event_line_fields(line, field);
    *valid = count > 0 && event_name_valid(field[0]);
    return count;
}

bool event_row_csv(const struct event_lines *lines, struct piece line, unsigned columns,
                   const struct select_layout *layout, struct event_entry *entry)
{
    static const char *const NAMES[] = {EVENT_ROW_NAMES, EVENT_ROW_NAMES_UNIT,
                                        EVENT_ROW_NAMES_ERRATA};
    struct piece field[1 + EVENT_LINE_FIELDS_MAX];
    bool valid;
    unsigned count = fields_of(line, field, &valid);
    char shown[PIECE_SHOW_BYTES];

    *entry = (struct event_entry){0};
    if (count == 0)
        return event_row_refuse(lines, line,
                                "expected quotes around the whole field, and "
                                "doubled quotes inside it");
    if (count > columns) {
        event_lines_error(lines, "expected at most the %u fields %s, found %u in '%s'", columns,
                          NAMES[columns - UNIT], count, piece_show(line, shown));
        return false;
    }
    while (count < FIELDS)
        field[count++] = (struct piece){0};
    entry->description = field[DESCRIPTION];
    entry->errata = field[ERRATA];
    if (!take_name(lines, field[NAME], valid, entry) || !take_unit(lines, field[UNIT], entry))
        return false;
    return entry->kind ? take_uncore(lines, field, entry) : take_core(lines, field, layout, entry);
}

#define COUNTERS_BITS 16u /* in event_entry.counters */

enum kind { IS_FIELD, IS_ALONE, IS_COUNTER, IS_EXTRA };

struct attribute {
    const char *word;
    bool has_value;
    enum kind kind;
    uint32_t what; /* enum select_field, or the number of the extra register */
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

/* False if the value is out of range, or if the entry has an extra register already. */
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
    default:
        if (entry->msr)
            return false;
        entry->msr = attribute->what;
        entry->value = value;
        return true;
    }
}

/* Bit i of *seen is set if ATTRIBUTES[i] has occurred. */
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
            lines, line, "expected " EVENT_ROW_NAMES " or, as in nanoBench, 3C.00.CMSK=1.INV Name");
    while (rest.at)
        if (!take(lines, piece_cut(rest, '.', &rest), layout, entry, &seen))
            return false;
    return event_row_name(lines, name, entry);
}
