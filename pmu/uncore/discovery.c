/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the units listed in a server's discovery table. */
#include "pmu/uncore/dvsec.h"

#define UM_SPR "4th Gen Intel Xeon Processor Scalable Family Uncore Performance Monitoring, "

#define WIDTH_MAX 64u
#define MSR_FIRST 0x2000u /* unit registers on servers with a discovery table */
#define MSR_END   0x4000u

/*
 * On Sapphire Rapids, this MSR contains the number of CHAs. The MSR is read because some discovery
 * tables list too many CHAs; with 0 in it, the table is right (UM_SPR, section "CHA").
 */
#define MSR_UNC_CBO_CONFIG 0x2ffeu
#define MODEL_SAPPHIRE     0x8fu

/* A select contains no EN. Event 0 counts nothing, and the unit's control starts all counters. */
#define SELECT_EVENT                                                                               \
    (0xffull | 0xffull << 8 | 1ull << 18 | 1ull << 23 | 0xffull << 24) /* UMASK, edge, inv, thr.   \
                                                                        */
#define SELECT_TID_EN     (1ull << 16)
#define SELECT_CHA_UMASK  (0xffffffffull << 32)
#define SELECT_UMASK      (0xffffffull << 32)
#define SELECT_IIO_FILTER (0x7ffffull << 32) /* thresh_ext, ch_mask, fc_mask */
#define CLOCKTICKS        0x01ull
#define BOX_FREEZE        (1ull << 0) /* FRZ; RST_CTRL (bit 8) and RST_CTRS (bit 9) are never set */

/*
 * The select of UNC_M_CLOCKTICKS, which counts cycles of DCLK. Source: Linux pmu-events,
 * uncore-memory.json of sapphirerapids, emeraldrapids, graniterapids and sierraforest.
 */
#define CHANNEL_CLOCK 0x101ull

/* The numbers of unit types in discovery tables. */
static const uint8_t UNIT_TYPE[UNCORE_KINDS] = {
    [KIND_CHA] = 0, [KIND_IIO] = 1, [KIND_IRP] = 2, [KIND_M2PCIE] = 3, [KIND_PCU] = 4,
    [KIND_IMC] = 6, [KIND_M2M] = 7, [KIND_UPI] = 8, [KIND_M3UPI] = 9,
};

/*
 * Device IDs on PCI. Some tables give wrong addresses for UPI and M3UPI, so a device with another
 * ID must not be accessed.
 */
static const uint16_t DEVICE[UNCORE_KINDS] = {
    [KIND_M2M] = 0x324a, [KIND_UPI] = 0x3241, [KIND_M3UPI] = 0x3246};

/* Indexed by the table's access type. `step` is the distance between successive registers. */
static const struct {
    uint8_t space, select_bytes, step;
} ACCESS[] = {{SPACE_MSR, 8, 1}, {SPACE_MMIO, 8, 8}, {SPACE_PCI, 8, 8}};
#define ACCESSES (sizeof(ACCESS) / sizeof(ACCESS[0]))

static uint32_t end_of(int32_t first, int32_t step, unsigned counters)
{
    return (uint32_t)first + (uint32_t)step * counters;
}

/* The size of a unit from its control register on, in bytes or MSRs. */
static uint32_t size_of(const struct uncore_type *type)
{
    uint32_t selects = end_of(type->select, type->select_step, type->counters);
    uint32_t counters = end_of(type->counter, type->counter_step, type->counters);

    return selects > counters ? selects : counters;
}

