/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolves a plan's events for a CPU, or reuses the result for a CPU of the same kind. */
#include "pmu/plan/cpu_events.h"
#include "pmu/events/built_in.h"
#include "pmu/events/find.h"
#include "pmu/events/text.h"
#include "pmu/events/uncore.h"
#include "pmu/base/text.h"

struct wanted_events {
    struct cpu_events *to;
    const struct cpu_events_port *port;
    const struct plan *plan;
    const struct cpu_caps *caps;
    const struct uncore *uncore; /* of the package that the CPU counts for; null: none so far */
    const struct event_tables *tables;
    struct plan *errors_to; /* null: errors are not reported */
    unsigned held;
};

#define NO_REASON (-1)

/*
 * find_event() holds back uncore events. These held-back events are no longer needed when the
 * schedule is made, so they share the schedule's memory.
 */
union held_or_schedule {
    struct found_event {
        struct event event;
        int32_t reason; /* in cpu_events.reason */
        uint8_t group;
    } held[PLAN_EVENTS_MAX];
    struct schedule schedule;
};

bool cpu_events_start(struct cpu_events *cpu_events, array_memory *memory)
{
    cpu_events->memory = memory;
    if (!cpu_events->event)
        cpu_events->event = memory(EVENTS_MAX * sizeof(*cpu_events->event));
    if (!cpu_events->schedule)
        cpu_events->schedule = memory(sizeof(union held_or_schedule));
    if (!cpu_events->work)
        cpu_events->work = memory(sizeof(*cpu_events->work));
    return cpu_events->event && cpu_events->schedule && cpu_events->work;
}

/* The package that the CPU counts for, or null. Asks the port at the first uncore event. */
static const struct uncore *uncore_of(struct wanted_events *to_find)
{
    struct cpu_events *events = to_find->to;

    if (events->asks_uncore)
        return to_find->uncore;
    events->asks_uncore = true;
    to_find->uncore = to_find->port->uncore(to_find->port->context);
    return to_find->uncore;
}

static void file_error(void *context, const char *sentence)
{
    struct plan *plan = context;

    if (plan)
        plan_add_error(plan, PLAN_ELSEWHERE, "%s", sentence);
}

/* The index of the event with this name; events->events if there is none. */
static unsigned find_same(const struct cpu_events *events, const char *name)
{
    unsigned i = 0;

    while (i < events->events && !text_same(events->event[i].name, name))
        i++;
    return i;
}

static void ask_for_rule(const struct wanted_events *to_find, struct event *event)
{
    const struct emulation *emulation = to_find->port->emulation;

    if (event->status == STATUS_OK && emulation &&
        !emulation_counts(emulation, to_find->caps, event))
        event->status = STATUS_NOT_MODELLED;
}

static enum status find_one(const struct wanted_events *to_find, struct piece name, bool of_uncore,
                            struct event *event, struct out *why)
{
    if (of_uncore)
        uncore_event_find(to_find->tables, to_find->uncore, name.at, name.size, event, why);
    else
        event_find(to_find->tables, to_find->to->builtin, to_find->to->builtins, to_find->caps,
                   name.at, name.size, to_find->plan->rings, event, why);
    ask_for_rule(to_find, event);
    return event->status;
}

/*
 * Resolves the first alternative that the CPU can count. If the CPU can count no alternative,
 * resolves the first, with its error. Uncore events are skipped if the CPU counts for no package.
 * False if no alternative is left. *first and `why` describe the first alternative that is not
 * skipped.
 */
static bool find_alternative(struct wanted_events *to_find, struct piece rest, struct event *event,
                             bool *of_uncore, struct piece *first, struct out *why)
{
    char text[EVENT_WHY_BYTES];
    struct event found;
    bool is_first = true, is_over = false;

    *of_uncore = false;
    while (rest.size > 0) {
        struct piece name = plan_alternative(&rest);
        bool is_uncore = uncore_event_is(to_find->tables, name);
        struct out unused = out_buffer(text, sizeof(text));
        enum status status;

        *of_uncore |= is_uncore;
        if (is_over || (is_uncore && !uncore_of(to_find)))
            continue;
        status = find_one(to_find, name, is_uncore, &found, is_first ? why : &unused);
        if (is_first || status == STATUS_OK)
            *event = found;
        if (is_first)
            *first = name;
        is_first = false;
        is_over = status == STATUS_OK;
    }
    return !is_first;
}

