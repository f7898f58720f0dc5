/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Skylake server's CHAs, its UBox, and its memory channels in PCI configuration space. Line
 * number n belongs to CHA n modulo the number of CHAs, and to channels[n modulo CHANNELS].
 */
#include "uncore.h"

#define SLICES   4u
#define LINES    17u
#define SPREAD   102u
#define CHANNELS 3u /* in this scenario: 0, 1 and 5 */

static uint32_t hits, misses; /* addresses of the first lines of the walks */
static bool ecam;

static const struct {
    uint32_t slot, function, number;
} channels[CHANNELS] = {{10, 2, 0}, {10, 6, 1}, {13, 2, 5}};

#define ECAM 0xb0000000u /* set by SeaBIOS on q35 */

static uint32_t *config_by_memory(uint32_t slot, uint32_t function, uint32_t offset)
{
    return (uint32_t *)(ECAM | slot << 15 | function << 12 | offset);
}

static void config_address(uint32_t slot, uint32_t function, uint32_t offset)
{
    __asm__ volatile("outl %0, %1"
                     :
                     : "a"(1u << 31 | slot << 11 | function << 8 | offset), "d"((uint16_t)0xcf8)
                     : "memory");
}

static uint32_t read_config(uint32_t c, uint32_t offset)
{
    uint32_t value;

    if (ecam) {
        return *(volatile uint32_t *)config_by_memory(channels[c].slot, channels[c].function,
                                                      offset);
    }
    config_address(channels[c].slot, channels[c].function, offset);
    __asm__ volatile("inl %1, %0" : "=a"(value) : "d"((uint16_t)0xcfc) : "memory");
    return value;
}

static void write_config(uint32_t c, uint32_t offset, uint32_t value)
{
    if (ecam) {
        *(volatile uint32_t *)config_by_memory(channels[c].slot, channels[c].function, offset) =
            value;
        return;
    }
    config_address(channels[c].slot, channels[c].function, offset);
    __asm__ volatile("outl %0, %1" : : "a"(value), "d"((uint16_t)0xcfc) : "memory");
}

static uint64_t read_counter_of(uint32_t c, uint32_t i)
{
    return read_config(c, 0xa0 + 8 * i) | (uint64_t)read_config(c, 0xa4 + 8 * i) << 32;
}

/* The counters count reads and writes; the channels are frozen except during the walk. */
static void run_channels(uint32_t walk, code *kernel, uint64_t got[CHANNELS][2])
{
    for (uint32_t c = 0; c < CHANNELS; c++) {
        write_config(c, 0xf4, BIT(8));
        for (uint32_t i = 0; i < 2; i++) {
            write_config(c, 0xa0 + 8 * i, 0);
            write_config(c, 0xa4 + 8 * i, 0);
            write_config(c, 0xd8 + 4 * i, (uint32_t)BIT(22) | (i ? 0x0c04 : 0x0304));
        }
    }
    kernel_argument[0] = walk;
    kernel_argument[1] = LINES;
    for (uint32_t c = 0; c < CHANNELS; c++) {
        write_config(c, 0xf4, 0);
    }
    run_window(0xe01, 0, kernel);
    for (uint32_t c = 0; c < CHANNELS; c++) {
        write_config(c, 0xf4, BIT(8));
    }
    for (uint32_t c = 0; c < CHANNELS; c++) {
        got[c][0] = read_counter_of(c, 0);
        got[c][1] = read_counter_of(c, 1);
    }
}

