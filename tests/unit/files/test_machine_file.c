/* SPDX-License-Identifier: BSD-2-Clause */
/* machine.txt: what it records of a machine, and that the recorded values read back unchanged. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/cpuid.h"
#include "tests/unit/fakes/machine_file.h"
#include "tests/unit/fakes/run_files.h"
#include "pmu/base/bytes.h"

#define SERIAL 0xdeadbeefu

/* The second thread of the core has another APIC ID and no leaf 7. */
static const struct fake_leaf FIRST[] = {
    INTEL_LEAF_0,
    {1, 0, {0x50654, 0, 0, 1}},
    {3, 0, {SERIAL, SERIAL, SERIAL, SERIAL}},
    {4, 0, {0x121, 1, 1, 1}},
    {4, 1, {0x122, 1, 1, 1}},
    {7, 0, {0, 0x40, 0, 0}},
    {0xb, 0, {1, 2, LEVEL(0, LEVEL_SMT), 0}},
    {0xb, 1, {4, 2, LEVEL(1, LEVEL_CORE), 0}},
    {0xb, 2, {0, 0, 2, 0}},
    {0x80000001, 0, {0, 0, 1, 0}},
    END,
};
static const struct fake_leaf SECOND[] = {
    INTEL_LEAF_0,
    {1, 0, {0x50654, 0x01000000, 0, 1}},
    {4, 0, {0x121, 1, 1, 1}},
    {4, 1, {0x122, 1, 1, 1}},
    {0xb, 0, {1, 2, LEVEL(0, LEVEL_SMT), 1}},
    {0xb, 1, {4, 2, LEVEL(1, LEVEL_CORE), 1}},
    {0xb, 2, {0, 0, 2, 1}},
    {0x80000001, 0, {0, 0, 1, 0}},
    END,
};

static struct machine_cpu first, second;

static void answer(struct machine_cpu *cpu, const struct fake_leaf *leaves, uint32_t max)
{
    fake_leaves = leaves;
    fake_max_leaf = max;
    fake_max_extended = 0x80000001;
    machine_leaves_read(fake_cpuid, &cpu->leaves);
    cpu->registers = (struct machine_reads){.room = MACHINE_MSRS_MAX, .read = cpu->msr};
}

static uint64_t next_value;

/* MSR 38FH differs at each reading, 1A0H raises #GP, and other MSRs read as their number. */
static bool read_any(void *context, uint32_t msr, uint64_t *value)
{
    (void)context;
    *value = msr == 0x38f ? next_value++ : msr;
    return msr != 0x1a0;
}

static bool write_any(void *context, uint32_t msr, uint64_t value)
{
    (void)context;
    (void)msr;
    next_value = value;
    return true;
}

static const struct msr_port ANY = {.read = read_any, .write = write_any};

static void append(const char *part)
{
    run_append(RECORD_MACHINE, part, strlen(part));
}

static char part[65536];

static void append_cpu(unsigned number, const struct machine_cpu *cpu,
                       const struct machine_cpu *before)
{
    struct out out = out_buffer(part, sizeof(part));

    machine_file_cpu(number, cpu, before, &out);
    append(out_end(&out));
}

static void read_back(void)
{
    FILE *file = fmemopen(text, strlen(text), "r");

    assert_non_null(file);
    told_read(file);
    fclose(file);
}

/* Leaf 3 contains a serial number. */
TEST(every_leaf_but_the_serial_number)
{
    answer(&first, FIRST, 0xb);
    /* leaves 0 to 2, 4 to BH, 80000000H, 80000001H; 1 more subleaf of 4, 2 more of BH */
    assert_int_equal(first.leaves.count, 3 + 8 + 2 + 1 + 2);
    assert_int_equal(first.leaves.lost, 0);
    for (uint32_t i = 0; i < first.leaves.count; i++) {
        assert_int_not_equal(first.leaves.leaf[i].leaf, 3);
        for (uint32_t k = 0; k < i; k++)
            assert_false(first.leaves.leaf[i].leaf == first.leaves.leaf[k].leaf &&
                         first.leaves.leaf[i].subleaf == first.leaves.leaf[k].subleaf);
    }
}

