/* SPDX-License-Identifier: BSD-2-Clause */
/* Renders a run's files in memory, for receivers other than volumes. */
#include "boot/efi/console.h"
#include "boot/efi/firmware.h"
#include "boot/store/parts.h"
#include "pmu/files/machine_file.h"
#include "pmu/report/report.h"

typedef bool (*render_function)(const struct render *render, struct out *out);

enum {
    RESULTS_CSV,
    SUMMARY_TXT,
    SUMMARY_HTML,
    CHECK_TXT,
    MACHINE_TXT,
    TRUST_CSV,
    SAMPLES_CSV,
    JOURNAL_BIN,
    JSON,
    FILES_COUNT
};

static const struct {
    const char *name;
    render_function render; /* null: the journal itself */
} FILES[FILES_COUNT] = {
    [RESULTS_CSV] = {"results.csv", render_results_csv},
    [SUMMARY_TXT] = {"summary.txt", report_summary_txt},
    [SUMMARY_HTML] = {"summary.html", render_summary_html},
    [CHECK_TXT] = {"check.txt", report_check_txt},
    [MACHINE_TXT] = {"machine.txt", render_machine_txt},
    [TRUST_CSV] = {"trust.csv", render_trust_csv},
    [SAMPLES_CSV] = {"samples.csv", render_samples_csv},
    [JOURNAL_BIN] = {STORE_JOURNAL, 0},
    [JSON] = {RUN_JSON, render_run_json},
};

static const uint8_t ORDERS[][FILES_COUNT] = {
    [STORE_RESULTS_FIRST] = {RESULTS_CSV, SUMMARY_TXT, SUMMARY_HTML, CHECK_TXT, MACHINE_TXT,
                             TRUST_CSV, SAMPLES_CSV, JOURNAL_BIN, JSON},
    [STORE_SUMMARY_FIRST] = {SUMMARY_TXT, RESULTS_CSV, SUMMARY_HTML, CHECK_TXT, MACHINE_TXT,
                             TRUST_CSV, SAMPLES_CSV, JOURNAL_BIN, JSON},
};

static bool add_up(void *context, const char *bytes, size_t count)
{
    size_t *total = context;

    (void)bytes;
    *total += count;
    return true;
}

/* Renders a file twice, the first time only to count its bytes; null: failed. */
static const char *render_to_memory(struct store *store, render_function render, size_t *count)
{
    struct out counted = out_stream(store->buffer, STORE_BUFFER_BYTES, add_up, count);
    struct out out;
    char *bytes;

    *count = 0;
    if (!render(&store->render, &counted))
        return 0;
    bytes = firmware_file_memory(*count);
    if (!bytes)
        return 0;
    out = out_buffer(bytes, *count);
    return render(&store->render, &out) ? bytes : 0;
}

bool store_hand_out(struct store *store, enum store_order order,
                    bool (*take)(void *context, const char *name, const void *bytes, size_t count),
                    void *context)
{
    bool whole = true, taken = true;

    if (!store->journal.bytes || store->journal.used == 0)
        return false;
    render_take(&store->render, store->journal.bytes, store->journal.used);
    for (unsigned place = 0; place < FILES_COUNT && taken; place++) {
        const unsigned i = ORDERS[order][place];
        size_t count = store->journal.used;
        const char *bytes = store->journal.bytes;

        if ((i == SAMPLES_CSV && store->render.samples_dropped) ||
            (i == CHECK_TXT && !report_has_check(&store->render)) ||
            (i == MACHINE_TXT && !render_has_machine(&store->render)) ||
            (i == TRUST_CSV && !render_has_trust(&store->render)))
            continue;
        if (FILES[i].render)
            bytes = render_to_memory(store, FILES[i].render, &count);
        if (bytes)
            taken = take(context, FILES[i].name, bytes, count);
        else
            say("! %s is left out: the firmware does not have %llu KiB of memory for it\n",
                FILES[i].name, (unsigned long long)(count >> 10));
        whole = whole && bytes && taken;
        firmware_file_memory_free();
    }
    return whole;
}
