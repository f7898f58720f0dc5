/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the memory, page tables and segments of a space. */
#include "boot/cpu/space_parts.h"

#define CR3_ADDRESS 0x000ffffffffff000ull
#define GIB         (1ull << 30)

/*
 * Offsets from PAGE_MAP_BASE. linear_like() also adds the address outside the space, modulo 1 GiB.
 */
#define PAGES_AT  (1 * GIB)
#define FIRST_AT  (4 * GIB)   /* buffer of role 0 */
#define SECOND_AT (256 * GIB) /* buffer of other roles */

/* Intel SDM vol. 3A "Segment Descriptors": flat, accessed, DPL 0. */
#define FLAT_CODE     0x00af9b000000ffffull /* 64-bit code */
#define FLAT_DATA     0x00cf93000000ffffull /* writable data */
#define CODE_ACCESSED (1ull << 40)
#define DPL_SHIFT     45

#define INT3 0xccu /* fills the rest of the last code page: running past the end raises #BP */

static uint64_t whole(uint64_t bytes, uint64_t page_bytes)
{
    return (bytes + page_bytes - 1) & ~(page_bytes - 1);
}

static uint64_t pages_for(uint64_t record_bytes)
{
    return SPACE_STACK_BYTES + SPACE_TRAMPOLINE_BYTES + whole(record_bytes, PAGE_BYTES);
}

uint32_t space_buffer_tables(uint64_t buffer_bytes, uint32_t page_bytes)
{
    return page_map_tables(whole(buffer_bytes, page_bytes ? page_bytes : PAGE_BYTES), page_bytes);
}

static uint32_t tables_for(uint64_t record_bytes, uint32_t buffer_tables)
{
    return PAGE_MAP_SHARE_TABLES + 4 * page_map_open_tables(2 * PAGE_BYTES) +
           page_map_open_tables(sizeof(((struct cpu_space *)0)->stack)) +
           page_map_tables(2 * PAGE_BYTES, PAGE_BYTES) +
           page_map_tables(pages_for(record_bytes), PAGE_BYTES) + 2 * buffer_tables;
}

uint64_t space_bytes(uint64_t record_bytes, uint32_t buffer_tables)
{
    return whole(sizeof(struct cpu_space), PAGE_BYTES) +
           (uint64_t)tables_for(record_bytes, buffer_tables) * PAGE_BYTES + pages_for(record_bytes);
}

struct cpu_space *space_make(void *memory, uint64_t record_bytes, uint32_t buffer_tables)
{
    struct cpu_space *space = memory;
    uint64_t *words = memory;

