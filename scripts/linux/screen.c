/* SPDX-License-Identifier: BSD-2-Clause */
/* The first and the last lines on standard output. */
#include <stdio.h>
#include <string.h>

#include "pmu/cpu/tsc.h"
#include "scripts/linux/screen.h"

#define US_PER_S     1000000u
#define ERROR_INDENT 4u

static bool write_out(void *context, const char *bytes, size_t count)
{
    (void)context;
    fwrite(bytes, 1, count, stdout);
    fflush(stdout);
    return true;
}

struct out *screen_out(void)
{
    static char buffer[256];
    static struct out out;

    if (!out.drain)
        out = out_stream(buffer, sizeof(buffer), write_out, NULL);
    return &out;
}

static void say_linux(const struct linux_run *run)
{
    const struct linux_record *is = &run->host->machine.linux_host;
    char paranoid[16] = "unknown";

    if (is->perf_event_paranoid != PARANOID_UNKNOWN)
        snprintf(paranoid, sizeof(paranoid), "%d", is->perf_event_paranoid);
    printf("Linux     %s; perf_event_paranoid %s, NMI watchdog %s%s%s\n", is->kernel, paranoid,
           is->nmi_watchdog ? "on" : "off", is->isolated_cpus[0] ? "; isolated CPUs " : "",
           is->isolated_cpus);
    if (is->nmi_watchdog)
        printf("! Linux   the NMI watchdog holds a counter of each CPU, so that passes have one "
               "less;\n          sysctl kernel.nmi_watchdog=0 gives it back\n");
}

void screen_first(const struct linux_run *run, const char *folder)
{
    const struct run_record *machine = &run->host->machine;
    const struct plan *plan = &run->plan;
    const struct cpu_caps *caps;
    const char *brand;
    unsigned first = 0;
    char time[TIME_WORDS_BYTES], text[NOTE_BYTES];
    struct out left_out = out_buffer(text, sizeof(text));

    while (!run->measured[first])
        first++;
    caps = &run->host->cpu[first].caps;
    brand = caps->brand + strspn(caps->brand, " ");
    printf("barecount-linux %s: hardware counters through perf_event_open\n\n", BARECOUNT_VERSION);
    printf("Machine   %s %s\n", machine->smbios.maker, machine->smbios.product);
    if (machine->emulated)
        printf("          " EMULATION_WORDS "\n");
    say_linux(run);
    printf("CPU       %s\n", brand[0] ? brand : caps->vendor_id);
    printf("          %s, family %u, model %u, stepping %u; CPUs: %u, usable: %u\n",
           caps_vendor_name(caps), caps->family, caps->model, caps->stepping, run->host->cpus,
           run->host->usable);
    printf("TSC       %llu.%03llu MHz, %s\n", (unsigned long long)(machine->tsc_hz / 1000000),
           (unsigned long long)(machine->tsc_hz / 1000 % 1000),
           tsc_source_name(machine->tsc_source));
    fflush(stdout);
    report_pmu(caps, screen_out());
    printf("Plan      %s: %u CPUs, %u kernels, %u runs\n",
           run->plan_path ? run->plan_path : "built in", run->cpus, run->kernels, plan->runs);
    printf("Time      about %s\n", time_words(run->expected_us + US_PER_S, false, time));
    if (run->kernels < run->kernels_asked) {
        run_left_out(run, &left_out);
        printf("! ");
        report_wrapped(out_end(&left_out), ERROR_INDENT, screen_out());
        out_flush(screen_out());
    }
    if (folder)
        printf("Results   %s\n", folder);
}

void screen_errors(const struct linux_run *run)
{
    const struct plan *plan = &run->plan;
    char place[PLACE_BYTES];

    for (unsigned i = 0; i < early_error_count; i++)
        printf("! %s\n", early_errors[i]);
    for (unsigned i = 0; i < plan->errors_kept; i++)
        printf("! %s%s\n", run_place(run, &plan->error[i], place), plan->error[i].text);
    if (plan->errors > 0)
        printf("! plan errors: %u; %s\n", plan->errors,
               plan->strict ? "strict=yes: nothing is measured" : "the rest of the plan holds");
}

void screen_end(struct linux_run *run, const struct render *render)
{
    char text[96], time[TIME_WORDS_BYTES];
    struct out line = out_buffer(text, sizeof(text));
    uint64_t us = host_us() - run->started_us;

    report_rows(&run->report, &run->tally);
    report_sums(&run->report, render);
    if (run->kernels < run->kernels_asked)
        printf("Left out  %u of %u kernels, by max_time; their names stand above\n",
               run->kernels_asked - run->kernels, run->kernels_asked);
    printf("Results   %s/%04u\n", run->folder, run->number);
    printf("Time      %s%s\n", time_words(us, true, time),
           *run->stopped ? ", ended early by a signal" : "");
    tally_line(&run->tally, &line);
    printf("%s\n", out_end(&line));
}
