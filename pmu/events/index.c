/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a CPU's event table in index.csv. */
#include "pmu/events/index.h"
#include "pmu/base/text.h"

#define FORMAT       "barecount-index"
#define INDEX_FIELDS (1u + FOR_FIELDS)

static enum event_match list_has(struct piece list, uint32_t number)
{
    bool has;

    if (!piece_hex_list(list, number, &has))
        return MATCH_WRONG;
    return has ? MATCH_YES : MATCH_NO;
}

/*
 * `text` is "core", "atom", or one of them with a native model ID, as in "atom:2". An empty text
 * matches every CPU.
 */
static enum event_match core_type_is(struct piece text, const struct cpu_caps *caps)
{
    struct piece native, type = piece_cut(text, ':', &native);
    uint64_t number = caps->native_model;

    if (text.size == 0)
        return MATCH_YES;
    if ((!piece_is(type, "core") && !piece_is(type, "atom")) ||
        (type.size < text.size && !piece_hex(native, &number)))
        return MATCH_WRONG;
    return number == caps->native_model &&
                   piece_is(type, "atom") == (caps->core_type == CORE_TYPE_ATOM)
               ? MATCH_YES
               : MATCH_NO;
}

/* Tables list Hygon's events under AMD's Zen 1. */
static struct cpu_caps listed_as(const struct cpu_caps *caps)
{
    struct cpu_caps as = *caps;

    if (caps_is_hygon(caps)) {
        text_copy(as.vendor_id, sizeof(as.vendor_id), "AuthenticAMD");
        as.family = 0x17;
        as.model = 1;
    }
    return as;
}

enum event_match event_lines_match(const struct event_lines *lines,
                                   const struct piece field[FOR_FIELDS],
                                   const struct cpu_caps *caps)
{
    static const char *const EXPECTED[FOR_FIELDS] = {
        [FOR_VENDOR] = "the vendor: expected GenuineIntel or AuthenticAMD",
        [FOR_FAMILY] = "the family: expected hexadecimal numbers, such as '6' or '17 19'",
        [FOR_MODELS] = "the models: expected hexadecimal numbers, such as '97 9a' or '0-f'",
        [FOR_STEPPINGS] = "the steppings: expected hexadecimal numbers, such as '0-4'",
        [FOR_CORE_TYPE] =
            "the core type: expected 'core', 'atom', 'atom:2' (native model ID 2) or nothing",
    };
    const struct piece vendor = field[FOR_VENDOR];
    bool known =
        vendor.size == 0 || piece_is(vendor, "GenuineIntel") || piece_is(vendor, "AuthenticAMD");
    const struct cpu_caps as = listed_as(caps);
    const enum event_match match[FOR_FIELDS] = {
        [FOR_VENDOR] = !known                                               ? MATCH_WRONG
                       : vendor.size == 0 || piece_is(vendor, as.vendor_id) ? MATCH_YES
                                                                            : MATCH_NO,
        [FOR_FAMILY] = list_has(field[FOR_FAMILY], as.family),
        [FOR_MODELS] = list_has(field[FOR_MODELS], as.model),
        [FOR_STEPPINGS] = list_has(field[FOR_STEPPINGS], as.stepping),
        [FOR_CORE_TYPE] = core_type_is(field[FOR_CORE_TYPE], caps),
    };
    enum event_match all = MATCH_YES;
    char shown[PIECE_SHOW_BYTES];

    for (unsigned i = 0; i < FOR_FIELDS; i++) {
        if (match[i] == MATCH_WRONG) {
            event_lines_error(lines, "%s, found '%s'", EXPECTED[i], piece_show(field[i], shown));
            return MATCH_WRONG;
        }
        if (match[i] == MATCH_NO)
            all = MATCH_NO;
    }
    return all;
}

static void ignore(void *context, uint32_t line, const char *sentence)
{
    (void)context;
    (void)line;
    (void)sentence;
}

static bool is_file_name(struct piece name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = piece_lower(name.at[i]);

        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '_')
            return false;
    }
    return name.size > 4 && piece_is_any_case((struct piece){name.at + name.size - 4, 4}, ".csv");
}

static bool take_line(const struct event_lines *lines, struct piece line,
                      struct piece field[EVENT_LINE_FIELDS_MAX])
{
    unsigned count = event_line_fields(line, field);
    char shown[PIECE_SHOW_BYTES];

    if (count != INDEX_FIELDS) {
        event_lines_error(lines,
                          "expected the %u fields file,vendor,family,models,steppings,"
                          "core_type, found %u in '%s'",
                          INDEX_FIELDS, count, piece_show(line, shown));
        return false;
    }
    if (!is_file_name(field[0])) {
        event_lines_error(lines, "expected the name of a .csv file next to this one, found '%s'",
                          piece_show(field[0], shown));
        return false;
    }
    return true;
}

struct piece event_index_find(const char *text, size_t size, const struct cpu_caps *caps,
                              const struct event_errors *errors)
{
    struct piece line, field[EVENT_LINE_FIELDS_MAX], found = {0};
    struct event_lines lines;

    if (!event_lines_open(&lines, text, size, FORMAT, errors))
        return found;
    while (event_lines_next(&lines, &line))
        if (take_line(&lines, line, field) &&
            event_lines_match(&lines, field + 1, caps) == MATCH_YES && found.size == 0)
            found = field[0];
    return found;
}

bool event_index_names(const char *text, size_t size, const char *file)
{
    static const struct event_errors NOBODY = {.line = ignore};
    struct piece line, field[EVENT_LINE_FIELDS_MAX];
    struct event_lines lines;

    if (piece_is_any_case(piece_of(file), "index.csv"))
        return true;
    if (!event_lines_open(&lines, text, size, FORMAT, &NOBODY))
        return false;
    while (event_lines_next(&lines, &line))
        if (take_line(&lines, line, field) && piece_is_any_case(field[0], file))
            return true;
    return false;
}
