/* SPDX-License-Identifier: BSD-2-Clause */
/* run.json contains each field of the records under its name. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run_files.h"

static void distinct_run(struct run_record *run)
{
    strcpy(run->version, "1.2.3");
    strcpy(run->smbios.maker, "Maker");
    strcpy(run->smbios.product, "Product");
    strcpy(run->smbios.uuid, "Uuid");
    strcpy(run->firmware_vendor, "Vendor");
    strcpy(run->smbios.firmware_version, "Version");
    strcpy(run->plan_name, "plan.cfg");
    run->tsc_hz = 1001;
    run->tsc_source = TSC_ACPI_TIMER;
    run->cpus_found = 1002;
    run->cpus_usable = 1003;
    run->cpus_planned = 1004;
    run->runs = 4;
    run->runs_asked = 1005;
    run->warmup = 1006;
}

TEST(the_run_and_its_plan)
{
    static const char *const PIECES[] = {"\"program\": \"barecount\"",
                                         "\"version\": \"1.2.3\"",
                                         "\"number\": 12",
                                         "\"started\": \"2026-11-21T08:00:00\"",
                                         "\"maker\": \"Maker\"",
                                         "\"product\": \"Product\"",
                                         "\"uuid\": \"Uuid\"",
                                         "\"firmware_vendor\": \"Vendor\"",
                                         "\"firmware_version\": \"Version\"",
                                         "\"tsc_hz\": 1001",
                                         "\"tsc_source\": \"measured against the ACPI timer\"",
                                         "\"cpus_found\": 1002",
                                         "\"cpus_usable\": 1003",
                                         "\"file\": \"plan.cfg\"",
                                         "\"runs\": 4",
                                         "\"runs_asked\": 1005",
                                         "\"warmup\": 1006",
                                         "\"cpus\": 1004",
                                         "\"text\": \"the plan\\n\""};

    run_begin(distinct_run, "the plan\n");
    render();
    for (size_t i = 0; i < sizeof(PIECES) / sizeof(PIECES[0]); i++)
        has(PIECES[i]);
    has_not("max_time_s");
}

static void bounded_run(struct run_record *run)
{
    run->max_time_s = 1007;
}

TEST(what_there_was_no_time_for)
{
    struct left_out late = {.name = "late", .param = "size=4096", .n = 7}, wrong = {.n = 8};

    memset(wrong.name, 'x', sizeof(wrong.name));
    run_begin(bounded_run, "");
    run_kernel("early", EXPECT_NOTHING);
    run_append(RECORD_LEFT_OUT, &late, sizeof(late));
    run_append(RECORD_LEFT_OUT, &wrong, sizeof(wrong));
    render();
    has("\"max_time_s\": 1007");
    has("\"left_out\": [\n    {\"name\": \"late\", \"param\": \"size=4096\", \"n\": 7}\n  ]");
}

static void distinct_cpu(struct cpu_caps *caps)
{
    caps->x2apic_id = 2001;
    caps->package = 2002;
    caps->core = 2003;
    caps->thread = 2004;
    caps->stepping = 2007;
    caps->signature = 0x50654;
    caps->gp_count = 3;
    caps->gp_width_bits = 2008;
    caps->fixed_map = 5;
    caps->fixed_width_bits = 2009;
    caps->arch_events = 9;
    caps->arch_events_absent = 0x180;
    caps->core_type = CORE_TYPE_CORE;
    caps->features = FEATURE_TSC_CONST | FEATURE_HYBRID;
    caps->pmu_leaf[0] = 0xa;
    caps->pmu_leaf[1] = 0xb;
    caps->pmu_leaf[2] = 0xc;
    caps->pmu_leaf[3] = 0xd;
}

TEST(the_cpu)
{
    static const char *const PIECES[] = {
        "\"cpu\": 6",
        "\"apic_id\": 2001",
        "\"boot_cpu\": true",
        "\"package\": 2002",
        "\"core\": 2003",
        "\"thread\": 2004",
        "\"siblings\": 2010",
        "\"vendor\": \"Intel\"",
        "\"brand\": \"A CPU\"",
        "\"family\": 6",
        "\"model\": 85",
        "\"stepping\": 2007",
        "\"signature\": \"0x50654\"",
        "\"core_type\": \"core\"",
        "\"microcode\": \"0x7db\"",
        "\"general_counters\": 3",
        "\"general_width_bits\": 2008",
        "\"fixed_counters\": \"0x5\"",
        "\"fixed_width_bits\": 2009",
        "\"architectural_events\": 9",
        "\"architectural_events_absent\": \"0x180\"",
        "\"perf_capabilities\": \"0x7dc\"",
        "{\"eax\": \"0xa\", \"ebx\": \"0xb\", \"ecx\": \"0xc\", \"edx\": \"0xd\"}",
        "\"announced_by_misc_enable\": true",
        "\"in_use\": false",
        "\"invariant_tsc\": true",
        "\"version\": 4"};

    run_begin(NULL, "");
    run_cpu(6, distinct_cpu);
    run_cpu_record.flags = CPU_IS_BOOT;
    run_cpu_record.siblings = 2010;
    run_cpu_record.microcode = 2011;
    run_cpu_record.perf_capabilities = 2012;
    run_describe();
    run_calibration();
    render();
    for (size_t i = 0; i < sizeof(PIECES) / sizeof(PIECES[0]); i++)
        has(PIECES[i]);
}

TEST(the_core_complex)
{
    for (uint32_t has_ccx = 0; has_ccx < 2; has_ccx++)
        for (uint32_t has_ccd = 0; has_ccd < 2; has_ccd++) {
            const struct zen_place place = {has_ccx, has_ccd, 2021 * has_ccx, 2022 * has_ccd};

            run_begin(NULL, "");
            run_cpu(6, distinct_cpu);
            cpu_record_place(&run_cpu_record, &place);
            run_describe();
            run_calibration();
            render();
            assert_int_equal(strstr(text, "\"ccx\": 2021") != NULL, has_ccx);
            assert_int_equal(strstr(text, "\"ccx\"") != NULL, has_ccx);
            assert_int_equal(strstr(text, "\"ccd\": 2022") != NULL, has_ccd);
            assert_int_equal(strstr(text, "\"ccd\"") != NULL, has_ccd);
        }
}

/* Events of fixed counters are in every pass, other events in one. */
TEST(the_passes)
{
    unsigned slots = 0;

    run_begin(NULL, "");
    run_cpu(0, NULL);
    run_result_of(KERNEL_CALIBRATION, STATUS_OK, 1, 0);
    render();
    for (unsigned e = 0; e < EVENTS_COUNT; e++) {
        const char *piece = formatted("{\"event\": \"%s\", ", run_events[e].name);

        assert_int_equal(times(piece), EVENTS[e].fixed_only ? run_schedule.passes : 1);
        slots += times(piece);
    }
    assert_int_equal(run_schedule.passes, 3);
    assert_int_equal(times("{\"event\""), slots);
    assert_int_equal(times("\"empty_window_max\""), slots);
    assert_int_equal(times("        []"), 0);
    assert_int_equal(times("\"invariant_tsc\": false"), 1);
}

