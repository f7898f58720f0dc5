/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes machine.txt's parts into the journal as they become known. */
#include "boot/run/machine_file.h"
#include "boot/efi/firmware.h"
#include "pmu/base/status.h"

#define PART_BYTES 4096u

/* The answers of the current CPU are compared with those of the first CPU. */
static struct {
    struct machine_cpu *now, *first;
    struct machine_reads uncore;
    bool has_first, is_wanted;
} answers;

static bool append(void *context, const char *bytes, size_t count)
{
    return store_append(context, RECORD_MACHINE, bytes, count);
}

static struct out part(const struct run *run, char buffer[PART_BYTES])
{
    return out_stream(buffer, PART_BYTES, append, run->store);
}

static void put_pci(void *context, const struct machine_pci *pci)
{
    machine_file_pci(pci, context);
}

static void put_acpi(void *context, const uint8_t *table, uint32_t bytes)
{
    machine_file_acpi(table, bytes, context);
}

static bool has_memory(void)
{
    if (!answers.now)
        answers.now = firmware_memory(sizeof(*answers.now));
    if (!answers.first)
        answers.first = firmware_memory(sizeof(*answers.first));
    if (!answers.uncore.read)
        answers.uncore.read = firmware_memory(MACHINE_UNCORE_MAX * sizeof(struct machine_read));
    return answers.now && answers.first && answers.uncore.read;
}

void run_machine_file_start(const struct run *run)
{
    char buffer[PART_BYTES];
    struct out out = part(run, buffer);

    answers.has_first = false;
    answers.is_wanted = run->plan.results.machine && has_memory();
    if (run->plan.results.machine && !answers.is_wanted)
        store_note(run->store, NOTE_ERROR, "machine.txt is left out: %s",
                   status_text(STATUS_NO_MEMORY));
    if (!answers.is_wanted)
        return;
    machine_file_start(&run->machine->record, &out);
    machine_file_memory(firmware_memory_map(), &out);
    firmware_list_pci(put_pci, &out);
    firmware_list_acpi(put_acpi, &out);
    out_flush(&out);
}

struct machine_cpu *run_machine_answers(void)
{
    if (!answers.is_wanted)
        return 0;
    answers.now->leaves.count = answers.now->leaves.lost = 0;
    answers.now->registers =
        (struct machine_reads){.room = MACHINE_MSRS_MAX, .read = answers.now->msr};
    return answers.now;
}

struct machine_reads *run_machine_uncore(void)
{
    if (!answers.is_wanted)
        return 0;
    answers.uncore.count = answers.uncore.lost = 0;
    answers.uncore.room = MACHINE_UNCORE_MAX;
    return &answers.uncore;
}

void run_machine_file_cpu(const struct run *run, unsigned number)
{
    char buffer[PART_BYTES];
    struct out out = part(run, buffer);
    struct machine_cpu *now = answers.now;

    if (!answers.is_wanted)
        return;
    machine_file_cpu(number, now, answers.has_first ? answers.first : 0, &out);
    out_flush(&out);
    if (answers.has_first)
        return;
    answers.now = answers.first;
    answers.first = now;
    answers.has_first = true;
}

void run_machine_file_uncore(const struct run *run, unsigned number)
{
    char buffer[PART_BYTES];
    struct out out = part(run, buffer);

    if (!answers.is_wanted || answers.uncore.count == 0)
        return;
    machine_file_uncore(number, &answers.uncore, &out);
    out_flush(&out);
}
