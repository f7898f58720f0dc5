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
    uint64_t largest = 0;

    for (unsigned i = 0; i < run->kernels; i++)
        if (run->kernel[i].record->size_bytes > largest)
            largest = run->kernel[i].record->size_bytes;
    return largest;
}

void run_take_user_spaces(struct run *run)
{
    uint64_t bytes = 0;

    if (run->plan.cpl == 3)
        bytes = user_space_bytes(largest_record(run), run->buffer_stride);
    run->user_space_bytes = bytes;
    run->user_spaces_used = 0;
    if (bytes * run->cpus <= run->user_spaces_bytes)
        return;
    run->user_spaces = firmware_memory(bytes * run->cpus);
    run->user_spaces_bytes = run->user_spaces ? bytes * run->cpus : 0;
    if (run->user_spaces)
        return;
    run->user_space_bytes = 0;
    run->plan.cpl = 0;
    plan_complain(&run->plan, 0, "the firmware has no memory for kernels at CPL 3; they run at 0");
}

struct user_space *run_user_space(struct run *run)
{
    char *at = run->user_spaces + run->user_spaces_used * run->user_space_bytes;

    if (run->user_space_bytes == 0)
        return 0;
    run->user_spaces_used++;
    return user_space_make(at, largest_record(run), run->buffer_stride);
}
