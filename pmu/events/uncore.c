/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolves the text of an uncore event for a package. */
#include "pmu/events/uncore.h"
#include "pmu/events/find.h"
#include "pmu/uncore/names.h"
#include "pmu/events/uncore_text.h"
#include "pmu/uncore/words.h"

#define MORE_BYTES    300u
#define PERF_FIXED    0xffu /* perf's event number for counters without a select */
#define TABLES_PREFIX "UNC_"

struct finder {
    const struct event_tables *tables;
    const struct uncore *uncore;
    const struct uncore_group *group; /* of the event's kind */
    struct uncore_request request;
    struct out *more; /* details for `why` */
};

static bool is_known(const void *context, struct piece name)
{
    return event_table_find_unit(context, name) || uncore_ready_of(name) < UNCORE_READIES;
}

bool uncore_event_is(const struct event_tables *tables, struct piece text)
{
    const struct event_names names = {.context = tables, .known = is_known};
    const size_t prefix = sizeof(TABLES_PREFIX) - 1;
    struct piece name;

    text = piece_trim(text);
    if (uncore_text_has_terms(text))
        return true;
    name = uncore_text_name(text, &names);
    return is_known(tables, name) ||
           (name.size > prefix &&
            piece_is_any_case((struct piece){name.at, prefix}, TABLES_PREFIX) &&
            !event_table_find(tables, name));
}

/* STATUS_OK, or why only energy events can be counted. */
static enum status uncore_trouble(const struct uncore *uncore)
{
    if (uncore->status != STATUS_OK)
        return (enum status)uncore->status;
    return uncore->model ? STATUS_OK : STATUS_UNCORE_UNKNOWN;
}

static enum status find_group(struct finder *f, unsigned kind)
{
    const struct uncore *uncore = f->uncore;

    f->group = uncore_group(uncore, kind);
    if (uncore_trouble(uncore) != STATUS_OK)
        return uncore_trouble(uncore);
    if (!f->group) {
        out_printf(f->more, "; it has no %s", uncore_kind_name(kind));
        return STATUS_UNCORE_ABSENT;
    }
    return (enum status)f->group->status;
}

static uint32_t filter_register(const struct uncore_group *group, unsigned filter)
{
    return (uint32_t)(group->unit[0] + (uint64_t)group->type.extra[filter]);
}

static enum status use_energy(struct finder *f, enum uncore_energy energy, struct event *event)
{
    event->kind = KIND_ENERGY;
    event->unit = UNIT_MICROJOULES;
    event->counters = (uint16_t)(1u << energy);
    event->extra = f->uncore->energy_step[energy];
    if (event->extra)
        return STATUS_OK;
    for (unsigned i = 0; i < ENERGIES; i++)
        if (f->uncore->energy_step[i])
            return STATUS_UNCORE_ABSENT;
    return uncore_trouble(f->uncore) != STATUS_OK ? uncore_trouble(f->uncore)
                                                  : STATUS_UNCORE_ABSENT;
}

static enum status use_ready(struct finder *f, enum uncore_ready ready, struct event *event)
{
    const char *instead;
    const struct uncore_ready_event *row = uncore_ready_event(f->uncore, ready, &instead);
    enum status status;

    event->unit = uncore_ready_unit(ready);
    if (uncore_trouble(f->uncore) != STATUS_OK)
        return uncore_trouble(f->uncore);
    if (!row) {
        out_text(f->more, instead);
        return STATUS_UNCORE_ABSENT;
    }
    event->kind = row->kind;
    event->select = row->select;
    event->counters = row->counters;
    if (row->second) {
        event->flags |= EVENT_SUM;
        event->extra = row->second;
    }
    status = find_group(f, row->kind);
    if (status == STATUS_OK && row->filter >= 0) {
        event->extra_msr = filter_register(f->group, (unsigned)row->filter);
        event->extra = row->extra;
    }
    return status;
}

static enum status say_unknown(const struct finder *f, struct piece name)
{
    event_say_nearest(f->tables, VENDOR_INTEL, 0, 0, name, f->more);
    return STATUS_EVENT_UNKNOWN;
}

static enum status resolve(struct finder *f, struct piece name, struct event *event)
{
    const struct event_entry *row = event_table_find_unit(f->tables, name);
    enum uncore_ready ready = uncore_ready_of(name);

    if (row) {
        event->kind = row->kind;
        event->select = row->select;
        event->counters = row->counters;
        event->extra_msr = row->msr;
        event->extra = row->value;
        event->flags = row->flags;
        return find_group(f, row->kind);
    }
    if (ready == UNCORE_READIES)
        return say_unknown(f, name);
    if (uncore_ready_energy(ready) != ENERGIES)
        return use_energy(f, uncore_ready_energy(ready), event);
    return use_ready(f, ready, event);
}

/* ORs the unit mask of another part into the event. The parts may differ only in the unit mask. */
static enum status add_umask(struct finder *f, struct piece name, const struct event *other,
                             struct event *event)
{
    const uint64_t umask = UNCORE_SELECT_UMASK | UNCORE_SELECT_UMASK_EXT;
    uint64_t differ = event->select ^ other->select;
    const char *what = 0;

    if (event->kind != other->kind)
        what = "is counted by another kind of unit";
    else if (event_second(event) || event_second(other))
        what = event_second(other) ? "is the sum of two events"
                                   : "cannot be ORed with the sum of two events";
    else if (event->unit != other->unit || event->kind == KIND_ENERGY)
        what = "has no unit mask";
    else if (differ & UNCORE_SELECT_EVENT)
        what = "has another event number";
    else if (differ & ~umask)
        what = "has other flags or another threshold";
    else if (event->extra_msr != other->extra_msr || event->extra != other->extra)
        what = "has another extra register, or another value in it";
    else if (event->counters && other->counters && !(event->counters & other->counters))
        what = "is counted by other counters";
    if (what) {
        out_text(f->more, "; ");
        piece_put(name, f->more);
        out_printf(f->more, " %s", what);
        return STATUS_EVENT_TWO;
    }
    event->select |= other->select;
    event->counters = event->counters && other->counters ? event->counters & other->counters
                                                         : event->counters | other->counters;
    event->flags |= other->flags;
    return STATUS_OK;
}

