/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates the memory of a run's kernels: buffers and spaces. */
#include "boot/efi/firmware.h"
#include "boot/plan/run.h"
#include "pmu/cpu/mtrr.h"
#include "pmu/cpu/page_map.h"

#define CPUID_FEATURES 1u
#define CPUID_MTRR     (1u << 12) /* bit of CPUID.01H:EDX */

/* Whether each CPU needs its own buffer. */
static bool has_company(const struct run *run)
{
    return run->plan.mode == MODE_PARALLEL || run_has_shared(run);
}

static void plan_buffers(struct run *run)
{
    const struct cpus *cpus = &run->machine->cpus;
    bool company = has_company(run);

    run->memory.buffers = 0;
    for (unsigned cpu = 0; cpu < cpus->count; cpu++) {
        uint32_t node = firmware_cpu_node(cpus->cpu[cpu].apic_id);
        unsigned i = company ? run->memory.buffers : 0;

        if (!run_has_cpu(run, cpu))
            continue;
        while (i < run->memory.buffers && run->memory.buffer[i].node != node)
            i++;
        if (i == run->memory.buffers)
            run->memory.buffer[run->memory.buffers++] =
                (struct run_buffer){.cpu = cpu, .node = node};
    }
}

/* Frees nothing if a CPU was lost, because that CPU may still write to the buffers. */
static void free_buffers(const struct run *run)
{
    if (!run->machine->cpu_lost)
        firmware_buffers_free();
}

/* If a buffer cannot be allocated, frees all buffers and returns false. */
static bool take_buffers(struct run *run)
{
    for (unsigned i = 0; i < run->memory.buffers; i++) {
        struct run_buffer *buffer = &run->memory.buffer[i];

        buffer->at =
            firmware_buffer(run->memory.buffer_bytes, run->memory.buffer_align, buffer->node);
        if (!buffer->at)
            buffer->at =
                firmware_buffer(run->memory.buffer_bytes, run->memory.buffer_align, NODE_UNKNOWN);
        if (buffer->at)
            continue;
        free_buffers(run);
        return false;
    }
    return true;
}

/* The largest of a buffer's size, alignment and page size; 0: the kernel has no buffer. */
static uint64_t wish_of(const struct kernel_use *use)
{
    uint64_t wish = use->buffer_bytes;

    if (wish == 0)
        return 0;
    if (use->buffer_align > wish)
        wish = use->buffer_align;
    return use->page_bytes > wish ? use->page_bytes : wish;
}

