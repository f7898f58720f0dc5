/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/run/notes.h"
#include "pmu/uncore/words.h"

void note_tests(struct store *store, const struct counter_tests *tests)
{
    uint32_t failures = counter_check_failures(tests), cpu = tests->cpu;
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
                   "CPU %u: IA32_MPERF does not tick with the time stamp: gaps are not looked for",
                   cpu->cpu);
}

/* Which register, and what went wrong with it. */
static const char *say_error(const struct package_error *error, char text[NOTE_BYTES])
{
    struct out out = out_buffer(text, NOTE_BYTES);

    package_error_words(error, &out);
    return out_end(&out);
}

/* Whether this one is an error, and of another register than those before it. */
static bool is_new(const struct package_error error[PACKAGE_GROUPS_MAX], unsigned index)
{
    if (error[index].status == STATUS_OK)
        return false;
    for (unsigned i = 0; i < index; i++)
        if (error[i].status != STATUS_OK && error[i].address == error[index].address)
            return false;
    return true;
}

/* The first group that failed its test, and how many further ones did. */
static void note_faults(struct store *store, const struct package_record *package)
{
    const struct package_record_group *first = 0;
    unsigned more = 0;
    char text[NOTE_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    for (unsigned i = 0; i < package->groups && i < PACKAGE_GROUPS_MAX; i++) {
        if (!package_group_fails(&package->group[i]))
            continue;
        more += first != 0;
        first = first ? first : &package->group[i];
    }
    if (!first)
        return;
    package_fault_words(first, &out);
    if (more > 0)
        out_printf(&out, "; and %u more", more);
    store_note(store, NOTE_ERROR, "CPU %u, package %u: %s", package->cpu, package->package,
               out_end(&out));
}

void note_package(struct store *store, const struct package_record *package)
{
    char text[NOTE_BYTES];

    if (package->left_running > 0)
        store_note(store, NOTE_REMARK,
                   "CPU %u, package %u: counters outside the cores had been left running: %u; they "
                   "are stopped while kernels run, and put back after each",
                   package->cpu, package->package, package->left_running);
    note_faults(store, package);
    for (unsigned i = 0; i < package->groups && i < PACKAGE_GROUPS_MAX; i++)
        if (is_new(package->error, i))
            store_note(store, NOTE_ERROR, "CPU %u, package %u: %s", package->cpu, package->package,
                       say_error(&package->error[i], text));
}

void note_package_errors(struct store *store, const struct result *result, const char *name,
                         uint64_t *refused)
{
    uint64_t registers = 0;
    char text[NOTE_BYTES];

    for (unsigned i = 0; i < PACKAGE_GROUPS_MAX; i++)
        if (is_new(result->package_error, i))
            registers += result->package_error[i].address;
    for (unsigned i = 0; i < PACKAGE_GROUPS_MAX && registers != *refused; i++)
        if (is_new(result->package_error, i))
            store_note(store, NOTE_ERROR, "CPU %u, %s: %s", result->cpu, name,
                       say_error(&result->package_error[i], text));
    *refused = registers;
    note_package_kept(store, result->cpu, &result->package_restore_error, name);
}

void note_package_kept(struct store *store, unsigned cpu, const struct package_error *error,
                       const char *when)
{
    char text[NOTE_BYTES];

    if (error->status != STATUS_OK)
        store_note(store, NOTE_EXCEPTION, "CPU %u, %s: not as it was found: %s", cpu, when,
                   say_error(error, text));
}
