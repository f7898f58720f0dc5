/* SPDX-License-Identifier: BSD-2-Clause */
/* The encodings that count properties, compared with perfmon's and libpfm4's event tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "tests/unit/fakes/skylake.h"
#include "pmu/events/built_in.h"
#include "pmu/events/properties.h"

#define FOLDER "pmu/events/"
#define FP     "FP_ARITH_INST_RETIRED."

/*
 * All names of the events that count a property. At CPL 3, NEAR_CALL_R3 counts what NEAR_CALL
 * counts.
 */
static const struct {
    const char *name;
    enum property property;
} NAMES[] = {
    {"BR_INST_RETIRED.COND", PROPERTY_CONDITIONAL_BRANCHES},
    {"BR_INST_RETIRED.CONDITIONAL", PROPERTY_CONDITIONAL_BRANCHES},
    {"BR_INST_RETIRED.JCC", PROPERTY_CONDITIONAL_BRANCHES},
    {"RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS", PROPERTY_CONDITIONAL_BRANCHES},
    {"BR_INST_RETIRED.COND_TAKEN", PROPERTY_CONDITIONAL_TAKEN},
    {"BR_INST_RETIRED.TAKEN_JCC", PROPERTY_CONDITIONAL_TAKEN},
    {"BR_INST_RETIRED.COND_TAKEN_FWD", PROPERTY_FORWARD_TAKEN},
    {"BR_INST_RETIRED.COND_TAKEN_BWD", PROPERTY_BACKWARD_TAKEN},
    {"BR_INST_RETIRED.COND_NTAKEN", PROPERTY_NOT_TAKEN},
    {"BR_INST_RETIRED.NOT_TAKEN", PROPERTY_NOT_TAKEN},
    {"BR_INST_RETIRED.NEAR_CALL", PROPERTY_NEAR_CALLS},
    {"BR_INST_RETIRED.NEAR_CALL_R3", PROPERTY_NEAR_CALLS},
    {"BR_INST_RETIRED.CALL", PROPERTY_NEAR_CALLS},
    {"BR_INST_RETIRED.NEAR_RETURN", PROPERTY_NEAR_RETURNS},
    {"BR_INST_RETIRED.RETURN", PROPERTY_NEAR_RETURNS},
    {"BR_INST_RETIRED.NEAR_RET", PROPERTY_NEAR_RETURNS},
    {"RETIRED_NEAR_RETURNS", PROPERTY_NEAR_RETURNS},
    {"BR_INST_RETIRED.INDIRECT", PROPERTY_INDIRECT_BRANCHES},
    {"BR_INST_RETIRED.NEAR_INDIRECT", PROPERTY_INDIRECT_BRANCHES},
    {"BR_INST_RETIRED.ALL_NEAR_IND", PROPERTY_INDIRECT_BRANCHES},
    {"BR_INST_RETIRED.NON_RETURN_IND", PROPERTY_INDIRECT_BRANCHES},
    {"BR_INST_RETIRED.FAR_BRANCH", PROPERTY_FAR_BRANCHES},
    {"RETIRED_FAR_CONTROL_TRANSFERS", PROPERTY_FAR_BRANCHES},
    {"INST_RETIRED.NOP", PROPERTY_NOPS},
    {"MEM_INST_RETIRED.LOCK_LOADS", PROPERTY_LOCKED_LOADS},
    {"MEM_UOPS_RETIRED.LOCK_LOADS", PROPERTY_LOCKED_LOADS},
    {"MEM_INST_RETIRED.SPLIT_LOADS", PROPERTY_SPLIT_LOADS},
    {"MEM_UOPS_RETIRED.SPLIT_LOADS", PROPERTY_SPLIT_LOADS},
    {"MEM_INST_RETIRED.SPLIT_STORES", PROPERTY_SPLIT_STORES},
    {"MEM_UOPS_RETIRED.SPLIT_STORES", PROPERTY_SPLIT_STORES},
    {"SW_PREFETCH_ACCESS.NTA", PROPERTY_PREFETCH_NTA},
    {"SW_PREFETCH_ACCESS.T0", PROPERTY_PREFETCH_T0},
    {"SW_PREFETCH_ACCESS.T1_T2", PROPERTY_PREFETCH_T1_T2},
    {"SW_PREFETCH_ACCESS.PREFETCHW", PROPERTY_PREFETCH_W},
    {"SW_PREFETCH_ACCESS.ANY", PROPERTY_PREFETCHES},
    {"MEM_INST_RETIRED.ALL_SWPF", PROPERTY_PREFETCHES},
    {"PREFETCH_INSTRUCTIONS_DISPATCHED", PROPERTY_PREFETCHES},
    {"PREFETCH_INSTRUCTIONS_DISPATCHED.ANY", PROPERTY_PREFETCHES},
    {"PREFETCH_INSTRUCTIONS_DISPATCHED.PREFETCHNTA", PROPERTY_PREFETCH_NTA},
    {"PREFETCH_INSTRUCTIONS_DISPATCHED.PREFETCHW", PROPERTY_PREFETCH_W},
    {"PREFETCH_INSTRUCTIONS_DISPATCHED.PREFETCH_T0_T1_T2", PROPERTY_PREFETCH_T},
    {"ROB_MISC_EVENTS.PAUSE_INST", PROPERTY_PAUSES},
    {"MISC_RETIRED.PAUSE_INST", PROPERTY_PAUSES},
    {"MISC2_RETIRED.LFENCE", PROPERTY_LFENCES},
    {"MISC_RETIRED1.LFENCE", PROPERTY_LFENCES},
    {"MICROCODE_RETIRED.LFENCE", PROPERTY_LFENCES},
    {"MISC_RETIRED1.CL_INST", PROPERTY_LINE_FLUSHES},
    {"MICROCODE_RETIRED.CL_INST", PROPERTY_LINE_FLUSHES},
    {"MISC_RETIRED1.RDPMC_RDTSC_P", PROPERTY_COUNTER_READS},
    {"INST_RETIRED.X87", PROPERTY_X87},
    {"RETIRED_MMX_FP_INSTRUCTIONS.X87_INSTR", PROPERTY_X87},
    {"INST_RETIRED.MMX", PROPERTY_MMX},
    {"RETIRED_MMX_FP_INSTRUCTIONS.MMX_INSTR", PROPERTY_MMX},
    {"DIV_OP_COUNT", PROPERTY_DIVISIONS},
    {"BR_INST_RETIRED.REL_CALL", PROPERTY_DIRECT_CALLS},
    {"BR_INST_RETIRED.NEAR_REL_CALL", PROPERTY_DIRECT_CALLS},
    {"BR_INST_RETIRED.NEAR_DIRECT_CALL", PROPERTY_DIRECT_CALLS},
    {"BR_INST_RETIRED.NEAR_DIR_CALL", PROPERTY_DIRECT_CALLS},
    {"BR_INST_RETIRED.IND_CALL", PROPERTY_INDIRECT_CALLS},
    {"BR_INST_RETIRED.INDIRECT_CALL", PROPERTY_INDIRECT_CALLS},
    {"BR_INST_RETIRED.NEAR_IND_CALL", PROPERTY_INDIRECT_CALLS},
    {"BR_INST_RETIRED.NEAR_INDIRECT_CALL", PROPERTY_INDIRECT_CALLS},
    {"BR_INST_RETIRED.REL_JMP", PROPERTY_DIRECT_JUMPS},
    {"BR_INST_RETIRED.NEAR_REL_JMP", PROPERTY_DIRECT_JUMPS},
    {"BR_INST_RETIRED.NEAR_DIRECT_JMP", PROPERTY_DIRECT_JUMPS},
    {"BR_INST_RETIRED.NEAR_DIR_JMP", PROPERTY_DIRECT_JUMPS},
    {"BR_INST_RETIRED.INDIRECT_JMP", PROPERTY_INDIRECT_JUMPS},
    {"BR_INST_RETIRED.NEAR_INDIRECT_JMP", PROPERTY_INDIRECT_JUMPS},
    {"BR_INST_RETIRED.NEAR_IND_JMP", PROPERTY_INDIRECT_JUMPS},
    {"BR_INST_RETIRED.NEAR_JMP", PROPERTY_NEAR_JUMPS},
    {"BR_INST_RETIRED.NEAR_INDIRECT_OR_RETURN", PROPERTY_INDIRECT_OR_RETURN},
    {"BR_INST_RETIRED.ALL_NEAR_IND_OR_RET", PROPERTY_INDIRECT_OR_RETURN},
    {"INT_VEC_RETIRED.ADD_128", PROPERTY_VECTOR_ADD_128},
    {"INT_VEC_RETIRED.ADD_256", PROPERTY_VECTOR_ADD_256},
    {"INT_VEC_RETIRED.MUL_256", PROPERTY_VECTOR_MULTIPLY_256},
    {"INT_VEC_RETIRED.256BIT", PROPERTY_VECTOR_256},
    {"INT_VEC_RETIRED.VNNI_128", PROPERTY_VNNI_128},
    {"INT_VEC_RETIRED.VNNI_256", PROPERTY_VNNI_256},
    {"INT_VEC_RETIRED.128BIT", PROPERTY_VECTOR_128},
    {FP "SCALAR_DOUBLE", PROPERTY_FP_SCALAR_DOUBLE},
    {FP "SCALAR_SINGLE", PROPERTY_FP_SCALAR_SINGLE},
    {FP "128B_PACKED_DOUBLE", PROPERTY_FP_128_DOUBLE},
    {FP "128B_PACKED_SINGLE", PROPERTY_FP_128_SINGLE},
    {FP "256B_PACKED_DOUBLE", PROPERTY_FP_256_DOUBLE},
    {FP "256B_PACKED_SINGLE", PROPERTY_FP_256_SINGLE},
    {FP "512B_PACKED_DOUBLE", PROPERTY_FP_512_DOUBLE},
    {FP "512B_PACKED_SINGLE", PROPERTY_FP_512_SINGLE},
    {FP "SCALAR", PROPERTY_FP_SCALAR},
    {FP "VECTOR", PROPERTY_FP_VECTOR},
    {FP "PACKED", PROPERTY_FP_VECTOR_256},
    {FP "VECTOR_128B", PROPERTY_FP_128},
    {FP "VECTOR_256B", PROPERTY_FP_256},
    {FP "DOUBLE", PROPERTY_FP_DOUBLE},
    {FP "SINGLE", PROPERTY_FP_SINGLE},
    {FP "4_FLOPS", PROPERTY_FP_4_FLOPS},
    {FP "8_FLOPS", PROPERTY_FP_8_FLOPS},
    {"MEM_UOPS_RETIRED.SPLIT", PROPERTY_SPLITS},
};
#define NAMES_COUNT (sizeof(NAMES) / sizeof(NAMES[0]))