/* The number of the extra register; 0: the unit has none. */
static uint32_t extra_register(const struct finder *f)
{
    unsigned filter = f->request.extra_register == EXTRA_FILTER1;
    bool is_match = f->request.extra_register == EXTRA_MATCH;

    if (is_match != (f->group->type.kind == KIND_UNCORE) || !f->group->type.extra[filter])
        return 0;
    return filter_register(f->group, filter);
}

/*
 * Refuses an event that is given by perf's terms, because the counters of its kind have no select.
 * Lists the names `first` to `last`, which can be used instead.
 */
static enum status say_select(const struct finder *f, enum uncore_ready first,
                              enum uncore_ready last)
{
    out_text(f->more, ": its counters have no select; expected");
    for (unsigned i = first; i <= (unsigned)last; i++)
        out_printf(f->more, " %s", uncore_ready_name(i));
    return STATUS_UNCORE_FIELD;
}

static enum status modify(struct finder *f, struct event *event)
{
    const struct uncore_request *request = &f->request;
    uint64_t lacks;

    if (event_second(event) && (request->given || request->extra_register)) {
        out_text(f->more, ": it is the sum of two events, which takes no modifier");
        return STATUS_UNCORE_FIELD;
    }
    if (event->kind == KIND_ENERGY)
        return request->given || request->extra_register ? STATUS_UNCORE_FIELD : STATUS_OK;
    if (f->group->type.style == STYLE_FIXED && event->select == PERF_FIXED)
        event->select = 0;
    if (f->group->type.style == STYLE_FREE && request->parts == 0)
        return say_select(f, READY_DRAM_READ, READY_DRAM_WRITE);
    if (request->extra_register) {
        event->extra_msr = extra_register(f);
        event->extra = request->extra;
        if (!event->extra_msr) {
            out_text(f->more, ": match or filter");
            return STATUS_UNCORE_FIELD;
        }
    }
    lacks = (event->select | event_second(event)) &
            ~(f->group->type.style == STYLE_SELECT ? f->group->type.fields : 0);
    if (!lacks)
        return STATUS_OK;
    out_text(f->more, ": ");
    uncore_lacking_words(f->group->type.fields, lacks, f->more);
    return STATUS_UNCORE_FIELD;
}

/*
 * Restricts the event to counters that its kind of unit has; fails if none is left. Sets
 * event->unit if the event counts cycles.
 */
static enum status settle(const struct finder *f, struct event *event)
{
    const struct uncore_type *type = &f->group->type;
    uint16_t all = (uint16_t)((1u << type->counters) - 1);

    event->counters = event->counters ? event->counters & all : all;
    if (event->counters == 0)
        return STATUS_NO_COUNTER;
    if (event_second(event) && (event->counters & (event->counters - 1)) == 0) {
        out_text(f->more, "; it is the sum of two events, and each needs its own counter");
        return STATUS_NO_COUNTER;
    }
    if (event->unit == UNIT_COUNT && !(event->select & UNCORE_SELECT_E) &&
        (type->style == STYLE_FIXED || event->select & UNCORE_SELECT_CMASK ||
         ((type->cycles || type->clock_is_0) && event->select == type->cycles)))
        event->unit = UNIT_UNCORE_CYCLES;
    return STATUS_OK;
}

static enum status assemble(struct finder *f, struct event *event)
{
    const struct uncore_request *request = &f->request;
    enum status status;

    event->kind = request->kind;
    if (request->parts > 0)
        status = resolve(f, request->part[0], event);
    else if (request->kind != KIND_ENERGY)
        status = find_group(f, request->kind);
    else
        return say_select(f, READY_PACKAGE_ENERGY, READY_CORE_ENERGY);
    for (unsigned i = 1; i < request->parts && status == STATUS_OK; i++) {
        struct event other = {.unit = UNIT_COUNT};

        status = resolve(f, request->part[i], &other);
        if (status == STATUS_OK)
            status = add_umask(f, request->part[i], &other, event);
    }
    if (!event_second(event)) /* set even if the machine cannot count the event */
        event->select = (event->select & ~request->given) | request->select;
    return status == STATUS_OK ? modify(f, event) : status;
}

static enum status find(struct finder *f, struct piece text, struct event *event)
{
    const struct event_names names = {.context = f->tables, .known = is_known};
    enum status status = uncore_text_parse(text, &names, &f->request, f->more);

    if (f->request.called.size > 0)
        event_put_name(f->request.called, event);
    if (status != STATUS_OK)
        return status;
    if (f->request.has_rings)
        return STATUS_UNCORE_RING;
    status = assemble(f, event);
    return status != STATUS_OK || event->kind == KIND_ENERGY ? status : settle(f, event);
}

enum status uncore_event_find(const struct event_tables *tables, const struct uncore *uncore,
                              const char *text, size_t size, struct event *event, struct out *why)
{
    struct piece whole = piece_trim((struct piece){text, size});
    char more[MORE_BYTES];
    struct out out = out_buffer(more, sizeof(more));
    struct finder f = {.tables = tables, .uncore = uncore, .more = &out};
    enum status status;

    event_begin(whole, RING_OS | RING_USR, event);
    event->scope = SCOPE_UNCORE;
    status = find(&f, whole, event);
    return event_end(whole, status, out_end(&out), event, why);
}
