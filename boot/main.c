/* SPDX-License-Identifier: BSD-2-Clause */
/* The story. */
#include "boot/command.h"
#include "boot/run/run.h"
#include "boot/efi/console.h"
#include "boot/efi/files.h"
#include "boot/efi/firmware.h"
#include "boot/send/frames.h"
#include "boot/plan/skipped.h"
#include "boot/menu.h"
#include "boot/screen/table.h"
#include "boot/send/upload.h"
#include "pmu/base/text.h"

static struct machine machine;
static struct store store;
static struct run run; /* set up at run time: as data it would make the file larger */

/* On a volume that is new to us: the kernels that killed there, and a run that was cut off. */
static void look_back(void)
{
    static struct store earlier; /* the store itself may hold a run */

    skipped_kernels_read();
    store_recover(&earlier, skipped_kernels_add);
}

static bool measure_and_write(void)
{
    bool measured = run_measure(&run);
    bool taken = measured && (store_finish(&store) || store_finish_elsewhere(&store, look_back));
    struct upload upload = {.asked = false};

    if (measured) {
        upload = upload_run(&run);
        if (upload.asked && !upload.whole)
            taken = taken && store_finish_notes(&store);
        frames_after(&run, taken || upload.whole);
    }
    report_end(&run, taken && run.tally.lost == 0, &upload);
    return (taken || upload.whole) && run.tally.lost == 0;
}

/* False: nothing can be run; why was said. */
static bool get_ready(void)
{
    run.plan_text = firmware_memory(PLAN_FILE_BYTES_MAX);
    if (run.plan_text && cpu_events_start(&run.events, firmware_memory))
        return machine_find(&machine);
    say("\nbarecount cannot start: %s. Free some, or add some.\n", status_text(STATUS_NO_MEMORY));
    return false;
}

/* True when the last run was written whole, or the question answered. */
static bool tell(void)
{
    struct arguments arguments;
    bool whole;

    run.machine = &machine;
    run.store = &store;
    text_copy(run.plan_path, sizeof(run.plan_path), PLAN_PATH);
    if (!command_take(&arguments, &run))
        return false;
    if (!get_ready()) {
        if (!run.by_hand)
            menu_pause();
        return false;
    }
    if (arguments.action != ACTION_RUN)
        return command_answer(&arguments, &run);
    console_start();
    look_back();
    do {
        run_prepare(&run); /* reads first: a volume that did not take a write may be slow in all */
        store_open(&store, look_back);
        report_first_screen(&run);
        whole = measure_and_write();
    } while (menu_after(&run));
    return whole;
}

int barecount_main(void);
int barecount_main(void)
{
    uint64_t firmware_cr4 = cpu_cr4();
    bool whole;

    cpu_sse_on();
    firmware_watchdog_off();
    whole = tell();
    files_end();
    if (!run.cpu_lost) /* it may still use its interrupt table */
        firmware_memory_give_back();
    cpu_set_cr4(firmware_cr4);
    return whole ? 0 : 1;
}
