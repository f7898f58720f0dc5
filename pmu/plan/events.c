/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses [events NAME], a group of events, and chooses the groups to count. */
#include "pmu/counters/event.h"
#include "pmu/base/nearest.h"
#include "pmu/plan/keys.h"

#define DEFAULT_GROUP "default"

static bool is_word_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_identifier(struct piece piece, size_t bytes)
{
    for (size_t i = 0; i < piece.size; i++)
        if (!is_word_character(piece.at[i]))
            return false;
    return piece.size > 0 && piece.size < bytes;
}

static bool is_same(struct piece a, struct piece b)
{
    size_t i = 0;

    while (i < a.size && i < b.size && a.at[i] == b.at[i])
        i++;
    return i == a.size && i == b.size;
}

/* The index of the group with this name; plan->groups if there is none. */
static unsigned find_group(const struct plan *plan, struct piece name)
{
    unsigned i = 0;

    while (i < plan->groups && !piece_is(name, plan->group[i].name))
        i++;
    return i;
}

bool plan_events_begin(struct parser *p, struct piece name)
{
    struct plan *plan = p->plan;
    unsigned group = find_group(plan, name);
    char shown[PLAN_NAME_BYTES];

    if (!is_identifier(name, PLAN_NAME_BYTES) || piece_is(name, DEFAULT_GROUP)) {
        plan_add_error(plan, p->line,
                       "expected [events NAME], a name of at most %u letters, digits and _ that is "
                       "not '" DEFAULT_GROUP "', found '%s'; all its lines are left out",
                       PLAN_NAME_BYTES - 1, piece_show(name, shown));
        return false;
    }
    if (group == PLAN_GROUPS_MAX) {
        plan_add_error(plan, p->line, "expected at most %u groups; the lines of '%s' are left out",
                       PLAN_GROUPS_MAX, piece_show(name, shown));
        return false;
    }
    if (group == plan->groups)
        piece_show(name, plan->group[plan->groups++].name);
    p->group = (uint16_t)group;
    return true;
}

/* Cuts "NAME =" off a line. An '=' after ':' or '/' belongs to the event. False after an error. */
static bool take_name(struct parser *p, struct piece line, struct plan_event *event)
{
    char shown[PLAN_NAME_BYTES];
    size_t i = 0;

    event->expression = line;
    while (i < line.size && line.at[i] != '=' && line.at[i] != ':' && line.at[i] != '/')
        i++;
    if (i == line.size || line.at[i] != '=')
        return true;
    event->name = piece_trim((struct piece){line.at, i});
    event->expression = piece_trim((struct piece){line.at + i + 1, line.size - i - 1});
    if (is_identifier(event->name, EVENT_NAME_BYTES))
        return true;
    plan_add_error(p->plan, p->line,
                   "expected a name of letters, digits and _ before '=', at most %u, found '%s'",
                   EVENT_NAME_BYTES - 1, piece_show(event->name, shown));
    return false;
}

/*
 * No alternative may be empty. If the plan does not name the event, each alternative must be short
 * enough to serve as its name.
 */
static bool check_expression(struct parser *p, const struct plan_event *event)
{
    struct piece rest = event->expression;
    char shown[PLAN_NAME_BYTES];

    do {
        size_t before = rest.size;
        struct piece one = plan_alternative(&rest);

        if (one.size == 0 || (rest.size == 0 && one.size < before)) {
            plan_add_error(p->plan, p->line,
                           "expected an event, or several separated by commas, found '%s'",
                           piece_show(event->expression, shown));
            return false;
        }
        if (event->name.size == 0 && one.size >= EVENT_NAME_BYTES) {
            plan_add_error(p->plan, p->line,
                           "the event that begins with '%s' exceeds %u characters; put a short "
                           "name before it: NAME = EVENT",
                           piece_show(one, shown), EVENT_NAME_BYTES - 1);
            return false;
        }
    } while (rest.size > 0);
    return true;
}