static unsigned seen[PROPERTY_NUMBERS];

static enum property event_property(uint64_t select, const struct cpu_caps *caps)
{
    struct event event = {.kind = PROPERTY_NONE};

    event_set_property(select, caps, &event);
    return event.kind;
}

/*
 * From Lion Cove on, FP_ARITH_OPS_RETIRED is another name of FP_ARITH_INST_RETIRED, except on
 * Coyote Cove (family 12H), where they differ.
 */
static enum property property_of(const char *name, uint32_t family)
{
    static const char OPS[] = "FP_ARITH_OPS_RETIRED.";
    char usual[128];

    if (family == 0x12 && strncmp(name, FP, strlen(FP)) == 0)
        return PROPERTY_NONE;
    if (strncmp(name, OPS, strlen(OPS)) == 0) {
        snprintf(usual, sizeof(usual), FP "%s", name + strlen(OPS));
        name = usual;
    }
    for (size_t i = 0; i < NAMES_COUNT; i++)
        if (strcmp(name, NAMES[i].name) == 0)
            return NAMES[i].property;
    return PROPERTY_NONE;
}

/*
 * The tables of the first Skylake servers give 8_FLOPS the unit mask of 4_FLOPS. From Lion Cove on,
 * VECTOR has the unit mask of 128 and 256 bits. Coyote Cove's sums are not known.
 */
