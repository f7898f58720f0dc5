/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI functions of a Skylake server: the counters of a memory channel ("pmu-imc"), the register
 * that says which CHAs exist ("pmu-capid6"), and the UBox, which says to which package a bus
 * belongs ("pmu-ubox"). "Intel Xeon Processor Scalable Memory Family Uncore Performance
 * Monitoring", "IMC Performance Monitoring"; "Intel Xeon Processor Scalable Family Datasheet",
 * volume 2.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "pmu_model_uncore.h"
#include "hw/pci/pci.h"
#if __has_include("hw/pci/pci_device.h")
#include "hw/pci/pci_device.h"
#endif
#if __has_include("hw/core/qdev-properties.h")
#include "hw/core/qdev-properties.h"
#else
#include "hw/qdev-properties.h"
#endif
#include "qom/object.h"
#include "qemu/module.h"

#define TYPE_PMU_IMC "pmu-imc"
#define TYPE_PMU_CAPID6 "pmu-capid6"
#define TYPE_PMU_UBOX "pmu-ubox"
OBJECT_DECLARE_SIMPLE_TYPE(PMUImc, PMU_IMC)
OBJECT_DECLARE_SIMPLE_TYPE(PMUUbox, PMU_UBOX)

#define CHANNELS_OF_ONE 3 /* channels of one memory controller */
#define DEVICE_CAPID6 0x2083
#define DEVICE_UBOX 0x2014
#define CAPID6 0x9c
#define CPUNODEID 0xc0
#define GIDNIDMAP 0xd4
#define NODE_BITS 3

#define COUNTER0 0xa0
#define FIXED_COUNTER 0xd0
#define SELECT0 0xd8
#define FIXED_CONTROL 0xf0
#define BOX_CONTROL 0xf4
#define BOX_STATUS 0xf8
#define FIRST COUNTER0

#define COUNTERS 4
#define CONTROL_BITS 0x30103u

struct PMUImc {
    PCIDevice parent_obj;
    uint8_t channel;
    uint8_t package;
};

struct PMUUbox {
    PCIDevice parent_obj;
    uint8_t package;
};

static PMUUncore *uncore_of(PCIDevice *pci)
{
    return &pmu_uncores[PMU_IMC(pci)->package];
}

static PMUUnit *unit_of(PCIDevice *pci)
{
    return pmu_uncore_unit(uncore_of(pci), PMU_UNIT_IMC, PMU_IMC(pci)->channel);
}

static uint32_t read_word(PMUUnit *unit, uint32_t offset)
{
    if (offset >= COUNTER0 && offset < COUNTER0 + 8 * COUNTERS) {
        return unit->counter[(offset - COUNTER0) / 8].value >> (offset & 4 ? 32 : 0);
    }
    if (offset >= SELECT0 && offset < SELECT0 + 4 * COUNTERS) {
        return unit->counter[(offset - SELECT0) / 4].select;
    }
    switch (offset) {
    case FIXED_COUNTER:
        return pmu_unit_fixed(unit)->value;
    case FIXED_COUNTER + 4:
        return pmu_unit_fixed(unit)->value >> 32;
    case FIXED_CONTROL:
        return pmu_unit_fixed(unit)->select;
    case BOX_CONTROL:
        return unit->control;
    case BOX_STATUS:
        return unit->status;
    default:
        return 0;
    }
}

static void write_half(PMUUnit *unit, unsigned number, bool high, uint32_t value)
{
    uint64_t whole = deposit64(unit->counter[number].value, high ? 32 : 0, 32, value);

    pmu_unit_write_counter(unit, number, whole & pmu_unit_counter_bits(unit, number));
}

