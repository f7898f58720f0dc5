/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of MSR scripts, and the list of registers and bits that a script may write. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/counters/msr_script.h"

#define OPERATIONS "expected nop, read MSR, write MSR VALUE, rdtsc or stop, found "
#define MSR        "MSR: expected a number from 0 to 0xffffffff, found "
#define VALUE      "VALUE: expected a number from 0 to 0xffffffffffffffff, found "
#define ALLOWS     "; unsafe_msr=yes in [run] allows it"

static bool parse(const char *line, struct msr_op *op, char why[200])
{
    struct out out = out_buffer(why, 200);
    bool good = msr_op_parse((struct piece){line, strlen(line)}, op, &out);

    out_end(&out);
    return good;
}

TEST(lines_of_a_script)
{
    static const struct {
        const char *line;
        struct msr_op op;
    } ROWS[] = {
        {"nop", {.kind = MSR_OP_NOP}},
        {"read 0x34", {.kind = MSR_OP_READ, .msr = 0x34}},
        {"read 52", {.kind = MSR_OP_READ, .msr = 52}},
        {"read 0xC0010015", {.kind = MSR_OP_READ, .msr = 0xc0010015}},
        {"read 4294967295", {.kind = MSR_OP_READ, .msr = UINT32_MAX}},
        {" write\t0x1A4   0xf ", {.kind = MSR_OP_WRITE, .msr = 0x1a4, .value = 15}},
        {"write 0 18446744073709551615", {.kind = MSR_OP_WRITE, .value = UINT64_MAX}},
        {"stop", {.kind = MSR_OP_STOP}},
        {"rdtsc", {.kind = MSR_OP_RDTSC}},
    };
    char why[200];

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct msr_op op = {.msr = 77, .value = 77, .line = 7};

        assert_true(parse(ROWS[i].line, &op, why));
        assert_string_equal(why, "");
        assert_int_equal(op.kind, ROWS[i].op.kind);
        assert_int_equal(op.msr, ROWS[i].op.msr);
        assert_int_equal(op.value, ROWS[i].op.value);
        assert_int_equal(op.line, 7);
    }
}

TEST(mistakes)
{
    static const char *const ROWS[][2] = {
        {"", OPERATIONS "''"},
        {"reed 1", OPERATIONS "'reed 1'; nearest: read"},
        {"READ 1", OPERATIONS "'READ 1'; nearest: read"},
        {"read,1", OPERATIONS "'read,1'; nearest: read"},
        {"read", MSR "''"},
        {"read x", MSR "'x'"},
        {"read 0x", MSR "'0x'"},
        {"read -1", MSR "'-1'"},
        {"read 1a4", MSR "'1a4'"},
        {"read 0x100000000", MSR "'0x100000000'"},
        {"read 0x10000000000000034", MSR "'0x10000000000000034'"}, /* 2^64 + 34H */
        {"write 1", VALUE "''"},
        {"write x 1", MSR "'x'"},
        {"write 1 18446744073709551616", VALUE "'18446744073709551616'"},
        {"read 1 2", "expected the end of the line after 'read MSR', found '2'"},
        {"write 1 2 3", "expected the end of the line after 'write MSR VALUE', found '3'"},
        {"nop 0", "expected the end of the line after 'nop', found '0'"},
        {"stop it", "expected the end of the line after 'stop', found 'it'"},
        {"rdtsc 1", "expected the end of the line after 'rdtsc', found '1'"},
    };
    struct msr_op op;
    char why[200];

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        assert_false(parse(ROWS[i][0], &op, why));
        assert_string_equal(why, ROWS[i][1]);
    }
}

TEST(what_may_be_written)
{
    static const struct {
        const char *line;
        const char *says; /* null: allowed */
    } ROWS[] = {
        {"nop", NULL},
        {"read 0xc1", NULL},
        {"write 0x48 7", NULL},
        {"write 0x48 8", "write 0x48: only bits 0x7 of IA32_SPEC_CTRL are harmless"},
        {"write 0x49 1", NULL},
        {"write 0x10b 1", NULL},
        {"write 0x19c 0", NULL},
        {"write 0x19c 1", "write 0x19c: only bits 0xaaaa of IA32_THERM_STATUS are harmless"},
        {"write 0x1a0 0x4000000000", NULL},
        {"write 0x1a0 0x400000000", "write 0x1a0: only bits 0x4000000000 of IA32_MISC_ENABLE are"},
        {"write 0x1a4 0xf", NULL},
        {"write 0x1a4 0x10", "write 0x1a4: only bits 0x2f of MSR_MISC_FEATURE_CONTROL are"},
        {"write 0x1b0 15", NULL},
        {"write 0x1b0 16", "write 0x1b0: only bits 0xf of IA32_ENERGY_PERF_BIAS are harmless"},
        {"write 0x1b1 0", NULL},
        {"write 0xc0000108 0x2f", NULL},
        {"write 0xc0010015 0x2000000", NULL},
        {"write 0xc1 0", "write 0xc1: not in the list of MSRs that are safe to write" ALLOWS},
        {"write 0x186 0", "write 0x186: not in the list"},
        {"write 0x199 0", "write 0x199: not in the list"},
        {"write 0x38f 0", "write 0x38f: not in the list"},
        {"write 0x10 0", "write 0x10: not in the list"},
    };
    char why[200];

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct out out = out_buffer(why, sizeof(why));
        struct msr_op op;
        bool allowed;

        assert_true(parse(ROWS[i].line, &op, why));
        allowed = msr_op_allowed(&op, &out);
        out_end(&out);
        if (allowed != !ROWS[i].says)
            fail_msg("%s", ROWS[i].line);
        if (ROWS[i].says) {
            assert_ptr_equal(strstr(why, ROWS[i].says), why);
            assert_non_null(strstr(why, ALLOWS));
        }
    }
}

TEST(the_list_is_printed)
{
    char text[2000];
    struct out out = out_buffer(text, sizeof(text));
    unsigned lines = 0;

    msr_print_harmless(&out);
    out_end(&out);
    assert_false(out.failed);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        const char *bits = strstr(line, "  bits 0x");
        char why[200];
        struct out unused = out_buffer(why, sizeof(why));
        struct msr_op op = {.kind = MSR_OP_WRITE, .msr = (uint32_t)strtoul(line, NULL, 16)};

        assert_in_range(strlen(line), 40, 100);
        assert_non_null(bits);
        op.value = strtoull(bits + strlen("  bits "), NULL, 16);
        assert_true(msr_op_allowed(&op, &unused));
        op.value |= 1ull << 63;
        assert_false(msr_op_allowed(&op, &unused));
    }
    assert_int_equal(lines, 10);
}

/*
 * In a parallel run, a register that threads share must not be written, since it could not be
 * restored.
 */
TEST(what_is_a_threads_own)
{
    static const struct {
        const char *line;
        bool own;
    } ROWS[] = {
        {"read 0x1a4", true},     {"rdtsc", true},          {"write 0x48 1", true},
        {"write 0x19c 0", true},  {"write 0x49 1", true},   {"write 0x1a4 0xf", false},
        {"write 0x1b0 6", false}, {"write 0x1a0 0", false}, {"write 0x123 0", false},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char why[200];
        struct out out = out_buffer(why, sizeof(why));
        struct msr_op op;

        assert_true(parse(ROWS[i].line, &op, why));
        assert_int_equal(msr_op_is_own(&op, &out), ROWS[i].own);
        if (!ROWS[i].own)
            assert_non_null(strstr(out_end(&out), "expected mode=serial"));
    }
}
