/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/notes.h"

void note_tests(struct store *store, const struct counter_tests *tests)
{
    uint32_t failures = counter_test_failures(tests), cpu = tests->cpu;
    char text[NOTE_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (is_silent(tests->status))
        store_note(store, NOTE_ERROR, "CPU %u, test of the counters: %s", cpu,
                   status_text(tests->status));
    if (tests->general_kept < tests->general_named)
        store_note(store, NOTE_ERROR, "CPU %u: CPUID names %u general counters, %u work", cpu,
                   tests->general_named, tests->general_kept);
    if (tests->alias_refused)
        store_note(store, NOTE_ERROR,
                   "CPU %u: MSR 0x%x raises #GP although IA32_PERF_CAPABILITIES promises it", cpu,
                   tests->alias_refused);
    if (failures == 0)
        return;
    counter_test_say(counter_test_first(tests), &out);
    if (failures > 1)
        out_printf(&out, "; and %u more", failures - 1);
    store_note(store, NOTE_ERROR, "CPU %u: %s", cpu, out_end(&out));
}

void note_registers(struct store *store, const struct cpu_record *cpu)
{
    if (cpu->refused_msr)
        store_note(store, NOTE_ERROR,
                   "CPU %u: MSR 0x%x raises #GP although CPUID promises it; its counters are left "
                   "out",
                   cpu->cpu, cpu->refused_msr);
    if (cpu->flags & CPU_PERFMON_HIDDEN)
        store_note(store, NOTE_REMARK,
                   "CPU %u: IA32_MISC_ENABLE[7] says there is no performance monitoring", cpu->cpu);
    if (cpu->flags & CPU_MPERF_DIFFERS)
        store_note(store, NOTE_REMARK,
                   "CPU %u: IA32_MPERF does not tick with the time stamp: gaps are not looked for",
                   cpu->cpu);
}