static void write_word(PMUUnit *unit, uint32_t offset, uint32_t value)
{
    const PMUUnitType *type = &pmu_unit_types[PMU_UNIT_IMC];

    if (offset >= COUNTER0 && offset < COUNTER0 + 8 * COUNTERS) {
        write_half(unit, (offset - COUNTER0) / 8, offset & 4, value);
        return;
    }
    if (offset >= SELECT0 && offset < SELECT0 + 4 * COUNTERS) {
        pmu_unit_write_select(unit, (offset - SELECT0) / 4, value & type->select_bits);
        return;
    }
    switch (offset) {
    case FIXED_COUNTER:
    case FIXED_COUNTER + 4:
        write_half(unit, type->counters, offset & 4, value);
        break;
    case FIXED_CONTROL:
        if (value & 1u << 19) { /* bit 19 resets the counter, and reads 0 */
            pmu_unit_write_counter(unit, type->counters, 0);
        }
        pmu_unit_fixed(unit)->select = value & type->fixed_bits;
        break;
    case BOX_CONTROL:
        pmu_unit_write_control(unit, value & CONTROL_BITS);
        break;
    case BOX_STATUS:
        unit->status &= ~value;
        break;
    }
}

static bool is_ours(PCIDevice *pci, uint32_t offset)
{
    return offset >= FIRST && uncore_of(pci)->lie != PMU_UNCORE_OFF && unit_of(pci);
}

static uint32_t read_config(PCIDevice *pci, uint32_t offset, int bytes)
{
    uint32_t word;

    if (!is_ours(pci, offset)) {
        return pci_default_read_config(pci, offset, bytes);
    }
    qemu_mutex_lock(&uncore_of(pci)->lock);
    word = read_word(unit_of(pci), offset & ~3u);
    qemu_mutex_unlock(&uncore_of(pci)->lock);
    return extract32(word, (offset & 3) * 8, bytes * 8);
}

static void write_config(PCIDevice *pci, uint32_t offset, uint32_t value, int bytes)
{
    PMUUncore *u = uncore_of(pci);
    bool before = pmu_uncore_runs(u);
    uint32_t word;

    if (!is_ours(pci, offset)) {
        pci_default_write_config(pci, offset, value, bytes);
        return;
    }
    qemu_mutex_lock(&u->lock);
    word = read_word(unit_of(pci), offset & ~3u);
    write_word(unit_of(pci), offset & ~3u, deposit32(word, (offset & 3) * 8, bytes * 8, value));
    pmu_uncore_decode(u);
    qemu_mutex_unlock(&u->lock);
    pmu_uncore_follow(u, NULL, before);
}

static bool is_package(uint8_t package, Error **errp)
{
    if (package >= PMU_PACKAGES_MAX) {
        error_setg(errp, "package is 0 to %d", PMU_PACKAGES_MAX - 1);
        return false;
    }
    return true;
}

static void realize(PCIDevice *pci, Error **errp)
{
    static const uint16_t devices[CHANNELS_OF_ONE] = { 0x2042, 0x2046, 0x204a };
    PMUImc *imc = PMU_IMC(pci);
    PMUUncore *u;

    if (!is_package(imc->package, errp)) {
        return;
    }
    if (imc->channel >= PMU_CHANNELS_MAX) {
        error_setg(errp, "channel is 0 to %d", PMU_CHANNELS_MAX - 1);
        return;
    }
    u = uncore_of(pci);
    pci_config_set_device_id(pci->config, devices[imc->channel % CHANNELS_OF_ONE]);
    memset(pci->wmask + FIRST, 0, 256 - FIRST); /* unused bytes stay 0 */
    if (unit_of(pci)) {
        unit_of(pci)->present = true;
        u->channels = 0;
        for (int i = 0; i < PMU_CHANNELS_MAX; i++) {
            if (pmu_uncore_unit(u, PMU_UNIT_IMC, i)->present) {
                u->channel[u->channels++] = i;
            }
        }
    }
}