static void check_channels(const char *how)
{
    uint64_t got[CHANNELS][2];

    for (uint32_t c = 0; c < CHANNELS; c++) {
        expect(read_config(c, 0), 0x20428086u + (channels[c].number % 3 * 4 << 16),
               "%s: channel %u is there", how, channels[c].number);
    }
    for (int i = 0; i < 4; i++) {
        run_channels(misses | LOG2_LLC_SPAN, kernel_write_lines, got);
    }
    for (uint32_t c = 0; c < CHANNELS; c++) {
        uint32_t lines = lines_with(misses, LINES, LLC_SPAN, CHANNELS, c);

        expect(got[c][0], lines, "%s: channel %u: lines read", how, channels[c].number);
        expect(got[c][1], lines, "%s: channel %u: lines written", how, channels[c].number);
    }
    write_config(0, 0xf4, 0x100);
    write_config(0, 0xd8, (uint32_t)BIT(22) | 0x0304);
    write_config(0, 0xa0, 77);
    write_config(0, 0xa4, 0x12345);
    expect(read_counter_of(0, 0), 0x234500000000 + 77, "%s: a counter has 48 bits", how);
    run_window(0xe01, 0, kernel_write_lines);
    expect(read_counter_of(0, 0), 0x234500000000 + 77, "%s: a frozen counter stands still", how);
    write_config(0, 0xf4, 0x102);
    expect(read_counter_of(0, 0), 0, "%s: bit 1 of the control clears counters", how);
    expect(read_config(0, 0xd8), (uint32_t)BIT(22) | 0x0304, "%s: bit 1 clears no select", how);
    write_config(0, 0xf4, 0x101);
    expect(read_config(0, 0xd8), 0, "%s: bit 0 clears selects", how);
    expect(read_config(0, 0xf4), 0x100, "%s: bits 0 and 1 read 0", how);
    expect(read_config(0, 0xf8), 0, "%s: no overflow", how);
    write_config(0, 0xa0, ~0u);
    write_config(0, 0xa4, 0xffff);
    write_config(0, 0xd8, (uint32_t)BIT(22) | 0x0f04);
    write_config(0, 0xf4, 0);
    run_window(0xe01, 0, kernel_write_lines);
    write_config(0, 0xf4, 0x100);
    expect(read_config(0, 0xf8), 1, "%s: an overflow sets its status bit", how);
    write_config(0, 0xf8, 1);
    expect(read_config(0, 0xf8), 0, "%s: writing 1 clears the status bit", how);
}

/* Counts an event in counter 1 of each CHA. The window's WRMSRs write the select of CHA 0. */
static void run_chas(uint64_t select, uint64_t filter0, uint64_t filter1, uint32_t walk,
                     code *kernel)
{
    for (uint32_t s = SLICES; s-- > 0;) {
        uint32_t base = 0xe00 + 16 * s;

        wrmsr(base + 2, 0);
        wrmsr(base + 9, 0);
        wrmsr(base + 5, filter0);
        wrmsr(base + 6, filter1);
        wrmsr(base + 2, s ? select : 0);
    }
    kernel_argument[0] = walk;
    kernel_argument[1] = LINES;
    run_window(0xe02, select, kernel);
    for (uint32_t s = 1; s < SLICES; s++) {
        wrmsr(0xe02 + 16 * s, 0);
    }
}

static void expect_chas(uint32_t walk, uint32_t log2_span, bool any, const char *name)
{
    for (uint32_t s = 0; s < SLICES; s++) {
        uint32_t want = any ? lines_with(walk, LINES, 1u << log2_span, SLICES, s) : 0;

        expect(rdmsr(0xe09 + 16 * s), want, "%s: CHA %u", name, s);
    }
}

