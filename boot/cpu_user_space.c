/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory, page tables and segments for kernels at CPL 3. */
#include "boot/cpu_user_parts.h"

#define CR3_ADDRESS 0x000ffffffffff000ull
#define BUFFER_GIB  4u /* where the buffer lies behind the user pages' base */
#define GIB         (1ull << 30)

/* Intel SDM vol. 3A "Segment Descriptors": flat, accessed, for DPL 0. */
#define FLAT_CODE 0x00af9b000000ffffull /* 64-bit code */
#define FLAT_DATA 0x00cf93000000ffffull /* writable data */
#define DPL_SHIFT 45

#define INT3 0xccu /* fills the copy's last page: a kernel that runs off its end is seen */

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

static uint64_t pages_for(uint64_t record_bytes)
{
    return USER_STACK_BYTES + USER_TRAMPOLINE_BYTES + whole_pages(record_bytes);
}

static uint32_t tables_for(uint64_t record_bytes, uint64_t buffer_bytes)
{
    return PAGE_MAP_BASE_TABLES + PAGE_MAP_TABLES(pages_for(record_bytes)) +
           PAGE_MAP_TABLES(whole_pages(buffer_bytes));
}

uint64_t user_space_bytes(uint64_t record_bytes, uint64_t buffer_bytes)
{
    return whole_pages(sizeof(struct user_space)) +
           (uint64_t)tables_for(record_bytes, buffer_bytes) * PAGE_BYTES + pages_for(record_bytes);
}

struct user_space *user_space_make(void *memory, uint64_t record_bytes, uint64_t buffer_bytes)
{
    struct user_space *space = memory;
    uint32_t tables = tables_for(record_bytes, buffer_bytes);

    *space = (struct user_space){
        .tss = {.io_map = sizeof(struct tss)},
        .tables = (char *)memory + whole_pages(sizeof(*space)),
        .tables_count = tables,
        .pages_bytes = pages_for(record_bytes),
    };
    space->pages = (char *)space->tables + (uint64_t)tables * PAGE_BYTES;
    return space;
}

static void copy(void *to, const void *from, uint64_t bytes)
{
    const char *source = from;
    char *target = to;

    for (uint64_t i = 0; i < bytes; i++)
        target[i] = source[i];
}

/*
 * IRETQ to CPL 3 leaves null segments, and what firmware has in the registers need not be in its
 * GDT any more (FS of U-Boot): each selector gets a flat segment, which is all that 64-bit mode
 * asks for. Returns where the table's entries end; 0: a selector is not of this table, or beyond
 * it.
 */
static uint32_t add_segments(struct user_space *space, uint32_t bytes)
{
    const struct data_segments s = cpu_segments();
    const uint16_t selectors[] = {s.ss, s.ds, s.es, s.fs, s.gs};

    for (unsigned i = 0; i < sizeof(selectors) / sizeof(selectors[0]); i++) {
        uint32_t at = selectors[i] & ~7u;

        if (selectors[i] <= SELECTOR_RPL) /* null */
            continue;
        if (selectors[i] & SELECTOR_LOCAL || at + 8 > USER_GDT_BYTES)
            return 0;
        space->gdt[at / 8] = FLAT_DATA | (uint64_t)(selectors[i] & SELECTOR_RPL) << DPL_SHIFT;
        if (at + 8 > bytes)
            bytes = at + 8;
    }
    return bytes;
}

/*
 * Firmware's selectors stay what they are, for gates and segments are loaded from our table too.
 * Our TSS lies above its limit: a start of this CPU by EDK II restores a TR that is within.
 */
static bool make_gdt(struct user_space *space)
{
    struct table_pointer found = cpu_sgdt();
    uint64_t tss = (uint64_t)&space->tss;
    uint32_t bytes = (found.limit + 1u + 7u) & ~7u;
    uint64_t *ours;

    if (bytes > USER_GDT_BYTES)
        return false;
    copy(space->gdt, (const void *)found.base, found.limit + 1u);
    bytes = add_segments(space, bytes);
    if (bytes == 0 || bytes + USER_GDT_ADDED > USER_GDT_BYTES)
        return false;
    ours = &space->gdt[bytes / sizeof(*ours)];
    ours[0] = FLAT_CODE | 3ull << DPL_SHIFT;
    ours[1] = FLAT_DATA | 3ull << DPL_SHIFT;
    ours[2] = (sizeof(struct tss) - 1) | (tss & 0xffffff) << 16 | TSS_AVAILABLE |
              (tss >> 24 & 0xff) << 56;
    ours[3] = tss >> 32;
    space->first = (uint16_t)bytes;
    space->gdt_limit = (uint16_t)(bytes + USER_GDT_ADDED - 1);
    return true;
}

/* CPUID.80000001H:EDX[26]. */
static bool has_giant_pages(void)
{
    struct cpuid_regs regs;

    cpu_read_cpuid(0x80000000, 0, &regs);
    if (regs.eax < 0x80000001)
        return false;
    cpu_read_cpuid(0x80000001, 0, &regs);
    return regs.edx >> 26 & 1;
}

/* The same remainder by 1 GiB as at CPL 0: the caches' sets are the same, and large pages fit. */
static uint64_t linear_like(uint64_t base, const void *at_cpl0)
{
    return base + ((uint64_t)at_cpl0 & (GIB - 1));
}

static bool make_tables(struct user_space *space)
{
    const struct user_kernel *kernel = &space->kernel;
    struct page_map *map = &space->map;
    uint64_t base;

    page_map_start(map, space->tables, space->tables_count, cpu_cr4() & CR4_LA57 ? 5 : 4,
                   has_giant_pages());
    page_map_supervisor(map, (const uint64_t *)(cpu_cr3() & CR3_ADDRESS));
    base = page_map_user_base(map);
    space->linear = linear_like(base, space->pages);
    space->buffer_linear = linear_like(base + BUFFER_GIB * GIB, kernel->buffer);
    return page_map_user(map, space->linear, (uint64_t)space->pages,
                         pages_for(kernel->record_bytes)) &&
           page_map_user(map, space->buffer_linear, (uint64_t)kernel->buffer,
                         whole_pages(kernel->buffer_bytes));
}

bool user_load(struct user_space *space, const struct user_kernel *kernel)
{
    char *trampoline = space->pages + USER_STACK_BYTES;
    char *record = trampoline + USER_TRAMPOLINE_BYTES;

    if (pages_for(kernel->record_bytes) > space->pages_bytes)
        return false;
    space->kernel = *kernel;
    copy(trampoline, user_trampoline, (uint64_t)(user_trampoline_end - user_trampoline));
    copy(record, kernel->record, kernel->record_bytes);
    for (uint64_t i = kernel->record_bytes; i < whole_pages(kernel->record_bytes); i++)
        record[i] = (char)INT3;
    return make_gdt(space) && make_tables(space);
}
