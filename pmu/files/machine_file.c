/* SPDX-License-Identifier: BSD-2-Clause */
/* Records CPUID leaves and register values, and writes machine.txt. */
#include "pmu/files/machine_file.h"
#include "pmu/base/bytes.h"
#include "pmu/base/text.h"
#include "pmu/files/render_parts.h"

/* ---- CPUID ---- */

#define LEAF_SERIAL     3u /* the processor's serial number */
#define SUBLEAVES_MAX   64u
#define HYPERVISOR_LEAF 0x40000000u
#define EXTENDED_LEAF   0x80000000u
#define LEAVES_MAX      0x100u /* a range that claims more leaves is not read */

/* Where the list of a leaf's subleaves ends. */
enum subleaves {
    SUBLEAVES_NONE,
    SUBLEAVES_ALL,    /* at SUBLEAVES_MAX; all-zero subleaves are left out */
    SUBLEAVES_CACHES, /* at the first subleaf without a cache type */
    SUBLEAVES_LEVELS, /* at the first subleaf without a level type */
};

/* Intel SDM vol. 2A, AMD APM vol. 3, "CPUID". */
static const struct {
    uint32_t leaf;
    enum subleaves ends;
} SUBLEAVES[] = {
    {0x04, SUBLEAVES_CACHES},    {0x07, SUBLEAVES_ALL},          {0x0b, SUBLEAVES_LEVELS},
    {0x0d, SUBLEAVES_ALL},       {0x0f, SUBLEAVES_ALL},          {0x10, SUBLEAVES_ALL},
    {0x12, SUBLEAVES_ALL},       {0x14, SUBLEAVES_ALL},          {0x17, SUBLEAVES_ALL},
    {0x18, SUBLEAVES_ALL},       {0x1b, SUBLEAVES_ALL},          {0x1d, SUBLEAVES_ALL},
    {0x1e, SUBLEAVES_ALL},       {0x1f, SUBLEAVES_LEVELS},       {0x20, SUBLEAVES_ALL},
    {0x23, SUBLEAVES_ALL},       {0x24, SUBLEAVES_ALL},          {0x8000001d, SUBLEAVES_CACHES},
    {0x80000020, SUBLEAVES_ALL}, {0x80000026, SUBLEAVES_LEVELS},
};

static enum subleaves subleaves_of(uint32_t leaf)
{
    for (unsigned i = 0; i < sizeof(SUBLEAVES) / sizeof(SUBLEAVES[0]); i++)
        if (SUBLEAVES[i].leaf == leaf)
            return SUBLEAVES[i].ends;
    return SUBLEAVES_NONE;
}

static void keep_leaf(struct machine_leaves *leaves, uint32_t leaf, uint32_t subleaf,
                      struct cpuid_regs regs)
{
    if (leaves->count >= MACHINE_LEAVES_MAX)
        leaves->lost++;
    else
        leaves->leaf[leaves->count++] = (struct machine_leaf){leaf, subleaf, regs};
}

static void read_leaf(cpuid_read *cpuid, uint32_t leaf, struct machine_leaves *leaves)
{
    const enum subleaves ends = subleaves_of(leaf);
    struct cpuid_regs regs;

    cpuid(leaf, 0, &regs);
    keep_leaf(leaves, leaf, 0, regs);
    for (uint32_t i = 1; ends != SUBLEAVES_NONE && i < SUBLEAVES_MAX; i++) {
        if ((ends == SUBLEAVES_CACHES && (regs.eax & 0x1f) == 0) ||
            (ends == SUBLEAVES_LEVELS && (regs.ecx >> 8 & 0xff) == 0))
            return;
        cpuid(leaf, i, &regs);
        if (regs.eax | regs.ebx | regs.ecx | regs.edx)
            keep_leaf(leaves, leaf, i, regs);
    }
}

/* Leaf `base` returns the highest leaf of the range. */
static void read_range(cpuid_read *cpuid, uint32_t base, struct machine_leaves *leaves)
{
    struct cpuid_regs regs;

    cpuid(base, 0, &regs);
    if (regs.eax < base || regs.eax - base >= LEAVES_MAX)
        return;
    for (uint32_t leaf = base; leaf <= regs.eax; leaf++)
        if (leaf != LEAF_SERIAL)
            read_leaf(cpuid, leaf, leaves);
}

