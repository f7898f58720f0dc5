/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of uncore events: reasons for missing or wrong counts. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/rows_uncore.h"
#include "pmu/report/report.h"

/* The rows of a kind that failed its test are `off`, unless only its PMI failed. */
TEST(a_fault_of_a_kind)
{
    struct uncore_record uncore = run_uncore_of(0);
    struct row counter;

    begin_at(SLOW_HZ);
    run_cpu(0, NULL);
    uncore.group[0].fault = UNCORE_UNTESTED;
    uncore.group[1].fault = UNCORE_SILENT;
    uncore.group[1].fault_counter = 2;
    uncore.group[1].fault_unit = 13;
    uncore.group[2].fault = UNCORE_NO_PMI; /* as on Westmere's fifth core */
    run_uncore(&uncore);
    measure();
    expect(LOOKUPS, VERDICT_MEASURED, "");
    expect(ENERGY, VERDICT_MEASURED, "");
    expect(READ_BYTES, VERDICT_OFF,
           "imc2 of unit 13: a counter counts nothing although it should count each cycle");
    assert_true(row.counter_off);
    assert_int_equal(row.accepted, RUN_RUNS);
    assert_false(row_counter(&run_view, EVENTS_COUNT + READ_BYTES, &counter));
    assert_string_equal(counter.reason, row.reason);
    assert_true(row_counter(&run_view, EVENTS_COUNT + LOOKUPS, &counter));
}

static void not_offered(uint8_t status, bool has_record, const char *reason)
{
    struct uncore_record uncore = run_uncore_of(0);

    begin();
    run_more[READ_BYTES].status = status;
    run_cpu(0, NULL);
    if (has_record)
        run_uncore(&uncore);
    measure();
    expect(READ_BYTES, VERDICT_UNAVAILABLE, reason);
    assert_int_equal(row.status, status);
    assert_false(row.has_slot);
}

TEST(in_memory)
{
    struct uncore_record uncore = run_uncore_of(0);

    begin_at(FAST_HZ);
    run_more[READ_BYTES].status = STATUS_UNCORE_MEMORY;
    run_cpu(0, NULL);
    uncore.group[1].status = STATUS_UNCORE_MEMORY;
    uncore.error[1] = (struct uncore_error){
        .status = STATUS_UNCORE_MEMORY, .space = SPACE_MMIO, .address = 0x210000048};
    run_uncore(&uncore);
    measure();
    expect(READ_BYTES, VERDICT_UNAVAILABLE,
           "the uncore registers overlap memory, or there is no memory map: Skylake server, "
           "MMIO 0x210000048");
}

TEST(why_there_is_none)
{
    tsc_hz = FAST_HZ;
    not_offered(STATUS_UNCORE_UNKNOWN, false,
                "the uncore counters of this CPU model are not known: Intel, family 6, model "
                "0x55");
    not_offered(STATUS_UNCORE_ABSENT, true,
                "this CPU model has no such uncore counters: Skylake server");
    not_offered(STATUS_UNCORE_LINUX, false, "barecount-linux does not count uncore events");
}

static void two_passes(unsigned *first, unsigned *second)
{
    begin();
    run_more[READ_BYTES].counters = 1;
    run_uncore_event("dram_write_bytes", KIND_IMC, 1, UNIT_BYTES);
    run_cpu(0, NULL);
    run_uncore_slot(READ_BYTES, first);
    run_uncore_slot(MORE, second);
    assert_true(*first < *second);
}