/*
 * Whether an event cannot be counted because of the machine, and not because of the plan. No
 * machine has all uncore events, an emulated machine lacks rules, and without a known PMU no event
 * can be counted.
 */
static bool is_lacking(const struct wanted_events *to_find, const struct event *event)
{
    static const enum status OF_MACHINES[] = {
        STATUS_UNCORE_UNKNOWN, STATUS_UNCORE_ABSENT,  STATUS_UNCORE_DEVICE, STATUS_UNCORE_PCI,
        STATUS_UNCORE_OFF,     STATUS_UNCORE_REFUSED, STATUS_UNCORE_LINUX,  STATUS_UNCORE_SOCKET,
        STATUS_UNCORE_TABLE,   STATUS_UNCORE_EMPTY,   STATUS_UNCORE_MEMORY,
    };

    for (unsigned i = 0; i < sizeof(OF_MACHINES) / sizeof(OF_MACHINES[0]); i++)
        if (event->scope == SCOPE_UNCORE && event->status == OF_MACHINES[i])
            return true;
    if (to_find->caps->pmu_version == 0)
        return event->status != STATUS_EVENT_SYNTAX;
    return event->status == STATUS_NOT_MODELLED;
}

static int32_t keep_reason(struct cpu_events *events, const char *text)
{
    struct event_reason *grown = array_grow(events->reason, sizeof(*grown), events->reasons,
                                            &events->reasons_room, events->memory);

    if (!grown)
        return NO_REASON;
    events->reason = grown;
    grown[events->reasons].event = EVENTS_MAX;
    text_copy(grown[events->reasons].text, EVENT_REASON_BYTES, text);
    return (int32_t)events->reasons++;
}

static void add_event(struct cpu_events *events, const struct found_event *found)
{
    if (find_same(events, found->event.name) < events->events)
        return;
    if (found->reason != NO_REASON)
        events->reason[found->reason].event = events->events;
    events->group[events->events] = found->group;
    events->event[events->events++] = found->event;
}

static struct found_event *held_events(struct cpu_events *events)
{
    return ((union held_or_schedule *)(void *)events->schedule)->held;
}

/*
 * Names an event `name@counter`, or `name-alone@counter` and so on, and lets only this general
 * counter count it.
 */
static void bind_to_counter(struct piece name, unsigned counter, enum event_condition condition,
                            struct event *event)
{
    char text[EVENT_NAME_BYTES + sizeof("-alone@15")];
    struct out out = out_buffer(text, sizeof(text));
    struct piece whole;

    piece_put(name, &out);
    if (condition != CONDITION_NONE)
        out_printf(&out, "-%s", PLAN_CONDITIONS[condition]);
    out_printf(&out, "@%u", counter);
    whole = piece_of(out_end(&out));
    if (whole.size < EVENT_NAME_BYTES)
        event_rename(whole, event);
    else
        event_put_name(whole, event);
    event->counters = (uint16_t)(1u << counter);
    event->fixed = EVENT_NOT_FIXED;
    event->kind |= (uint8_t)(condition << EVENT_CONDITION_SHIFT);
    if (condition == CONDITION_ALONE)
        event->flags |= EVENT_ALONE;
}

/* Bit c: condition c is wanted, and the CPU can make it. */
static unsigned conditions_of(const struct wanted_events *to_find)
{
    unsigned wanted = 1u << CONDITION_NONE | to_find->plan->conditions;

    if (!to_find->port->takes_all_bits || to_find->caps->gp_width_bits <= 32)
        wanted &= ~(1u << CONDITION_HIGH);
    if (schedule_one_a_pass(to_find->caps, to_find->plan->method))
        wanted &= ~(1u << CONDITION_ALONE); /* they always are */
    return wanted;
}

