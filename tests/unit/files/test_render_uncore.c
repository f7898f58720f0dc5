/* SPDX-License-Identifier: BSD-2-Clause */
/* The output files of a run with uncore events. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/run_files.h"
#include "tests/unit/fakes/run_uncore.h"
#include "pmu/uncore/words.h"

/* The kernel's 3000 ticks are 0.3 ms, which is too short to measure energy. */
static void settings(struct run_record *run)
{
    run->tsc_hz = 10000000;
    run->tsc_source = TSC_CPUID_15H;
}

/* Only CPU 0 counts its package's events. */
static void one_run(void)
{
    struct uncore_record uncore = run_uncore_of(0);

    run_begin(settings, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    run_uncore_event("llc_lookups", KIND_CHA, 0xc, UNIT_BYTES)->select = 0x1134;
    run_more[0].extra_msr = 0xe05;
    run_more[0].extra = 0x1e20000;
    run_uncore_event("package_energy_uJ", KIND_ENERGY, 1, UNIT_MICROJOULES)->extra = 1ull << 32;
    run_uncore_event("dram_write_bytes", KIND_IMC, 1, UNIT_BYTES)->status = STATUS_UNCORE_PCI;
    run_uncore_event("dram_read_bytes", KIND_IMC_FREE, 1, UNIT_BYTES);
    run_cpu(0, NULL);
    uncore.left_running = 3;
    uncore.error[2] = (struct uncore_error){.status = STATUS_UNCORE_REFUSED,
                                            .space = SPACE_PCI,
                                            .address = 1ull << 28 | 0x3a << 20 | 0x0c << 15 | 0xd8};
    uncore.group[0].fault = UNCORE_STUCK;
    uncore.group[0].fault_counter = 3;
    uncore.group[0].fault_unit = 27;
    uncore.group[1].status = STATUS_UNCORE_PCI;
    uncore.group[1].units = 0;
    uncore.error[uncore.groups] = (struct uncore_error){
        .status = STATUS_UNCORE_MEMORY, .space = SPACE_MMIO, .address = 0xfed15050};
    uncore.group[uncore.groups++] =
        (struct uncore_record_group){.kind = KIND_IMC_FREE, .status = STATUS_UNCORE_MEMORY};
    run_uncore(&uncore);
    run_calibration();
    run_result(0, STATUS_OK);
    run_more_count = 0;
    run_cpu(1, NULL);
    run_calibration();
    run_result(0, STATUS_OK);
    run_end();
}

BEFORE_EACH(one_run);

/* No later line may contain `start`. */
static const char *line(const char *start)
{
    static char found[512];
    const char *at = strstr(text, start);
    size_t size;

    if (!at) {
        fail_msg("no '%s'", start);
        return "";
    }
    size = strcspn(at, "\r\n");
    assert_null(strstr(at + size, start));
    assert_true(size < sizeof(found));
    memcpy(found, at, size);
    found[size] = 0;
    return found;
}

#define RUN "0012-000000000000004d"

/* 2000 steps of 64 bytes in 0.3 ms are 0.427 GB/s. */
TEST(results)
{
    render_as(render_results_csv);
    assert_string_equal(
        line("0,0,,exact,,llc_lookups,"),
        "0,0,,exact,,llc_lookups,uncore_cha/config=0x1134/:0xe05=0x1e20000,4,0,128000,128000,"
        "128000,128000,0,128,,off,,serial,cha2,3,,package,bytes,1000,128000,128000,1,cha3 of unit "
        "27: a counter does not keep what is written,0,,,,,0.427,GB/s,,,,,," RUN
        ",,,,,1700,1900,CPUID.15H,");
    assert_string_equal(
        line("0,0,,exact,,package_energy_uJ,"),
        "0,0,,exact,,package_energy_uJ,uncore_energy/counter=0/,0,0,,,,,,,,unavailable,,serial,"
        "energy0,3,,package,uJ,1000,,,,\"energy registers are updated about once a millisecond; "
        "the "
        "window took 0.306 ms, 100 ms are needed: raise n\",,,,,,,,,,,,," RUN ",,,,,1700,1900,,");
    assert_string_equal(
        line("0,0,,exact,,dram_write_bytes,"),
        "0,0,,exact,,dram_write_bytes,uncore_imc/config=0x0/,0,0,,,,,,,,unavailable,,serial,,,,"
        "package,bytes,1000,,,,the firmware has no MCFG table: PCI registers cannot be reached: "
        "Skylake server,,,,,,,,,,,,," RUN ",,,,,1700,1900,,");
    assert_non_null(strstr(text, "\r\n1,2,,exact,,TSC,"));
    assert_non_null(strstr(line("1,2,,exact,,TSC,"), ",,," RUN ",,,,,1700,1900,"));
}

TEST(samples)
{
    unsigned lines = 0;

    render_as(render_samples_csv);
    for (const char *at = text; (at = strstr(at, ",llc_lookups,")); at++, lines++) {
        const char *end = strstr(at, "\r\n");
        const char *raw = strstr(at, ",2040,");

        if (!raw || raw > end)
            raw = strstr(at, ",4040,"); /* at 2n */
        assert_true(raw && raw < end);
        assert_int_equal(raw[6], ',');
    }
    assert_int_equal(lines, RUN_RUNS + RUN_TWICE);
}

TEST(run_json)
{
    render();
    has("{\"event\": \"llc_lookups\", \"counter\": \"cha2\", \"control\": \"0x1134\", \"means\": "
        "\"package: cha, event 34H, unit mask 11H; register E05H is 1E20000H\", ");
    has("{\"event\": \"package_energy_uJ\", \"counter\": \"energy0\", \"control\": \"0x0\", "
        "\"means\": \"package: energy of the package\", ");
    has("{\"event\": \"dram_read_bytes\", \"counter\": \"imc_free_running0\", ");
    has("  \"packages\": [\n    {\n      \"cpu\": 0,\n      \"package\": 1,\n"
        "      \"model\": \"Skylake server\",\n      \"status\": \"ok\",\n"
        "      \"error\": \"an uncore register raised #GP: PCI 0001:3a:0c.0+d8\",\n"
        "      \"left_running\": 3,\n      \"energy_step_uj\": {\"package\": 61},\n"
        "      \"groups\": [\n"
        "        {\"kind\": \"cha\", \"status\": \"ok\", \"units\": 28, \"counters\": 4, "
        "\"width_bits\": 48, \"test\": \"cha3 of unit 27: a counter does not keep what is "
        "written\"},\n"
        "        {\"kind\": \"imc\", \"status\": \"the firmware has no MCFG table: PCI registers "
        "cannot be reached\", \"units\": 0, \"counters\": 4, \"width_bits\": 48, \"test\": ");
    has("{\"kind\": \"energy\", \"status\": \"an uncore register raised #GP: PCI "
        "0001:3a:0c.0+d8\", \"units\": 1, ");
    has("{\"kind\": \"imc_free_running\", \"status\": \"the uncore registers overlap memory, or "
        "there is no memory map: MMIO 0xfed15050\", \"units\": 0, ");
    assert_null(strstr(strstr(text, "energy_step_uj") + 1, "energy_step_uj")); /* one package */
}

static void encoding_of(const char *expected, enum uncore_kind kind, uint64_t select,
                        enum status status)
{
    const struct event event = {
        .kind = (uint8_t)kind, .select = select, .counters = 4, .status = (uint8_t)status};

    assert_written(uncore_event_encoding(&event, &out), expected);
}

static void encoding(const char *expected, enum uncore_kind kind, uint64_t select)
{
    encoding_of(expected, kind, select, STATUS_OK);
}

/* Event 0 counts clock ticks in the units of servers. */
TEST(events_encoded)
{
    encoding("uncore_cha/config=0x0/", KIND_CHA, 0);
    encoding("uncore_imc/config=0x304/", KIND_IMC, 0x304);
    encoding("uncore_clock/counter=2/", KIND_CLOCK, 0);
    encoding("uncore_imc_free_running/counter=2/", KIND_IMC_FREE, 0);
    encoding("uncore_energy/counter=2/", KIND_ENERGY, 0);
    encoding("", KIND_NONE, 0);
    encoding_of("uncore_imc/config=0x0/", KIND_IMC, 0, STATUS_UNCORE_PCI);
    encoding_of("uncore_imc/config=0x304/", KIND_IMC, 0x304, STATUS_UNCORE_PCI);
    encoding_of("", KIND_IMC, 0, STATUS_EVENT_UNKNOWN);
    encoding_of("", KIND_IMC, 0, STATUS_EVENT_SYNTAX);
}

TEST(sums_in_words)
{
    const struct event sum = {.scope = SCOPE_UNCORE,
                              .kind = KIND_IMC,
                              .counters = 0xf,
                              .select = 0xcf05,
                              .extra = 0x0100cf06,
                              .flags = EVENT_SUM};
    const struct slot slot = {.where = SLOT_UNCORE, .counter = 2, .second = 1};

    assert_written(uncore_event_encoding(&sum, &out),
                   "uncore_imc/config=0xcf05/+uncore_imc/config=0x100cf06/");
    assert_written(uncore_counter_name(&sum, &slot, &out), "imc2+imc1");
    assert_written(uncore_event_words(&sum, &out),
                   "package: imc, event 05H, unit mask CFH + event 06H, unit "
                   "mask CFH; threshold 1");
}

TEST(files_of_a_sum)
{
    struct uncore_record uncore = run_uncore_of(0);
    struct event *sum;

    run_begin(settings, "version=1\n");
    run_kernel("exact", EXPECT_EXACT);
    sum = run_uncore_event("dram_read_bytes", KIND_IMC, 0xa, UNIT_BYTES);
    sum->select = 0xcf05;
    sum->extra = 0xcf06;
    sum->flags = EVENT_SUM;
    run_cpu(0, NULL);
    run_uncore(&uncore);
    run_calibration();
    run_result(0, STATUS_OK);
    run_end();
    render_as(render_results_csv);
    assert_non_null(strstr(line("0,0,,exact,,dram_read_bytes,"),
                           ",uncore_imc/config=0xcf05/+uncore_imc/config=0xcf06/,4,"));
    assert_non_null(strstr(line("0,0,,exact,,dram_read_bytes,"), ",serial,imc1+imc3,"));
    render();
    assert_non_null(strstr(text, "\"counter\": \"imc1+imc3\", \"control\": "
                                 "\"0xcf05+0xcf06\", \"means\": \"package: imc, "
                                 "event 05H, unit mask CFH + event 06H, unit mask CFH\""));
}

static void words(const char *expected, const struct event *event)
{
    assert_written(uncore_event_words(event, &out), expected);
}

TEST(events_in_words)
{
    struct event event = {.scope = SCOPE_UNCORE, .kind = KIND_UNCORE, .counters = 0xff};

    event.select = 0x0108;
    words("package: uncore, event 08H, unit mask 01H", &event);
    event.select = 0x0f000108 | 1u << 23 | 1u << 18 | 1u << 17;
    words("package: uncore, event 08H, unit mask 01H; threshold 15; inverted; edges; occupancy "
          "reset",
          &event);
    event = (struct event){.scope = SCOPE_UNCORE,
                           .kind = KIND_CHA,
                           .counters = 0xf,
                           .select = 0xc816fe00000135ull | 1u << 19};
    words("package: cha, event 35H, unit mask 01H, extended C816FEH; by thread", &event);
    event.select = 0;
    words("package: cha, event 00H, unit mask 00H", &event);
    event = (struct event){.scope = SCOPE_UNCORE, .kind = KIND_IMC_FREE, .counters = 1u << 5};
    words("package: imc_free_running, counter 5, which counts one fixed event", &event);
    event = (struct event){.scope = SCOPE_UNCORE, .kind = KIND_CLOCK, .counters = 1};
    words("package: uncore clock", &event);
    event =
        (struct event){.scope = SCOPE_UNCORE, .kind = KIND_ENERGY, .counters = 1u << ENERGY_DRAM};
    words("package: energy of the DRAM", &event);
}
