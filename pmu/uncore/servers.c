/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The uncore of Skylake to Cooper Lake and Ice Lake servers. UM_SP is Intel's document 336274, and
 * UM_ICX is document 639778.
 */
#include "pmu/uncore/dvsec.h"
#include "pmu/uncore/models.h"
#include "pmu/uncore/pci.h"

#define UM_SP                                                                                      \
    "Intel Xeon Processor Scalable Memory Family Uncore Performance Monitoring Reference Manual, "
#define UM_ICX                                                                                     \
    "3rd Gen Intel Xeon Processor Scalable Family, Codename Ice Lake, Uncore Performance "         \
    "Monitoring Reference Manual, "

/* Events cannot use OV_EN (bit 20) and RST (bit 17). */
#define SELECT_EVENT     0xffull
#define SELECT_UMASK     (0xffull << 8)
#define SELECT_EDGE      (1ull << 18)
#define SELECT_TID_EN    (1ull << 19)
#define SELECT_EN        (1ull << 22)
#define SELECT_INVERT    (1ull << 23)
#define SELECT_THRESHOLD (0xffull << 24)
#define SELECT_SHAPE     (SELECT_EDGE | SELECT_INVERT | SELECT_THRESHOLD)
#define SELECT_FIELDS    (SELECT_EVENT | SELECT_UMASK | SELECT_SHAPE)

/*
 * Bits 17:16 of a unit's control must be written as ones. RST_CTRL (bit 0) and RST_CTRS (bit 1)
 * would clear state that must be restored.
 */
#define BOX_RUN    (3ull << 16)
#define BOX_FREEZE (BOX_RUN | 1ull << 8) /* FRZ */

/* With REM, LOC, ALL_OPC, NM and NOT_NM, FILTER1 lets everything pass (UM_SP, CHA filters). */
#define FILTER1_ALL 0x3bull

#define CHA_MASK 0x0fffffffu /* one bit of CAPID6 per CHA */
#define CHAS_MAX 28u
#define CAPID6   0x9cu

#define IMC_CHANNELS    6u
#define CHANNEL_SLOTS   2u
#define DIMM_MTR        0x80u /* DIMMMTR, + 4 x slot */
#define DIMM_PRESENT    (1u << 15)
#define DDRT_CONFIG     0x400u /* MCDDRTCFG: a bit per slot */
#define NVDIMMS_PRESENT 3u
#define IMC_CONTROLLERS 4u
#define MMIO_BASE       0xd0u /* bits 28:0 are address bits 51:23 */
#define MMIO_BASE_MASK  0x1fffffffu
#define MEM_BAR         0xd8u /* + 4 x controller; bits 10:0 are address bits 22:12 */
#define MEM_BAR_MASK    0x7ffu
#define FREE_DCLK       0x22b0u

static const struct pci_ubox UBOX_SKYLAKE = {.id = 0x2014, .device = 8, .function = 0};
static const struct pci_ubox UBOX_ICE_LAKE = {.id = 0x3450, .highest = true};
#define PCU_SKYLAKE     0x2083u /* device 1Eh, function 3: CAPID6 */
#define MEMORY_ICE_LAKE 0x3451u /* device 0, function 1 on the UBOX's bus: MMIO_BASE, MEM_BAR */

/*
 * The PCI functions with the counters of the memory channels (UM_SP, "Memory Controller (IMC)
 * Performance Monitoring"). The function number of the channel itself is lower by 2. Linux
 * drivers/edac/skx_base.c describes the registers of the channel itself.
 */
static const struct {
    uint16_t id;
    uint8_t device, function;
} CHANNELS[IMC_CHANNELS] = {
    {0x2042, 0x0a, 2}, {0x2046, 0x0a, 6}, {0x204a, 0x0b, 2},
    {0x2042, 0x0c, 2}, {0x2046, 0x0c, 6}, {0x204a, 0x0d, 2},
};

/*
 * Each of the two dies of a Xeon Platinum 9200 has a UBOX. The UBOXes contain a number for each
 * die, but CPUID has a number for each package.
 */
static bool two_dies(const struct cpu_caps *caps)
{
    static const char NAME[] = "Platinum 92";

    for (unsigned i = 0; i + sizeof(NAME) <= sizeof(caps->brand); i++) {
        unsigned same = 0;

        while (NAME[same] && caps->brand[i + same] == NAME[same])
            same++;
        if (!NAME[same])
            return true;
    }
    return false;
}

