/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for test results. */
#include "pmu/counters/check.h"
#include "pmu/cpu/msr.h"

const struct tested_counter *counter_check_failed(const struct counter_tests *tests,
                                                  const struct slot *slot)
{
    for (unsigned i = 0; tests && i < tests->counters; i++) {
        const struct tested_counter *counter = &tests->counter[i];

        if (counter->fixed == (slot->where == SLOT_FIXED) && slot->where != SLOT_UNCORE &&
            counter->counter == slot->counter)
            return counter->fault == COUNTER_RIGHT ? 0 : counter;
    }
    return 0;
}

const struct tested_counter *counter_check_first(const struct counter_tests *tests)
{
    for (unsigned i = 0; i < tests->counters; i++)
        if (tests->counter[i].fault != COUNTER_RIGHT)
            return &tests->counter[i];
    return 0;
}

uint32_t counter_check_failures(const struct counter_tests *tests)
{
    uint32_t failures = 0;

    for (unsigned i = 0; i < tests->counters; i++)
        failures += tests->counter[i].fault != COUNTER_RIGHT;
    return failures;
}

void counter_name(bool fixed, unsigned counter, struct out *out)
{
    out_printf(out, "%s%u", fixed ? "fixed" : "pmc", counter);
}

void counter_check_say(const struct tested_counter *counter, struct out *out)
{
    unsigned long long low = counter->low, high = counter->high, right = counter->right;

    counter_name(counter->fixed, counter->counter, out);
    if (counter->fault == COUNTER_DISTURBED) {
        out_text(out, " could not be tested: SMIs, NMIs or machine checks disturbed each attempt");
        return;
    }
    out_text(out, " failed its test: ");
    switch ((enum counter_fault)counter->fault) {
    case COUNTER_REFUSES:
        out_printf(out, "MSR 0x%x raised #GP", counter->msr);
        break;
    case COUNTER_WIDTH:
        out_printf(out, "CPUID gives it %u bits", counter->bit);
        break;
    case COUNTER_SILENT:
        out_text(out, "it counts nothing");
        break;
    case COUNTER_OTHER_RING:
        out_text(out, "it counts the wrong ring: CPL 0 when set to CPL 3");
        break;
    case COUNTER_ANY_RING:
        out_printf(out, "set to count CPL 3 alone, it counted %llu at CPL 0", high);
        break;
    case COUNTER_VARIES:
        out_printf(out, "the empty window counted %llu to %llu", low, high);
        break;
    case COUNTER_WINDOW:
        out_printf(out, "the empty window counted %llu, not %llu", low, right);
        break;
    case COUNTER_FORGETS:
        out_printf(out, "it reads 0x%llx, not the 0x%llx that was written", low, right);
        break;
    case COUNTER_CARRY:
        out_printf(out, "carries are lost above bit %u", counter->bit);
        break;
    case COUNTER_OVERFLOW:
        out_printf(out, "its overflow set status bits 0x%llx, not 0x%llx", low, right);
        break;
    case COUNTER_UNCLEARED:
        out_text(out, "its status bit cannot be cleared");
        break;
    case COUNTER_UNSET:
        out_printf(out, "MSR 0x%x set status bits 0x%llx, not 0x%llx",
                   MSR_IA32_PERF_GLOBAL_STATUS_SET, low, right);
        break;
    default:
        out_printf(out, "fault %u", counter->fault);
    }
}