void machine_leaves_read(cpuid_read *cpuid, struct machine_leaves *leaves)
{
    struct cpuid_regs features;

    leaves->count = leaves->lost = 0;
    cpuid(1, 0, &features);
    read_range(cpuid, 0, leaves);
    if (features.ecx >> 31) /* a hypervisor announces itself */
        read_range(cpuid, HYPERVISOR_LEAF, leaves);
    read_range(cpuid, EXTENDED_LEAF, leaves);
}

/* ---- registers ---- */

static const struct machine_read *find_read(const struct machine_reads *reads, unsigned space,
                                            uint64_t address)
{
    for (uint32_t i = 0; i < reads->count; i++)
        if (reads->read[i].space == space && reads->read[i].address == address)
            return &reads->read[i];
    return 0;
}

#define PCI_NOBODY 0xffffffffu /* the value read if no device answers */

/* PPIN_CTL and PPIN, on Intel and on AMD. */
static bool is_serial(uint64_t msr)
{
    return msr == 0x4e || msr == 0x4f || msr == 0xc00102f0 || msr == 0xc00102f1;
}

static void keep_read(struct machine_reads *reads, struct machine_read read)
{
    if (read.space == SPACE_MSR && is_serial(read.address))
        return;
    if ((read.space == SPACE_PCI && read.value == PCI_NOBODY) ||
        find_read(reads, read.space, read.address))
        return;
    if (reads->count >= reads->room)
        reads->lost++;
    else
        reads->read[reads->count++] = read;
}

static bool read_msr(void *context, uint32_t msr, uint64_t *value)
{
    const struct machine_msrs *msrs = context;
    bool done = msrs->to->read(msrs->to->context, msr, value);

    keep_read(msrs->reads, (struct machine_read){.space = SPACE_MSR,
                                                 .address = msr,
                                                 .bytes = sizeof(*value),
                                                 .value = done ? *value : 0,
                                                 .refused = !done});
    return done;
}

static bool write_msr(void *context, uint32_t msr, uint64_t value)
{
    const struct machine_msrs *msrs = context;

    return msrs->to->write(msrs->to->context, msr, value);
}

void machine_msrs_start(struct machine_msrs *msrs, const struct msr_port *to,
                        struct machine_reads *reads)
{
    *msrs = (struct machine_msrs){
        .port = {.context = msrs, .read = read_msr, .write = write_msr}, .to = to, .reads = reads};
}

static bool read_uncore(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                        uint64_t *value)
{
    const struct machine_uncore *uncore = context;
    bool done = uncore->to->read(uncore->to->context, space, address, bytes, value);

    keep_read(uncore->reads, (struct machine_read){.space = (uint8_t)space,
                                                   .address = address,
                                                   .bytes = (uint8_t)bytes,
                                                   .value = done ? *value : 0,
                                                   .refused = !done});
    return done;
}

static bool write_uncore(void *context, enum uncore_space space, uint64_t address, unsigned bytes,
                         uint64_t value)
{
    const struct machine_uncore *uncore = context;

    return uncore->to->write(uncore->to->context, space, address, bytes, value);
}

void machine_uncore_start(struct machine_uncore *uncore, const struct uncore_port *to,
                          struct machine_reads *reads)
{
    uncore->port = *to;
    uncore->port.context = uncore;
    uncore->port.read = read_uncore;
    uncore->port.write = write_uncore;
    uncore->to = to;
    uncore->reads = reads;
}

/* ---- the file ---- */

void machine_file_start(const struct run_record *run, struct out *out)
{
    out_printf(out, "barecount machine file %u\n", MACHINE_FILE_VERSION);
    out_printf(out, "program %s\n", run->version);
    out_printf(out, "cpus %u\n", run->cpus_found);
    out_printf(out, "tsc %llu %s\n", (unsigned long long)run->tsc_hz,
               tsc_source_name(run->tsc_source));
    out_printf(out, "tsc_measured %llu\n", (unsigned long long)run->tsc_measured_hz);
    if (run->emulated)
        out_text(out, "emulated yes\n");
    if (run->hypervisor[0])
        out_printf(out, "hypervisor %s\n", run->hypervisor);
    out_printf(out, "firmware vendor %s\n", run->firmware_vendor);
    out_printf(out, "firmware revision %x\n", run->firmware_revision);
    out_printf(out, "firmware version %s\n", run->smbios.firmware_version);
    out_printf(out, "firmware uefi %u.%02u\n", run->uefi_revision >> 16,
               run->uefi_revision & 0xffff);
    out_printf(out, "machine maker %s\n", run->smbios.maker);
    out_printf(out, "machine product %s\n", run->smbios.product);
}

