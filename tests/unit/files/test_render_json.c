/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.json: valid JSON whatever texts it contains, and marked as incomplete after an interrupted
 * run.
 */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run_files.h"
#include "pmu/cpu/tsc.h"

static void expect_text(const char *key, const char *value)
{
    char found[1024];

    assert_true(json_string_of(text, key, found, sizeof(found)));
    assert_string_equal(found, value);
}

static const char HOSTILE[] = "\"}]\\\",\x01\x1f\t\r\n\x7f\x80\xe9\xff\\u0041/";

static void hostile_run(struct run_record *run)
{
    strcpy(run->smbios.maker, HOSTILE);
    strcpy(run->smbios.product, HOSTILE);
    strcpy(run->smbios.uuid, HOSTILE);
    strcpy(run->label, HOSTILE);
    strcpy(run->plan_name, HOSTILE);
    strcpy(run->firmware_vendor, HOSTILE);
    strcpy(run->smbios.firmware_version, HOSTILE);
    memset(run->smbios.maker + strlen(HOSTILE), ' ', sizeof(run->smbios.maker) - strlen(HOSTILE));
    run->smbios.maker[sizeof(run->smbios.maker) - 1] = 0; /* a text of maximum length */
    run->tsc_source = 1000;
}

static void hostile_cpu(struct cpu_caps *caps)
{
    strcpy(caps->brand, HOSTILE);
    caps->vendor = VENDOR_OTHER;
    memcpy(caps->vendor_id, HOSTILE, 12);
}

TEST(hostile_texts_are_escaped)
{
    run_begin(hostile_run, HOSTILE);
    run_kernel("k", EXPECT_EXACT);
    run_cpu(0, hostile_cpu);
    run_calibration();
    run_note(NOTE_ERROR, HOSTILE);
    run_end();
    render();
    expect_text("maker", formatted("%-63s", HOSTILE));
    expect_text("product", HOSTILE);
    expect_text("uuid", HOSTILE);
    expect_text("label", HOSTILE);
    expect_text("file", HOSTILE);
    expect_text("text", HOSTILE);
    expect_text("firmware_vendor", HOSTILE);
    expect_text("firmware_version", HOSTILE);
    expect_text("brand", HOSTILE);
    expect_text("tsc_source", tsc_source_name(TSC_UNKNOWN));
}

TEST(a_plan_with_every_byte)
{
    char plan[256], found[512];

    for (unsigned i = 0; i < 256; i++)
        plan[i] = (char)(255 - i);
    run_begin(NULL, "");
    run_journal.used = JOURNAL_BYTES(sizeof(run_record));
    run_journal.sequence = 1;
    run_append(RECORD_PLAN, plan, sizeof(plan));
    render();
    assert_true(json_string_of(text, "text", found, sizeof(found)));
    assert_memory_equal(found, plan, sizeof(plan));
}

static void other_costs_at_cpl_3(struct run_record *run)
{
    memcpy(run->window_cost[WINDOW_USR], RUN_COST_USR, sizeof(RUN_COST_USR));
}

