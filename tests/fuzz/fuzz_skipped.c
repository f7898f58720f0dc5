/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses arbitrary bytes as skipped.csv, writes the entries found, and parses what was written. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "pmu/journal/skipped.h"

static void early_error(void *context, unsigned line, const char *sentence)
{
    assert(context && line > 0 && sentence[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct skipped read, again;
    static char text[SKIPPED_MAX * 256];
    struct out out = out_buffer(text, sizeof(text));

    skipped_parse(&read, (const char *)data, size, early_error, &read);
    for (unsigned i = 0; i < read.entries; i++) {
        uint32_t last;

        assert(skipped_deaths(&read, read.entry[i].kernel, read.entry[i].crc32, CPU_NONE, &last) >
                   0 ||
               skipped_watchdog(&read, &read.entry[i]));
        skipped_put(&read.entry[i], &out);
    }
    assert(!out.failed && read.entries <= SKIPPED_MAX);
    skipped_parse(&again, text, out.used, early_error, &again);
    assert(again.forgotten == 0 && again.entries <= read.entries);
    return 0;
}