static enum property property_of_row(const char *name, uint64_t select, uint32_t family)
{
    const enum property property = property_of(name, family);

    if (property == PROPERTY_FP_8_FLOPS && select == 0x18c7)
        return PROPERTY_FP_4_FLOPS;
    if (property == PROPERTY_FP_VECTOR && select == 0x3cc7)
        return family == 0x12 ? PROPERTY_NONE : PROPERTY_FP_VECTOR_256;
    return select >> 40 != 0 && property >= PROPERTY_SUM_FIRST ? PROPERTY_NONE : property;
}

/*
 * Model C5H has Skymont cores, and Crestmont cores that lack these events. Only CPUID.1AH tells the
 * two kinds of cores apart.
 */
static bool is_of_some_cores(const struct cpu_caps *caps, const char *name)
{
    return caps->model == 0xc5 && caps->core_type == CORE_TYPE_ATOM &&
           (strcmp(name, "BR_INST_RETIRED.COND_NTAKEN") == 0 ||
            strcmp(name, "MISC_RETIRED1.RDPMC_RDTSC_P") == 0);
}

#define UMASK2(select) ((select) >> 40 & 1)

/*
 * Checks each event of a table that general counters count, and that the table lists all encodings
 * with a property. Tables of client cores do not list AVX-512.
 */