static uint64_t measure_buffers(struct run *run)
{
    uint64_t largest = 0, align = PAGE_BYTES, wish = 0;

    for (unsigned i = 0; i < run->kernels; i++) {
        const struct kernel_use *use = &run->kernel[i].use;

        if (use->buffer_bytes > largest)
            largest = use->buffer_bytes;
        if (use->buffer_align > align)
            align = use->buffer_align;
        if (use->page_bytes > align)
            align = use->page_bytes;
        if (wish_of(use) > wish)
            wish = wish_of(use);
    }
    run->memory.buffer_bytes = (largest + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    run->memory.buffer_align = align;
    return wish;
}

static void add_error(struct run *run, const struct chosen_kernel *first, uint64_t wish)
{
    char text[24];
    struct out size = out_buffer(text, sizeof(text));

    out_size(&size, wish);
    plan_add_error(
        &run->plan, first->line,
        "the firmware has no memory for buffers whose size or alignment is %s (buffers needed: "
        "%u); %s and all kernels that need this much are left out",
        out_end(&size), run->memory.buffers, first->record->name);
}

void run_take_buffers(struct run *run)
{
    for (;;) {
        uint64_t wish = measure_buffers(run);
        struct chosen_kernel first = {.record = 0};
        unsigned kept = 0;

        plan_buffers(run);
        free_buffers(run);
        if (wish == 0 || take_buffers(run))
            return;
        for (unsigned i = 0; i < run->kernels; i++)
            if (wish_of(&run->kernel[i].use) < wish)
                run->kernel[kept++] = run->kernel[i];
            else
                first = first.record ? first : run->kernel[i];
        run->kernels = kept;
        add_error(run, &first, wish);
    }
}

char *run_buffer(const struct run *run, unsigned cpu)
{
    uint32_t node = firmware_cpu_node(run->machine->cpus.cpu[cpu].apic_id);

    for (unsigned i = 0; i < run->memory.buffers; i++)
        if (run->memory.buffer[i].cpu == cpu)
            return run->memory.buffer[i].at;
    for (unsigned i = 0; i < run->memory.buffers; i++)
        if (run->memory.buffer[i].node == node)
            return run->memory.buffer[i].at;
    return 0;
}

static void note_node(const struct run *run, const struct run_buffer *buffer)
{
    uint32_t node = firmware_memory_node(buffer->at, run->memory.buffer_bytes);
    char where[24];
    struct out out = out_buffer(where, sizeof(where));

    if (buffer->node == NODE_UNKNOWN || node == buffer->node)
        return;
    if (node == NODE_UNKNOWN)
        out_text(&out, "elsewhere");
    else
        out_printf(&out, "on node %u", node);
    store_note(run->store, NOTE_REMARK,
               "CPU %u: its node %u does not have %llu KiB free in one piece; the buffer is %s",
               buffer->cpu, buffer->node, (unsigned long long)(run->memory.buffer_bytes >> 10),
               out_end(&out));
}

/*
 * Reads an MSR of the boot CPU, because the MTRRs of all CPUs must have the same values (Intel SDM
 * vol. 3A "MTRRs").
 */
static bool read_msr(void *context, uint32_t msr, uint64_t *value)
{
    const struct machine *machine = context;

    return cpu_peek_msr(&machine->contexts[machine->cpus.boot], msr, value);
}

static bool has_mtrrs(void)
{
    struct cpuid_regs features;

    cpu_read_cpuid(CPUID_FEATURES, 0, &features);
    return features.edx & CPUID_MTRR;
}

void run_note_buffers(const struct run *run)
{
    static struct mtrrs mtrrs;
    bool is_amd = run->machine->boot_caps.vendor == VENDOR_AMD;
    bool known = run->memory.buffer_bytes > 0 && has_mtrrs() &&
                 mtrr_read(read_msr, run->machine, is_amd, &mtrrs);

    for (unsigned i = 0; i < run->memory.buffers && run->memory.buffer_bytes > 0; i++) {
        const struct run_buffer *buffer = &run->memory.buffer[i];

        note_node(run, buffer);
        if (known && !mtrr_is_write_back(&mtrrs, (uint64_t)buffer->at, run->memory.buffer_bytes))
            store_note(run->store, NOTE_REMARK,
                       "CPU %u: its buffer at 0x%llx is not write-back according to the MTRRs",
                       buffer->cpu, (unsigned long long)buffer->at);
    }
}

static uint64_t largest_record(const struct run *run)
{
    uint64_t largest = PAGE_BYTES; /* enough to test counters */

    for (unsigned i = 0; i < run->kernels; i++)
        if (run->kernel[i].use.code_bytes > largest)
            largest = run->kernel[i].use.code_bytes;
    return largest;
}

static uint32_t most_tables(const struct run *run)
{
    uint32_t most = space_buffer_tables(0, 0);

    for (unsigned i = 0; i < run->kernels; i++) {
        const struct kernel_use *use = &run->kernel[i].use;
        uint32_t tables = space_buffer_tables(use->buffer_bytes, use->page_bytes);

        if (tables > most)
            most = tables;
    }
    return most;
}

void run_take_spaces(struct run *run)
{
    uint64_t bytes = space_bytes(largest_record(run), most_tables(run));

    run->memory.space_bytes = bytes;
    if (bytes * run->cpus <= run->memory.spaces_bytes)
        return;
    run->memory.spaces = firmware_memory(bytes * run->cpus);
    run->memory.spaces_bytes = run->memory.spaces ? bytes * run->cpus : 0;
    if (run->memory.spaces)
        return;
    run->memory.space_bytes = 0;
    plan_add_error(&run->plan, 0, "the firmware has no memory for the kernels' page tables");
}

struct cpu_space *run_space(const struct run *run, unsigned index)
{
    char *at = run->memory.spaces + index * run->memory.space_bytes;

    if (run->memory.space_bytes == 0 || index >= run->cpus)
        return 0;
    return space_make(at, largest_record(run), most_tables(run));
}