void pmu_uncore_dump_channels(CPUX86State *env, GString *text)
{
    for (int i = 0; i < PMU_CHANNELS_MAX; i++) {
        PMUUnit *unit = pmu_uncore_unit(pmu_uncore_of(env), PMU_UNIT_IMC, i);

        for (uint32_t offset = FIRST; unit && unit->present && offset < 0x100; offset += 4) {
            g_string_append_printf(text, "imc%d-0x%x 0x%x\n", i, offset,
                                   read_word(unit, offset));
        }
    }
}

static PMU_CONST Property properties[] = {
    DEFINE_PROP_UINT8("channel", PMUImc, channel, 0),
    DEFINE_PROP_UINT8("package", PMUImc, package, 0),
    PMU_PROPERTIES_END
};

static PMU_CONST Property ubox_properties[] = {
    DEFINE_PROP_UINT8("package", PMUUbox, package, 0),
    PMU_PROPERTIES_END
};

static void init_class(ObjectClass *class, PMU_CLASS_DATA *data)
{
    PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

    pci->realize = realize;
    pci->config_read = read_config;
    pci->config_write = write_config;
    pci->vendor_id = PCI_VENDOR_ID_INTEL;
    pci->device_id = 0x2042;
    pci->class_id = PCI_CLASS_SYSTEM_OTHER;
    device_class_set_props(DEVICE_CLASS(class), properties);
}

static void realize_capid6(PCIDevice *pci, Error **errp)
{
    pci_set_long(pci->config + CAPID6, pmu_low_bits(pmu_uncores[0].chas));
    pci_set_long(pci->wmask + CAPID6, 0);
}

static void init_capid6_class(ObjectClass *class, PMU_CLASS_DATA *data)
{
    PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

    pci->realize = realize_capid6;
    pci->vendor_id = PCI_VENDOR_ID_INTEL;
    pci->device_id = DEVICE_CAPID6;
    pci->class_id = PCI_CLASS_SYSTEM_OTHER;
}

/* The node ID of package n is 7 - n. */
static void realize_ubox(PCIDevice *pci, Error **errp)
{
    uint8_t own = PMU_UBOX(pci)->package;
    uint32_t map = 0;

    if (!is_package(own, errp)) {
        return;
    }
    for (int n = 0; n < PMU_PACKAGES_MAX; n++) {
        map |= (PMU_PACKAGES_MAX - 1 - n) << NODE_BITS * n;
    }
    pci_set_long(pci->config + CPUNODEID, PMU_PACKAGES_MAX - 1 - own);
    pci_set_long(pci->config + GIDNIDMAP, map);
    memset(pci->wmask + PCI_CONFIG_HEADER_SIZE, 0, 256 - PCI_CONFIG_HEADER_SIZE);
}

static void init_ubox_class(ObjectClass *class, PMU_CLASS_DATA *data)
{
    PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

    pci->realize = realize_ubox;
    pci->vendor_id = PCI_VENDOR_ID_INTEL;
    pci->device_id = DEVICE_UBOX;
    pci->class_id = PCI_CLASS_SYSTEM_OTHER;
    device_class_set_props(DEVICE_CLASS(class), ubox_properties);
}

static PMU_CONST InterfaceInfo interfaces[] = { { INTERFACE_CONVENTIONAL_PCI_DEVICE }, { } };

static const TypeInfo types[] = {
    {
        .name = TYPE_PMU_IMC,
        .parent = TYPE_PCI_DEVICE,
        .instance_size = sizeof(PMUImc),
        .class_init = init_class,
        .interfaces = interfaces,
    },
    {
        .name = TYPE_PMU_CAPID6,
        .parent = TYPE_PCI_DEVICE,
        .class_init = init_capid6_class,
        .interfaces = interfaces,
    },
    {
        .name = TYPE_PMU_UBOX,
        .parent = TYPE_PCI_DEVICE,
        .instance_size = sizeof(PMUUbox),
        .class_init = init_ubox_class,
        .interfaces = interfaces,
    },
};

DEFINE_TYPES(types)
