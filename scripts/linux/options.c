/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the command line of barecount-linux. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "pmu/base/nearest.h"
#include "pmu/base/out.h"
#include "pmu/plan/plan.h"
#include "pmu/report/other.h"
#include "pmu/report/report.h"
#include "scripts/linux/files.h"
#include "scripts/linux/options.h"
#include "scripts/linux/host.h"
#include "scripts/linux/machine.h"

#define ENDINGS_BYTES     48u
#define CPUS_BYTES        1024u
#define ONCE_BYTES        256u
#define FOLDER_LENGTH_MAX 3800u /* leaves room for file names */

const char OPTIONS_HELP[] =
    "usage: barecount-linux [OPTION]...\n"
    "\n"
    "Count the events of a plan's kernels through perf_event_open, as the image counts them\n"
    "without Linux.\n"
    "\n"
    "options:\n"
    "  -h, --help                show this help message and exit\n"
    "  --version                 print the version and exit\n"
    "  --plan FILE               the plan, in the image's format (default: one that is built in)\n"
    "  -o, --out DIR             where the folder of the results, DIR/NNNN, goes (default\n"
    "                            barecount-results)\n"
    "  --cpus LIST               which CPUs to measure, instead of those of the plan's cpus=\n"
    "  --events DIR              event tables (default: the folder events/ next to the program)\n"
    "  --kernels DIR             kernels of your own, made by scripts/build-kernel\n"
    "  --check-plan [FILE]       say what is wrong with the plan, and measure nothing\n"
    "  --list-kernels [PATTERN]  list the kernels, or those with PATTERN in name or family\n"
    "  --list-events [PATTERN]   list this CPU's events, or those with PATTERN in their names\n"
    "  --for CPU                 with --check-plan, --list-kernels or --list-events: answer for\n"
    "                            the image on another CPU, given as family/model (6/143), as\n"
    "                            family/model/stepping (0x6/0x55/0x7), by a name that perf or\n"
    "                            the event tables use (sapphirerapids, spr), or by the\n"
    "                            machine.txt that the image has written on that CPU\n"
    "  --once KERNEL [PARAMETER=VALUE]...\n"
    "                            run a kernel once and count nothing, so that another tool can\n"
    "                            count it; the parameters are those of a plan's [kernels]\n"
    "  --n N                     with --once: the kernel's n\n"
    "\n"
    "Exit status, the first that applies: 4 an error, 3 the run is not complete, 1 FAIL or an\n"
    "empty list, 5 errors in the plan, 0 PASS or NOT MEASURED; 2 is wrong usage.\n";

enum {
    OPTION_HELP = 'h',
    OPTION_PLAN = 'p',
    OPTION_OUT = 'o',
    OPTION_CPUS = 'c',
    OPTION_EVENTS = 'e',
    OPTION_KERNELS = 'k',
    OPTION_FOR = 'f',
    OPTION_ONCE = '1',
    OPTION_N = 'n',
    OPTION_ACTION = 256,
};

static const struct option KNOWN[] = {
    {"plan", required_argument, NULL, OPTION_PLAN},
    {"out", required_argument, NULL, OPTION_OUT},
    {"cpus", required_argument, NULL, OPTION_CPUS},
    {"events", required_argument, NULL, OPTION_EVENTS},
    {"kernels", required_argument, NULL, OPTION_KERNELS},
    {"check-plan", no_argument, NULL, OPTION_ACTION + DO_CHECK_PLAN},
    {"list-kernels", no_argument, NULL, OPTION_ACTION + DO_LIST_KERNELS},
    {"list-events", no_argument, NULL, OPTION_ACTION + DO_LIST_EVENTS},
    {"for", required_argument, NULL, OPTION_FOR},
    {"once", required_argument, NULL, OPTION_ONCE},
    {"n", required_argument, NULL, OPTION_N},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_ACTION + DO_VERSION},
    {NULL, 0, NULL, 0},
};

static bool take_n(const char *text, uint64_t *n)
{
    char endings[ENDINGS_BYTES];
    struct out out = out_buffer(endings, sizeof(endings));

    if (piece_size(piece_of(text), n) && *n >= 1 && *n <= PLAN_N_MAX)
        return true;
    piece_say_endings(piece_of(text), &out);
    return REFUSE("--n: expected a number from 1 to %llu, found '%s'%s\n",
                  (unsigned long long)PLAN_N_MAX, text, out_end(&out));
}