/* False if the layout is impossible. */
static bool take_layout(struct uncore_type *type, uint64_t layout)
{
    unsigned access = dvsec_field(layout, 62, 2);
    uint32_t first;

    type->counters = (uint8_t)dvsec_field(layout, 0, 8);
    type->select = (int32_t)dvsec_field(layout, 8, 8);
    type->width_bits = (uint8_t)dvsec_field(layout, 16, 8);
    type->counter = (int32_t)dvsec_field(layout, 24, 8);
    if (access >= ACCESSES || type->counters == 0 || type->counters > UNCORE_COUNTERS_MAX ||
        type->width_bits == 0 || type->width_bits > WIDTH_MAX)
        return false;
    type->space = ACCESS[access].space;
    type->select_bytes = ACCESS[access].select_bytes;
    type->select_step = type->counter_step = ACCESS[access].step;
    if (type->kind == KIND_IMC && type->space == SPACE_MMIO) {
        type->select_bytes = 4;
        type->select_step = 4;
    }
    first = (uint32_t)(type->select < type->counter ? type->select : type->counter);
    return first >= (uint32_t)type->counter_step && type->select % type->select_step == 0 &&
           type->counter % type->counter_step == 0 &&
           (end_of(type->select, type->select_step, type->counters) <= (uint32_t)type->counter ||
            end_of(type->counter, type->counter_step, type->counters) <= (uint32_t)type->select);
}

/*
 * The functions in CHECK check that a unit can be at the address. The same functions check that the
 * unit can be read or, on PCI, that it has the right device ID.
 */
static enum status check_msr(const struct uncore_port *port, const struct dvsec_table *table,
                             const struct uncore_type *type, uint64_t address)
{
    uint64_t value;

    (void)table;
    if (address < MSR_FIRST || address >= MSR_END || address + size_of(type) > MSR_END)
        return STATUS_UNCORE_TABLE;
    return port->read(port->context, SPACE_MSR, address, 8, &value) ? STATUS_OK
                                                                    : STATUS_UNCORE_REFUSED;
}

static enum status check_mmio(const struct uncore_port *port, const struct dvsec_table *table,
                              const struct uncore_type *type, uint64_t address)
{
    uint64_t value;

    (void)table;
    if (address % 8 != 0 || address > MMIO_END - size_of(type))
        return STATUS_UNCORE_TABLE;
    if (!port->read(port->context, SPACE_MMIO, address, 4, &value) || value == UINT32_MAX)
        return STATUS_UNCORE_OFF;
    return STATUS_OK;
}

static enum status check_pci(const struct uncore_port *port, const struct dvsec_table *table,
                             const struct uncore_type *type, uint64_t address)
{
    uint64_t bus = address >> 20; /* with the segment, which must be 0 */
    uint64_t offset = address % PCI_CONFIG_BYTES;

    if (offset % 4 != 0 || offset + size_of(type) > PCI_CONFIG_BYTES || bus < table->buses.first ||
        bus > table->buses.last)
        return STATUS_UNCORE_TABLE;
    if (!pci_is(port, address - offset, DEVICE[type->kind]))
        return STATUS_UNCORE_DEVICE;
    return STATUS_OK;
}

static enum status (*const CHECK[])(const struct uncore_port *port, const struct dvsec_table *table,
                                    const struct uncore_type *type, uint64_t address) = {
    [SPACE_MSR] = check_msr, [SPACE_PCI] = check_pci, [SPACE_MMIO] = check_mmio};

/*
 * All units of a kind must have the same layout. STATUS_UNCORE_OFF: a unit in MMIO cannot be read
 * or reads as all ones, as in an unused memory channel.
 */
static enum status add_unit(const struct uncore_port *port, const struct dvsec_table *table,
                            const struct dvsec_entry *entry, struct uncore_group *group)
{
    struct uncore_type type = group->type;
    uint64_t address = entry->word[1];
    enum status status;

    if (!take_layout(&type, entry->word[0]))
        return STATUS_UNCORE_TABLE;
    if (group->units == 0)
        group->type = type;
    if (type.space != group->type.space || type.counters != group->type.counters ||
        type.width_bits != group->type.width_bits || type.select != group->type.select ||
        type.counter != group->type.counter)
        return STATUS_UNCORE_TABLE;
    for (uint32_t i = 0; i < group->units; i++)
        if (group->unit[i] == address)
            return STATUS_OK;
    if (group->units == UNCORE_UNITS_MAX)
        return STATUS_UNCORE_TABLE;
    status = CHECK[type.space](port, table, &type, address);
    if (status == STATUS_OK)
        group->unit[group->units++] = address;
    return status;
}