TEST(a_silent_cpu)
{
    run_begin(NULL, "");
    run_cpu(6, NULL);
    run_result_of(KERNEL_CALIBRATION, STATUS_TIMEOUT, 0, 0);
    render();
    has("\"cpu\": 6,");
    assert_null(strstr(text, "empty_window"));
}

TEST(the_longest_note)
{
    char note[NOTE_BYTES - 4];

    memset(note, 'n', sizeof(note));
    note[sizeof(note) - 1] = 0;
    run_begin(NULL, "");
    run_note(NOTE_REMARK, note);
    render();
    has(note);
}

TEST(the_end)
{
    struct end_record end = {.elapsed_us = 1, .memory_bytes = 2, .stopped = STOPPED_BY_USER};

    run_begin(NULL, "");
    run_append(RECORD_END, &end, sizeof(end));
    render();
    has("\"elapsed_us\": 1,");
    has("\"memory_bytes\": 2,");
    has("\"stopped_by_user\": true,");
    has("\"stopped_by_machine_check\": false,");
    has("\"samples_dropped\": false,");
    dropped = true;
    render();
    has("\"samples_dropped\": true,");
    dropped = false;
    run_begin(NULL, "");
    end = (struct end_record){.samples_dropped = 1, .stopped = STOPPED_BY_MACHINE_CHECK};
    run_append(RECORD_END, &end, sizeof(end));
    render();
    has("\"stopped_by_user\": false,");
    has("\"stopped_by_machine_check\": true,");
    has("\"samples_dropped\": true,");
}

TEST(the_verdicts)
{
    run_start("k", EXPECT_EXACT, NULL);
    run_result(0, STATUS_FAULT);
    run_result(0, STATUS_TIMEOUT);
    run_result(0, STATUS_TIMEOUT);
    render();
    has("\"fault\": 14,"); /* 13 events and the TSC */
    has("\"timeout\": 28,");
    has("\"line\": \"FAIL 42\"");
}
