/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the CPU models of pmu/cpu/other.c with CPUID of real CPUs, from the files of the public
 * InstLatx64 collection.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/cpuid.h"
#include "pmu/base/piece.h"
#include "pmu/cpu/features.h"
#include "pmu/cpu/other.h"

#define LEAVES_MAX 12u

static struct other_cpus found;
static char why[OTHER_WORDS_BYTES];

static bool find(const char *text)
{
    struct out out = out_buffer(why, sizeof(why));
    bool is_found = other_cpus_find(text, &found, &out);

    out_end(&out);
    return is_found;
}

#define EXTENDED_1(ecx, edx)                                                                       \
    {                                                                                              \
        0x80000001u, 0,                                                                            \
        {                                                                                          \
            0, 0, ecx, edx                                                                         \
        }                                                                                          \
    }
/* clang-format off */
#define MODEL_55(signature, ecx_7, edx_7)                                                          \
    {INTEL_LEAF_0, {1, 0, {signature, 0, 0x7ffefbff, 0xbfebfbff}},                                 \
     {7, 0, {0, 0xd39ffffb, ecx_7, edx_7}}, {0xa, 0, {0x7300404, 0, 0, 0x603}},                    \
     {0xd, 0, {0x2ff, 0xa80, 0xa88, 0}}, EXTENDED_1(0x121, 0x2c100000), END}
#define MODEL_9A(type) /* with AVX-512 disabled */                                             \
    {INTEL_LEAF_0, {1, 0, {0x906a2, 0, 0x7ffafbff, 0xbfebfbff}},                                   \
     {7, 0, {1, 0x239ca7eb, 0x98c007ac, 0xfc18c410}}, {7, 1, {0x400810, 0, 0, 0}},                 \
     {0xa, 0, {0x7300605, 0, 7, 0x8603}}, {0xd, 0, {0x207, 0x340, 0xa88, 0}},                      \
     {0x1a, 0, {type, 0, 0, 0}}, EXTENDED_1(0x121, 0x2c100000), END}
