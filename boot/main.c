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
    bool whole = run_measure(&run) && store_finish(&store);

    report_end(&run, whole);
    return whole;
}

int barecount_main(void);
int barecount_main(void)
{
    bool whole;

    firmware_watchdog_off();
    console_start();
    if (!session_start(&session))
        return 1;
    run.plan_text = firmware_memory(PLAN_FILE_BYTES_MAX);
    if (!run.plan_text)
        return 1;
    store_recover(&store);
    do {
        run_prepare(&run);
        report_first_screen(&run);
        whole = measure_and_write();
    } while (menu_after(&run));
    return whole ? 0 : 1;
}
