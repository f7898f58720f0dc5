/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/console.h"
#include "boot/screen/cpu.h"
#include "pmu/verdicts/clock.h"
#include "pmu/verdicts/differs.h"
#include "pmu/base/text.h"

#define WORDS_BYTES 200u
#define TYPES_MAX   4u

static struct clock clocks[CPUS_MAX];

/* What the rows of core cycles of a run came to, those with enough samples to tell. */
static struct {
    struct differs differs;
    unsigned rows;
    unsigned stable;
    unsigned passes_differ;
    unsigned cpus_differ;
} cycles;

/* The state as it was said last, for each type of core. */
static struct {
    uint32_t core_type;
    char words[WORDS_BYTES];
} said[TYPES_MAX];
static unsigned types_said;

void report_use(const struct cpu_record *cpu)
{
    uint64_t hidden = pmu_hidden_use(&cpu->found);
    char text[WORDS_BYTES];
    struct out words = out_buffer(text, sizeof(text));

    if (cpu->flags & CPU_WAS_IN_USE)
        say("! CPU %u: counters had been left running; they are stopped now and put back after\n"
            "  each kernel\n",
            cpu->cpu);
    if (hidden == 0)
        return;
    pmu_use_words(hidden, &words);
    say("! CPU %u: in use by IA32_PERF_GLOBAL_INUSE, though no control register shows it:\n"
        "  %s\n",
        cpu->cpu, out_end(&words));
}

void report_state_start(void)
{
    types_said = 0;
}

void report_state(const struct cpu_record *cpu, const char *words)
{
    unsigned i = 0;

    while (i < types_said && said[i].core_type != cpu->caps.core_type)
        i++;
    if (i == types_said && i < TYPES_MAX) {
        said[types_said++].core_type = cpu->caps.core_type;
        said[i].words[0] = 0;
    }
    if (i < TYPES_MAX && text_same(said[i].words, words))
        return;
    if (i < TYPES_MAX)
        text_copy(said[i].words, sizeof(said[i].words), words);
    console_progress_end();
    say("CPU %u state: %s\n", cpu->cpu, *words ? words : "as it was found");
}

void report_clock_start(unsigned cpu)
{
    clocks[cpu % CPUS_MAX] = (struct clock){0};
}

void report_clock_add(const struct view *view, const struct result *result)
{
    clock_add(&clocks[result->cpu % CPUS_MAX], view, result);
}

/* "2100.0": a tenth is finer than the mean is true. */
static void say_mhz(uint64_t khz)
{
    uint64_t tenths = khz / 100 + (khz % 100 >= 50);

    say("%llu.%llu MHz", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
}

void report_clock(const struct run *run)
{
    const struct run_record record = {.tsc_hz = run->machine->tsc_hz,
                                      .tsc_source = run->machine->tsc_source};
    uint64_t khz = clock_run_khz(&clocks[run->cpu_now % CPUS_MAX], &record);

    if (khz == 0)
        return;
    say("CPU %u ran at ", run->cpu_now);
    say_mhz(khz);
    say(" (core/reference cycles x ");
    say_mhz(record.tsc_hz / 1000);
    say(")\n");
}

void report_cycles_start(void)
{
    differs_start(&cycles.differs);
    cycles.rows = cycles.stable = cycles.passes_differ = cycles.cpus_differ = 0;
}

void report_cycles_add(const struct view *view, const struct result *result, const struct row *row)
{
    unsigned found;

    if (!row_is_cycles(row) || row->counter_off || row->stats.count < STATS_SPEAK_MIN)
        return;
    found = differs_row(&cycles.differs, view, result, row);
    cycles.rows++;
    cycles.stable += row->stats.stable;
    cycles.passes_differ += (found & DIFFERS_PASSES) != 0;
    cycles.cpus_differ += (found & DIFFERS_CPUS) != 0;
}

void report_cycles_end(void)
{
    if (cycles.rows == 0)
        return;
    say("Cycles    stable in %u of %u rows; passes differ in %u, CPUs in %u\n", cycles.stable,
        cycles.rows, cycles.passes_differ, cycles.cpus_differ);
}

void report_noise(const struct run *run, const struct noise noise[2], bool always)
{
    uint64_t tsc_hz = run->machine->tsc_source == TSC_UNKNOWN ? 0 : run->machine->tsc_hz;
    char text[2 * WORDS_BYTES];
    struct out line = out_buffer(text, sizeof(text));

    if (run->plan.noise_ms == 0 ||
        (!always && noise_is_quiet(&noise[NOISE_BEFORE]) && noise_is_quiet(&noise[NOISE_AFTER])))
        return;
    out_printf(&line, "CPU %u noise: before ", run->cpu_now);
    noise_words(&noise[NOISE_BEFORE], tsc_hz, &line);
    out_text(&line, "; after ");
    noise_words(&noise[NOISE_AFTER], tsc_hz, &line);
    say_wrapped(out_end(&line), 2);
}
