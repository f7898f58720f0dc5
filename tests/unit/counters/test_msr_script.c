/* SPDX-License-Identifier: BSD-2-Clause */
/* MSR scripts: their operations and results, and the restoring of what they write. */
#include <string.h>

#include "tests/unit/test.h"
#include "pmu/counters/msr_script.h"
#include "pmu/counters/program.h"

/* A register that is not listed here raises #GP. */
static struct {
    struct {
        uint32_t msr;
        bool readable, writable;
        uint64_t value;
    } reg[8];
    struct {
        uint32_t msr;
        uint64_t value;
    } log[80];
    unsigned regs, writes;
} cpu;

static void has(uint32_t msr, bool readable, bool writable, uint64_t value)
{
    cpu.reg[cpu.regs].msr = msr;
    cpu.reg[cpu.regs].readable = readable;
    cpu.reg[cpu.regs].writable = writable;
    cpu.reg[cpu.regs++].value = value;
}

static bool cpu_read(void *context, uint32_t msr, uint64_t *value)
{
    (void)context;
    for (unsigned i = 0; i < cpu.regs; i++)
        if (cpu.reg[i].msr == msr && cpu.reg[i].readable) {
            *value = cpu.reg[i].value;
            return true;
        }
    *value = 0xbad;
    return false;
}

static bool cpu_write(void *context, uint32_t msr, uint64_t value)
{
    (void)context;
    for (unsigned i = 0; i < cpu.regs; i++)
        if (cpu.reg[i].msr == msr && cpu.reg[i].writable) {
            cpu.reg[i].value = value;
            cpu.log[cpu.writes].msr = msr;
            cpu.log[cpu.writes++].value = value;
            return true;
        }
    return false;
}

static const struct msr_port PORT = {.read = cpu_read, .write = cpu_write};

static uint64_t clock_now;

static uint64_t clock_read(void)
{
    return clock_now += 1000;
}

static struct msr_result results[MSR_SCRIPT_OPS_MAX];
static struct msr_saved saved;

static void start(void)
{
    memset(&cpu, 0, sizeof(cpu));
    memset(results, 0xa5, sizeof(results));
    saved = (struct msr_saved){0};
    clock_now = 0;
}

BEFORE_EACH(start);

static struct msr_script script_of(const char *lines)
{
    struct msr_script script = {0};
    struct piece rest = {lines, strlen(lines)};
    char why[200];
    struct out out = out_buffer(why, sizeof(why));

    while (rest.size > 0)
        assert_true(msr_op_parse(piece_cut(rest, ';', &rest), &script.op[script.count++], &out));
    return script;
}

static unsigned run(const struct msr_script *script)
{
    return msr_script_run(script, &PORT, clock_read, results, &saved);
}

static void assert_logged(unsigned write, uint32_t msr, uint64_t value)
{
    if (cpu.log[write].msr != msr || cpu.log[write].value != value)
        fail_msg("write %u: MSR 0x%x, 0x%llx", write, cpu.log[write].msr,
                 (unsigned long long)cpu.log[write].value);
}

TEST(results_in_order)
{
    static const struct msr_result EXPECTED[] = {
        {.kind = MSR_OP_RDTSC, .step = 0, .value = 1000},
        {.kind = MSR_OP_READ, .step = 2, .msr = 0x34, .value = 42},
        {.kind = MSR_OP_READ, .step = 3, .msr = 0x35, .value = 0, .fault = 1},
        {.kind = MSR_OP_WRITE, .step = 5, .msr = 0x1b0, .value = 6, .fault = 1},
        {.kind = MSR_OP_RDTSC, .step = 6, .value = 2000},
    };
    struct msr_script script =
        script_of("rdtsc; nop; read 0x34; read 0x35; write 0x1a4 1; write 0x1b0 6; rdtsc; stop;"
                  "read 0x34; write 0x1a4 2");

    has(0x34, true, false, 42);
    has(0x1a4, true, true, 0);
    assert_int_equal(run(&script), 5);
    assert_memory_equal(results, EXPECTED, sizeof(EXPECTED));
    assert_int_equal(cpu.reg[1].value, 1);
}