/*
 * For counters=each: adds an event once for each condition and each general counter that can count
 * it; false if there would be too many events.
 */
static bool add_each(struct wanted_events *to_find, const struct found_event *found,
                     struct piece name)
{
    const uint32_t of_event = found->event.counters, of_cpu = caps_general(to_find->caps);
    const uint32_t able = of_event ? of_event & of_cpu : of_cpu;
    const unsigned conditions = conditions_of(to_find);

    if (to_find->to->events + bits_in(conditions) * bits_in(able) + to_find->plan->events >
        EVENTS_MAX)
        return false;
    for (unsigned i = 0; i < CONDITIONS * GP_COUNTERS_MAX; i++) {
        const unsigned counter = i % GP_COUNTERS_MAX, condition = i / GP_COUNTERS_MAX;
        struct found_event one = *found;

        if (able >> counter & conditions >> condition & 1) {
            bind_to_counter(name, counter, (enum event_condition)condition, &one.event);
            add_event(to_find->to, &one);
        }
    }
    return true;
}

/* Whether this CPU, or the emulator, has no such event. */
static bool is_unknown(unsigned status)
{
    return status == STATUS_EVENT_UNKNOWN || status == STATUS_EVENT_MODEL ||
           status == STATUS_EVENT_ABSENT || status == STATUS_EVENT_NOT_LISTED ||
           status == STATUS_EVENT_CORE || status == STATUS_NOT_MODELLED;
}

/* Events with an uncore alternative are held back until all others have been added. */
static void find_event(struct wanted_events *to_find, const struct plan_event *wanted)
{
    struct found_event found = {.reason = NO_REASON, .group = (uint8_t)wanted->group};
    struct event *event = &found.event;
    char text[EVENT_WHY_BYTES];
    struct out why = out_buffer(text, sizeof(text));
    struct piece first;
    bool of_uncore;

    if (!find_alternative(to_find, wanted->expression, event, &of_uncore, &first, &why))
        return;
    if (wanted->may_lack && is_unknown(event->status))
        return;
    if (event->status != STATUS_OK && !is_lacking(to_find, event)) {
        found.reason = keep_reason(to_find->to, event_why_alone(first, out_end(&why)));
        if (to_find->errors_to)
            plan_add_error(to_find->errors_to, wanted->line, "%s", text);
    }
    if (to_find->plan->each_counter && !of_uncore && event->status == STATUS_OK &&
        !event->fixed_only) {
        if (add_each(to_find, &found, wanted->name.size > 0 ? wanted->name : piece_of(event->name)))
            return;
        if (to_find->errors_to)
            plan_add_error(to_find->errors_to, wanted->line,
                           "counters=each: too many events to count this one on each counter; it "
                           "is counted on any counter");
    }
    if (wanted->name.size > 0)
        event_rename(wanted->name, event);
    if (of_uncore)
        held_events(to_find->to)[to_find->held++] = found;
    else
        add_event(to_find->to, &found);
}

/* Instructions and cycles come first, because every pass counts them. */
static void find_all(struct wanted_events *to_find)
{
    const struct plan *plan = to_find->plan;
    struct cpu_events *events = to_find->to;
    const struct found_event *held = held_events(events);
    const uint8_t group = plan->default_events ? GROUP_BUILT_IN : GROUP_NONE;
    unsigned first = plan->default_events ? events->builtins : EVENTS_ANCHORS;

    events->events = events->reasons = 0;
    for (unsigned i = 0; i < first; i++)
        add_event(events, &(struct found_event){events->builtin[i], NO_REASON, group});
    for (unsigned i = 0; i < plan->events; i++)
        if (plan->group[plan->event[i].group].chosen)
            find_event(to_find, &plan->event[i]);
    for (unsigned scope = SCOPE_CPU; scope <= SCOPE_UNCORE; scope++)
        for (unsigned i = 0; i < to_find->held; i++)
            if (held[i].event.scope == scope)
                add_event(events, &held[i]);
}