static void check_chas(void)
{
    const uint64_t en = BIT(22), any_state = 0x3ffull << 17;
    uint32_t l2 = hits | LOG2_L2_SPAN, spread = 0;
    static const struct {
        uint32_t select, filter0, filter1;
        bool counts;
        const char *name;
    } cases[] = {
        {0x1134, 0x3ff << 17, 0x3b, true, "any lookups"},
        {0x0334, 0x3ff << 17, 0x3b, true, "data reads"},
        {0x0534, 0x3ff << 17, 0x3b, false, "writes"},
        {0x1134, 0, 0x3b, false, "no state chosen"},
        {0x1134, 1 << 17, 0x3b, false, "state I"},
        {0x1134, 1 << 22, 0x3b, true, "state E"},
        {0x1134, 1 << 23, 0x3b, false, "state M"},
        {0x1135, 0, 0x3b, true, "TOR inserts that hit"},
        {0x2135, 0, 0x3b, false, "TOR inserts that miss"},
        {0x3135, 0, 0x3b, true, "TOR inserts"},
        {0x3135, 0, 0x39, false, "TOR inserts, not local"},
        {0x3135, 0, 0x33 | 0x202 << 9, true, "TOR inserts, DRD"},
        {0x3135, 0, 0x33 | 0x200 << 9, false, "TOR inserts, RFO"},
        {0x3135, 0, 0x33 | 0x202u << 19, true, "TOR inserts, DRD as the second opcode"},
    };

    for (int i = 0; i < 4; i++) {
        run_chas(en | 0x1134, any_state, 0x3b, l2, kernel_read_lines);
    }
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_chas(en | cases[i].select, cases[i].filter0, cases[i].filter1, l2, kernel_read_lines);
        expect_chas(hits, LOG2_L2_SPAN, cases[i].counts, cases[i].name);
    }
    run_chas(0x1134, any_state, 0x3b, l2, kernel_read_lines);
    expect_chas(hits, LOG2_L2_SPAN, false, "without EN");
    for (uint32_t s = 0; s < SLICES; s++) {
        wrmsr(0xe00 + 16 * s, BIT(8));
    }
    run_chas(en | 0x1134, any_state, 0x3b, l2, kernel_read_lines);
    expect_chas(hits, LOG2_L2_SPAN, false, "frozen");
    for (uint32_t s = 0; s < SLICES; s++) {
        wrmsr(0xe00 + 16 * s, 0);
    }
    for (int i = 0; i < 2; i++) {
        spread = (FIELD(28) + i * SPREAD * LINE) | 6; /* in pass 1, code and data are cached */
        run_chas(en | 0x2135, 0, 0x3b, spread, kernel_read_lines);
    }
    for (uint32_t s = 0; s < SLICES; s++) {
        expect(rdmsr(0xe09 + 16 * s), lines_with(spread, LINES, LINE, SLICES, s),
               "misses in a row: CHA %u", s);
    }
    for (int i = 0; i < 4; i++) {
        run_chas(en, 0, 0x3b, l2, kernel_read_lines);
    }
    expect(rdmsr(0xe09), walk_cycles(LINES, 30), "CLOCKTICKS of CHA 0");
    expect(rdmsr(0xe07), 0, "CHA 0: no overflow");
    wrmsr(0xe0b, (1ull << 48) - 1);
    run_window(0xe04, en, kernel_read_lines);
    expect(rdmsr(0xe07), 8, "CHA 0: an overflow sets its status bit");
    wrmsr(0xe07, 8);
    expect(rdmsr(0xe07), 0, "CHA 0: writing 1 clears the status bit");
}

/* The UBox's clock (703h and 704h), during a walk of LLC hits. */
static void check_ubox(void)
{
    wrmsr(0x703, 0);
    wrmsr(0x704, 0);
    for (int i = 0; i < 4; i++) {
        walk_lines(hits, LOG2_L2_SPAN, LINES, kernel_read_lines);
    }
    run_window(0x703, BIT(22), kernel_read_lines);
    expect(rdmsr(0x704), walk_cycles(LINES, 30), "the UBox's clock");
    run_window(0x703, BIT(20), kernel_read_lines);
    expect(rdmsr(0x704), walk_cycles(LINES, 30), "without EN the UBox's clock stands still");
}

void test_uncore_server(void)
{
    uint32_t value;

    hits = quiet_line(FIELD(12)) + 64 * LINE;
    misses = quiet_line(FIELD(20));
    check_chas();
    check_channels("CF8h");
    ecam = true;
    check_channels("ECAM");
    ecam = false;
    config_address(30, 3, 0);
    __asm__ volatile("inl %1, %0" : "=a"(value) : "d"((uint16_t)0xcfc) : "memory");
    expect(value, 0x20838086, "the function with CAPID6");
    config_address(30, 3, 0x9c);
    __asm__ volatile("inl %1, %0" : "=a"(value) : "d"((uint16_t)0xcfc) : "memory");
    expect(value, 15, "CAPID6: four CHAs");
    config_address(8, 0, 0);
    __asm__ volatile("inl %1, %0" : "=a"(value) : "d"((uint16_t)0xcfc) : "memory");
    expect(value, 0x20148086, "the UBox");
    check_ubox();
    stop_all();
}
