/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/code_kernel.h"
#include "boot/firmware.h"
#include "boot/run.h"
#include "kernels/choose.h"
#include "kernels/code.h"
#include "pmu/crc32.h"
#include "pmu/text.h"

bool code_kernel_make(const struct plan_code *code, struct code_kernel *kernel)
{
    static uint8_t bytes[PLAN_CODE_BYTES_MAX], init[PLAN_CODE_BYTES_MAX];
    const struct kernel_code what = {
        .name = code->name,
        .code = bytes,
        .code_bytes = plan_code_bytes(code->code, bytes),
        .init = init,
        .init_bytes = plan_code_bytes(code->init, init),
        .unroll = code->unroll,
        .loop = code->loop,
    };
    char *memory = firmware_plan_memory(kernel_code_size(&what));

    if (!memory)
        return false;
    kernel->twice_entry = memory + kernel_code_make(&what, memory, crc32_ieee);
    kernel->record = (const struct kernel_record *)memory;
    return true;
}

/* What else has this name; null: nothing. */
static const char *name_is_of(const struct session *session, const char *name)
{
    if (kernel_is_word(name))
        return "is a word for kernels";
    for (unsigned i = 0; i < session->kernels; i++)
        if (kernel_is_named(session->kernel[i], name))
            return "is a kernel's name";
        else if (text_same(session->kernel[i]->family, name))
            return "is a family's name";
    return 0;
}

void run_make_codes(struct run *run)
{
    struct plan *plan = &run->plan;

    run->codes = 0;
    if (!run->cpu_lost) /* it may still run one of an earlier plan */
        firmware_plan_memory_free();
    for (unsigned i = 0; i < plan->codes; i++) {
        const struct plan_code *code = &plan->code[i];
        const char *why = name_is_of(run->session, code->name);

        if (!why && !code_kernel_make(code, &run->code[run->codes]))
            why = "finds no memory";
        if (why)
            plan_complain(plan, code->line, "[code %s]: '%s' %s; it is left out", code->name,
                          code->name, why);
        else
            run->codes++;
    }
}
