/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run's kernels need of the firmware's memory. */
#include "boot/firmware.h"
#include "boot/run.h"
#include "pmu/page_map.h"

void run_take_buffer(struct run *run)
{
    unsigned buffers = run->plan.mode == MODE_PARALLEL ? run->cpus : 1;

    for (;;) {
        uint64_t largest = 0;
        unsigned kept = 0;

        for (unsigned i = 0; i < run->kernels; i++)
            if (run->kernel[i].buffer_bytes > largest)
                largest = run->kernel[i].buffer_bytes;
        run->buffer_stride = (largest + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        if (run->buffer_stride * buffers <= run->buffer_bytes)
            return;
        run->buffer = firmware_memory(run->buffer_stride * buffers);
        run->buffer_bytes = run->buffer ? run->buffer_stride * buffers : 0;
        if (run->buffer)
            return;
        for (unsigned i = 0; i < run->kernels; i++)
            if (run->kernel[i].buffer_bytes < largest)
                run->kernel[kept++] = run->kernel[i];
        run->kernels = kept;
        plan_complain(&run->plan, 0,
                      "the firmware has no memory for buffers of %llu KiB: %u; kernels that want "
                      "so much are left out",
                      (unsigned long long)(largest >> 10), buffers);
    }
}

static uint64_t largest_record(const struct run *run)
{
    uint64_t largest = PAGE_BYTES; /* our own, for the tests of counters */

    for (unsigned i = 0; i < run->kernels; i++)
        if (run->kernel[i].record->size_bytes > largest)
            largest = run->kernel[i].record->size_bytes;
    return largest;
}

/* Tables for the buffer that needs the most of them. */
static uint32_t most_tables(const struct run *run)
{
    uint32_t most = space_buffer_tables(0, 0);

    for (unsigned i = 0; i < run->kernels; i++) {
        const struct run_kernel *kernel = &run->kernel[i];
        uint32_t tables = space_buffer_tables(kernel->buffer_bytes, kernel->page_bytes);

        if (tables > most)
            most = tables;
    }
    return most;
}

void run_take_spaces(struct run *run)
{
    uint64_t bytes = space_bytes(largest_record(run), most_tables(run));

    run->space_bytes = bytes;
    run->spaces_used = 0;
    if (bytes * run->cpus <= run->spaces_bytes)
        return;
    run->spaces = firmware_memory(bytes * run->cpus);
    run->spaces_bytes = run->spaces ? bytes * run->cpus : 0;
    if (run->spaces)
        return;
    run->space_bytes = 0;
    plan_complain(&run->plan, 0, "the firmware has no memory for the kernels' page tables");
}

struct cpu_space *run_space(struct run *run)
{
    char *at = run->spaces + run->spaces_used * run->space_bytes;

    if (run->space_bytes == 0 || run->spaces_used == run->cpus)
        return 0;
    run->spaces_used++;
    return space_make(at, largest_record(run), most_tables(run));
}