static const struct machine {
    const char *file, *text;
    struct fake_leaf leaf[LEAVES_MAX];
    bool has_all; /* no feature is missing */
} MACHINES[] = {
    {"GenuineIntel00006F2_Conroe", "6/15/2",
     {INTEL_LEAF_0, {1, 0, {0x6f2, 0, 0xe3bd, 0xbfebfbff}}, {0xa, 0, {0x7280202, 0, 0, 0}}, END},
     true},
    {"GenuineIntel00106E5_Lynnfield", "6/30",
     {INTEL_LEAF_0, {1, 0, {0x106e5, 0, 0x98e3fd, 0xbfebfbff}},
      {0xa, 0, {0x7300403, 0x44, 0, 0x603}}, EXTENDED_1(1, 0x28100000), END}, true},
    {"GenuineIntel00106A2_Nehalem-EP", "6/26/2",
     {INTEL_LEAF_0, {1, 0, {0x106a2, 0, 0xbce3bd, 0xbfebfbff}}, {0xa, 0, {0x7300403, 0, 0, 0x603}},
      EXTENDED_1(1, 0x28100000), END}, true},
    {"GenuineIntel0030673_Silvermont3", "6/55",
     {INTEL_LEAF_0, {1, 0, {0x30673, 0, 0x41d8e3bf, 0xbfebfbff}}, {7, 0, {0, 0x2282, 0, 0}},
      {0xa, 0, {0x7280203, 0, 0, 0x4503}}, EXTENDED_1(0x101, 0x28100000), END}, false},
    {"GenuineIntel00206A7_SandyBridge2", "6/42",
     {INTEL_LEAF_0, {1, 0, {0x206a7, 0, 0x1fbae3ff, 0xbfebfbff}},
      {0xa, 0, {0x7300403, 0, 0, 0x603}}, {0xd, 0, {7, 0x240, 0x340, 0}},
      EXTENDED_1(1, 0x28100000), END}, true},
    {"GenuineIntel00306C3_Haswell", "0x6/0x3C",
     {INTEL_LEAF_0, {1, 0, {0x306c3, 0, 0x7ffafbff, 0xbfebfbff}}, {7, 0, {0, 0x27ab, 0, 0}},
      {0xa, 0, {0x7300403, 0, 0, 0x603}}, {0xd, 0, {7, 0x340, 0x340, 0}},
      EXTENDED_1(0x21, 0x2c100000), END}, true},
    {"GenuineIntel0050654_SkylakeXeon_20", "6/85", MODEL_55(0x50654, 8, 0x9c002400), true},
    {"GenuineIntel0050657_CascadeLakeSP", "6/85/7", MODEL_55(0x50657, 0x808, 0xbc000400), true},
    {"GenuineIntel0050671_KnightsLanding", "6/87/1",
     {INTEL_LEAF_0, {1, 0, {0x50671, 0, 0x7ff8f39f, 0xbfebfbff}},
      {7, 0, {0, 0x1c0d23ab, 1, 0x4000000}}, {0xa, 0, {0x7280203, 0, 0, 0x503}},
      {0xd, 0, {0xe7, 0xa80, 0xa80, 0}}, EXTENDED_1(0x121, 0x2c100000), END}, true},
    {"GenuineIntel00706A8_GoldmontPlus", "6/122/8",
     {INTEL_LEAF_0, {1, 0, {0x706a8, 0, 0x4ff8ebbf, 0xbfebfbff}},
      {7, 0, {0, 0x2294e287, 0x40400004, 0xac000400}}, {0xa, 0, {0x7300404, 0, 0, 0x8603}},
      {0xd, 0, {0x1b, 0x440, 0x440, 0}}, EXTENDED_1(0x101, 0x2c100000), END}, true},
    {"GenuineIntel00606A6_ICX_04", "6/106",
     {INTEL_LEAF_0, {1, 0, {0x606a6, 0, 0x7ffefbff, 0xbfebfbff}},
      {7, 0, {0, 0xf3bfbfff, 0x40417f4e, 0xbc040412}}, {0xa, 0, {0x8300805, 0, 0xf, 0x8604}},
      {0xd, 0, {0x2e7, 0xa80, 0xa88, 0}}, EXTENDED_1(0x121, 0x2c100800), END}, true},
    {"GenuineIntel00806F8_SapphireRapids_06", "6/143",
     {INTEL_LEAF_0, {1, 0, {0x806f8, 0, 0x7ffefbff, 0xbfebfbff}},
      {7, 0, {2, 0xf3bfbffb, 0xbb417fee, 0xffdd4430}}, {7, 1, {0x1c30, 0, 0, 0}},
      {0xa, 0, {0x8300805, 0, 0xf, 0x8604}}, {0xd, 0, {0x602e7, 0x2b00, 0x2b00, 0}},
      EXTENDED_1(0x121, 0x2c100000), END}, true},
    {"GenuineIntel00906A2_AlderLakeP_00, CPU 0", "6/154", MODEL_9A(0x40000001), false},
    {"GenuineIntel00906A2_AlderLakeP_00, CPU 12", "6/154", MODEL_9A(0x20000001), true},
    {"GenuineIntel00C0662_ArrowLake_07, CPU 0", "6/198",
     {INTEL_LEAF_0, {1, 0, {0xc0662, 0, 0x7ffafbff, 0xbfebfbff}},
      {7, 0, {2, 0x239ca7eb, 0x994027ac, 0xfc18c430}}, {7, 1, {0x44c009d7, 1, 0, 0x40430}},
      {0xa, 0, {0xd300806, 0x280, 7, 0x8603}}, {0xd, 0, {0x207, 0x340, 0xa88, 0}},
      {0x1a, 0, {0x40000003, 0, 0, 0}}, {0x23, 0, {0xb, 3, 0, 0}}, {0x23, 1, {0x3ff, 0xf, 0, 0}},
      EXTENDED_1(0x121, 0x2c100000), END}, true},
    {"GenuineIntel00C0662_ArrowLake_07, CPU 2", "6/198",
     {INTEL_LEAF_0, {1, 0, {0xc0662, 0, 0x7ffafbff, 0xbfebfbff}},
      {7, 0, {2, 0x239ca7eb, 0x994027ac, 0xfc18c430}}, {7, 1, {0x44c009d7, 1, 0, 0x40430}},
      {0xa, 0, {0xd300806, 0x280, 7, 0x8603}}, {0xd, 0, {0x207, 0x340, 0xa88, 0}},
      {0x1a, 0, {0x20000003, 0, 0, 0}}, {0x23, 0, {0xf, 3, 8, 0}}, {0x23, 1, {0xff, 0x77, 0, 0}},
      EXTENDED_1(0x121, 0x2c100000), END}, true},
    {"AuthenticAMD0A20F12_K19_Vermeer_02", "25/0x21",
     {AMD_LEAF_0, {1, 0, {0xa20f12, 0, 0x7ef8320b, 0x178bfbff}},
      {7, 0, {0, 0x219c97a9, 0x40068c, 0x10}}, {0xd, 0, {0x207, 0x340, 0x988, 0}},
      EXTENDED_1(0x75c237ff, 0x2fd3fbff), END}, true},
    {"HygonGenuine0900F02_Hygon_CPUID3", "24/0",
     {HYGON_LEAF_0, {1, 0, {0x900f02, 0, 0x7cd83209, 0x178bfbff}},
      {7, 0, {0, 0x9c01a9, 0, 0}}, {0xd, 0, {7, 0x340, 0x340, 0}},
      EXTENDED_1(0x35c233ff, 0x2fd3fbff), END}, false},
};
/* clang-format on */

