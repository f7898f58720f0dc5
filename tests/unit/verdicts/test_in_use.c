/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_PERF_GLOBAL_INUSE may show uses that the control registers do not show. */
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/msr.h"
#include "tests/unit/fakes/run.h"
#include "pmu/files/render.h"

#define PMI (1ull << 63)

static struct cpu_caps caps;
static struct pmu_found found;

static void machine(unsigned version)
{
    fake_start(version, 4, 3);
    caps = fake_caps(version, 4, 3);
    caps.features = FEATURE_DS;
    memset(&found, 0xa5, sizeof(found));
}

static void take(void)
{
    assert_int_equal(pmu_take(&FAKE_PORT, &caps, &found).status, STATUS_OK);
}

TEST(it_is_read_first_and_left_alone)
{
    machine(4);
    fake_set(MSR_IA32_PERFEVTSEL0 + 2, 0x4300c0);
    fake_set(MSR_IA32_FIXED_CTR_CTRL, 0x030);
    take();
    assert_int_equal(found.has_inuse, 1);
    assert_true(found.inuse == (1ull << 2 | 1ull << 33)); /* its value before pmu_take() */
    pmu_give_back(&FAKE_PORT, &caps, &found);
    for (unsigned i = 0; i < fake.writes; i++)
        assert_int_not_equal(fake.log[i].msr, MSR_IA32_PERF_GLOBAL_INUSE);
}

/* Before version 4, MSR 392H belongs to the uncore. */
TEST(before_version_4_it_is_not_asked)
{
    for (unsigned version = 1; version <= 3; version++) {
        machine(version);
        caps.fixed_map = version < 2 ? 0 : 7;
        fake_add(MSR_IA32_PERF_GLOBAL_INUSE, ~0ull);
        fake_set(MSR_IA32_PERF_GLOBAL_INUSE, 1);
        take();
        assert_int_equal(found.has_inuse, 0);
        assert_true(found.inuse == 0);
    }
}

TEST(a_register_that_refuses_is_no_error)
{
    machine(4);
    fake_register(MSR_IA32_PERF_GLOBAL_INUSE)->read_faults = true;
    take();
    assert_int_equal(found.has_inuse, 0);
    assert_true(pmu_hidden_use(&found) == 0);
}

TEST(what_the_controls_show)
{
    static const struct {
        uint32_t msr;
        uint64_t value;
    } ROWS[] = {
        {MSR_IA32_PERFEVTSEL0, 0x3c},       {MSR_IA32_PERFEVTSEL0 + 3, 0x80},
        {MSR_IA32_PERFEVTSEL0 + 1, 0x1000}, /* a unit mask alone is not an event */
        {MSR_IA32_PERFEVTSEL0, 1 << 20},    {MSR_IA32_FIXED_CTR_CTRL, 0x001},
        {MSR_IA32_FIXED_CTR_CTRL, 0x020},   {MSR_IA32_FIXED_CTR_CTRL, 0x300},
        {MSR_IA32_FIXED_CTR_CTRL, 0x800},   {MSR_IA32_PEBS_ENABLE, 2},
        {MSR_IA32_FIXED_CTR_CTRL, 0x404}, /* only ANY */
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        machine(4);
        fake_set(ROWS[i].msr, ROWS[i].value);
        take();
        if (pmu_hidden_use(&found) != 0)
            fail_msg("row %zu", i);
    }
}

TEST(what_they_do_not_show)
{
    static const uint64_t HIDDEN[] = {1,   1 << 3,     1 << 7,       1ull << 32, 1ull << 34,
                                      PMI, 1ull << 48, PMI | 1 << 2, ~0ull};

    for (size_t i = 0; i < sizeof(HIDDEN) / sizeof(HIDDEN[0]); i++) {
        machine(4);
        fake_set(MSR_IA32_PERFEVTSEL0 + 1, 0x4300c0); /* visible */
        fake_set(MSR_IA32_PERFEVTSEL0 + 3, 0x1000);
        fake_set(MSR_IA32_PERF_GLOBAL_INUSE, HIDDEN[i]);
        take();
        assert_true(pmu_hidden_use(&found) == (HIDDEN[i] & ~2ull));
    }
}

TEST(words)
{
    static const struct {
        uint64_t bits;
        const char *text;
    } ROWS[] = {{0, ""},
                {1, "pmc0"},
                {1ull << 31, "pmc31"},
                {1ull << 47, "fixed15"},
                {PMI, "a PMI"},
                {PMI | 1ull << 48 | 1ull << 33 | 1 << 3, "pmc3, fixed1, bit 48, a PMI"},
                {1ull << 62, "bit 62"}};

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        assert_written(pmu_use_words(ROWS[i].bits, &out), ROWS[i].text);
}

static bool json_has(const char *piece)
{
    static char text[64 << 10];
    struct out out = out_buffer(text, sizeof(text));
    struct render r = {run_bytes, run_journal.used, run_scratch, 256, false, false};

    assert_true(render_run_json(&r, &out));
    return strstr(out_end(&out), piece);
}

TEST(in_run_json)
{
    for (uint32_t known = 0; known <= 1; known++) {
        run_begin(NULL, "");
        run_cpu(0, NULL);
        run_cpu_record.found.inuse = PMI | 5;
        run_cpu_record.found.has_inuse = known;
        run_describe();
        run_calibration();
        assert_int_equal(json_has("\"inuse\": \"0x8000000000000005\""), known);
        assert_int_equal(json_has("\"inuse\""), known);
    }
}
