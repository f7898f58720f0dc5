/* SPDX-License-Identifier: BSD-2-Clause */
/* run.json: what the rest of the machine did while a CPU measured. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run_files.h"

static void in_mwait(struct run_record *run)
{
    run->timer_stopped = 1;
    run->parked = PARKED_IN_MWAIT | 0x21 << PARKED_HINT_SHIFT;
}

static uint32_t logs_found;

static void render_cpu(void (*change)(struct run_record *run), uint32_t siblings, uint32_t flags)
{
    run_begin(change, "");
    run_cpu(6, NULL);
    run_cpu_record.siblings = siblings;
    run_cpu_record.flags = flags;
    run_cpu_record.logs_found = logs_found;
    run_describe();
    run_calibration();
    render();
}

TEST(the_machine)
{
    render_cpu(NULL, 0, 0);
    has("\"firmware_timer_stopped\": false");
    has("\"parked\": \"by the firmware\"");
    render_cpu(in_mwait, 0, 0);
    has("\"firmware_timer_stopped\": true");
    has("\"parked\": \"in MWAIT, hint 0x21\"");
}

/* The most active state of a sibling is reported. */
TEST(the_siblings)
{
    render_cpu(in_mwait, 0, 0);
    assert_null(strstr(text, "siblings_parked"));
    render_cpu(in_mwait, 1, 0);
    has("\"siblings_parked\": \"firmware\"");
    render_cpu(in_mwait, 1, CPU_BESIDE_PARKED);
    has("\"siblings_parked\": \"mwait\"");
    render_cpu(NULL, 1, CPU_IS_BOOT);
    has("\"siblings_parked\": \"firmware\"");
    render_cpu(in_mwait, 3, CPU_BESIDE_BOOT | CPU_BESIDE_PARKED);
    has("\"siblings_parked\": \"boot CPU waiting\"");
    render_cpu(in_mwait, 3, CPU_BESIDE_BOOT | CPU_BESIDE_MEASURED);
    has("\"siblings_parked\": \"measuring\"");
}

TEST(the_logs_found)
{
    render_cpu(NULL, 0, 0);
    has("\"log_bits_found\": false");
    logs_found = CPU_HAS_PACKAGE_THERM_STATUS;
    render_cpu(NULL, 0, 0);
    has("\"log_bits_found\": true");
    logs_found = 0;
}

/* bit 0 is avx, bit 14 is sha */
static void with_features(struct cpu_caps *caps)
{
    caps->kernel_features = 1 << 0 | 1 << 14;
}

TEST(the_features)
{
    run_begin(NULL, "");
    run_cpu(6, with_features);
    run_calibration();
    render();
    has("\"kernel_features\": [");
    has("\"avx\"");
    has("\"sha\"");
    assert_null(strstr(text, "\"avx2\""));
}

/* The list of caches ends at the first empty entry. */
TEST(the_caches)
{
    render_cpu(NULL, 0, 0);
    has("\"caches\": []");
    run_begin(NULL, "");
    run_cpu(6, NULL);
    run_cpu_record.cache[0] = (struct cpu_cache){CACHE_DATA, 1, 0, 48};
    run_cpu_record.cache[1] = (struct cpu_cache){CACHE_CODE, 1, 0, 32};
    run_cpu_record.cache[2] = (struct cpu_cache){CACHE_UNIFIED, 3, 0, UINT32_MAX};
    run_cpu_record.cache[4] = (struct cpu_cache){CACHE_DATA, 4, 0, 1};
    run_describe();
    run_calibration();
    render();
    has("{\"level\": 1, \"type\": \"data\", \"bytes\": 49152}");
    has("{\"level\": 1, \"type\": \"code\", \"bytes\": 32768}");
    has("{\"level\": 3, \"type\": \"unified\", \"bytes\": 4398046510080}");
    assert_null(strstr(text, "\"level\": 4"));
}