static enum status skylake_buses(const struct uncore_port *port, const struct cpu_caps *caps,
                                 struct pci_buses *buses)
{
    if (two_dies(caps))
        return STATUS_UNCORE_SOCKET;
    return pci_package_buses(port, caps, &UBOX_SKYLAKE, buses);
}

/* A missing CHA leaves no gap: the registers of the remaining CHAs follow each other. */
static enum status find_chas(const struct uncore_port *port, const struct cpu_caps *caps,
                             struct uncore_group *group)
{
    struct pci_buses buses;
    unsigned pcus = 0;
    enum status status = skylake_buses(port, caps, &buses);

    group->units = 0;
    if (status != STATUS_OK)
        return status;
    for (unsigned bus = buses.first; bus <= buses.last; bus++) {
        uint64_t pcu = pci_function(bus, 0x1e, 3);
        uint32_t present;

        if (!pci_is(port, pcu, PCU_SKYLAKE))
            continue;
        pcus++;
        present = pci_read(port, pcu + CAPID6);
        if (present == PCI_NONE)
            return STATUS_UNCORE_TABLE;
        for (present &= CHA_MASK; present != 0; present &= present - 1)
            group->units++;
    }
    if (pcus == 0)
        return STATUS_UNCORE_DEVICE;
    return pcus == 1 && group->units != 0 ? STATUS_OK : STATUS_UNCORE_TABLE;
}

/*
 * Without memory, a channel's clock may be stopped, so that good counters count nothing. Returns
 * false if the channel's own device is hidden.
 */
static bool has_no_memory(const struct uncore_port *port, uint64_t counters, unsigned id)
{
    const uint64_t channel = counters - pci_function(0, 0, 2);
    uint32_t modules = 0;

    if (!pci_is(port, channel, id - 2))
        return false;
    for (unsigned slot = 0; slot < CHANNEL_SLOTS; slot++)
        modules |= pci_read(port, channel + DIMM_MTR + 4 * slot) & DIMM_PRESENT;
    return modules == 0 && !(pci_read(port, channel + DDRT_CONFIG) & NVDIMMS_PRESENT);
}

static enum status find_channels(const struct uncore_port *port, const struct cpu_caps *caps,
                                 struct uncore_group *group)
{
    struct pci_buses buses;
    enum status status = skylake_buses(port, caps, &buses);
    unsigned channels = 0;

    group->units = 0;
    if (status != STATUS_OK)
        return status;
    for (unsigned bus = buses.first; bus <= buses.last; bus++)
        for (unsigned i = 0; i < IMC_CHANNELS; i++) {
            uint64_t channel = pci_function(bus, CHANNELS[i].device, CHANNELS[i].function);

            if (!pci_is(port, channel, CHANNELS[i].id))
                continue;
            if (channels++ == IMC_CHANNELS)
                return STATUS_UNCORE_TABLE;
            if (!has_no_memory(port, channel, CHANNELS[i].id))
                group->unit[group->units++] = channel;
        }
    if (group->units == 0)
        return channels == 0 ? STATUS_UNCORE_DEVICE : STATUS_UNCORE_EMPTY;
    return STATUS_OK;
}

/* Returns false if there is no address, or if the DCLK counter is unreadable or all ones. */
static bool controller_at(const struct uncore_port *port, uint64_t memory, unsigned controller,
                          uint64_t *address)
{
    uint32_t base = pci_read(port, memory + MMIO_BASE);
    uint32_t bar = pci_read(port, memory + MEM_BAR + 4 * controller);
    uint64_t clocks;

    if (base == PCI_NONE || bar == PCI_NONE || (base & MMIO_BASE_MASK) == 0 ||
        (bar & MEM_BAR_MASK) == 0)
        return false;
    *address = (uint64_t)(base & MMIO_BASE_MASK) << 23 | (uint64_t)(bar & MEM_BAR_MASK) << 12;
    return port->read(port->context, SPACE_MMIO, *address + FREE_DCLK, 8, &clocks) &&
           clocks != UINT64_MAX;
}

static enum status find_controllers(const struct uncore_port *port, const struct cpu_caps *caps,
                                    struct uncore_group *group)
{
    struct pci_buses buses;
    uint64_t memory;
    enum status status = pci_package_buses(port, caps, &UBOX_ICE_LAKE, &buses);

