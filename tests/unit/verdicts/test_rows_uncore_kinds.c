/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of an uncore kind that failed, and of other kinds in the same pass. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/rows_uncore.h"
#include "pmu/files/render.h"

/*
 * The kernel's samples lack these slots. With `in_calibration`, samples of the empty window lack
 * them too.
 */
static uint32_t uncounted;
static bool in_calibration;

static void some_are_uncounted(const struct point *point, struct sample *sample)
{
    unsigned pass;
    const struct slot *slot = run_uncore_slot(READ_BYTES, &pass);

    sample->uncounted = 1u << SLOT_TSC; /* ignored: not a slot's bit */
    if (point->pass == pass && (in_calibration || point->kernel != KERNEL_CALIBRATION)) {
        sample->uncounted = (uint16_t)uncounted;
        sample->raw[slot - run_schedule.pass[pass].slot] = 0xdead;
    }
}

static void one_kind_is_uncounted(bool also_in_calibration)
{
    unsigned pass, other;
    const struct slot *slot;

    begin();
    run_cpu(0, NULL);
    slot = run_uncore_slot(READ_BYTES, &pass);
    uncounted = 1u << (slot - run_schedule.pass[pass].slot);
    run_uncore_slot(ENERGY, &other);
    assert_int_equal(pass, other);
    in_calibration = also_in_calibration;
    run_finish = some_are_uncounted;
}

/* The error is only in the CPU's uncore record. */
TEST(a_kind_that_was_not_taken)
{
    struct uncore_record uncore = run_uncore_of(0);

    tsc_hz = SLOW_HZ;
    uncore.error[1] = (struct uncore_error){.status = STATUS_UNCORE_REFUSED,
                                            .space = SPACE_MMIO,
                                            .kind = KIND_IMC,
                                            .pass = UNCORE_ALL_PASSES,
                                            .address = 0xfed15048};
    one_kind_is_uncounted(true);
    run_uncore(&uncore);
    measure();
    expect(READ_BYTES, VERDICT_UNAVAILABLE, "an uncore register raised #GP: MMIO 0xfed15048");
    assert_int_equal(row.status, STATUS_UNCORE_REFUSED);
    expect_count(ENERGY, STEP_UJ * RAW);
    expect_count(CLOCK, RAW);
    row_make(&run_view, run_last, run_view.events, &row);
    assert_int_equal(row.verdict, VERDICT_MEASURED); /* the TSC */
}

TEST(a_kind_that_was_not_taken_in_one_kernel)
{
    struct uncore_record uncore = run_uncore_of(0);

    tsc_hz = SLOW_HZ;
    one_kind_is_uncounted(false);
    run_uncore(&uncore);
    run_uncore_error[0] = (struct uncore_error){.status = STATUS_UNCORE_REFUSED,
                                                .kind = KIND_CLOCK,
                                                .pass = UNCORE_ALL_PASSES,
                                                .address = 0x703};
    run_uncore_error[1] = (struct uncore_error){.status = STATUS_UNCORE_KEPT,
                                                .kind = KIND_IMC,
                                                .pass = UNCORE_ALL_PASSES,
                                                .address = 0x3c0,
                                                .written = 0,
                                                .read = 0x400000};
    measure();
    expect(READ_BYTES, VERDICT_UNAVAILABLE,
           "an uncore register did not keep what was written: MSR 0x3c0, wrote 0x0, "
           "read 0x400000");
    expect_count(ENERGY, STEP_UJ * RAW);
    expect_count(CLOCK, RAW); /* counted despite the error */
    memset(run_uncore_error, 0, sizeof(run_uncore_error));
    run_finish = NULL;
    run_look_at(0);
    expect_count(ENERGY, STEP_UJ * RAW);
    expect(READ_BYTES, VERDICT_MEASURED, "");
}

/*
 * If the calibration lacks a kind, the reason of the kind's rows is the kind's error. Without an
 * error, these rows are `off`.
 */
TEST(a_kind_that_the_calibration_lacks)
{
    for (unsigned other = 0; other < 2; other++) {
        tsc_hz = SLOW_HZ;
        one_kind_is_uncounted(true);
        run_uncore_error[2] = (struct uncore_error){.status = STATUS_UNCORE_REFUSED,
                                                    .space = SPACE_MMIO,
                                                    .kind = other ? KIND_CLOCK : KIND_IMC,
                                                    .pass = UNCORE_ALL_PASSES,
                                                    .address = 0xfed15048};
        run_calibration();
        memset(run_uncore_error, 0, sizeof(run_uncore_error));
        run_finish = NULL;
        run_look_at(0);
        if (other)
            expect(READ_BYTES, VERDICT_OFF,
                   "window cost: the empty window could not be calibrated");
        else
            expect(READ_BYTES, VERDICT_UNAVAILABLE,
                   "in the empty window an uncore register raised #GP: MMIO 0xfed15048");
        expect_count(CLOCK, RAW); /* counted despite the error */
        expect_count(ENERGY, STEP_UJ * RAW);
    }
}

static char text[64 << 10];
static int64_t scratch[256];

TEST(samples_have_no_line_of_it)
{
    struct render render = {run_bytes, 0, scratch, 256, false, false};
    struct out out = out_buffer(text, sizeof(text) - 1);

    one_kind_is_uncounted(true);
    measure();
    run_end();
    render.journal_bytes = run_journal.used;
    assert_true(render_samples_csv(&render, &out));
    out_end(&out);
    assert_non_null(strstr(text, ",llc_lookups,"));
    assert_non_null(strstr(text, ",package_energy_uJ,"));
    assert_null(strstr(text, ",dram_read_bytes,"));
}