TEST(registers_as_they_were_first_read)
{
    struct machine_msrs msrs;
    uint64_t value;

    answer(&first, FIRST, 0xb);
    machine_msrs_start(&msrs, &ANY, &first.registers);
    next_value = 5;
    assert_true(msrs.port.read(msrs.port.context, 0x38f, &value));
    assert_true(msrs.port.write(msrs.port.context, 0x38f, 77));
    assert_true(msrs.port.read(msrs.port.context, 0x38f, &value));
    assert_int_equal(value, 77);
    assert_false(msrs.port.read(msrs.port.context, 0x1a0, &value));
    assert_int_equal(first.registers.count, 2);
    assert_int_equal(first.registers.read[0].value, 5);
    assert_true(first.registers.read[1].refused);
    for (uint32_t msr = 0x1000; first.registers.lost == 0; msr++)
        msrs.port.read(msrs.port.context, msr, &value);
    assert_int_equal(first.registers.count, MACHINE_MSRS_MAX);
}

/* Intel SDM vol. 4, "Protected Processor Inventory Number", and AMD's PPRs. */
TEST(no_register_with_a_serial_number)
{
    static const uint32_t SERIALS[] = {0x4e, 0x4f, 0xc00102f0, 0xc00102f1};
    struct machine_msrs msrs;
    uint64_t value;

    answer(&first, FIRST, 0xb);
    machine_msrs_start(&msrs, &ANY, &first.registers);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(msrs.port.read(msrs.port.context, SERIALS[i], &value));
        assert_int_equal(value, SERIALS[i]);
    }
    assert_int_equal(first.registers.count, 0);
}

static void check_as(struct machine_cpu *cpu, unsigned number, const struct fake_leaf *leaves,
                     uint32_t max)
{
    uint64_t value, right;

    told.now = number;
    for (uint32_t leaf = 0; leaf <= max; leaf++)
        for (uint32_t subleaf = 0; subleaf < (leaf == 4 || leaf == 0xb ? 3 : 1); subleaf++) {
            struct cpuid_regs is, was;

            if (leaf == 3)
                continue;
            fake_leaves = leaves;
            fake_max_leaf = max;
            fake_cpuid(leaf, subleaf, &was);
            told_cpuid(leaf, subleaf, &is);
            assert_memory_equal(&is, &was, sizeof(is));
        }
    for (uint32_t i = 0; i < cpu->registers.count; i++) {
        const uint32_t msr = (uint32_t)cpu->registers.read[i].address;

        right = cpu->registers.read[i].value;
        value = right;
        assert_int_equal(told_read_msr(NULL, msr, &value), !cpu->registers.read[i].refused);
        assert_int_equal(value, right);
    }
    assert_int_equal(told.unknown, 0);
}

TEST(two_cpus_read_back_as_they_were)
{
    struct machine_msrs msrs;
    uint64_t value;

    answer(&first, FIRST, 0xb);
    answer(&second, SECOND, 0xb);
    machine_msrs_start(&msrs, &ANY, &first.registers);
    next_value = 5;
    for (uint32_t msr = 0x38d; msr < 0x391; msr++)
        msrs.port.read(msrs.port.context, msr, &value);
    machine_msrs_start(&msrs, &ANY, &second.registers);
    for (uint32_t msr = 0x38d; msr < 0x392; msr++)
        msrs.port.read(msrs.port.context, msr, &value);
    run_begin(NULL, "");
    append("barecount machine file 1\n");
    append_cpu(0, &first, NULL);
    append_cpu(5, &second, &first);
    run_end();
    render_as(render_machine_txt);
    has("\ncpu 5\n1 0 50654 1000000 0 1\n");
    has("\n7 0 0 0 0 0\n");
    has("\nmsrs 5\n38f 6\n391 391\nend ");
    read_back();
    assert_int_equal(told.cpus, 2);
    check_as(&first, 0, FIRST, 0xb);
    check_as(&second, 5, SECOND, 0xb);
}

TEST(a_leaf_that_a_cpu_lacks)
{
    struct cpuid_regs regs;

    answer(&first, FIRST, 0xb);
    answer(&second, SECOND, 7);
    run_begin(NULL, "");
    append_cpu(0, &first, NULL);
    append_cpu(1, &second, &first);
    render_as(render_machine_txt);
    has("\nb 0 absent\nb 1 absent\nb 2 absent\n");
    read_back();
    told.now = 1;
    told_cpuid(0xb, 1, &regs);
    assert_int_equal(regs.eax | regs.ebx | regs.ecx | regs.edx, 0);
}