/*
 * The first CPU in `found` with this core type and the native model ID `native`. If the table gives
 * no native model ID for a CPU, every `native` matches.
 */
static const struct other_cpu *found_type(uint32_t core_type, uint32_t native)
{
    for (unsigned i = 0; i < found.count; i++) {
        const struct cpu_caps *caps = &found.cpu[i].caps;

        if (caps->core_type == core_type &&
            (caps->native_model == 0 || caps->native_model == native))
            return &found.cpu[i];
    }
    fail_msg("no core type %xH, native model ID %u", core_type, native);
    return found.cpu; /* not reached, but the static analyser needs a return */
}

TEST(as_real_machines_tell)
{
    for (size_t i = 0; i < sizeof(MACHINES) / sizeof(MACHINES[0]); i++) {
        const struct machine *machine = &MACHINES[i];
        const struct cpu_caps *caps;
        struct cpu_caps real;

        fake_caps(machine->leaf, 0x23, 0x80000008u, &real);
        if (!find(machine->text))
            fail_msg("%s: %s", machine->file, why);
        caps = &found_type(caps_hybrid_type(&real), real.native_model)->caps;
        if (memcmp(real.pmu_leaf, caps->pmu_leaf, sizeof(real.pmu_leaf)) != 0 ||
            real.gp_count != caps->gp_count || real.fixed_map != caps->fixed_map)
            fail_msg("%s: the performance monitors differ", machine->file);
        assert_int_equal(caps->pmu_version, real.pmu_version);
        assert_int_equal(caps->gp_width_bits, real.gp_width_bits);
        assert_int_equal(caps->arch_events, real.arch_events);
        assert_int_equal(caps->arch_events_absent, real.arch_events_absent);
        assert_string_equal(caps->vendor_id, real.vendor_id);
        assert_int_equal(caps->vendor, real.vendor);
        assert_int_equal(caps->family, real.family);
        assert_int_equal(caps->model, real.model);
        if (real.kernel_features & ~caps->kernel_features ||
            (machine->has_all && real.kernel_features != caps->kernel_features))
            fail_msg("%s: the features differ", machine->file);
        assert_int_equal(caps->features, real.features & (FEATURE_HYBRID | FEATURE_UMASK2 |
                                                          FEATURE_EQ | FEATURE_AMD_CORE));
        assert_int_equal(caps->base_mhz | caps->tsc_ratio_numerator | caps->signature, 0);
    }
}

/* On Ivy Bridge, a core with one thread has 8 general counters (Intel SDM vol. 3B). */
TEST(cores_that_may_have_two_threads)
{
    assert_true(find("ivybridge") && found.cpu[0].caps.smt_shift == 1);
    assert_int_equal(found.cpu[0].model->alone_count, 8);
    assert_true(find("sapphirerapids") && found.cpu[0].caps.smt_shift == 0);
}

TEST(names)
{
    static const struct {
        const char *text;
        unsigned family, model, cpus;
    } NAMES[] = {
        {"sapphirerapids", 6, 143, 1},
        {"Sapphire Rapids", 6, 143, 1},
        {"SPR", 6, 143, 1},
        {" nhm-ex ", 6, 46, 1},
        {"nhm_ex", 6, 46, 1},
        {"alderlake", 6, 151, 2},
        {"adl_grt", 6, 151, 1},
        {"adl", 6, 151, 2},
        {"rpl", 6, 183, 2},
        {"mtl", 6, 170, 2},
        {"Cascade Lake", 6, 85, 1},
        {"icelake-server", 6, 106, 1},
        {"Skylake-Server", 6, 85, 1},
        {"Coffee Lake", 6, 158, 1},
        {"Haswell-EP", 6, 63, 1},
        {"Granite-Rapids", 6, 173, 1},
        {"Bartlett Lake", 6, 0xd7, 1},
        {"6/0xC5", 6, 0xc5, 3},      /* Arrow Lake-H */
        {"amd64_k8_revc", 15, 7, 1}, /* libpfm4 calls model 4 up to stepping 7 revision B */
        {"amd zen 2", 23, 49, 1},
        {"Hygon", 24, 1, 1},
        {"AMD64_fam14h_bobcat", 20, 1, 1},
    };

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (!find(NAMES[i].text))
            fail_msg("%s: %s", NAMES[i].text, why);
        assert_int_equal(found.count, NAMES[i].cpus);
        assert_int_equal(found.cpu[0].caps.family, NAMES[i].family);
        assert_int_equal(found.cpu[0].caps.model, NAMES[i].model);
    }
    find("raptorlake");
    assert_int_equal(found.cpu[0].caps.core_type, CORE_TYPE_CORE);
    assert_int_equal(found.cpu[1].caps.core_type, CORE_TYPE_ATOM);
}

