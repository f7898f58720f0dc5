/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/plan/cpu_events.h"
#include "pmu/events/built_in.h"
#include "pmu/events/find.h"
#include "pmu/events/uncore.h"
#include "pmu/base/text.h"

/* One search for a CPU. */
struct wanted_events {
    struct cpu_events *to;
    const struct plan *plan;
    const struct cpu_caps *caps;
    const struct package *package; /* null: another CPU counts for it, or none */
    const struct event_tables *tables;
    struct plan *complain_to; /* null: nothing is said */
};

/* Where a plan's event stands among a CPU's: package events last, and what may be one before them.
 */
enum standing { OF_CPU, OF_CPU_OR_PACKAGE, OF_PACKAGE, STANDINGS };

static struct event builtin[EVENTS_BUILTIN_MAX]; /* as the present CPU has them */

bool cpu_events_start(struct cpu_events *cpu_events, void *(*memory)(size_t bytes))
{
    if (!cpu_events->event)
        cpu_events->event = memory(EVENTS_MAX * sizeof(*cpu_events->event));
    if (!cpu_events->schedule)
        cpu_events->schedule = memory(sizeof(*cpu_events->schedule));
    if (!cpu_events->work)
        cpu_events->work = memory(sizeof(*cpu_events->work));
    return cpu_events->event && cpu_events->schedule && cpu_events->work;
}

/* A file's complaint names its place itself. */
static void complain_of_file(void *context, const char *sentence)
{
    struct plan *plan = context;

    if (plan)
        plan_complain(plan, PLAN_ELSEWHERE, "%s", sentence);
}

/* The number of an event with this name; events->events when there is none. */
static unsigned find_same(const struct cpu_events *events, const char *name)
{
    unsigned i = 0;

    while (i < events->events && !text_same(events->event[i].name, name))
        i++;
    return i;
}

static enum status find_one(const struct wanted_events *to_find, struct piece name,
                            struct event *event, struct out *why)
{
    if (package_event_is(to_find->tables, name))
        return package_event_find(to_find->tables, to_find->package, name.at, name.size, event,
                                  why);
    return event_find(to_find->tables, builtin, EVENTS_COUNT, to_find->caps, name.at, name.size,
                      to_find->plan->rings, event, why);
}

/*
 * The first alternative that the CPU has, of those that are its to count. Without any, the first of
 * all, and event->status is not STATUS_OK: `why` has what is wrong with it. False: there is none
 * that it may count.
 */
static bool find_alternative(const struct wanted_events *to_find, struct piece rest,
                             struct event *event, struct out *why)
{
    char text[EVENT_WHY_BYTES];
    struct event found;
    bool is_first = true;

    while (rest.size > 0) {
        struct piece name = plan_alternative(&rest);
        struct out unused = out_buffer(text, sizeof(text));
        enum status status;

        if (!to_find->package && package_event_is(to_find->tables, name))
            continue;
        status = find_one(to_find, name, &found, is_first ? why : &unused);
        if (is_first || status == STATUS_OK)
            *event = found;
        is_first = false;
        if (status == STATUS_OK)
            break;
    }
    return !is_first;
}

/* Whether one of the alternatives is an event of packages. */
static bool may_be_of_package(const struct wanted_events *to_find, struct piece rest)
{
    while (rest.size > 0)
        if (package_event_is(to_find->tables, plan_alternative(&rest)))
            return true;
    return false;
}

/*
 * Whether an event's reason is one of the machine, which no other spelling would help: what is
 * counted outside the cores has the same names on all machines, and none has all of it.
 */
static bool is_lacking(const struct event *event)
{
    static const enum status OF_MACHINES[] = {
        STATUS_PACKAGE_UNKNOWN, STATUS_PACKAGE_ABSENT, STATUS_PACKAGE_DEVICE,
        STATUS_PACKAGE_PCI,     STATUS_PACKAGE_OFF,    STATUS_PACKAGE_REFUSED,
        STATUS_PACKAGE_LINUX,   STATUS_PACKAGE_SOCKET, STATUS_PACKAGE_TABLE,
        STATUS_PACKAGE_EMPTY,   STATUS_PACKAGE_MEMORY,
    };

    for (unsigned i = 0; i < sizeof(OF_MACHINES) / sizeof(OF_MACHINES[0]); i++)
        if (event->scope == SCOPE_PACKAGE && event->status == OF_MACHINES[i])
            return true;
    return false;
}

/* An event that is counted already, by the same name, is not counted twice. */
static void find_event(struct wanted_events *to_find, const struct plan_event *wanted,
                       enum standing standing)
{
    struct cpu_events *events = to_find->to;
    struct event *event = &events->event[events->events];
    char text[EVENT_WHY_BYTES];
    struct out why = out_buffer(text, sizeof(text));

    if (may_be_of_package(to_find, wanted->expression) != (standing != OF_CPU) ||
        !find_alternative(to_find, wanted->expression, event, &why) ||
        (event->scope == SCOPE_PACKAGE) != (standing == OF_PACKAGE))
        return;
    if (event->status != STATUS_OK && to_find->complain_to && !is_lacking(event))
        plan_complain(to_find->complain_to, wanted->line, "%s", out_end(&why));
    if (wanted->name.size > 0) {
        struct out out = out_buffer(event->name, sizeof(event->name));

        piece_put(wanted->name, &out);
        out_end(&out);
    }
    events->events += find_same(events, event->name) == events->events;
}

/*
 * Instructions and cycles come first: they stand in every pass, which are checked by them. Of the
 * built-in events they are the first ones anyway.
 */
static void find_all(struct wanted_events *to_find)
{
    const struct plan *plan = to_find->plan;
    struct cpu_events *events = to_find->to;
    unsigned first = plan->default_events ? EVENTS_COUNT : EVENTS_ANCHORS;

    events->anchors = plan->default_events ? 0 : EVENTS_ANCHORS;
    for (events->events = 0; events->events < first; events->events++)
        events->event[events->events] = builtin[events->events];
    for (unsigned standing = OF_CPU; standing < STANDINGS; standing++)
        for (unsigned i = 0; i < plan->events && events->events < EVENTS_MAX; i++)
            if (plan->group[plan->event[i].group].chosen)
                find_event(to_find, &plan->event[i], (enum standing)standing);
}

void cpu_events_find(struct cpu_events *cpu_events, const struct tables_port *port,
                     const struct plan *plan, const struct cpu_caps *caps,
                     const struct package *package, uint32_t status, struct plan *complain_to)
{
    struct wanted_events to_find = {.to = cpu_events,
                                    .plan = plan,
                                    .caps = caps,
                                    .package = package,
                                    .complain_to = complain_to};

    for (unsigned i = 0; i < EVENTS_COUNT; i++)
        event_builtin(i, caps, plan->rings, &builtin[i]);
    to_find.tables = &tables_of(port, caps, complain_of_file, complain_to)->tables;
    find_all(&to_find);
    for (unsigned i = 0; status != STATUS_OK && i < cpu_events->events; i++)
        if (cpu_events->event[i].scope == SCOPE_CPU || cpu_events->event[i].status == STATUS_OK)
            cpu_events->event[i].status = (uint8_t)status;
    schedule_make(caps, cpu_events->event, cpu_events->events, cpu_events->schedule,
                  cpu_events->work);
}
