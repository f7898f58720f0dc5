/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts uncore events, counters and errors into words. */
#include "pmu/uncore/words.h"
#include "pmu/base/status.h"

/* Sources: Intel SDM vol. 3B, "MSR_UNCORE_PERFEVTSELx"; "PMON_CTL" in the uncore manuals. */
#define OCC_RESET (1ull << 17)
#define EDGE      (1ull << 18)
#define TID       (1ull << 19)
#define INVERT    (1ull << 23)
#define THRESHOLD 24u /* lowest bit */

static const char *const ENERGY_WORDS[UNCORE_COUNTERS_MAX] = {
    [ENERGY_PACKAGE] = "the package",
    [ENERGY_DRAM] = "the DRAM",
    [ENERGY_CORE] = "the cores",
    [ENERGY_GRAPHICS] = "the graphics",
};

static unsigned counter_of(const struct event *event)
{
    unsigned counter = 0;

    while (counter + 1 < UNCORE_COUNTERS_MAX && !(event->counters >> counter & 1))
        counter++;
    return counter;
}

static bool has_select(const struct event *event)
{
    return event->kind != KIND_CLOCK && event->kind != KIND_IMC_FREE && event->kind != KIND_ENERGY;
}

void uncore_counter_name(const struct event *event, const struct slot *slot, struct out *out)
{
    out_printf(out, "%s%u", uncore_kind_name(event->kind), slot->counter);
    if (event_second(event))
        out_printf(out, "+%s%u", uncore_kind_name(event->kind), slot->second);
}

static void put_config(const struct event *event, uint64_t select, struct out *out)
{
    out_printf(out, "uncore_%s/config=0x%llx/", uncore_kind_name(event->kind),
               (unsigned long long)select);
}

void uncore_event_encoding(const struct event *event, struct out *out)
{
    if (event->kind == KIND_NONE || event->status == STATUS_EVENT_UNKNOWN ||
        event->status == STATUS_EVENT_SYNTAX)
        return;
    if (!has_select(event)) {
        out_printf(out, "uncore_%s/counter=%u/", uncore_kind_name(event->kind), counter_of(event));
        return;
    }
    put_config(event, event->select, out);
    if (event_second(event)) {
        out_char(out, '+');
        put_config(event, event_second(event), out);
    }
}

static void put_select(uint64_t select, struct out *out)
{
    const unsigned threshold = (unsigned)(select >> THRESHOLD & 0xff);

    out_text(out, "event ");
    out_hex(out, select & 0xff);
    out_text(out, ", unit mask ");
    out_hex(out, select >> 8 & 0xff);
    if (select >> 32) {
        out_text(out, ", extended ");
        out_hex(out, select >> 32);
    }
    if (threshold)
        out_printf(out, "; threshold %u", threshold);
    if (select & INVERT)
        out_text(out, "; inverted");
    if (select & EDGE)
        out_text(out, "; edges");
    if (select & TID)
        out_text(out, "; by thread");
    if (select & OCC_RESET)
        out_text(out, "; occupancy reset");
}

static void selects_words(const struct event *event, struct out *out)
{
    put_select(event->select, out);
    if (event_second(event)) {
        out_text(out, " + ");
        put_select(event_second(event), out);
    }
    if (event->extra_msr) {
        out_text(out, "; register ");
        out_hex(out, event->extra_msr);
        out_text(out, " is ");
        out_hex(out, event->extra);
    }
}

void uncore_event_words(const struct event *event, struct out *out)
{
    const unsigned counter = counter_of(event);

    out_text(out, "package: ");
    switch (event->kind) {
    case KIND_ENERGY:
        out_printf(out, "energy of %s",
                   ENERGY_WORDS[counter] ? ENERGY_WORDS[counter] : "something");
        return;
    case KIND_CLOCK:
        out_text(out, "uncore clock");
        return;
    default:
        break;
    }
    out_printf(out, "%s, ", uncore_kind_name(event->kind));
    if (has_select(event))
        selects_words(event, out);
    else
        out_printf(out, "counter %u, which counts one fixed event", counter);
}

void uncore_lacking_words(uint64_t has, uint64_t lacks, struct out *out)
{
    static const struct {
        uint64_t bits;
        const char *word;
    } FIELDS[] = {
        {UNCORE_SELECT_EVENT, "event"},
        {UNCORE_SELECT_UMASK, "umask"},
        {UNCORE_SELECT_OCC_RST, "occ_rst"},
        {UNCORE_SELECT_E, "edge"},
        {UNCORE_SELECT_INV, "inv"},
        {UNCORE_SELECT_CMASK, "cmask"},
        {UNCORE_SELECT_UMASK_EXT, "umask_ext"},
        {UINT64_MAX, "others"},
    };
    const char *before = "";

    for (unsigned i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
        const uint64_t bits = FIELDS[i].bits;

        if (lacks & bits) {
            out_printf(out, "%s%s", before, FIELDS[i].word);
            if (has & bits)
                out_printf(out, " (at most %llx)",
                           (unsigned long long)((has & bits) / (bits & -bits)));
            before = ", ";
        }
        lacks &= ~bits;
    }
}

void uncore_register_words(const struct uncore_error *error, struct out *out)
{
    const unsigned long long address = error->address;
    const unsigned segment = (unsigned)(error->address >> 28);

    switch (error->space) {
    case SPACE_MSR:
        out_printf(out, "MSR 0x%llx", address);
        break;
    case SPACE_PCI:
        out_text(out, "PCI ");
        if (segment)
            out_printf(out, "%04x:", segment);
        out_printf(out, "%02x:%02x.%u+%x", (unsigned)(address >> 20 & 0xff),
                   (unsigned)(address >> 15 & 0x1f), (unsigned)(address >> 12 & 7),
                   (unsigned)(address & 0xfff));
        break;
    default:
        out_printf(out, "MMIO 0x%llx", address);
        break;
    }
}

void uncore_error_words(const struct uncore_error *error, struct out *out)
{
    out_printf(out, "%s: ", status_text(error->status));
    uncore_register_words(error, out);
    if (error->status == STATUS_UNCORE_KEPT)
        out_printf(out, ", wrote 0x%llx, read 0x%llx", (unsigned long long)error->written,
                   (unsigned long long)error->read);
}

void uncore_fault_words(const struct uncore_record_group *group, struct out *out)
{
    out_printf(out, "%s%u", uncore_kind_name(group->kind), group->fault_counter);
    out_printf(out, " of unit %u: %s", group->fault_unit, uncore_fault_text(group->fault));
}
