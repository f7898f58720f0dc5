/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests other than a measurement: lists, checks of a plan's events, and one unmeasured run. */
#include <stdio.h>

#include "kernels/list.h"
#include "pmu/cpu/features.h"
#include "pmu/events/list.h"
#include "pmu/report/other.h"
#include "scripts/linux/list.h"
#include "scripts/linux/other.h"
#include "scripts/linux/screen.h"

#define BUFFER_BYTES 4096u

static bool drain(void *context, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, context) == count;
}

static void say(void *context, const char *sentence)
{
    (void)context;
    printf("! %s\n", sentence);
}

bool list_kernels(const struct kernel_offer *offer, const struct other_cpus *other,
                  const char *pattern)
{
    char buffer[BUFFER_BYTES];
    struct out out = out_stream(buffer, sizeof(buffer), drain, stdout);
    bool found = other ? other_list_kernels(offer, pattern, other, &out)
                       : kernels_list(offer, pattern, NULL, NULL, &out);

    out_flush(&out);
    screen_early_errors();
    return found;
}

static const struct cpu_caps *first_caps(const struct linux_run *run)
{
    unsigned first = 0;

    while (first < run->host->cpus && host_cpu_trouble(run->host, first))
        first++;
    return &run->host->cpu[first].caps;
}

bool list_events(const struct linux_run *run, const struct other_cpus *other, const char *pattern)
{
    char buffer[BUFFER_BYTES];
    struct out out = out_stream(buffer, sizeof(buffer), drain, stdout);
    const struct cpu_caps *caps = first_caps(run);
    bool found =
        other ? report_other_events(other, run->tables, say, pattern, &out)
              : event_list(tables_of(run->tables, caps, say, NULL), caps, NULL, pattern, &out);

    if (!found && !other)
        out_text(&out, "--for CPU lists the events of another CPU\n");
    out_flush(&out);
    return found;
}

static bool start_events(struct linux_run *run)
{
    return cpu_events_start(&run->events, files_memory) ||
           REFUSE("there is no memory for the plan's events\n");
}

bool list_check_events(struct linux_run *run)
{
    const struct cpu_events_port port = {
        .tables = run->tables,
        .uncore = uncore_of_linux,
        .emulation = &run->host->emulation,
    };

    const struct cpu_caps caps = run_caps(run, first_caps(run));
    struct cpu_events *events = &run->events;

    if (!start_events(run))
        return false;
    cpu_events_find(events, &port, &run->plan, first_caps(run), STATUS_OK, &run->plan);
    schedule_make(&caps, false, events->event, events->events, events->schedule, events->work);
    return true;
}

static void say_error(void *context, const struct plan_error *error)
{
    screen_error(context, error);
}

bool list_check_other(struct linux_run *run, const struct other_cpus *other)
{
    const struct other_plan about = {
        .cpus = other,
        .name = run->plan_path,
        .plan = &run->plan,
        .kernels = run->kernels,
        .events = &run->events,
        .tables = run->tables,
        .memory = files_memory,
        .say_kernels = other_say_kernels,
        .say_error = say_error,
        .context = run,
    };

    screen_early_errors();
    if (!start_events(run))
        return false;
    plan_choose_cpl(&run->plan);
    report_other_plan(&about, screen_out());
    return true;
}

static const struct chosen_kernel *find(struct linux_run *run, const char *line)
{
    struct plan *plan = &run->plan;

    plan_default(plan, files_memory);
    plan_add_kernels(plan, line);
    run->kernels = chosen_find(&run->offer, plan, run->kernel);
    if (plan->errors == 0 && run->kernels == 1)
        return run->kernel;
    if (plan->errors == 0)
        fprintf(stderr,
                "barecount-linux: --once runs one kernel, but '%s' selects %u; name one, with one "
                "value of each parameter\n",
                line, run->kernels);
    for (unsigned i = 0; i < plan->errors_kept; i++)
        fprintf(stderr, "barecount-linux: --once: %s\n", plan->error[i].text);
    for (unsigned i = 0; i < early_error_count; i++)
        fprintf(stderr, "  %s\n", early_errors[i]);
    return NULL;
}

static const char *trouble_of(const struct linux_run *run, const struct chosen_kernel *kernel)
{
    static char text[256];
    struct out out = out_buffer(text, sizeof(text));
    const struct kernel_record *record = kernel->record;
    const uint64_t lacking = caps_lacks(first_caps(run), record->cpu_features);

    if (record->flags & KERNEL_RING0)
        return "it needs CPL 0";
    if (record->flags & (KERNEL_PAIR | KERNEL_CROWD))
        return "it has roles for several CPUs";
    if (kernel->use.memory != MEMORY_DEFAULT && kernel->use.memory != MEMORY_WB)
        return status_text(STATUS_WRITE_BACK);
    if (lacking == 0)
        return NULL;
    out_text(&out, "this CPU lacks ");
    cpu_features_words(lacking, &out);
    return out_end(&out);
}

bool list_once(struct linux_run *run, const char *line)
{
    const struct chosen_kernel *kernel = find(run, line);
    enum status status;
    const char *trouble;

    if (!kernel)
        return false;
    trouble = trouble_of(run, kernel);
    if (trouble)
        return REFUSE("%s cannot be run once: %s\n", kernel->record->name, trouble);
    status = child_once(&(struct child_task){.use = &kernel->use});
    return status == STATUS_OK || REFUSE("%s: %s\n", kernel->record->name, status_text(status));
}