/* UEFI specification, "EFI_BOOT_SERVICES.AllocatePages()", "Memory Type Usage". */
static const char *const MEMORY_TYPES[] = {
    "reserved",     "usable",   "usable",     "usable",       "usable",   "runtime_code",
    "runtime_data", "usable",   "bad",        "acpi_reclaim", "acpi_nvs", "mmio",
    "mmio_ports",   "pal_code", "persistent", "unaccepted",
};

/* An EFI_MEMORY_DESCRIPTOR: Type, PhysicalStart, NumberOfPages and Attribute. */
#define DESCRIPTOR_BYTES 40u
#define PAGE_BYTES       4096u
struct range {
    uint64_t start, end, attribute;
    const char *type;
    uint32_t number;
};

static struct range range_of(const uint8_t *descriptor)
{
    const uint32_t number = (uint32_t)bytes_get(descriptor, 4);
    const uint64_t start = bytes_get(descriptor + 8, 8);

    return (struct range){
        .start = start,
        .end = start + bytes_get(descriptor + 24, 8) * PAGE_BYTES,
        .attribute = bytes_get(descriptor + 32, 8),
        .type = number < sizeof(MEMORY_TYPES) / sizeof(MEMORY_TYPES[0]) ? MEMORY_TYPES[number] : 0,
        .number = number,
    };
}

static void write_range(const struct range *range, struct out *out)
{
    if (range->start == range->end)
        return;
    out_printf(out, "%llx %llx ", (unsigned long long)range->start, (unsigned long long)range->end);
    if (range->type)
        out_text(out, range->type);
    else
        out_printf(out, "type_%x", range->number);
    out_printf(out, " %llx\n", (unsigned long long)range->attribute);
}

void machine_file_memory(const struct memory_map *map, struct out *out)
{
    struct range last = {0};

    out_text(out, "memory\n");
    for (size_t at = 0; map->each >= DESCRIPTOR_BYTES && at + map->each <= map->bytes;
         at += map->each) {
        const struct range next = range_of(map->descriptors + at);

        if (next.start == last.end && next.type && last.type && text_same(next.type, last.type) &&
            next.attribute == last.attribute) {
            last.end = next.end;
            continue;
        }
        write_range(&last, out);
        last = next;
    }
    write_range(&last, out);
    out_text(out, "pci\n");
}

void machine_file_pci(const struct machine_pci *pci, struct out *out)
{
    out_printf(out, "%04x:%02x:%02x.%u %04x:%04x %06x\n", pci->segment, pci->bus, pci->device,
               pci->function, pci->vendor_id, pci->device_id, pci->class_code);
}

#define ACPI_HEADER_BYTES 36u
#define ACPI_LINE_BYTES   32u
#define ACPI_BYTES_MAX    65536u /* a longer table is assumed to be damaged */

void machine_file_acpi(const uint8_t *table, uint32_t bytes, struct out *out)
{
    static const char *const WHOLE[] = {"APIC", "MCFG", "SRAT"};
    char name[5];
    bool is_whole = false;

    for (unsigned i = 0; i < 4; i++)
        name[i] = table[i] == ' ' ? '_' : text_printable(table[i]);
    name[4] = 0;
    for (unsigned i = 0; i < sizeof(WHOLE) / sizeof(WHOLE[0]); i++)
        is_whole |= text_same(name, WHOLE[i]) && bytes <= ACPI_BYTES_MAX;
    out_printf(out, "acpi %s %u %u\n", name, bytes,
               bytes >= ACPI_HEADER_BYTES ? table[8] : 0); /* the revision */
    for (uint32_t at = 0; is_whole && at < bytes; at += ACPI_LINE_BYTES) {
        out_printf(out, "%x", at);
        for (uint32_t i = at; i < bytes && i < at + ACPI_LINE_BYTES; i++)
            out_printf(out, "%s%02x", i == at ? " " : "", table[i]);
        out_char(out, '\n');
    }
}

