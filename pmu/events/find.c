/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolves an event's text for a CPU. */
#include "pmu/events/can.h"
#include "pmu/events/find.h"
#include "pmu/events/text.h"
#include "pmu/events/built_in.h"
#include "pmu/uncore/names.h"
#include "pmu/base/bytes.h"
#include "pmu/base/nearest.h"

#define MORE_BYTES 300u

struct finder {
    const struct event_tables *tables;
    const struct event *builtin;
    size_t builtins;
    const struct cpu_caps *caps;
    const struct select_layout *layout;
    struct event_request request;
    enum status builtin_status; /* STATUS_OK, or why a requested built-in event cannot be counted */
    bool is_builtin;
    struct out *more; /* details for `why` */
};

static const struct event *find_builtin(const struct finder *f, struct piece name)
{
    const struct event *perf;

    for (size_t i = 0; i < f->builtins; i++)
        if (piece_same_name(piece_of(f->builtin[i].name), name))
            return &f->builtin[i];
    for (unsigned i = 0; (perf = event_perf_at(f->caps->vendor, i)); i++)
        if (piece_same_name(piece_of(perf->name), name))
            return perf;
    return 0;
}

static bool is_known(const void *context, struct piece name)
{
    const struct finder *f = context;

    return event_table_find(f->tables, name) || find_builtin(f, name);
}

static bool is_perf_cache_event(struct piece name)
{
    static const char *const CACHES[] = {"l1-dcache-", "l1-icache-", "llc-",       "dtlb-",
                                         "itlb-",      "node-",      "branch-load"};

    for (unsigned i = 0; i < sizeof(CACHES) / sizeof(CACHES[0]); i++) {
        struct piece cache = piece_of(CACHES[i]);

        if (name.size > cache.size &&
            piece_is_any_case((struct piece){name.at, cache.size}, CACHES[i]))
            return true;
    }
    return false;
}

static void say_unknown(const struct finder *f, struct piece name)
{
    if (is_perf_cache_event(name)) {
        out_text(f->more,
                 "; perf's cache events are not supported; --list-events lists this CPU's events");
        return;
    }
    if (f->tables->count == 0)
        out_text(f->more, " (there is no event table for it)");
    event_say_nearest(f->tables, f->caps->vendor, f->builtin, f->builtins, name, f->more);
}

static enum status resolve(struct finder *f, const struct event_part *part,
                           struct event_entry *entry)
{
    const struct event_entry *row = 0;
    const struct event *builtin = 0;

    if (!part->is_number) {
        row = event_table_find(f->tables, part->name);
        builtin = row ? 0 : find_builtin(f, part->name);
    }
    f->is_builtin = builtin && f->request.parts == 1;
    if (builtin && f->builtin_status == STATUS_OK)
        f->builtin_status = (enum status)builtin->status;
    if (row) {
        *entry = *row;
    } else if (builtin) {
        *entry = (struct event_entry){
            .select = builtin->select,
            .value = builtin->extra,
            .msr = builtin->extra_msr,
            .counters = builtin->counters,
            .fixed = builtin->fixed,
            .flags = builtin->flags,
            .has_select = !builtin->fixed_only,
        };
    } else if (part->is_number) {
        *entry = (struct event_entry){
            .select = part->select, .fixed = EVENT_NOT_FIXED, .has_select = true};
    } else {
        say_unknown(f, part->name);
        return STATUS_EVENT_UNKNOWN;
    }
    entry->name = part->name;
    return STATUS_OK;
}

/*
 * perf's encoding of a fixed counter selects that counter. A select with fields beyond event and
 * unit mask needs a general counter.
 */
static void settle_fixed(const struct finder *f, struct event_entry *entry)
{
    const uint64_t plain = f->layout->field[SELECT_EVENT] | f->layout->field[SELECT_UMASK];

    if (!entry->has_select) {
        entry->select = select_of_fixed(entry->fixed);
    } else if (f->caps->vendor == VENDOR_INTEL && select_fixed(entry->select) != EVENT_NOT_FIXED) {
        entry->fixed = select_fixed(entry->select);
        entry->has_select = false;
    } else if (entry->select & ~plain) {
        entry->fixed = EVENT_NOT_FIXED;
    }
}