/* In a register whose writable bits are listed, only these bits change. */
TEST(writes_are_put_back)
{
    struct msr_script before = script_of("write 0x1a4 5; write 0x1b0 0; write 0x1a4 2");
    struct msr_script after = script_of("write 0x1b0 9; write 0x777 0x123456789abcdef0");

    has(0x1a4, true, true, 0xffff0000ffff0009);
    has(0x1b0, true, true, 0xf6);
    has(0x777, true, true, 0x1111);
    assert_int_equal(run(&before), 0);
    assert_int_equal(cpu.log[0].value, (0xffff0000ffff0009 & ~0x2full) | 5); /* bits 0-3, 5 */
    assert_int_equal(cpu.log[1].value, 0xf0);
    assert_int_equal(cpu.log[2].value, (0xffff0000ffff0009 & ~0x2full) | 2);
    assert_int_equal(run(&after), 0);
    assert_int_equal(cpu.reg[1].value, 0xf9);
    assert_int_equal(cpu.reg[2].value, 0x123456789abcdef0);
    assert_int_equal(saved.count, 3);
    cpu.writes = 0;
    assert_int_equal(msr_script_restore(&saved, &PORT), 0);
    assert_int_equal(cpu.writes, 3);
    assert_logged(0, 0x777, 0x1111);
    assert_logged(1, 0x1b0, 0xf6);
    assert_logged(2, 0x1a4, 0xffff0000ffff0009);
    assert_int_equal(saved.count, 0);
    assert_int_equal(msr_script_restore(&saved, &PORT), 0);
    assert_int_equal(cpu.writes, 3);
}

/* Log bits and command registers are not restored. */
TEST(logs_and_commands)
{
    struct msr_script script = script_of("write 0x19c 0xaaa8; write 0x1b1 0; write 0x49 1");

    has(0x19c, true, true, 0x88230a0b); /* log bits 1, 3, 9, 11; status bit 0 */
    has(0x1b1, true, true, 0x88230003);
    has(0x49, false, true, 0);
    assert_int_equal(run(&script), 0);
    assert_int_equal(cpu.writes, 3);
    assert_int_equal(cpu.log[0].value, 0x88230a09); /* only bit 1 is cleared */
    assert_int_equal(cpu.log[1].value, 0x88230001);
    assert_int_equal(cpu.log[2].value, 1);
    assert_int_equal(saved.count, 0);
}

TEST(registers_that_refuse)
{
    struct msr_script script = script_of("write 0x48 1; write 0x1b0 1; write 0x19c 0; write 0x49 1;"
                                         "write 0x111 1; write 0x222 2; write 0x1a4 1");

    has(0x48, true, false, 0);
    has(0x1b0, false, true, 0);
    has(0x222, false, true, 0); /* write-only */
    has(0x1a4, true, true, 0);
    assert_int_equal(run(&script), 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(results[i].step, i);
        assert_int_equal(results[i].fault, 1);
    }
    assert_int_equal(cpu.writes, 2);
    assert_int_equal(cpu.log[0].msr, 0x222);
    assert_int_equal(saved.count, 1);
    assert_int_equal(saved.entry[0].msr, 0x1a4);
    saved.entry[saved.count++].msr = 0x333;
    saved.entry[saved.count++].msr = 0x444;
    assert_int_equal(msr_script_restore(&saved, &PORT), 0x444);
    assert_int_equal(cpu.log[2].msr, 0x1a4);
}

TEST(the_longest_script)
{
    struct msr_script script = {.count = MSR_SCRIPT_OPS_MAX};

    has(0x500, true, true, 1);
    for (unsigned i = 0; i < MSR_SCRIPT_OPS_MAX; i++)
        script.op[i] = (struct msr_op){.kind = MSR_OP_WRITE, .msr = 0x500, .value = i};
    assert_int_equal(run(&script), 0);
    assert_int_equal(saved.count, 1);
    assert_int_equal(saved.entry[0].value, 1);
    for (unsigned i = 0; i < MSR_SCRIPT_OPS_MAX; i++)
        script.op[i].kind = MSR_OP_READ;
    assert_int_equal(run(&script), MSR_SCRIPT_OPS_MAX);
    assert_int_equal(results[31].step, 31);
}
