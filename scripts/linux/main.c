/* SPDX-License-Identifier: BSD-2-Clause */
/* barecount-linux: the image's kernels, plans and results, counted through perf_event_open. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scripts/lib/render_files.h"
#include "scripts/linux/list.h"
#include "scripts/linux/may_count.h"
#include "scripts/linux/options.h"
#include "scripts/linux/screen.h"
#include "scripts/linux/run.h"

/* The exit statuses, as in scripts/lib/results.py. */
enum { EXIT_PASS, EXIT_FAIL, EXIT_USAGE, EXIT_INCOMPLETE, EXIT_ERROR, EXIT_PLAN_ERRORS };

static const char NO_PLAN[] = "! there is no plan: --plan FILE names one\n";

static volatile int stopped;

/* The run ends after the current kernel; a second signal ends the program. */
static void stop(int number)
{
    stopped = 1;
    signal(number, SIG_DFL);
}

/* The folder events/ next to the program, where the build puts it. */
static const char *default_events(void)
{
    static char path[PATH_BYTES];
    ssize_t used = readlink("/proc/self/exe", path, sizeof(path) - sizeof("events"));
    char *name;

    if (used < 0)
        return "events";
    path[used] = '\0';
    name = strrchr(path, '/');
    memcpy(name ? name + 1 : path, "events", sizeof("events"));
    return path;
}

static int fail(const char *path)
{
    fprintf(stderr, "barecount-linux: %s: %s\n", path, strerror(errno));
    return EXIT_ERROR;
}

static int finish(struct linux_run *run, const char *folder)
{
    struct render render = {.scratch = run->scratch, .scratch_count = run->scratch_count};
    char path[PATH_BYTES], text[TALLY_LINE_BYTES];
    struct out line = out_buffer(text, sizeof(text));
    bool whole, is_other;

    render_take(&render, run->journal.bytes, run->journal.used);
    snprintf(path, sizeof(path), "%.3800s/journal.bin", folder);
    errno = run->write_errno;
    whole = run->written == run->journal.used && fsync(run->journal_file) == 0;
    if (!whole) /* the other files can still be made, from the journal in memory */
        fail(path);
    if (!render_files(&render, folder, path))
        return fail(path);
    snprintf(path, sizeof(path), "%.3800s/index.csv", run->folder);
    if (!render_index(&render, path, &is_other))
        return fail(path);
    if (is_other)
        fprintf(stderr, "barecount-linux: %s: %s\n", path, INDEX_IS_OTHER);
    screen_end(run, &render);
    if (!whole)
        return EXIT_ERROR;
    if (run->tally.lost > 0 || stopped)
        return EXIT_INCOMPLETE;
    tally_line(&run->tally, &line);
    if (strncmp(out_end(&line), "FAIL", 4) == 0)
        return EXIT_FAIL;
    return run->plan.errors > 0 ? EXIT_PLAN_ERRORS : EXIT_PASS;
}

static int measure(struct linux_run *run, const struct options *options)
{
    char folder[PATH_BYTES], path[PATH_BYTES];

    if (!may_count(run))
        return EXIT_ERROR;
    run->folder = options->out;
    run->number = files_next_run(options->out, folder);
    if (run->number == 0 && errno == 0)
        fprintf(stderr,
                "barecount-linux: %s has all runs up to 9999; --out selects another folder\n",
                options->out);
    else if (run->number == 0)
        fail(options->out);
    if (run->number == 0)
        return EXIT_ERROR;
    snprintf(path, sizeof(path), "%.3800s/journal.bin", folder);
    run->journal_file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (run->journal_file < 0)
        return fail(path);
    screen_first(run, folder);
    screen_errors(run);
    fflush(stdout);
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    return run_measure(run) ? finish(run, folder) : EXIT_ERROR;
}

static int check_plan(struct linux_run *run)
{
    screen_first(run, NULL);
    screen_errors(run);
    if (!run->plan_path) {
        printf("%s", NO_PLAN);
        return EXIT_USAGE;
    }
    if (run->plan.errors > 0)
        return EXIT_PLAN_ERRORS;
    printf("The plan has no errors.\n");
    return EXIT_PASS;
}

static int check_other(struct linux_run *run, const struct options *options)
{
    if (!options->plan) {
        printf("%s", NO_PLAN);
        return EXIT_USAGE;
    }
    if (!run_read(run, options->plan, options->cpus))
        return EXIT_ERROR;
    if (!list_check_other(run, &options->other))
        return EXIT_ERROR;
    return run->plan.errors > 0 ? EXIT_PLAN_ERRORS : EXIT_PASS;
}

static int answer(struct linux_run *run, const struct options *options)
{
    const struct other_cpus *other = options->other.count > 0 ? &options->other : NULL;

    switch (options->action) {
    case DO_LIST_KERNELS:
        return list_kernels(&run->offer, other, options->pattern) ? EXIT_PASS : EXIT_FAIL;
    case DO_LIST_EVENTS:
        return list_events(run, other, options->pattern) ? EXIT_PASS : EXIT_FAIL;
    case DO_ONCE:
        return list_once(run, options->once) ? EXIT_PASS : EXIT_ERROR;
    case DO_CHECK_PLAN:
    case DO_RUN:
    default:
        break;
    }
    if (other)
        return check_other(run, options);
    host_describe(run->host);
    if (!run_prepare(run, options->plan, options->cpus))
        return EXIT_ERROR;
    if (!list_check_events(run))
        return EXIT_ERROR;
    run_fit(run);
    return options->action == DO_CHECK_PLAN ? check_plan(run) : measure(run, options);
}

int main(int count, char **word)
{
    static struct host host;
    static struct linux_run run;
    struct options options;

    if (!options_take(count, word, &options))
        return EXIT_USAGE;
    if (options.action == DO_HELP || options.action == DO_VERSION) {
        printf("%s", options.action == DO_HELP ? OPTIONS_HELP
                                               : "barecount-linux " BARECOUNT_VERSION "\n");
        return EXIT_PASS;
    }
    if (!files_kernels(options.kernels, &run.offer))
        return EXIT_ERROR;
    if (options.events && !files_is_folder(options.events)) {
        fprintf(stderr, "barecount-linux: --events %s: %s\n", options.events, strerror(errno));
        return EXIT_ERROR;
    }
    host_find(&host);
    run.host = &host;
    run.stopped = &stopped;
    run.tables = files_events(options.events ? options.events : default_events());
    return answer(&run, &options);
}
