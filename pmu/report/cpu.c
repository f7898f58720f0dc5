/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports who else used a CPU's counters, and the CPU's settings, clock and noise. */
#include "pmu/base/text.h"
#include "pmu/cpu/tsc.h"
#include "pmu/report/parts.h"

#define WORDS_BYTES 200u

void report_use(const struct cpu_record *cpu, struct out *out)
{
    uint64_t hidden = pmu_hidden_use(&cpu->found);
    char text[WORDS_BYTES];
    struct out words = out_buffer(text, sizeof(text));

    if (cpu->flags & CPU_WAS_IN_USE)
        out_printf(out,
                   "! CPU %u: counters had been left running; they are stopped now and restored "
                   "after\n  each kernel\n",
                   cpu->cpu);
    if (hidden == 0)
        return;
    pmu_use_words(hidden, &words);
    out_printf(out,
               "! CPU %u: IA32_PERF_GLOBAL_INUSE shows use that no control register explains:\n"
               "  %s\n",
               cpu->cpu, out_end(&words));
}

void report_state(struct report *report, const struct cpu_record *cpu,
                  const struct cpu_state *state)
{
    char words[REPORT_STATE_BYTES];
    struct out text = out_buffer(words, sizeof(words));
    unsigned i = 0;

    state_words(state, &text);
    out_end(&text);
    while (i < report->states && report->state[i].core != caps_core(&cpu->caps))
        i++;
    if (i == report->states && i < REPORT_CORE_TYPES) {
        report->state[report->states++].core = caps_core(&cpu->caps);
        report->state[i].words[0] = 0;
    }
    if (i < REPORT_CORE_TYPES && text_same(report->state[i].words, words))
        return;
    if (i < REPORT_CORE_TYPES)
        text_copy(report->state[i].words, sizeof(report->state[i].words), words);
    out_printf(report->out, "CPU %u state: %s\n", cpu->cpu, *words ? words : "as it was found");
    out_flush(report->out);
}

static void add_cycles(struct report *report, const struct rows *rows, const struct row *row)
{
    unsigned found;

    if (!row_is_cycles(row) || row->counter_off || row->stats.count < STATS_SPEAK_MIN)
        return;
    found = differs_row(&report->differs, rows->view, rows->result, row);
    report->cycles++;
    report->cycles_stable += row->stats.stable;
    report->passes_differ += (found & DIFFERS_PASSES) != 0;
    report->cpus_differ += (found & DIFFERS_CPUS) != 0;
}

void report_add_clock(struct report *report, const struct rows *rows)
{
    clock_add(&report->cpu[rows->result->cpu % PLAN_CPUS_MAX].clock, rows->view, rows->result);
    for (unsigned i = 0; i < rows->count; i++)
        add_cycles(report, rows, &rows->row[i]);
}

/* Writes only one decimal, because the mean is not more accurate. */
static void put_mhz(uint64_t khz, struct out *out)
{
    uint64_t tenths = khz / 100 + (khz % 100 >= 50);

    out_printf(out, "%llu.%llu MHz", (unsigned long long)(tenths / 10),
               (unsigned long long)(tenths % 10));
}

static void put_clock(const struct clock *clock, const struct run_record *run, unsigned cpu,
                      struct out *out)
{
    uint64_t khz = clock_run_khz(clock, run);

    if (khz == 0)
        return;
    out_printf(out, "CPU %u ran at ", cpu);
    put_mhz(khz, out);
    out_text(out, " (core/reference cycles x ");
    put_mhz(run->tsc_hz / 1000, out);
    out_text(out, ")\n");
}

/* A quiet CPU gets a line only if `always` is set, because many CPUs would fill the screen. */
static void put_noise(const struct run_record *run, unsigned cpu, const struct noise noise[2],
                      bool always, struct out *out)
{
    uint64_t tsc_hz = run->tsc_source == TSC_UNKNOWN ? 0 : run->tsc_hz;
    char text[2 * WORDS_BYTES];
    struct out line = out_buffer(text, sizeof(text));

    if (!always && noise_is_quiet(&noise[NOISE_BEFORE]) && noise_is_quiet(&noise[NOISE_AFTER]))
        return;
    out_printf(&line, "CPU %u noise: before ", cpu);
    noise_words(&noise[NOISE_BEFORE], tsc_hz, &line);
    if (noise_was_asked(&noise[NOISE_AFTER])) { /* not measured if the run was interrupted */
        out_text(&line, "; after ");
        noise_words(&noise[NOISE_AFTER], tsc_hz, &line);
    }
    report_wrapped(out_end(&line), 2, out);
}

void report_cpu_end(struct report *report, const struct run_record *run, unsigned cpu,
                    const struct noise noise[2])
{
    const struct report_cpu *told = &report->cpu[cpu % PLAN_CPUS_MAX];
    const bool has_table = report->table_cpu == cpu;
    char kernels[COUNTED_BYTES];

    if (has_table) {
        put_clock(&told->clock, run, cpu, report->out);
    } else {
        out_printf(report->out, "CPU %u: %s; rows: ", cpu,
                   counted(told->kernels, "kernel", kernels));
        tally_words(&told->tally, report->out);
        out_char(report->out, '\n');
    }
    if (noise_was_asked(&noise[NOISE_BEFORE]) || noise_was_asked(&noise[NOISE_AFTER]))
        put_noise(run, cpu, noise, has_table, report->out);
    out_flush(report->out);
}