/* Returns *caps without the fields that differ between CPUs of one kind. */
static struct cpu_caps kind_of(const struct cpu_caps *caps)
{
    struct cpu_caps kind = *caps;

    kind.x2apic_id = kind.package = kind.core = kind.thread = 0;
    return kind;
}

static bool is_same(const void *one, const void *other, size_t bytes)
{
    const char *a = one, *b = other;
    size_t i = 0;

    while (i < bytes && a[i] == b[i])
        i++;
    return i == bytes;
}

static bool is_found(const struct cpu_events *events, const struct cpu_caps *kind,
                     bool takes_all_bits, uint32_t status, const struct uncore *uncore)
{
    return events->is_found && events->status == status &&
           events->takes_all_bits == takes_all_bits &&
           is_same(&events->kind, kind, sizeof(*kind)) && events->has_uncore == (uncore != 0) &&
           (!uncore || is_same(&events->uncore, uncore, sizeof(*uncore)));
}

static void keep_kind(struct cpu_events *events, const struct cpu_caps *kind, bool takes_all_bits,
                      uint32_t status, const struct uncore *uncore)
{
    events->is_found = true;
    events->takes_all_bits = takes_all_bits;
    events->kind = *kind;
    events->status = status;
    events->has_uncore = uncore != 0;
    if (uncore)
        events->uncore = *uncore;
}

void cpu_events_find(struct cpu_events *cpu_events, const struct cpu_events_port *port,
                     const struct plan *plan, const struct cpu_caps *caps, uint32_t status,
                     struct plan *errors_to)
{
    const struct cpu_caps kind = kind_of(caps);
    struct wanted_events to_find = {
        .to = cpu_events, .port = port, .plan = plan, .caps = caps, .errors_to = errors_to};

    if (errors_to)
        cpu_events->is_found = cpu_events->asks_uncore = false;
    if (cpu_events->asks_uncore)
        to_find.uncore = port->uncore(port->context);
    if (is_found(cpu_events, &kind, port->takes_all_bits, status, to_find.uncore))
        return;
    event_builtins(caps->vendor, &cpu_events->builtins);
    for (unsigned i = 0; i < cpu_events->builtins; i++) {
        event_builtin(i, caps, plan->rings, &cpu_events->builtin[i]);
        ask_for_rule(&to_find, &cpu_events->builtin[i]);
    }
    to_find.tables = &tables_of(port->tables, caps, file_error, errors_to)->tables;
    find_all(&to_find);
    for (unsigned i = 0; status != STATUS_OK && i < cpu_events->events; i++)
        if (cpu_events->event[i].scope == SCOPE_CPU ||
            (cpu_events->event[i].status == STATUS_OK && status != STATUS_SKIPPED_PHASE))
            cpu_events->event[i].status = (uint8_t)status;
    schedule_make(caps, schedule_one_a_pass(caps, plan->method), cpu_events->event,
                  cpu_events->events, cpu_events->schedule, cpu_events->work);
    keep_kind(cpu_events, &kind, port->takes_all_bits, status, to_find.uncore);
}

/* The plan's error about an event; "" if there is none, or if the CPU cannot count anything. */
static const char *reason_of(const struct cpu_events *events, unsigned index)
{
    for (unsigned i = 0; events->status == STATUS_OK && i < events->reasons; i++)
        if (events->reason[i].event == index)
            return events->reason[i].text;
    return "";
}

size_t cpu_events_reasons(const struct cpu_events *cpu_events, char *to)
{
    size_t bytes = 0;

    for (unsigned i = 0; cpu_events->reasons > 0 && i < cpu_events->events; i++) {
        const char *text = reason_of(cpu_events, i);

        if (to)
            text_copy(to + bytes, EVENT_REASON_BYTES, text);
        bytes += text_length(text) + 1;
    }
    return bytes;
}
