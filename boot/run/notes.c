/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes notes on a CPU: its registers, its counters, its package. */
#include "boot/run/notes.h"
#include "pmu/uncore/words.h"

void note_cpu(struct store *store, unsigned cpu, const char *what, enum status status)
{
    const char *error = status == STATUS_START_FAILED ? cpus_start_error(cpu) : 0;

    store_note(store, NOTE_ERROR, "CPU %u%s: %s%s%s%s", cpu, what, status_text(status),
               error ? " (" : "", error ? error : "", error ? ")" : "");
}

void note_tests(struct store *store, const struct counter_tests *tests)
{
    uint32_t failures = counter_check_failures(tests), cpu = tests->cpu;
    char text[NOTE_BYTES], named[COUNTED_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (is_silent(tests->status))
        store_note(store, NOTE_ERROR, "CPU %u, test of the counters: %s", cpu,
                   status_text(tests->status));
    if (tests->general_kept < tests->general_named)
        store_note(store, NOTE_ERROR, "CPU %u: CPUID names %s; %u can be used", cpu,
                   counted(tests->general_named, "general counter", named), tests->general_kept);
    if (tests->alias_refused)
        store_note(store, NOTE_ERROR,
                   "CPU %u: MSR 0x%x raises #GP although IA32_PERF_CAPABILITIES promises it", cpu,
                   tests->alias_refused);
    if (failures == 0)
        return;
    counter_check_say(counter_check_first(tests), &out);
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
                   "CPU %u: IA32_MPERF does not tick with the time stamp, so a core that stands "
                   "still goes unnoticed",
                   cpu->cpu);
}

static const char *say_error(const struct uncore_error *error, char text[NOTE_BYTES])
{
    struct out out = out_buffer(text, NOTE_BYTES);

    uncore_error_words(error, &out);
    return out_end(&out);
}

/* Whether entry `index` is the first error of its register. */
static bool is_new(const struct uncore_error error[UNCORE_GROUPS_MAX], unsigned index)
{
    if (error[index].status == STATUS_OK)
        return false;
    for (unsigned i = 0; i < index; i++)
        if (error[i].status != STATUS_OK && error[i].address == error[index].address)
            return false;
    return true;
}

/* Notes the first group that failed its test, and how many more groups failed. */
static void note_faults(struct store *store, const struct uncore_record *uncore)
{
    const struct uncore_record_group *first = 0;
    unsigned more = 0;
    char text[NOTE_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    for (unsigned i = 0; i < uncore->groups && i < UNCORE_GROUPS_MAX; i++) {
        if (!uncore_group_fails(&uncore->group[i]))
            continue;
        more += first != 0;
        first = first ? first : &uncore->group[i];
    }
    if (!first)
        return;
    uncore_fault_words(first, &out);
    if (more > 0)
        out_printf(&out, "; and %u more", more);
    store_note(store, NOTE_ERROR, "CPU %u, package %u: %s", uncore->cpu, uncore->package,
               out_end(&out));
}

void note_uncore(struct store *store, const struct uncore_record *uncore)
{
    char text[NOTE_BYTES];

    if (uncore->left_running > 0)
        store_note(store, NOTE_REMARK,
                   "CPU %u, package %u: uncore counters had been left running: %u; they "
                   "are stopped while kernels run, and restored after each kernel",
                   uncore->cpu, uncore->package, uncore->left_running);
    note_faults(store, uncore);
    for (unsigned i = 0; i < uncore->groups && i < UNCORE_GROUPS_MAX; i++)
        if (is_new(uncore->error, i))
            store_note(store, NOTE_ERROR, "CPU %u, package %u: %s", uncore->cpu, uncore->package,
                       say_error(&uncore->error[i], text));
}

void note_uncore_errors(struct store *store, const struct result *result, const char *name,
                        uint64_t *refused)
{
    uint64_t registers = 0;
    char text[NOTE_BYTES];

    for (unsigned i = 0; i < UNCORE_GROUPS_MAX; i++)
        if (is_new(result->uncore_error, i))
            registers += result->uncore_error[i].address;
    for (unsigned i = 0; i < UNCORE_GROUPS_MAX && registers != *refused; i++)
        if (is_new(result->uncore_error, i))
            store_note(store, NOTE_ERROR, "CPU %u, %s: %s", result->cpu, name,
                       say_error(&result->uncore_error[i], text));
    *refused = registers;
    note_uncore_kept(store, result->cpu, &result->uncore_restore_error, name);
}

void note_not_restored(struct store *store, unsigned cpu, const struct pmu_error *error,
                       const char *when)
{
    if (error->status != STATUS_OK)
        store_note(store, NOTE_EXCEPTION, "CPU %u, %s: MSR 0x%x is not as it was found: %s", cpu,
                   when, error->msr, status_text(error->status));
}

void note_uncore_kept(struct store *store, unsigned cpu, const struct uncore_error *error,
                      const char *when)
{
    char text[NOTE_BYTES];

    if (error->status != STATUS_OK)
        store_note(store, NOTE_EXCEPTION, "CPU %u, %s: a register is not as it was found: %s", cpu,
                   when, say_error(error, text));
}

void note_machine_check(struct store *store, unsigned cpu, const char *when,
                        const struct machine_check *check)
{
    char text[NOTE_BYTES], banks[COUNTED_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (check->banks == 0)
        out_text(&out, "no bank names it");
    else
        out_printf(&out, "bank %u has status 0x%llx", check->bank,
                   (unsigned long long)check->status);
    if (check->banks > 0 && check->address)
        out_printf(&out, ", address 0x%llx", (unsigned long long)check->address);
    if (check->banks > 1)
        out_printf(&out, "; %s have an error", counted(check->banks, "bank", banks));
    store_note(store, NOTE_ERROR,
               "CPU %u, %s: a machine check (IA32_MCG_STATUS 0x%llx) ends the run: %s", cpu, when,
               (unsigned long long)check->mcg_status, out_end(&out));
}