TEST(passes_that_were_not_programmed)
{
    unsigned first, second;

    tsc_hz = FAST_HZ;
    two_passes(&first, &second);
    run_calibration();
    run_program_error = (struct pmu_error){0};
    run_program_errors = 1u << first | 1u << second;
    run_uncore_error[0] = (struct uncore_error){.status = STATUS_UNCORE_KEPT,
                                                .space = SPACE_PCI,
                                                .kind = KIND_IMC,
                                                .pass = (uint16_t)first,
                                                .address = 0x0a << 15 | 2 << 12 | 0xf4,
                                                .written = 0x400304,
                                                .read = 0x304};
    run_look_at(0);
    expect(READ_BYTES, VERDICT_UNAVAILABLE,
           "an uncore register did not keep what was written: PCI 00:0a.2+f4, wrote "
           "0x400304, read 0x304");
    assert_int_equal(row.status, STATUS_UNCORE_KEPT);
    expect(MORE, VERDICT_UNAVAILABLE,
           formatted("its pass was not programmed, because pass %u failed: PCI 00:0a.2+f4", first));
    row_make(&run_view, run_last, run_event("INST_RETIRED.ANY_P"), &row);
    assert_int_equal(row.verdict, VERDICT_EXACT);
    run_program_errors = 1u << second;
    run_uncore_error[0] = (struct uncore_error){.status = STATUS_UNCORE_REFUSED,
                                                .kind = KIND_IMC,
                                                .pass = (uint16_t)second,
                                                .address = 0x391};
    run_look_at(0);
    expect(READ_BYTES, VERDICT_MEASURED, "");
    expect(MORE, VERDICT_UNAVAILABLE, "an uncore register raised #GP: MSR 0x391");
}

TEST(the_last_line)
{
    struct tally tally = {0};

    begin();
    for (unsigned more = 0; more < MORE; more++)
        run_more[more].status = (uint8_t)(STATUS_UNCORE_UNKNOWN + more);
    run_cpu(0, no_pmu);
    measure();
    for (unsigned i = 0; i < rows_count(&run_view, run_last); i++) {
        row_make(&run_view, run_last, i, &row);
        tally_add(&tally, &row);
    }
    assert_written(tally_line(&tally, &out),
                   "NOT MEASURED CPUID.0AH reports no performance monitor (version 0)");
}

TEST(one_line)
{
    struct uncore_record uncore = run_uncore_of(0);

    begin_at(FAST_HZ);
    run_more[LOOKUPS].status = STATUS_UNCORE_PCI;
    run_uncore_event("dram_write_bytes", KIND_CHA, 1, UNIT_COUNT);
    run_cpu(0, NULL);
    uncore.group[0].fault = UNCORE_STUCK;
    run_uncore(&uncore);
    measure();
    assert_written(table_uncore(run_rows(), 200, &out),
                   "  dram_read_bytes 128000, 128 GB/s; uncore_clock 2000; package_energy_uJ -; "
                   "dram_write_bytes off\n");
    /* the first two events have 54 characters */
    assert_written(table_uncore(run_rows(), 54, &out),
                   "  dram_read_bytes 128000, 128 GB/s; uncore_clock 2000;\n"
                   "  package_energy_uJ -; dram_write_bytes off\n");
    assert_written(table_uncore(run_rows(), 53, &out), "  dram_read_bytes 128000, 128 GB/s;\n"
                                                       "  uncore_clock 2000; package_energy_uJ -;\n"
                                                       "  dram_write_bytes off\n");
    run_more_count = 0;
    run_cpu(1, NULL);
    measure();
    assert_written(table_uncore(run_rows(), 80, &out), "");
}

static uint64_t read_lines;

static void lines(struct point *point)
{
    if (point->event == EVENTS_COUNT + READ_BYTES)
        point->value = point->kernel == KERNEL_CALIBRATION ? 0
                       : point->attempt == 0               ? read_lines + 1
                                                           : read_lines;
}

/* One of four samples has one line more, which is 16 bytes on average. */
TEST(numbers_of_all_sizes)
{
    static const struct {
        uint64_t lines;
        const char *starts;
    } ROWS[] = {{0, "dram_read_bytes 16, "},       {1, "dram_read_bytes 80, "},
                {2, "dram_read_bytes 144, "},      {156249, "dram_read_bytes 9999952, "},
                {156250, "dram_read_bytes 10M, "}, {4194304, "dram_read_bytes 268M, "}};

    tsc_hz = FAST_HZ;
    for (unsigned i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char line[400];
        struct out out = out_buffer(line, sizeof(line));

        begin();
        run_more[LOOKUPS].status = STATUS_UNCORE_PCI;
        run_hook = lines;
        read_lines = ROWS[i].lines;
        measure_cpu();
        table_uncore(run_rows(), 80, &out);
        out_end(&out);
        assert_memory_equal(line + 2, ROWS[i].starts, strlen(ROWS[i].starts));
    }
}