static void check_table(const char *path, const struct cpu_caps *caps)
{
    bool listed[2][0x10000] = {{false}};
    FILE *file = fopen(path, "r");
    char line[1024], name[128], *end;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        const char *comma = strchr(line, ',');
        const uint64_t select = comma ? strtoull(comma + 1, &end, 16) : 0;
        enum property right;

        if (!comma || end == comma + 1 || !strchr(",\r\n", *end))
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)(comma - line), line);
        right = property_of_row(name, select, caps->family);
        if (strncmp(name, "UNC_", 4) == 0 || is_of_some_cores(caps, name) ||
            strstr(line, "BR_INST_RETIRED.ALL_BRANCHES"))
            continue;
        if (event_property(select, caps) != right)
            fail_msg("%s: %s: %d, not %d", path, name, event_property(select, caps), right);
        seen[right]++;
        listed[UMASK2(select)][select & 0xffff] = true;
    }
    fclose(file);
    for (uint64_t i = 0; i < 0x20000; i++) {
        const uint64_t select = (i >> 16) << 40 | (i & 0xffff);
        enum property found = event_property(select, caps);

        if (found != PROPERTY_NONE && found != PROPERTY_FP_512_DOUBLE &&
            found != PROPERTY_FP_512_SINGLE && found != PROPERTY_FP_8_FLOPS &&
            !listed[UMASK2(select)][select & 0xffff])
            fail_msg("%s lacks 0x%llx", path, (unsigned long long)select);
    }
}

TEST(intel_cores)
{
    FILE *index = fopen(FOLDER "perfmon/index.csv", "r");
    char line[256], path[256], file[64], models[64];
    unsigned family;
    int rest = 0;

    assert_non_null(index);
    memset(seen, 0, sizeof(seen));
    while (fgets(line, sizeof(line), index)) {
        struct cpu_caps caps = SKYLAKE;
        char *at = models;

        if (sscanf(line, "%63[^,],GenuineIntel,%x,%63[^,],%n", file, &family, models, &rest) < 3)
            continue;
        snprintf(path, sizeof(path), FOLDER "perfmon/%s", file);
        caps.family = family;
        caps.core_type = strstr(line + rest, "atom")   ? CORE_TYPE_ATOM
                         : strstr(line + rest, "core") ? CORE_TYPE_CORE
                                                       : 0;
        while (*at && (caps.model = (uint32_t)strtoul(at, &at, 16)) != 0)
            check_table(path, &caps);
    }
    fclose(index);
    for (unsigned i = PROPERTY_FIRST; i < PROPERTY_NUMBERS; i++)
        if (is_property(i) && i != PROPERTY_PREFETCH_T && i != PROPERTY_DIVISIONS) /* AMD's */
            assert_true(seen[i] > 0);
}