static bool take_cpus(const char *text, const char **setting)
{
    static char line[CPUS_BYTES];
    static struct plan plan;

    if ((size_t)snprintf(line, sizeof(line), "cpus=%s", text) >= sizeof(line))
        return REFUSE("--cpus: the list is too long; ranges such as 0-63 are shorter\n");
    plan_default(&plan, files_memory);
    plan_override(&plan, line);
    *setting = line;
    return plan.errors == 0 || REFUSE("--%s\n", plan.errors_kept > 0 ? plan.error[0].text : line);
}

static bool take_folder(const char *option, const char **folder)
{
    *folder = optarg;
    if (strlen(optarg) <= FOLDER_LENGTH_MAX)
        return true;
    return REFUSE("--%s: expected a path of at most %u characters\n", option, FOLDER_LENGTH_MAX);
}

static bool drain(void *context, const char *bytes, size_t count)
{
    (void)context;
    return fwrite(bytes, 1, count, stderr) == count;
}

static bool take_other(const char *text, struct other_cpus *other)
{
    char words[2 * OTHER_WORDS_BYTES], buffer[REPORT_COLUMNS];
    struct out why = out_buffer(words, sizeof(words));
    struct out names = out_stream(buffer, sizeof(buffer), drain, NULL);

    if (machine_is_file(text))
        return machine_cpus_read(text, other);
    if (other_cpus_find(text, other, &why))
        return true;
    fprintf(stderr, "barecount-linux: --for: %s\n", out_end(&why));
    report_other_names(text, &names);
    return false;
}

/* Prints the options that are similar to an unknown option; getopt has already printed an error. */
static void say_nearest(const char *word)
{
    struct nearest best;

    if (optopt != 0 || strncmp(word, "--", 2) != 0)
        return;
    best = nearest_to(piece_cut(piece_of(word + 2), '=', &(struct piece){0}));
    for (const struct option *known = KNOWN; known->name; known++)
        nearest_consider(&best, piece_of(known->name));
    for (unsigned i = 0; i < best.count; i++)
        fprintf(stderr, "%s--%s%s", i == 0 ? "nearest: " : ", ", best.name[i].at,
                i + 1 == best.count ? "\n" : "");
}

static bool take_one(int which, const char *word, struct options *options)
{
    switch (which) {
    case OPTION_HELP:
        options->action = DO_HELP;
        return true;
    case OPTION_PLAN:
        options->plan = optarg;
        return true;
    case OPTION_OUT:
        return take_folder("out", &options->out);
    case OPTION_CPUS:
        return take_cpus(optarg, &options->cpus);
    case OPTION_EVENTS:
        return take_folder("events", &options->events);
    case OPTION_KERNELS:
        return take_folder("kernels", &options->kernels);
    case OPTION_FOR:
        return take_other(optarg, &options->other);
    case OPTION_ONCE:
        options->action = DO_ONCE;
        options->once = optarg;
        return true;
    case OPTION_N:
        return take_n(optarg, &options->n);
    default:
        if (which < OPTION_ACTION) {
            say_nearest(word);
            return false;
        }
        options->action = (enum option_action)(which - OPTION_ACTION);
        return true;
    }
}

static bool take_once(int words, char **word, struct options *options)
{
    static char line[ONCE_BYTES];
    struct out out = out_buffer(line, sizeof(line));

    out_text(&out, options->once);
    for (int i = 0; i < words; i++)
        out_printf(&out, " %s", word[i]);
    if (options->n > 0)
        out_printf(&out, " n=%llu", (unsigned long long)options->n);
    options->once = out_end(&out);
    return !out.failed || REFUSE("--once: expected at most %u characters\n", ONCE_BYTES - 1);
}

bool options_take(int count, char **word, struct options *options)
{
    bool lists;
    int which;

    *options = (struct options){.out = "barecount-results", .pattern = ""};
    while ((which = getopt_long(count, word, "ho:", KNOWN, NULL)) != -1)
        if (!take_one(which, word[optind - 1], options)) {
            fprintf(stderr, "barecount-linux --help lists the options\n");
            return false;
        }
    lists = options->action == DO_LIST_KERNELS || options->action == DO_LIST_EVENTS;
    if (lists && optind < count)
        options->pattern = word[optind++];
    if (options->action == DO_CHECK_PLAN && !options->plan && optind < count)
        options->plan = word[optind++];
    if (options->other.count > 0 && !lists && options->action != DO_CHECK_PLAN)
        return REFUSE("--for is for --check-plan, --list-events and --list-kernels\n");
    if (options->action == DO_ONCE)
        return take_once(count - optind, word + optind, options);
    if (optind < count)
        return REFUSE("unexpected '%s'; barecount-linux --help lists the options\n", word[optind]);
    return options->n == 0 || REFUSE("--n is for --once; in a plan each kernel has its own n\n");
}