static void leave_out_chas(const struct uncore_port *port, const struct cpu_caps *caps,
                           struct uncore_group *group)
{
    uint64_t chas;

    if (group->type.kind == KIND_CHA && caps->model == MODEL_SAPPHIRE &&
        port->read(port->context, SPACE_MSR, MSR_UNC_CBO_CONFIG, 8, &chas) && chas != 0 &&
        chas < group->units)
        group->units = (uint32_t)chas;
}

static enum status find_units(const struct uncore_port *port, const struct cpu_caps *caps,
                              struct uncore_group *group)
{
    struct dvsec_table table;
    struct dvsec_entry entry;
    enum status status = dvsec_find(port, caps, &table), none = STATUS_UNCORE_ABSENT;

    group->units = 0;
    if (status != STATUS_OK)
        return status;
    for (unsigned i = 0; i < table.units; i++) {
        if (!dvsec_unit(port, &table, i, &entry) ||
            dvsec_field(entry.word[2], 0, 16) != UNIT_TYPE[group->type.kind])
            continue;
        status = add_unit(port, &table, &entry, group);
        if (status == STATUS_UNCORE_OFF)
            none = status;
        else if (status != STATUS_OK)
            return status;
    }
    if (group->units == 0)
        return none;
    leave_out_chas(port, caps, group);
    return STATUS_OK;
}

/* The properties of a kind that are not in discovery tables. */
#define DISCOVERED(code, select_fields, clocks, name)                                              \
    {                                                                                              \
        .type = {.kind = code,                                                                     \
                 .style = STYLE_SELECT,                                                            \
                 .counter_bytes = 8,                                                               \
                 .has_box = 1,                                                                     \
                 .fields = select_fields,                                                          \
                 .cycles = clocks,                                                                 \
                 .box_freeze = BOX_FREEZE,                                                         \
                 .unit = name,                                                                     \
                 .source = UM_SPR "\"Uncore Discovery\", \"" name "\""},                           \
        .find = find_units                                                                         \
    }

const struct uncore_units UNCORE_DISCOVERED_CHA =
    DISCOVERED(KIND_CHA, SELECT_EVENT | SELECT_TID_EN | SELECT_CHA_UMASK, CLOCKTICKS, "CHA");
const struct uncore_units UNCORE_DISCOVERED_IIO =
    DISCOVERED(KIND_IIO, SELECT_EVENT | SELECT_IIO_FILTER, 0, "IIO");
const struct uncore_units UNCORE_DISCOVERED_IRP =
    DISCOVERED(KIND_IRP, SELECT_EVENT | SELECT_UMASK, 0, "IRP");
const struct uncore_units UNCORE_DISCOVERED_M2PCIE =
    DISCOVERED(KIND_M2PCIE, SELECT_EVENT | SELECT_UMASK, 0, "M2PCIe");
const struct uncore_units UNCORE_DISCOVERED_PCU = DISCOVERED(KIND_PCU, SELECT_EVENT, 0, "PCU");
const struct uncore_units UNCORE_DISCOVERED_IMC =
    DISCOVERED(KIND_IMC, SELECT_EVENT, CHANNEL_CLOCK, "IMC channel");
const struct uncore_units UNCORE_DISCOVERED_M2M =
    DISCOVERED(KIND_M2M, SELECT_EVENT | SELECT_UMASK, 0, "M2M");
const struct uncore_units UNCORE_DISCOVERED_UPI =
    DISCOVERED(KIND_UPI, SELECT_EVENT | SELECT_UMASK, 0, "UPI");
const struct uncore_units UNCORE_DISCOVERED_M3UPI =
    DISCOVERED(KIND_M3UPI, SELECT_EVENT | SELECT_UMASK, 0, "M3UPI");