static const struct machine_leaf *find_leaf(const struct machine_leaves *leaves, uint32_t leaf,
                                            uint32_t subleaf)
{
    for (uint32_t i = 0; i < leaves->count; i++)
        if (leaves->leaf[i].leaf == leaf && leaves->leaf[i].subleaf == subleaf)
            return &leaves->leaf[i];
    return 0;
}

static bool same_regs(struct cpuid_regs a, struct cpuid_regs b)
{
    return a.eax == b.eax && a.ebx == b.ebx && a.ecx == b.ecx && a.edx == b.edx;
}

static void write_leaves(const struct machine_leaves *leaves, const struct machine_leaves *first,
                         struct out *out)
{
    for (uint32_t i = 0; i < leaves->count; i++) {
        const struct machine_leaf *leaf = &leaves->leaf[i];
        const struct machine_leaf *same = first ? find_leaf(first, leaf->leaf, leaf->subleaf) : 0;

        if (!same || !same_regs(same->regs, leaf->regs))
            out_printf(out, "%x %x %x %x %x %x\n", leaf->leaf, leaf->subleaf, leaf->regs.eax,
                       leaf->regs.ebx, leaf->regs.ecx, leaf->regs.edx);
    }
    for (uint32_t i = 0; first && i < first->count; i++)
        if (!find_leaf(leaves, first->leaf[i].leaf, first->leaf[i].subleaf))
            out_printf(out, "%x %x absent\n", first->leaf[i].leaf, first->leaf[i].subleaf);
}

static void write_lost(uint32_t lost, struct out *out)
{
    if (lost > 0)
        out_printf(out, "lost %u\n", lost);
}

static void write_value(const struct machine_read *read, struct out *out)
{
    if (read->refused)
        out_text(out, " fault\n");
    else
        out_printf(out, " %llx\n", (unsigned long long)read->value);
}

static void write_registers(const struct machine_reads *reads, const struct machine_reads *first,
                            struct out *out)
{
    for (uint32_t i = 0; i < reads->count; i++) {
        const struct machine_read *read = &reads->read[i];
        const struct machine_read *same = first ? find_read(first, SPACE_MSR, read->address) : 0;

        if (same && same->refused == read->refused && same->value == read->value)
            continue;
        out_printf(out, "%llx", (unsigned long long)read->address);
        write_value(read, out);
    }
}

void machine_file_cpu(unsigned number, const struct machine_cpu *cpu,
                      const struct machine_cpu *first, struct out *out)
{
    out_printf(out, "cpu %u\n", number);
    write_leaves(&cpu->leaves, first ? &first->leaves : 0, out);
    write_lost(cpu->leaves.lost, out);
    out_printf(out, "msrs %u\n", number);
    write_registers(&cpu->registers, first ? &first->registers : 0, out);
    write_lost(cpu->registers.lost, out);
}

void machine_file_uncore(unsigned number, const struct machine_reads *uncore, struct out *out)
{
    static const char *const SPACES[] = {
        [SPACE_MSR] = "msr", [SPACE_PCI] = "pci", [SPACE_MMIO] = "mmio"};

    out_printf(out, "uncore %u\n", number);
    for (uint32_t i = 0; i < uncore->count; i++) {
        const struct machine_read *read = &uncore->read[i];

        out_printf(out, "%s %llx %u", SPACES[read->space], (unsigned long long)read->address,
                   read->bytes);
        write_value(read, out);
    }
    write_lost(uncore->lost, out);
}

/* ---- the journal ---- */

static const struct journal_head *next_text(struct journal_cursor *cursor)
{
    const struct journal_head *head = journal_next(cursor);

    while (head && head->type != RECORD_MACHINE)
        head = journal_next(cursor);
    return head;
}

bool render_has_machine(const struct render *render)
{
    struct journal_cursor cursor = render_records(render);

    return next_text(&cursor) != 0;
}

bool render_machine_txt(const struct render *render, struct out *out)
{
    struct journal_cursor cursor = render_records(render);
    const struct journal_head *head;
    struct end_record end;
    uint32_t crc = 0;
    bool has_any = false;

    while ((head = next_text(&cursor))) {
        const char *text = journal_payload(head);

        for (uint32_t i = 0; i < head->payload_bytes; i++)
            out_char(out, text[i]);
        crc = crc32_ieee(crc, text, head->payload_bytes);
        has_any = true;
    }
    if (has_any && render_end(render, &end))
        out_printf(out, "end %08x\n", crc);
    return out_flush(out);
}