TEST(amd_cores)
{
    struct cpu_caps caps = {.vendor = VENDOR_AMD, .vendor_id = "AuthenticAMD", .family = 0x1a};

    memset(seen, 0, sizeof(seen));
    check_table(FOLDER "libpfm4/amd64_fam1ah_zen5.csv", &caps);
    assert_int_equal(seen[PROPERTY_CONDITIONAL_BRANCHES], 1);
    assert_int_equal(seen[PROPERTY_NEAR_RETURNS], 1);
    assert_int_equal(seen[PROPERTY_FAR_BRANCHES], 1);
    assert_int_equal(seen[PROPERTY_PREFETCH_T], 1);
    assert_int_equal(seen[PROPERTY_DIVISIONS], 1);
    caps.family = 0x1b;
    assert_int_equal(event_property(0xc8, &caps), PROPERTY_NONE);
    caps.vendor = VENDOR_INTEL;
    assert_int_equal(event_property(0xc8, &caps), PROPERTY_NONE);
}

/* An event whose modifiers change what it counts does not count a property. */
TEST(modifiers)
{
    static const struct {
        struct event event;
        int declares;
    } ROWS[] = {
        {{.select = 0x02c4, .fixed = -1}, PROPERTY_NEAR_CALLS},
        {{.select = 0x10002c4, .fixed = -1}, -1},     /* CMASK 1 */
        {{.select = 0x402c4, .fixed = -1}, -1},       /* edge */
        {{.select = 0x100000002c4, .fixed = -1}, -1}, /* UMASK2 */
        {{.select = 0x1002000002c4, .fixed = -1}, -1},
        {{.select = 0x02c4, .fixed = -1, .extra_msr = 0x3f7}, -1},
        {{.select = 0x02c4, .fixed = 5, .fixed_only = 1}, -1},
        {{.select = 0x20c4, .fixed = -1}, DECLARED_TAKEN_BRANCHES},
        {{.select = 0x02c4, .fixed = -1, .scope = SCOPE_UNCORE, .kind = 3}, -1},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct event event = ROWS[i].event;

        event.declared = EVENT_UNDECLARED;
        if (event.scope == SCOPE_CPU) {
            event.kind = PROPERTY_FAR_BRANCHES;
            event_classify(&event, &SKYLAKE);
        }
        if (event_declares(&event) != ROWS[i].declares)
            fail_msg("row %zu: %d", i, event_declares(&event));
    }
}

/* perfmon's field Speculative, and AMD's descriptions. */
TEST(speculative)
{
    static const struct cpu_caps ZEN_5 = {
        .vendor = VENDOR_AMD, .vendor_id = "AuthenticAMD", .family = 0x1a};
    struct cpu_caps lion_cove = SKYLAKE;
    const struct {
        uint64_t select;
        const struct cpu_caps *caps;
        enum property property;
        unsigned flags;
    } ROWS[] = {
        {0x0132, &SKYLAKE, PROPERTY_PREFETCH_NTA, EVENT_AT_LEAST},
        {0x0f40, &lion_cove, PROPERTY_PREFETCHES, EVENT_AT_LEAST},
        {0x84d0, &lion_cove, PROPERTY_PREFETCHES, 0},
        {0x20e0, &lion_cove, PROPERTY_LFENCES, EVENT_AT_LEAST},
        {0x40cc, &SKYLAKE, PROPERTY_PAUSES, 0},
        {0x074b, &ZEN_5, PROPERTY_PREFETCHES, EVENT_AT_LEAST},
        {0x00d4, &ZEN_5, PROPERTY_DIVISIONS, EVENT_AT_LEAST},
        {0x01cb, &ZEN_5, PROPERTY_X87, 0},
    };

    lion_cove.model = 0xbd;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct event event = {.select = ROWS[i].select, .fixed = -1};

        event_classify(&event, ROWS[i].caps);
        assert_int_equal(event.kind, ROWS[i].property);
        assert_int_equal(event.flags, ROWS[i].flags);
    }
}

/* Newer programs may know more properties. */
TEST(unknown_numbers)
{
    struct event event = {.declared = EVENT_UNDECLARED, .kind = PROPERTY_END - 1};

    assert_int_equal(event_declares(&event), PROPERTY_END - 1);
    event.kind = PROPERTY_END;
    assert_int_equal(event_declares(&event), EVENT_UNDECLARED);
    event.kind = PROPERTY_FIRST - 1;
    assert_int_equal(event_declares(&event), EVENT_UNDECLARED);
}
