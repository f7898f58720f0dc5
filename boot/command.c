/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles the command line and answers requests other than a run. */
#include "boot/main.h"
#include "boot/run/run.h"
#include "boot/efi/console.h"
#include "boot/plan/run.h"
#include "boot/efi/firmware.h"
#include "boot/screen/screen.h"
#include "boot/run/uncore.h"
#include "kernels/list.h"
#include "pmu/events/list.h"
#include "pmu/base/text.h"

/* Whether `setting` is empty or valid in [run]; prints an error if not. */
static bool is_setting(const char *setting)
{
    static struct plan plan;

    plan_default(&plan, firmware_plan_memory);
    if (setting[0])
        plan_override(&plan, setting);
    if (plan.errors > 0)
        say("barecount: --%s\n", plan.errors_kept > 0 ? plan.error[0].text : setting);
    return plan.errors == 0;
}

/* `count` is at most LIST_COLUMNS, the size of the stream's buffer. */
static bool drain(void *context, const char *bytes, size_t count)
{
    char text[LIST_COLUMNS + 1];

    (void)context;
    for (size_t i = 0; i < count; i++)
        text[i] = bytes[i];
    text[count] = 0;
    say("%s", text);
    return true;
}

bool command_take(struct request *request)
{
    struct arguments *arguments = &request->arguments;
    size_t units;
    const unsigned short *line = firmware_load_options(&units);
    struct out out = out_buffer(request->cpus, sizeof(request->cpus));
    const char *plan;

    arguments_parse(line, units, arguments);
    if (arguments->error[0]) {
        say("barecount: %s\n", arguments->error);
        return false;
    }
    plan = arguments->plan;
    while (*plan == '\\') /* paths are relative to the root */
        plan++;
    text_copy(request->plan_path, sizeof(request->plan_path), *plan ? plan : PLAN_PATH);
    if (arguments->cpus[0])
        out_printf(&out, "cpus=%s", arguments->cpus);
    return is_setting(out_end(&out));
}

static void say_error(void *context, const char *sentence)
{
    (void)context;
    say("! %s\n", sentence);
}

_Static_assert(LIST_COLUMNS == CONSOLE_COLUMNS, "lists are as wide as the console");

static bool list_events(const struct run *run, struct out *out)
{
    const struct cpu_caps *caps = &run->machine->boot_caps;

    return event_list(tables_of(&EVENT_FILES, caps, say_error, 0), caps,
                      run_uncore_peek(run->machine), run->request->arguments.pattern, out);
}

static bool list_kernels(const struct run *run, struct out *out)
{
    const struct machine *machine = run->machine;
    const struct kernel_offer offer = {
        .kernel = machine->kernel, .file = machine->kernel_file, .kernels = machine->kernels};

    return kernels_list(&offer, run->request->arguments.pattern, 0, 0, out);
}

static bool check_plan(struct run *run)
{
    run_prepare(run);
    screen_plan(run);
    screen_early_notes();
    screen_plan_errors(run, run->plan.errors_kept);
    if (!run->has_plan_file && !files_exists(run->request->plan_path))
        say("! \\%s: no such file\n", run->request->plan_path);
    else if (run->plan.errors == 0)
        say("The plan has no errors.\n");
    return run->has_plan_file && run->plan.errors == 0;
}

bool command_answer(struct run *run)
{
    char buffer[LIST_COLUMNS];
    struct out out = out_stream(buffer, sizeof(buffer), drain, 0);
    bool found = true;

    switch (run->request->arguments.action) {
    case ACTION_CHECK_PLAN:
        return check_plan(run);
    case ACTION_LIST_EVENTS:
        found = list_events(run, &out);
        break;
    case ACTION_LIST_KERNELS:
        found = list_kernels(run, &out);
        break;
    case ACTION_HELP:
    case ACTION_RUN:
        say("%s", ARGUMENTS_HELP);
        break;
    }
    out_flush(&out);
    return found;
}