static void assert_why(const char *text, const char *sentence)
{
    assert_false(find(text));
    assert_string_equal(why, sentence);
}

TEST(what_is_no_cpu)
{
    assert_why("saphirerapids", "no CPU 'saphirerapids' is known; nearest: sapphirerapids");
    assert_why("143", "no CPU '143' is known");
    assert_why("", "no CPU '' is known");
    assert_why("6/250", "no CPU of family 6, model 250 is known");
    assert_why("6/0x55/x", "expected FAMILY/MODEL or FAMILY/MODEL/STEPPING, such as 6/143 or "
                           "0x6/0x8f, found '6/0x55/x'");
    assert_why("6/999", "expected a model from 0 to 255, found '999'");
    assert_why("6/256/1", "expected a model from 0 to 255, found '256'");
    assert_why("0x100/1", "expected a family from 0 to 255, found '0x100'");
    assert_why("6/143/16", "expected a stepping from 0 to 15, found '16'");
    assert_why("6/", "expected FAMILY/MODEL or FAMILY/MODEL/STEPPING, such as 6/143 or "
                     "0x6/0x8f, found '6/'");
}

static void assert_words(const char *text, unsigned cpu, const char *words)
{
    char said[OTHER_WORDS_BYTES];
    struct out out = out_buffer(said, sizeof(said));

    assert_true(find(text));
    other_cpu_words(&found.cpu[cpu], &out);
    assert_string_equal(out_end(&out), words);
}

TEST(words)
{
    assert_words("6/143/5", 0, "Intel family 6 model 143 (spr, sapphirerapids)");
    assert_words("6/85", 0, "Intel family 6 model 85 stepping 0-4 (skx, skylakex, skylakeserver)");
    assert_words("cooperlake", 0, "Intel family 6 model 85 stepping 10-15 (cooperlake, cpx)");
    assert_words("6/0x97", 1, "Intel family 6 model 151, core type atom (adl_grt, alderlake, adl)");
    assert_words("0x17/0x31", 0, "AMD family 23 model 49 (amd64_fam17h_zen2, zen2, amdzen2)");
}

/* Each name of a row finds the row, or an earlier row with the same names. */
TEST(rows_of_the_table)
{
    const struct cpu_model *model;

    for (unsigned i = 0; (model = cpu_model_at(i)); i++) {
        struct piece names = piece_of(model->names);
        struct piece features = piece_of(model->features ? model->features : "");
        char text[64];
        struct piece models = piece_of(model->models), rest;
        uint64_t first;
        bool has;

        assert_true(piece_hex_list(models, 0, &has));
        assert_true(piece_hex(piece_cut(word_next(&models), '-', &rest), &first));
        snprintf(text, sizeof(text), "%u/%u/%u", model->family, (unsigned)first,
                 model->stepping_low);
        if (!find(text))
            fail_msg("%s: %s", text, why);
        if (model->family == 18 && model->vendor == VENDOR_AMD) /* 18/1 is Intel's Nova Lake */
            assert_int_equal(found.cpu[0].model->vendor, VENDOR_INTEL);
        else
            assert_ptr_equal(found_type(model->core_type, model->native_model)->model, model);
        while (names.size > 0) {
            struct piece name = word_next(&names);

            snprintf(text, sizeof(text), "%.*s", (int)name.size, name.at);
            assert_true(find(text));
            assert_string_equal(found_type(model->core_type, model->native_model)->model->names,
                                model->names);
        }
        while (features.size > 0) {
            struct piece name = word_next(&features);
            unsigned bit = 0;

            while (cpu_feature_name(bit) && !piece_is(name, cpu_feature_name(bit)))
                bit++;
            if (bit == CPU_FEATURES_COUNT)
                fail_msg("no feature is called '%.*s'", (int)name.size, name.at);
        }
    }
    assert_true(find("amd64_k8_revf")); /* the features are not known */
    assert_null(found.cpu[0].model->features);
    assert_int_equal(found.cpu[0].caps.kernel_features, (1ull << CPU_FEATURES_COUNT) - 1);
}