/* Cuts the last alternative off if it is `none`. */
static void take_none(struct plan_event *event)
{
    struct piece rest = event->expression, one = rest;
    const char *start = rest.at;

    while (rest.size > 0)
        one = plan_alternative(&rest);
    if (one.at == start || !piece_is(one, "none"))
        return;
    event->may_lack = true;
    event->expression.size = (size_t)(one.at - start);
    while (event->expression.at[event->expression.size - 1] != ',')
        event->expression.size--;
    event->expression.size--;
}

static bool is_new_name(struct parser *p, struct piece name)
{
    const struct plan *plan = p->plan;
    char shown[PLAN_NAME_BYTES];

    for (unsigned i = 0; name.size > 0 && i < plan->events; i++)
        if (is_same(plan->event[i].name, name)) {
            plan_add_error(p->plan, p->line, "the name '%s' is already in line %u",
                           piece_show(name, shown), plan->event[i].line);
            return false;
        }
    return true;
}

void plan_events_line(struct parser *p, struct piece line)
{
    struct plan *plan = p->plan;
    struct plan_event event = {.line = p->line, .group = p->group};

    if (!take_name(p, line, &event) || !check_expression(p, &event) || !is_new_name(p, event.name))
        return;
    take_none(&event);
    if (plan->events < PLAN_EVENTS_MAX)
        plan->event[plan->events++] = event;
    else
        plan_add_error(plan, p->line, "expected at most %u events in all; this one is left out",
                       PLAN_EVENTS_MAX);
}

struct piece plan_alternative(struct piece *rest)
{
    struct piece all = *rest;
    bool inside = false;
    size_t i = 0;

    for (; i < all.size && (all.at[i] != ',' || inside); i++)
        inside ^= all.at[i] == '/';
    *rest = i < all.size ? piece_trim((struct piece){all.at + i + 1, all.size - i - 1})
                         : (struct piece){0};
    return piece_trim((struct piece){all.at, i});
}

static void group_error(struct parser *p, struct piece name)
{
    char known[PLAN_ERROR_BYTES], shown[PLAN_NAME_BYTES];
    struct out out = out_buffer(known, sizeof(known));
    struct nearest best = nearest_to(name);

    nearest_consider(&best, piece_of(DEFAULT_GROUP));
    for (unsigned i = 0; i < p->plan->groups; i++)
        nearest_consider(&best, piece_of(p->plan->group[i].name));
    nearest_say(&best, &out);
    if (best.count == 0)
        out_text(&out, "; expected " DEFAULT_GROUP);
    for (unsigned i = 0; best.count == 0 && i < p->plan->groups; i++)
        out_printf(&out, ", %s", p->plan->group[i].name);
    plan_add_error(p->plan, p->events_line, "events: there is no group '%s'%s",
                   piece_show(name, shown), out_end(&out));
}

static void choose_named(struct parser *p)
{
    struct plan *plan = p->plan;
    struct piece rest = p->events;

    do {
        struct piece name = piece_cut(rest, ',', &rest);
        unsigned group = find_group(plan, name);

        if (piece_is(name, DEFAULT_GROUP))
            plan->default_events = true;
        else if (group < plan->groups)
            plan->group[group].chosen = true;
        else
            group_error(p, name);
    } while (rest.size > 0);
}

static bool has_events(const struct plan *plan)
{
    for (unsigned i = 0; i < plan->events; i++)
        if (plan->group[plan->event[i].group].chosen)
            return true;
    return plan->default_events;
}

void plan_events_end(struct parser *p)
{
    struct plan *plan = p->plan;

    plan->default_events = false;
    if (p->events_line > 0)
        choose_named(p);
    if (has_events(plan))
        return;
    for (unsigned i = 0; i < plan->groups; i++)
        plan->group[i].chosen = true;
    plan->default_events = plan->events == 0;
}
