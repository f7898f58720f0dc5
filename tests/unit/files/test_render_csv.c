/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of results.csv and their values. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/base/csv.h"
#include "tests/unit/fakes/run_files.h"

static const char HEADER[] =
    "cpu,apic_id,core_type,kernel,param,event,encoding,runs,rejected,min,median,mean,max,stddev,"
    "per_iteration,expected,verdict,ring,mode,counter,pass,partner,scope,unit,n,q1,q3,modes,reason,"
    "mad,stable,differs,mhz,ns,rate,rate_unit,cold,copies,per_copy,per_copy_min,per_copy_max,run,"
    "machine,expected_low,expected_high,noisy_by,uncore_mhz_low,uncore_mhz_high,time_from,"
    "trust\r\n";
#define COLUMNS 50u

static void hybrid(struct cpu_caps *caps)
{
    caps->core_type = CORE_TYPE_ATOM;
    caps->features |= FEATURE_HYBRID;
}

static void one_run(void)
{
    run_begin(NULL, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_kernel("range", EXPECT_RANGE);
    run_cpu(1, NULL);
    run_calibration();
    run_result(0, STATUS_OK);
    run_result(1, STATUS_OK);
    run_cpu(4, hybrid);
    run_calibration();
    run_result(0, STATUS_OK);
    run_result(1, STATUS_FAULT);
}

BEFORE_EACH(one_run);

TEST(the_columns_are_the_contracts)
{
    render_lines(render_results_csv);
    assert_memory_equal(text, HEADER, strlen(HEADER));
    find("1", "exact", "TSC");
    assert_int_equal(names.fields, COLUMNS);
}

TEST(a_row_of_each_kind)
{
    find("1", "exact", "MEM_INST_RETIRED.ALL_LOADS"); /* 5 + 2 * 1000; the fourth general event */
    assert_string_equal(record.field[6], "r81d0");
    for (unsigned i = 9; i <= 12; i++) /* min, median, mean, max */
        assert_string_equal(record.field[i], "2005");
    static const char *const LOADS[][2] = {{"apic_id", "2"},
                                           {"core_type", ""},
                                           {"param", ""},
                                           {"runs", "4"},
                                           {"rejected", "0"},
                                           {"stddev", "0"},
                                           {"per_iteration", "2.005"},
                                           {"expected", "2005"},
                                           {"expected_low", "2005"},
                                           {"expected_high", "2005"},
                                           {"verdict", "exact"},
                                           {"ring", "os"},
                                           {"mode", "serial"},
                                           {"counter", "pmc3"},
                                           {"pass", "0"},
                                           {"partner", ""},
                                           {"scope", "thread"},
                                           {"unit", "count"},
                                           {"n", "1000"},
                                           {"q1", "2005"},
                                           {"q3", "2005"},
                                           {"modes", "1"},
                                           {"reason", ""},
                                           {"mad", "0"},
                                           {"stable", ""}, /* 4 samples are too few */
                                           {"differs", ""},
                                           {"mhz", ""},
                                           {"ns", ""},
                                           {"uncore_mhz_low", "1700"},
                                           {"uncore_mhz_high", "1900"}};
    for (size_t i = 0; i < sizeof(LOADS) / sizeof(LOADS[0]); i++)
        expect(LOADS[i][0], LOADS[i][1]);

    find("1", "range", "INST_RETIRED.ANY"); /* 1 + 3 * 1000 on fixed counter 0 */
    expect_all(
        "expected=3000..3002; verdict=within; counter=fixed0; encoding=r0100; per_iteration=3.001");
    expect_all("expected_low=3000; expected_high=3002");
    find("1", "exact", "CPU_CLK_UNHALTED.THREAD");
    expect_all("expected=; expected_low=; expected_high=; verdict=measured; unit=cycles");
    find("1", "exact", "TSC");
    expect_all("encoding=rdtsc; counter=; pass=0; unit=tsc ticks; median=3000");
    find("4", "exact", "LONGEST_LAT_CACHE.MISS");
    expect_all("apic_id=8; core_type=atom");
    find("4", "range", "INST_RETIRED.ANY");
    expect_all(
        "verdict=fault; runs=0; min=; q1=; q3=; modes=; mad=; stable=; per_iteration=; counter=; "
        "pass=; reason=the kernel raised an exception: #UD (6), error code 0x10, at offset 0x1c0");
}

/* An encoding is perf's raw event, followed by the event's extra register and value, if any. */
static const struct {
    const char *name;
    uint64_t rings, select, extra, extra_msr;
    const char *encoding, *ring;
} ENCODED[] = {
    {"INST_RETIRED.ANY", RING_OS, 0x100, 0, 0, "r0100", "os"},
    {"INST_RETIRED.ANY_P", RING_USR, 0xc0, 0, 0, "r00c0", "usr"},
    {"LONGEST_LAT_CACHE.MISS", RING_OS | RING_USR, 0x412e, 0, 0, "r412e", "both"},
    {"CPU_CLK_UNHALTED.THREAD_P", RING_USR, 0x0180003c, 0, 0, "r180003c", "usr"}, /* CMASK, INV */
    {"BR_INST_RETIRED.NEAR_TAKEN", RING_OS, 0xff0200000000 | 0xc4, 0, 0, "rff02000000c4", "os"},
    {"LONGEST_LAT_CACHE.REFERENCE", RING_OS, 0x1b7, 0x3fbfc00001, 0x1a6, "r01b7:0x1a6=0x3fbfc00001",
     "os"},
};
#define ENCODED_COUNT (sizeof(ENCODED) / sizeof(ENCODED[0]))

static void encode(unsigned index, struct event *event)
{
    for (size_t i = 0; i < ENCODED_COUNT; i++)
        if (index == run_event(ENCODED[i].name)) {
            event->rings = ENCODED[i].rings;
            event->select = ENCODED[i].select;
            event->extra = ENCODED[i].extra;
            event->extra_msr = ENCODED[i].extra_msr;
        }
}

static void on_a_machine(struct run_record *run)
{
    run->number = 12;
    strcpy(run->smbios.uuid, "12,34");
}

/* The journal's id is 77 (4DH). A machine's UUID may be any text. */
TEST(each_row_tells_its_run_and_machine)
{
    unsigned lines = 0;

    run_begin(on_a_machine, "");
    run_kernel("k", EXPECT_EXACT);
    run_cpu(0, NULL);
    run_measure(0);
    render_lines(render_results_csv);
    for (; next_line(); lines++)
        expect_all("run=0012-000000000000004d; machine=12,34");
    assert_int_equal(lines, EVENTS_COUNT + 1);
    render();
    has("\"run\": \"0012-000000000000004d\"");
}

static void unknown(unsigned index, struct event *event)
{
    bool is_first = index == run_event("INST_RETIRED.ANY_P");

    if (is_first || index == run_event("LONGEST_LAT_CACHE.MISS"))
        event->status = is_first ? STATUS_EVENT_UNKNOWN : STATUS_NOT_MODELLED;
    if (is_first)
        event->select = 0;
}

TEST(no_encoding)
{
    run_begin(NULL, "");
    run_kernel("k", EXPECT_EXACT);
    run_change_event = unknown;
    run_cpu(0, NULL);
    run_measure(0);
    find("0", "k", "INST_RETIRED.ANY_P");
    expect_all("encoding=; verdict=unavailable");
    find("0", "k", "LONGEST_LAT_CACHE.MISS");
    expect_all("encoding=r412e; verdict=unavailable");
}

static void kernels_at_cpl_3(struct run_record *run)
{
    run->kernel_ring = RING_USR;
}

TEST(encodings_and_rings)
{
    for (unsigned user = 0; user < 2; user++) {
        run_begin(user ? kernels_at_cpl_3 : NULL, "");
        run_kernel("k", EXPECT_EXACT);
        run_change_event = encode;
        run_cpu(0, NULL);
        run_calibration();
        run_result(0, STATUS_OK);
        for (size_t i = 0; i < ENCODED_COUNT; i++) {
            find("0", "k", ENCODED[i].name);
            expect("encoding", ENCODED[i].encoding);
            expect("ring", ENCODED[i].ring);
        }
        find("0", "k", "INST_RETIRED.ANY"); /* counted at CPL 0 only */
        expect("expected", user ? "0" : "3001");
        expect("min", user ? "0" : "3001");
        expect("verdict", "exact");
        find("0", "k", "TSC");
        expect("encoding", "rdtsc");
        expect("ring", user ? "usr" : "os");
    }
}

static void spread(struct point *point)
{
    if (point->kernel != KERNEL_CALIBRATION)
        point->value += 10 * (uint64_t)point->attempt; /* 0 10 20 30 */
}

TEST(statistics_have_their_columns)
{
    run_start("k", EXPECT_NOTHING, NULL);
    run_hook = spread;
    run_calibration();
    run_result(0, STATUS_OK);
    find("0", "k", "BR_INST_RETIRED.ALL_BRANCHES"); /* 1000 1010 1020 1030 */
    expect_all("min=1000; q1=1007.5; median=1015; mean=1015; q3=1022.5; max=1030");
    expect("stddev", "12.91"); /* sqrt(500 / 3) = 12.9099… */
    expect("mad", "10");       /* deviations 5 5 15 15 */
    expect("modes", "1");      /* values 10 apart are closer than 1 % of 1015 */
    expect_all("per_iteration=1.015; expected=");
}

/* The map has the wrong counter for the branches, and nothing about the loads. */
TEST(a_remembered_trust_map)
{
    static const char LINES[] = "0,,os,r00c0,pmc0,0001-1,wrong,dead\n"
                                "0,,os,r0100,fixed0,0001-1,right,exact\n"
                                "0,,os,r00c4,pmc7,0001-1,wrong,dead\n"
                                "0,,os,r20c4,pmc2,0001-1,wrong,factor 2, constant +1\n";

    run_begin(NULL, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_cpu(1, NULL);
    run_append(RECORD_TRUST, LINES, sizeof(LINES));
    run_calibration();
    run_result(0, STATUS_OK);
    run_cpu(4, NULL);
    run_calibration();
    run_result(0, STATUS_OK);
    find("1", "exact", "INST_RETIRED.ANY");
    expect_all("counter=fixed0; trust=exact");
    find("1", "exact", "BR_INST_RETIRED.ALL_BRANCHES");
    expect_all("encoding=r00c4; trust=");
    find("1", "exact", "BR_INST_RETIRED.NEAR_TAKEN");
    expect_all("counter=pmc2; trust=factor 2, constant +1");
    find("1", "exact", "MEM_INST_RETIRED.ALL_LOADS");
    expect("trust", "");
    find("1", "exact", "TSC");
    expect("trust", "");
    find("4", "exact", "INST_RETIRED.ANY");
    expect("trust", "");
}

TEST(one_sample_has_statistics)
{
    run_start("k", EXPECT_EXACT, NULL);
    run_calibration();
    run_result_of(0, STATUS_OK, 1, 0);
    find("0", "k", "INST_RETIRED.ANY");
    expect_all("verdict=noisy; min=3001; q1=3001; q3=3001; stddev=0");
}

/* RFC 4180: fields with commas, quotes or line ends are quoted, and quotes are doubled. */
TEST(fields_are_quoted)
{
    static const struct {
        const char *text, *field;
    } ROWS[] = {{"", ""},
                {"plain text", "plain text"},
                {"a,b", "\"a,b\""},
                {"a\"b", "\"a\"\"b\""},
                {"\"", "\"\"\"\""},
                {"a\rb", "\"a\rb\""},
                {"a\nb", "\"a\nb\""},
                {"a;b\t'c'", "a;b\t'c'"}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        assert_written(csv_write(&out, ROWS[i].text), ROWS[i].field);
}