TEST(a_whole_run)
{
    run_begin(other_costs_at_cpl_3, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_kernel("range", EXPECT_RANGE);
    run_cpu(0, NULL);
    run_calibration();
    run_result(0, STATUS_OK);
    run_note(NOTE_ERROR, "an error");
    run_note(NOTE_EXCEPTION, "an exception");
    run_note(NOTE_REMARK, "a remark");
    run_end();
    render();
    has("\"schema\": 7");
    has("\"number\": 12");
    has("\"uefi\": \"2.7\"");
    has("\"window_cost\": {\n"
        "    \"os\": {\"instructions\": 7, \"branches\": 2, \"taken_branches\": 2, \"loads\": 1, "
        "\"stores\": 3},\n"
        "    \"usr\": {\"instructions\": 11, \"branches\": 5, \"taken_branches\": 4, \"loads\": 6, "
        "\"stores\": 9}\n  }");
    has("{\"name\": \"exact\", \"title\": \"exact                                                  "
        "        "
        "               .\", \"family\": \"\", \"param\": \"\", \"file\": \"\", "
        "\"crc32\": \"0x00000000\", \"n\": 1000, \"argument\": 0, \"buffer_bytes\": 0, "
        "\"instructions\": 3001, \"branches\": 1000, \"taken_branches\": 1000, \"loads\": 2005, "
        "\"stores\": 0}");
    has("\"instructions\": [3000, 3002]");
    has("\"fixed_counters\": \"0x7\"");
    /* the window: 7 instructions and a WRMSR; pmc0's select: event C0H, OS and EN */
    has("{\"event\": \"INST_RETIRED.ANY\", \"counter\": \"fixed0\", \"control\": \"0x1\", "
        "\"means\": \"fixed counter 0, CPL 0\", "
        "\"empty_window_min\": 8, \"empty_window_max\": 8}");
    has("{\"event\": \"INST_RETIRED.ANY_P\", \"counter\": \"pmc0\", \"control\": \"0x4200c0\", "
        "\"means\": \"event C0H, unit mask 00H, CPL 0\", "
        "\"erratum\": \"a general counter may count instructions wrongly; the fixed counter of "
        "INST_RETIRED.ANY does not\", \"erratum_name\": \"SKL091, SKL044\", "
        "\"erratum_source\": \"Intel's perfmon\", \"erratum_effect\": \"wrong\", "
        "\"empty_window_min\": 8, \"empty_window_max\": 8}");
    has("\"wrmsr_counted\": 1");
    has("\"errors\": [\n    \"an error\"\n  ]");
    has("\"not_restored\": [\n    \"an exception\"\n  ]");
    has("\"remarks\": [\n    \"a remark\"\n  ]");
    expect_text("line", "PASS");
    has("\"exact\": 6");
    has("\"measured\": 8"); /* seven undeclared events and the TSC */
    has("\"elapsed_us\": 1234567");
    has("\"complete\": true\n}\n");
    has("\"samples\": 18, \"rejected\": 0"); /* three passes, with 4 samples at n and 2 at 2n */
}

/*
 * The two events need different values of their extra register, so the second event gets register
 * 1A7H and event BBH.
 */
static void offcore(unsigned index, struct event *event)
{
    if (index == run_event("LONGEST_LAT_CACHE.REFERENCE") ||
        index == run_event("LONGEST_LAT_CACHE.MISS")) {
        event->select = 0x1b7;
        event->extra_msr = 0x1a6;
        event->extra = index;
    }
}

TEST(slots_say_what_they_count)
{
    run_begin(NULL, "");
    run_change_event = offcore;
    run_cpu(0, NULL);
    run_calibration();
    render();
    has(formatted("\"control\": \"0x4201b7\", \"means\": \"event B7H, unit mask "
                  "01H, CPL 0; register 1A6H (offcore response 0) is %02XH\"",
                  run_event("LONGEST_LAT_CACHE.REFERENCE")));
    has(formatted("\"control\": \"0x4201bb\", \"means\": \"event BBH, unit mask "
                  "01H, CPL 0; register 1A7H (offcore response 1) is %02XH\"",
                  run_event("LONGEST_LAT_CACHE.MISS")));
    has("\"means\": \"event D0H, unit mask 81H, CPL 0\", \"empty_window_min\"");
}

TEST(versions_of_uefi)
{
    static const struct {
        uint32_t revision, secure_boot;
        const char *text, *secure;
    } ROWS[] = {{2 << 16 | 31, SECURE_BOOT_ON, "2.3.1", "\"secure_boot\": true"},
                {2 << 16 | 100, SECURE_BOOT_OFF, "2.10", "\"secure_boot\": false"},
                {1 << 16 | 10, SECURE_BOOT_UNKNOWN, "1.1", NULL},
                {0xffffffff, SECURE_BOOT_UNKNOWN, "65535.6553.5", NULL}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        run_begin(NULL, "");
        run_record.uefi_revision = ROWS[i].revision;
        run_record.secure_boot = ROWS[i].secure_boot;
        run_journal.used = run_journal.sequence = 0;
        run_append(RECORD_RUN, &run_record, sizeof(run_record));
        render();
        expect_text("uefi", ROWS[i].text);
        if (ROWS[i].secure)
            has(ROWS[i].secure);
        else
            has_not("secure_boot");
    }
}

TEST(machines_that_are_emulated)
{
    for (uint32_t emulated = 0; emulated < 2; emulated++) {
        run_begin(NULL, "");
        run_record.emulated = emulated;
        run_journal.used = run_journal.sequence = 0;
        run_append(RECORD_RUN, &run_record, sizeof(run_record));
        render();
        if (emulated)
            expect_text("emulated", "by formula");
        else
            has_not("emulated");
    }
}

TEST(found_registers_that_were_held)
{
    run_begin(NULL, "");
    run_cpu(0, NULL);
    run_calibration();
    render();
    has("\"selects\": []");
    has_not("\"debugctl\"");
    has_not("\"global_ctrl\"");
    has_not("\"fixed_ctr_ctrl\"");
    has_not("\"pebs_enable\"");
    run_begin(NULL, "");
    run_cpu(0, NULL);
    run_cpu_record.found =
        (struct pmu_found){.select = {[0] = 0x5300c1, [1] = 0x5300c0, [4] = 0x5300c4},
                           .fixed_ctrl = 0x33,
                           .global_ctrl = 0x7,
                           .global_status = 0x2,
                           .debugctl = 0x1,
                           .pebs_enable = 0xf,
                           .held = HELD_SELECT(0) | HELD_SELECT(1) | HELD_SELECT(4) |
                                   HELD_FIXED_CTRL | HELD_GLOBAL_CTRL | HELD_DEBUGCTL | HELD_PEBS};
    run_cpu_record.flags = CPU_WAS_IN_USE | CPU_PERFMON_HIDDEN;
    run_describe();
    run_calibration();
    render();
    has("\"in_use\": true");
    has("\"global_ctrl\": \"0x7\"");
    has("\"global_status\": \"0x2\"");
    has("\"fixed_ctr_ctrl\": \"0x33\"");
    has("\"selects\": [\n          \"0x5300c1\",\n          \"0x5300c0\"\n        ]"); /* 2 of 4 */
    has("\"debugctl\": \"0x1\"");
    has("\"pebs_enable\": \"0xf\"");
    has("\"announced_by_misc_enable\": false");
    has("\"boot_cpu\": false");
}

TEST(a_run_that_was_cut_off)
{
    size_t whole;

    run_begin(NULL, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(0, NULL);
    run_calibration();
    run_result(0, STATUS_OK);
    whole = run_journal.used;
    for (size_t used = 0; used <= whole; used += 8) {
        run_journal.used = used;
        render();
        has_not("\"complete\": true");
        has_not("elapsed_us");
    }
    run_end();
    render();
    has("\"complete\": true");
}

TEST(a_lost_output_is_told)
{
    char small[100];
    struct render r = {run_bytes, 0, run_scratch, 256, false, false};
    struct out out = out_buffer(small, sizeof(small));

    run_begin(NULL, "");
    r.journal_bytes = run_journal.used;
    assert_false(render_run_json(&r, &out));
    out = out_buffer(small, sizeof(small));
    assert_false(render_results_csv(&r, &out));
    out = out_buffer(small, sizeof(small) / 2);
    assert_false(render_samples_csv(&r, &out));
}