/* ORs the unit mask of another part into the entry. The parts may differ only in the unit mask. */
static enum status add_umask(struct finder *f, const struct event_entry *other,
                             struct event_entry *entry)
{
    uint64_t differ = entry->select ^ other->select;
    uint16_t counters = entry->counters & other->counters;
    const char *what = 0;

    if (!entry->has_select || !other->has_select)
        what = "has no unit mask";
    else if (differ & f->layout->field[SELECT_EVENT])
        what = "has another event number";
    else if (differ & ~f->layout->field[SELECT_UMASK])
        what = "has other flags or another threshold";
    else if (entry->msr != other->msr || entry->value != other->value)
        what = "has another extra register, or another value in it";
    else if (counters == 0 && entry->counters && other->counters)
        what = "is counted by other counters";
    if (what) {
        out_text(f->more, "; ");
        piece_put(other->name, f->more);
        out_printf(f->more, " %s", what);
        return STATUS_EVENT_TWO;
    }
    if (differ)
        entry->fixed = EVENT_NOT_FIXED;
    entry->select |= other->select;
    entry->counters = counters ? counters : entry->counters | other->counters;
    entry->flags |= other->flags;
    return STATUS_OK;
}

/*
 * perf's term offcore_rsp does not say for which MSR its value is. The second off-core event (BBH,
 * 2BH, or B7H with unit mask 02H) uses MSR 1A7H. The first off-core event uses MSR 1A6H (perfmon,
 * MSRIndex; libpfm4).
 */
static uint32_t extra_register(const struct finder *f, uint64_t select)
{
    uint64_t number = select_get(f->layout, SELECT_EVENT, select);
    bool second = number == 0xbb || number == 0x2b ||
                  (number == 0xb7 && select_get(f->layout, SELECT_UMASK, select) == 2);

    return f->request.extra_msr == 0x1a6 && second ? 0x1a7 : f->request.extra_msr;
}

static enum status modify(const struct finder *f, struct event_entry *entry)
{
    const struct event_request *request = &f->request;
    uint64_t select = (entry->select & ~request->given) | request->select;

    if (select == entry->select && request->extra_msr == 0)
        return STATUS_OK;
    if (!entry->has_select)
        return STATUS_EVENT_FIXED;
    entry->select = select;
    entry->fixed = EVENT_NOT_FIXED;
    if (request->extra_msr) {
        entry->msr = extra_register(f, select);
        entry->value = request->extra;
    }
    return STATUS_OK;
}

static enum status assemble(struct finder *f, struct event_entry *entry)
{
    enum status status = resolve(f, &f->request.part[0], entry);

    if (status == STATUS_OK)
        settle_fixed(f, entry);
    for (unsigned i = 1; i < f->request.parts && status == STATUS_OK; i++) {
        struct event_entry other;

        status = resolve(f, &f->request.part[i], &other);
        if (status == STATUS_OK)
            status = add_umask(f, &other, entry);
    }
    if (status == STATUS_OK)
        status = modify(f, entry);
    if (status == STATUS_OK)
        settle_fixed(f, entry);
    return status;
}

