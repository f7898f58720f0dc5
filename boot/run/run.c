/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures a run, from its first record to its last. */
#include "boot/efi/console.h"
#include "boot/run/run.h"
#include "boot/run/alone.h"
#include "boot/run/measured_cpu.h"
#include "boot/efi/firmware.h"
#include "boot/run/machine_file.h"
#include "boot/run/quiet.h"
#include "boot/run/records.h"
#include "boot/run/uncore.h"
#include "boot/run/team.h"

static void measure_cpu(struct progress *p, unsigned number)
{
    struct measured_cpu cpu;
    uint64_t started_us = machine_us(p->run->machine);

    if (!measured_cpu_start(p, &cpu, number))
        return;
    alone_measure(p, &cpu, started_us);
    measured_cpu_end(p, &cpu);
    progress_cpu_end(p, number, cpu.noise);
}

/*
 * If an emulator reports which events it counts, the others are unavailable. Therefore counts of 0
 * need no check in that case.
 */
static void start_zeros(struct progress *p)
{
    const unsigned room = zeros_room(&p->run->plan);
    const bool is_sure = p->run->machine->emulation.rules != 0;

    zeros_start(&p->zeros,
                is_sure ? 0 : firmware_plan_memory(room * (uint64_t)sizeof(struct zero_event)),
                room);
}

/* False: no memory. */
static bool start(struct progress *p, const struct run *run)
{
    struct store *store = run->store;

    p->run = run;
    store->tsc_hz = run->machine->tsc_hz;
    p->tally = (struct tally){.plan_errors = run->plan.errors, .refused = run_is_refused(run)};
    p->cursor = (struct journal_cursor){.bytes = 0};
    p->done = p->spaces = 0;
    p->stopped = STOPPED_NOT;
    p->unknown_said = false;
    p->trust = (struct trust_memory){.signature = 0};
    p->started_us = machine_us(run->machine);
    p->console_ticks = console_ticks();
    if (store_start(store, &run->needs)) {
        view_start(&p->view, store->render.scratch, store->render.scratch_count);
        start_zeros(p);
        report_start(&p->report, console_out(), run->cpus);
        return true;
    }
    say("! %s: the plan needs %llu KiB for its records\n", status_text(STATUS_NO_MEMORY),
        (unsigned long long)((run->needs.journal_bytes + run->needs.spare_bytes) >> 10));
    p->tally.lost = run_units(run);
    return false;
}

static void measure_cpus(struct progress *p)
{
    const struct run *run = p->run;

    quiet_start(p);
    run_uncore_start(run->machine);
    if (run->plan.mode == MODE_PARALLEL || run_has_shared(run))
        run_together(p);
    else
        for (unsigned i = 0; i < run->machine->cpus.count && !p->stopped; i++)
            if (run_has_cpu(run, i))
                measure_cpu(p, i);
    quiet_stop(p);
}

bool run_measure(struct progress *p, const struct run *run)
{
    if (!start(p, run))
        return false;
    records_start(run);
    run_machine_file_start(run);
    run_note_buffers(run);
    if (run_is_refused(run) == REFUSED_NOT)
        measure_cpus(p);
    records_end(p);
    return true;
}
