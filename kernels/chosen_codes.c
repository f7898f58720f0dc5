/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes kernels from the machine code of a plan's sections [code]. */
#include "kernels/choose.h"
#include "kernels/chosen.h"
#include "kernels/code.h"
#include "pmu/base/bytes.h"
#include "pmu/base/text.h"

/* False if memory() returns null. */
static bool make(const struct plan_code *code, struct code_kernel *kernel, void *(*memory)(size_t))
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
    char *at = memory(kernel_code_size(&what));
    struct kernel_code_places places;

    if (!at)
        return false;
    places = kernel_code_places(&what);
    *kernel = (struct code_kernel){
        .record = (const struct kernel_record *)at,
        .twice_entry = at + kernel_code_make(&what, at, crc32_ieee),
        .init_at = places.init_at,
        .init_bytes = what.init_bytes,
        .copy_at = places.copy_at,
        .copy_bytes = what.code_bytes,
        .unroll = what.unroll,
    };
    return true;
}

/* Returns why the name is taken, such as "is a kernel's name", or null if it is free. */
static const char *name_is_of(const struct kernel_offer *offer, const char *name)
{
    if (kernel_is_word(name))
        return "is a word for kernels";
    for (unsigned i = 0; i < offer->kernels; i++)
        if (kernel_is_named(offer->kernel[i], name))
            return "is a kernel's name";
        else if (text_same(offer->kernel[i]->family, name))
            return "is a family's name";
    return 0;
}

void chosen_make_codes(struct kernel_offer *offer, struct plan *plan, array_memory *memory)
{
    offer->codes = 0;
    for (unsigned i = 0; i < plan->codes; i++) {
        const struct plan_code *code = &plan->code[i];
        const char *taken = name_is_of(offer, code->name);

        if (taken)
            plan_add_error(plan, code->line,
                           "[code %s] is left out, because '%s' %s: give it another name",
                           code->name, code->name, taken);
        else if (!make(code, &offer->code[offer->codes], memory))
            plan_add_error(plan, code->line, "[code %s] is left out: there is no memory for it",
                           code->name);
        else
            offer->codes++;
    }
}