TEST(uncore_registers_read_back)
{
    static struct machine_read room[4];
    struct machine_reads reads = {.count = 3, .room = 4, .read = room};
    struct out out = out_buffer(part, sizeof(part));
    uint64_t value;

    room[0] = (struct machine_read){.space = SPACE_MSR, .address = 0xe01, .bytes = 8, .value = 3};
    room[1] = (struct machine_read){.space = SPACE_PCI, .address = 0xf3000, .bytes = 4, .value = 9};
    room[2] =
        (struct machine_read){.space = SPACE_MMIO, .address = 1ull << 40, .bytes = 8, .refused = 1};
    machine_file_uncore(2, &reads, &out);
    run_begin(NULL, "");
    append(out_end(&out));
    render_as(render_machine_txt);
    read_back();
    told.now = 2;
    assert_true(told_read_uncore(NULL, SPACE_MSR, 0xe01, 8, &value));
    assert_int_equal(value, 3);
    assert_true(told_read_uncore(NULL, SPACE_PCI, 0xf3000, 4, &value));
    assert_int_equal(value, 9);
    assert_true(told_read_uncore(NULL, SPACE_PCI, 0xf4000, 4, &value));
    assert_int_equal(value, 0xffffffffu);
    assert_false(told_read_uncore(NULL, SPACE_MMIO, 1ull << 40, 8, &value));
}

/* EFI_MEMORY_DESCRIPTOR, with 8 bytes that some firmware adds. */
static uint8_t map_bytes[6][48];

static void put_range(unsigned at, uint32_t type, uint64_t start, uint64_t pages,
                      uint64_t attribute)
{
    memset(map_bytes[at], 0xff, sizeof(map_bytes[at]));
    memcpy(map_bytes[at], &type, 4);
    memcpy(map_bytes[at] + 8, &start, 8);
    memcpy(map_bytes[at] + 24, &pages, 8);
    memcpy(map_bytes[at] + 32, &attribute, 8);
}

TEST(ranges_that_differ_only_in_their_use_are_joined)
{
    const struct memory_map map = {&map_bytes[0][0], sizeof(map_bytes), 48};

    put_range(0, 7, 0, 0x10, 15);            /* EfiConventionalMemory */
    put_range(1, 4, 0x10000, 0x10, 15);      /* EfiBootServicesData */
    put_range(2, 2, 0x20000, 1, 7);          /* EfiLoaderData; its attribute differs */
    put_range(3, 7, 0x30000, 1, 7);          /* a hole before it */
    put_range(4, 11, 0x31000, 1, 1);         /* EfiMemoryMappedIO */
    put_range(5, 0x80000000, 0x32000, 1, 0); /* an OS loader type */
    assert_written(machine_file_memory(&map, &out), "memory\n0 20000 usable f\n"
                                                    "20000 21000 usable 7\n30000 31000 usable 7\n"
                                                    "31000 32000 mmio 1\n32000 33000 type_80000000 "
                                                    "0\npci\n");
}

TEST(acpi_tables_by_name_or_with_their_bytes)
{
    uint8_t table[40] = "MCFG";

    table[8] = 1;
    table[39] = 0xab;
    assert_written(machine_file_acpi(table, sizeof(table), &out),
                   "acpi MCFG 40 1\n"
                   "0 4d43464700000000010000000000000000000000000000000000000000000000\n"
                   "20 00000000000000ab\n");
    memcpy(table, "MSDM", 4);
    assert_written(machine_file_acpi(table, sizeof(table), &out), "acpi MSDM 40 1\n");
    memcpy(table, "A\nIC", 4);
    assert_written(machine_file_acpi(table, sizeof(table), &out), "acpi A?IC 40 1\n");
}

TEST(the_last_line_has_the_checksum)
{
    run_begin(NULL, "");
    assert_false(
        render_has_machine(&(struct render){run_bytes, run_journal.used, NULL, 0, false, false}));
    append("one\n");
    append("two\n");
    assert_true(
        render_has_machine(&(struct render){run_bytes, run_journal.used, NULL, 0, false, false}));
    render_as(render_machine_txt);
    assert_string_equal(text, "one\ntwo\n");
    run_end();
    render_as(render_machine_txt);
    assert_string_equal(text, formatted("one\ntwo\nend %08x\n", crc32_ieee(0, "one\ntwo\n", 8)));
}
