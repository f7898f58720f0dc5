/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/efi/console.h"
#include "boot/run/run.h"
#include "boot/run/alone.h"
#include "boot/run/measured_cpu.h"
#include "boot/efi/firmware.h"
#include "boot/run/quiet.h"
#include "boot/run/records.h"
#include "boot/screen/table.h"
#include "boot/run/uncore.h"
#include "boot/run/together.h"

static void measure_cpu(struct progress *p, unsigned number)
{
    struct measured_cpu cpu;
    uint64_t started_us = machine_us(p->run->machine);

    if (!measured_cpu_start(p, &cpu, number))
        return;
    alone_measure(p, &cpu, started_us);
    measured_cpu_end(p, &cpu);
    report_cpu_end(p->run, cpu.noise);
}

bool run_measure(struct run *run)
{
    const struct cpus *cpus = &run->machine->cpus;
    struct progress p = {.run = run};

    run->tally = (struct tally){0};
    run->done = 0;
    run->stopped = false;
    run->started_us = machine_us(run->machine);
    run->console_ticks = console_ticks();
    if (!store_start(run->store, &run->needs)) {
        say("! %s: the plan needs %llu KiB for its records\n", status_text(STATUS_NO_MEMORY),
            (unsigned long long)((run->needs.journal_bytes + run->needs.spare_bytes) >> 10));
        run->tally.lost = run_units(run);
        return false;
    }
    view_start(&p.view, run->store->render.scratch, run->store->render.scratch_count);
    records_start(run);
    run_note_buffers(run);
    quiet_start(run);
    run_package_start();
    report_start();
    if (run->plan.mode == MODE_PARALLEL || run_has_shared(run))
        run_together(&p);
    else
        for (unsigned i = 0; i < cpus->count && !run->stopped; i++)
            if (run_has_cpu(run, i))
                measure_cpu(&p, i);
    quiet_stop(run);
    records_end(run);
    return true;
}
