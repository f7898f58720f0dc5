/* SPDX-License-Identifier: BSD-2-Clause */
/* The main loop: finds the machine, then runs plans and delivers results, until told to end. */
#include "boot/main.h"
#include "boot/efi/console.h"
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"
#include "boot/plan/skipped.h"
#include "boot/run/run.h"
#include "boot/screen/screen.h"
#include "boot/send/send.h"

static struct machine machine;
static struct store store;
static struct request request;
static struct run run; /* initial values would enlarge the file */
static struct cpu_events events;
static struct progress progress;

static bool get_ready(void)
{
    run.request = &request;
    run.machine = &machine;
    run.store = &store;
    run.plan_file = run_plan_memory();
    run.events = &events;
    if (run.plan_file && cpu_events_start(&events, firmware_memory))
        return machine_find(&machine);
    say("\nbarecount cannot start: %s. Free some, or add some.\n", status_text(STATUS_NO_MEMORY));
    return false;
}

/* True if the plan was run, no result was lost, and all files were delivered. */
static bool run_once(void)
{
    struct delivery delivery = {.on_volume = false};

    store_open(&store, skipped_kernels_look);
    screen_first(&run);
    if (run_measure(&progress, &run))
        delivery = deliver(&run);
    screen_end(&progress, &delivery);
    return (delivery.on_volume || delivery.on_server) && progress.tally.lost == 0 &&
           progress.tally.refused == REFUSED_NOT;
}

static bool run_or_answer(void)
{
    bool whole, is_wanted;

    if (!command_take(&request))
        return false;
    if (!get_ready()) {
        if (!request.arguments.given)
            menu_pause();
        return false;
    }
    if (request.arguments.action != ACTION_RUN)
        return command_answer(&run);
    console_start();
    skipped_kernels_look(); /* finishes a cut-off run */
    do {
        /* Files are read before any write, because a rejected write may slow a volume. */
        run_prepare(&run);
        is_wanted = menu_before(&run);
        whole = is_wanted && run_once();
    } while (menu_after(&run, is_wanted, &request));
    return whole;
}

bool barecount_main(void)
{
    uint64_t firmware_cr4 = cpu_cr4();
    bool whole;

    cpu_sse_on();
    firmware_watchdog_off();
    whole = run_or_answer();
    files_end();
    if (!machine.cpu_lost) /* a lost CPU may still use its IDT in that memory */
        firmware_memory_give_back();
    cpu_set_cr4(firmware_cr4);
    return whole;
}
