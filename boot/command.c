/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/command.h"
#include "boot/console.h"
#include "boot/firmware.h"
#include "boot/report.h"
#include "boot/tables.h"
#include "pmu/events.h"
#include "pmu/text.h"

#define NAME_WIDTH 40

/* Whether a setting of [run] is as expected; says so when it is not. "" is. */
static bool is_setting(const char *setting)
{
    static struct plan plan;

    plan_default(&plan);
    if (setting[0])
        plan_override(&plan, setting);
    if (plan.errors > 0)
        say("barecount: --%s\n", plan.error[0].text);
    return plan.errors == 0;
}

bool command_take(struct arguments *arguments, struct run *run)
{
    size_t units;
    const unsigned short *line = firmware_load_options(&units);
    struct out out = out_buffer(run->cpus_asked, sizeof(run->cpus_asked));
    const char *plan = arguments->plan;

    arguments_parse(line, units, arguments);
    if (arguments->error[0]) {
        say("barecount: %s\n", arguments->error);
        return false;
    }
    while (*plan == '\\') /* all paths start at the volume's root */
        plan++;
    if (*plan)
        text_copy(run->plan_path, sizeof(run->plan_path), plan);
    if (arguments->cpus[0])
        out_printf(&out, "cpus=%s", arguments->cpus);
    if (!is_setting(out_end(&out)))
        return false;
    run->by_hand = arguments->given;
    return true;
}

static void complain(void *context, const char *sentence)
{
    (void)context;
    say("! %s\n", sentence);
}

static void say_event(struct piece name, uint64_t select, bool fixed_only, int fixed,
                      const char *description)
{
    char text[CONSOLE_COLUMNS + 1];
    struct out out = out_buffer(text, sizeof(text));
    size_t line = out.used;

    piece_put(name, &out);
    out_pad(&out, line, NAME_WIDTH);
    if (fixed_only)
        out_printf(&out, " fixed%d", fixed);
    else
        out_printf(&out, " r%04llx", (unsigned long long)select);
    out_pad(&out, line, NAME_WIDTH + 11);
    out_printf(&out, " %s", description);
    say("%s\n", out_end(&out));
}

static bool list_events(const struct arguments *arguments, const struct run *run)
{
    const struct cpu_caps *caps = &run->session->boot_caps;
    const struct table_source *source = tables_of(caps, complain, 0);
    char description[120];
    unsigned listed = 0;

    for (unsigned i = 0; i < EVENTS_COUNT; i++) {
        struct piece name = piece_of(EVENTS[i].name);

        if (!piece_holds(name, arguments->pattern) || event_table_find(&source->tables, name) ||
            event_available(&EVENTS[i], caps) != STATUS_OK)
            continue;
        say_event(name, EVENTS[i].select, EVENTS[i].fixed_only, EVENTS[i].fixed, "built in");
        listed++;
    }
    for (size_t i = 0; i < source->tables.count; i++) {
        const struct event_entry *entry = &source->tables.entry[i];
        struct out out = out_buffer(description, sizeof(description));

        if (!piece_holds(entry->name, arguments->pattern))
            continue;
        event_entry_describe(entry, &out);
        say_event(entry->name, entry->select, !entry->has_select, entry->fixed, out_end(&out));
        listed++;
    }
    say("%u events", listed);
    if (arguments->pattern[0])
        say(" with '%s' in their names", arguments->pattern);
    say("; table: %s\n", source->file[0] ? source->file : "none for this CPU");
    return listed > 0;
}

/* Instead of a run: what it would be, and what is wrong. */
static bool check_plan(struct run *run)
{
    run_prepare(run);
    report_plan(run);
    report_complaints();
    report_plan_errors(run);
    if (!run->has_plan_file)
        say("! \\%s: there is no such file\n", run->plan_path);
    else if (run->plan.errors == 0)
        say("The plan is right.\n");
    return run->has_plan_file && run->plan.errors == 0;
}

bool command_answer(const struct arguments *arguments, struct run *run)
{
    switch (arguments->action) {
    case ACTION_CHECK_PLAN:
        return check_plan(run);
    case ACTION_LIST_EVENTS:
        return list_events(arguments, run);
    case ACTION_LIST_KERNELS:
        return command_list_kernels(run->session, arguments->pattern);
    case ACTION_HELP:
    case ACTION_RUN:
        break;
    }
    say("%s", ARGUMENTS_HELP);
    return true;
}