/* Intel SDM vol. 3B: an event with a threshold, but without edge detection (E), counts cycles. */
static uint8_t unit_of(const struct finder *f, const struct event_entry *entry)
{
    static const uint8_t OF_FIXED[FIXED_COUNTERS_MAX] = {
        UNIT_COUNT, UNIT_CYCLES, UNIT_REFERENCE_CYCLES, UNIT_SLOTS, UNIT_SLOTS,
        UNIT_SLOTS, UNIT_SLOTS};
    const uint64_t *field = f->layout->field;
    uint64_t event = entry->select & (field[SELECT_EVENT] | field[SELECT_UMASK]);
    const bool is_intel = f->caps->vendor == VENDOR_INTEL;
    const bool is_amd = f->caps->vendor == VENDOR_AMD;

    if (entry->select & field[SELECT_E])
        return UNIT_COUNT;
    if (is_intel && event == EVENT_CLOCK)
        return event_clock_unit(f->caps);
    if ((entry->select & field[SELECT_CMASK]) || (is_intel && event == 0x003c) ||
        (is_amd && event == 0x0076))
        return UNIT_CYCLES;
    if (is_amd && event == EVENT_AMD_REFERENCE)
        return UNIT_REFERENCE_CYCLES;
    if (is_intel && event == 0x01a4)
        return UNIT_SLOTS;
    return entry->fixed >= 0 && entry->fixed < (int)FIXED_COUNTERS_MAX ? OF_FIXED[entry->fixed]
                                                                       : UNIT_COUNT;
}

static void fill(const struct finder *f, const struct event_entry *entry, struct event *event)
{
    event->select = entry->select;
    event->extra = entry->value;
    event->extra_msr = entry->msr;
    event->counters = entry->counters;
    event->fixed = entry->fixed;
    event->unit = unit_of(f, entry);
    event->flags = entry->flags;
    event->fixed_only = !entry->has_select;
}

static enum status find(struct finder *f, struct piece text, struct event *event)
{
    const struct event_names names = {.context = f, .known = is_known};
    struct event_entry entry;
    enum status status = event_text_parse(text, f->layout, &names, &f->request, f->more);

    if (f->request.called.size > 0)
        event_put_name(f->request.called, event);
    if (f->request.rings)
        event->rings = f->request.rings;
    if (status != STATUS_OK)
        return status;
    if (f->request.core_type &&
        (f->request.core_type == CORE_TYPE_ATOM) != (f->caps->core_type == CORE_TYPE_ATOM))
        return STATUS_EVENT_CORE;
    status = assemble(f, &entry);
    if (status != STATUS_OK)
        return status;
    fill(f, &entry, event);
    event_classify(event, f->caps); /* sets event->arch for event_is_present() */
    if (f->builtin_status != STATUS_OK)
        return f->builtin_status;
    status = event_can_be_counted(event, f->caps, f->more);
    return status != STATUS_OK ? status : event_is_present(event, f->caps, f->is_builtin);
}

enum status event_find(const struct event_tables *tables, const struct event *builtin,
                       size_t builtins, const struct cpu_caps *caps, const char *text, size_t size,
                       uint8_t rings, struct event *event, struct out *why)
{
    struct piece whole = piece_trim((struct piece){text, size});
    char more[MORE_BYTES];
    struct out out = out_buffer(more, sizeof(more));
    struct finder f = {
        .tables = tables,
        .builtin = builtin,
        .builtins = builtins,
        .caps = caps,
        .layout = select_layout(caps->vendor),
        .more = &out,
    };
    enum status status;

    event_begin(whole, rings, event);
    status = find(&f, whole, event);
    return event_end(whole, status, out_end(&out), event, why);
}

void event_say_nearest(const struct event_tables *tables, uint32_t vendor,
                       const struct event *builtin, size_t builtins, struct piece name,
                       struct out *out)
{
    struct nearest nearest = nearest_to(name);
    const struct event *perf;

    for (size_t i = 0; i < tables->count; i++)
        nearest_consider(&nearest, tables->entry[i].name);
    for (size_t i = 0; i < builtins; i++)
        nearest_consider(&nearest, piece_of(builtin[i].name));
    for (unsigned i = 0; (perf = event_perf_at(vendor, i)); i++)
        nearest_consider(&nearest, piece_of(perf->name));
    for (unsigned i = 0; i < UNCORE_READIES; i++)
        nearest_consider(&nearest, piece_of(uncore_ready_name(i)));
    nearest_say(&nearest, out);
}