    group->units = 0;
    if (status != STATUS_OK)
        return status;
    memory = pci_function(buses.ubox, 0, 1);
    if (!pci_is(port, memory, MEMORY_ICE_LAKE))
        return STATUS_UNCORE_DEVICE;
    for (unsigned i = 0; i < IMC_CONTROLLERS; i++)
        if (controller_at(port, memory, i, &group->unit[group->units]))
            group->units++;
    return group->units != 0 ? STATUS_OK : STATUS_UNCORE_OFF;
}

#define OF_BOX                                                                                     \
    .counters = 4, .width_bits = 48, .has_box = 1, .clock_is_0 = 1, .enable = SELECT_EN,           \
    .box_run = BOX_RUN, .box_freeze = BOX_FREEZE

static const struct uncore_units CHAS = {
    .type = {OF_MSR_SELECTS, OF_BOX, .kind = KIND_CHA, .select = 1, .counter = 8, .extra = {5, 6},
             .extra_rest = {0, FILTER1_ALL}, .fields = SELECT_FIELDS | SELECT_TID_EN, .unit = "CHA",
             .source = UM_SP "\"Caching/Home Agent (CHA) Performance Monitoring\"; number: CAPID6, "
                             "PCI 8086:2083 at 1Eh.3, 9CH"},
    .find = find_chas,
    .first = 0xe00,
    .step = 0x10,
    .units = CHAS_MAX,
};

static const struct uncore_units CHANNELS_OF_PCI = {
    .type = {OF_BOX, .kind = KIND_IMC, .space = SPACE_PCI, .style = STYLE_SELECT, .select_bytes = 4,
             .counter_bytes = 8, .select = 0xd8, .select_step = 4, .counter = 0xa0,
             .counter_step = 8, .box = 0xf4, .fields = SELECT_FIELDS, .unit = "IMC channel",
             .source =
                 UM_SP "\"Memory Controller (IMC) Performance Monitoring\"; PCI 8086:2042, 2046, "
                       "204A at 0Ah.2 to 0Dh.2; their slots: 2040, 2044, 2048, 80H, 84H, 400H"},
    .find = find_channels,
    .units = IMC_CHANNELS,
};

static const struct uncore_units CLOCK = {
    .type = {OF_CLOCK, .width_bits = 48, .counter = 1, .enable = SELECT_EN, .unit = "UBOX",
             .source = UM_SP "\"UBox Performance Monitoring\", UCLK"},
    .first = 0x703,
    .units = 1,
};

/*
 * The five counters count, in this order: DDR reads, DDR writes, reads of persistent memory, writes
 * to persistent memory, and DCLK cycles.
 */
static const struct uncore_units CONTROLLERS = {
    .type = {OF_FREE_MEMORY, .counters = 5, .width_bits = 48, .counter_bytes = 8, .counter = 0x2290,
             .counter_step = 8, .unit = "IMC",
             .source = UM_ICX "\"Memory Controller (IMC) Performance Monitoring\", free-running "
                              "counters; base: PCI 8086:3451, D0H and D8H"},
    .find = find_controllers,
    .units = IMC_CONTROLLERS,
};

static const struct uncore_model MODELS[] = {
    {OF_INTEL, .name = "Skylake, Cascade, Cooper Lake server", .model = {0x55},
     .units = {&CHAS, &CHANNELS_OF_PCI, &CLOCK}},
    {OF_INTEL, .name = "Ice Lake server", .model = {0x6a, 0x6c}, .units = {&CONTROLLERS, &CLOCK}},
    {OF_INTEL, .name = "Sapphire Rapids, Emerald Rapids", .model = {0x8f, 0xcf},
     .units = {&UNCORE_DISCOVERED_CHA, &UNCORE_DISCOVERED_IMC, &UNCORE_DISCOVERED_M2M,
               &UNCORE_DISCOVERED_UPI, &UNCORE_DISCOVERED_IIO, &UNCORE_DISCOVERED_IRP,
               &UNCORE_DISCOVERED_M2PCIE, &UNCORE_DISCOVERED_PCU, &UNCORE_DISCOVERED_M3UPI}},
    {OF_INTEL, .name = "Granite Rapids, Sierra Forest", .model = {0xad, 0xae, 0xaf},
     .units = {&UNCORE_DISCOVERED_CHA, &UNCORE_DISCOVERED_IMC, &UNCORE_DISCOVERED_IIO,
               &UNCORE_DISCOVERED_IRP, &UNCORE_DISCOVERED_PCU}},
};

const struct uncore_table UNCORE_SERVERS = {MODELS, sizeof(MODELS) / sizeof(MODELS[0])};