    for (unsigned i = 0; i < sizeof(*space) / sizeof(*words); i++)
        words[i] = 0;
    space->tss.rsp0 = TRIP_OUT_LINEAR + TRIP_OUT_USER_END;
    space->tss.io_map = sizeof(struct tss);
    for (unsigned i = 0; i < STACKS; i++)
        space->tss.ist[i] = (uint64_t)&space->stack[i].owner;
    space->map.table = (void *)((char *)memory + whole(sizeof(*space), PAGE_BYTES));
    space->map.tables = tables_for(record_bytes, buffer_tables);
    space->pages_bytes = pages_for(record_bytes);
    space->pages = (char *)space->map.table + (uint64_t)space->map.tables * PAGE_BYTES;
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
 * Gives each data selector that is not null a flat descriptor, because the firmware's GDT may lack
 * the descriptor of a selector (FS in U-Boot). The accessed bits are set, because the CPU cannot
 * set them in a read-only table. Returns the new size of the table in bytes, or 0 if a selector
 * refers to the LDT or is out of range.
 */
static uint32_t add_segments(struct cpu_space *space, uint32_t bytes)
{
    const struct data_segments s = cpu_segments();
    const uint16_t selectors[] = {s.ss, s.ds, s.es, s.fs, s.gs};

    for (unsigned i = 0; i < sizeof(selectors) / sizeof(selectors[0]); i++) {
        uint32_t at = selectors[i] & ~7u;

        if (selectors[i] <= SELECTOR_RPL) /* null */
            continue;
        if (selectors[i] & SELECTOR_LOCAL || at + 8 > SPACE_GDT_BYTES)
            return 0;
        space->gdt[at / 8] = FLAT_DATA | (uint64_t)(selectors[i] & SELECTOR_RPL) << DPL_SHIFT;
        if (at + 8 > bytes)
            bytes = at + 8;
    }
    space->gdt[cpu_cs() / 8] |= CODE_ACCESSED;
    return bytes;
}

/* Copies the firmware's GDT or, if it is too large, its part up to the current code segment. */
static uint32_t copy_gdt(struct cpu_space *space, const struct table_pointer *found)
{
    uint32_t bytes = found->limit + 1u;

    if (bytes + SPACE_GDT_ADDED > SPACE_GDT_BYTES)
        bytes = (cpu_cs() & ~7u) + 8;
    if (bytes > SPACE_GDT_BYTES)
        return 0;
    copy(space->gdt, (const void *)found->base, bytes);
    return add_segments(space, (bytes + 7u) & ~7u);
}

static bool has_descriptor(const struct table_pointer *gdt, uint32_t selector)
{
    return selector + 7 <= gdt->limit &&
           ((const uint64_t *)gdt->base)[selector / 8] & DESCRIPTOR_PRESENT;
}

/*
 * The firmware's selectors stay valid, because gates and segment registers use them. If LTR would
 * later refuse the firmware's selector, the program's selector stays in TR. In this case the
 * firmware's GDT must have no descriptor for the program's selector, because EDK II would load TR
 * from that descriptor.
 */
bool space_make_gdt(struct cpu_space *space)
{
    const struct table_pointer found = cpu_sgdt();
    const uint64_t tss = (uint64_t)&space->tss;
    const bool stays = !space_can_load_tr(&found, cpu_tr());
    uint32_t bytes = copy_gdt(space, &found);
    uint64_t *ours;

    if (bytes == 0)
        return false;
    while (stays && bytes + SPACE_GDT_ADDED <= SPACE_GDT_BYTES &&
           has_descriptor(&found, SPACE_TSS_SELECTOR(bytes))) {
        space->gdt[bytes / 8] = ((const uint64_t *)found.base)[bytes / 8];
        bytes += 8;
    }
    if (bytes + SPACE_GDT_ADDED > SPACE_GDT_BYTES)
        return false;
    ours = &space->gdt[bytes / sizeof(*ours)];
    ours[0] = FLAT_CODE | 3ull << DPL_SHIFT;
    ours[1] = FLAT_DATA | 3ull << DPL_SHIFT;
    ours[SPACE_GDT_TSS] = (sizeof(struct tss) - 1) | (tss & 0xffffff) << 16 | TSS_AVAILABLE |
                          (tss >> 24 & 0xff) << 56;
    ours[SPACE_GDT_TSS + 1] = tss >> 32;
    space->first = (uint16_t)bytes;
    space->gdt_limit = (uint16_t)(bytes + SPACE_GDT_ADDED - 1);
    return true;
}

/* Fills the rest of the last code page with INT3, so that no previous kernel's code remains. */
static void fill_pages(struct cpu_space *space)
{
    const struct kernel_use *use = space->kernel->use;
    char *trampoline = space->pages + SPACE_STACK_BYTES;
    char *record = trampoline + SPACE_TRAMPOLINE_BYTES;

    copy(trampoline, user_trampoline, (uint64_t)(user_trampoline_end - user_trampoline));
    copy(record, use->code, use->code_bytes);
    for (uint64_t i = use->code_bytes; i < whole(use->code_bytes, PAGE_BYTES); i++)
        record[i] = (char)INT3;
}

/* Keeps the address modulo 1 GiB, so that cache sets stay the same and large pages fit. */
static uint64_t linear_like(uint64_t at, const void *outside)
{
    return PAGE_MAP_BASE + at + ((uint64_t)outside & (GIB - 1));
}

static bool open_ours(struct cpu_space *space)
{
    static const char *const TEXT[][2] = {
        {window_text, window_text_end},
        {deltas_text, deltas_text_end},
        {user_text, user_text_end},
        {traps_text, traps_text_end},
    };
    struct page_map *map = &space->map;

    for (unsigned i = 0; i < sizeof(TEXT) / sizeof(TEXT[0]); i++)
        if (!page_map_open(map, (uint64_t)TEXT[i][0], (uint64_t)(TEXT[i][1] - TEXT[i][0]),
                           PAGE_MAP_EXECUTE))
            return false;
    for (unsigned i = 0; i < STACKS; i++)
        if (!page_map_open(map, (uint64_t)space->stack[i].bytes, PAGE_BYTES, PAGE_MAP_WRITE))
            return false;
    return page_map_add(map, TRIP_LINEAR, (uint64_t)&space->trip, PAGE_BYTES, 0, PAGE_BYTES) &&
           page_map_add(map, TRIP_OUT_LINEAR, (uint64_t)&space->out, PAGE_BYTES, PAGE_MAP_WRITE,
                        PAGE_BYTES);
}

static bool map_buffers(struct cpu_space *space, uint32_t rights)
{
    const struct space_kernel *kernel = space->kernel;
    const uint32_t page_bytes = kernel->use->page_bytes;
    uint64_t bytes = whole(kernel->use->buffer_bytes, page_bytes ? page_bytes : PAGE_BYTES);
    bool is_first = !kernel->first_buffer || kernel->first_buffer == kernel->buffer;

    space->buffer_linear = linear_like(is_first ? FIRST_AT : SECOND_AT, kernel->buffer);
    space->first_linear = linear_like(FIRST_AT, is_first ? kernel->buffer : kernel->first_buffer);
    return page_map_add(&space->map, space->buffer_linear, (uint64_t)kernel->buffer, bytes, rights,
                        page_bytes) &&
           (is_first || page_map_add(&space->map, space->first_linear,
                                     (uint64_t)kernel->first_buffer, bytes, rights, page_bytes));
}

enum status space_map(struct cpu_space *space, uint32_t rights)
{
    struct page_map *map = &space->map;
    uint32_t common = rights & (PAGE_MAP_USER | PAGE_MAP_GLOBAL);
    uint64_t code_bytes =
        SPACE_TRAMPOLINE_BYTES + whole(space->kernel->use->code_bytes, PAGE_BYTES);

    if (SPACE_STACK_BYTES + code_bytes > space->pages_bytes)
        return STATUS_NO_SPACE;
    fill_pages(space);
    space->linear = linear_like(PAGES_AT, space->pages);
    page_map_start(map);
    return page_map_share(map, (const uint64_t *)(cpu_cr3() & CR3_ADDRESS)) && open_ours(space) &&
                   page_map_add(map, space->linear, (uint64_t)space->pages, SPACE_STACK_BYTES,
                                common | PAGE_MAP_WRITE, PAGE_BYTES) &&
                   page_map_add(map, space->linear + SPACE_STACK_BYTES,
                                (uint64_t)space->pages + SPACE_STACK_BYTES, code_bytes,
                                common | PAGE_MAP_EXECUTE, PAGE_BYTES) &&
                   map_buffers(space, rights | PAGE_MAP_WRITE)
               ? STATUS_OK
               : STATUS_NO_SPACE;
}
