/* SPDX-License-Identifier: BSD-2-Clause */
/* The story. */
#include "boot/console.h"
#include "boot/firmware.h"
#include "boot/menu.h"
#include "boot/report.h"

static struct session session;
static struct store store;
static struct run run = {.session = &session, .store = &store, .plan_path = PLAN_PATH};

static bool measure_and_write(void)
{
    bool whole = run_measure(&run) && store_finish(&store) && run.tally.lost == 0;

    report_end(&run, whole);
    return whole;
}

/* True when the last run was written whole. */
static bool tell(void)
{
    bool whole;

    run.plan_text = firmware_memory(PLAN_FILE_BYTES_MAX);
    if (!run.plan_text || !session_start(&session))
        return false;
    store_recover(&store);
    do {
        run_prepare(&run);
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
    console_start();
    whole = tell();
    if (!run.cpu_lost) /* it may still use its interrupt table */
        firmware_memory_give_back();
    cpu_set_cr4(firmware_cr4);
    return whole ? 0 : 1;
}
