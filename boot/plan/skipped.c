/* SPDX-License-Identifier: BSD-2-Clause */
/* Remembers where the machine stopped, and finishes a run that was cut off. */
#include "boot/plan/skipped.h"
#include "boot/efi/early_notes.h"
#include "boot/efi/console.h"
#include "boot/efi/files.h"
#include "boot/plan/kernels.h"
#include "boot/store/store.h"
#include "pmu/journal/skipped.h"
#include "pmu/base/text.h"

#define SKIPPED_PATH     FILES_SKIPPED
#define FILE_BYTES_MAX   32768u /* of a longer file, only the end is read */
#define LINE_BYTES       160u
#define DEATHS_BUILT_IN  2u /* a built-in kernel is left out after this many stops */
#define DEATHS_LIKELY    2u /* a noise or boot CPU phase is avoided after this many stops */
#define CPUS_STOPPED_MAX 2u /* with this many other CPUs stopped, only the boot CPU is used */
#define SAID_BYTES       480u
#define INDENT           4u

static struct {
    struct skipped kernels;
    struct skipped read; /* contents of skipped.csv */
    bool has_end;        /* skipped.csv ends with a newline */
    char text[FILE_BYTES_MAX];
    struct store earlier; /* the cut-off run */
} skipped;

static void add_error(void *context, unsigned line, const char *sentence)
{
    (void)context;
    early_error("\\" SKIPPED_PATH ":%u: %s", line, sentence);
}

static void read_file(void)
{
    int64_t size = files_size(SKIPPED_PATH), count = -1, start = 0;

    skipped.has_end = true;
    if (size == 0 || (size < 0 && files_missing()))
        return;
    if (size > 0)
        count = files_read_tail(SKIPPED_PATH, skipped.text, sizeof(skipped.text));
    if (count <= 0) {
        early_error("\\" SKIPPED_PATH " cannot be read: %s", files_error());
        return;
    }
    while (count < size && start < count && skipped.text[start] != '\n') /* skips a partial line */
        start++;
    skipped.has_end = skipped.text[count - 1] == '\n';
    skipped_parse(&skipped.read, skipped.text + start, (size_t)(count - start), add_error, 0);
    for (unsigned i = 0; i < skipped.read.entries; i++)
        skipped_add(&skipped.kernels, &skipped.read.entry[i]);
    if (count < size || skipped.read.forgotten > 0)
        early_error("\\" SKIPPED_PATH
                    " is too long: its first lines are ignored; delete those that are not needed");
}

static bool drain_to_file(void *context, const char *bytes, size_t count)
{
    return file_write(context, bytes, count);
}

/* Appends a line, so that a power cut can lose only that line. */
static bool append_to_file(const struct skipped_entry *entry)
{
    char buffer[LINE_BYTES];
    struct file file = {0};
    struct out out = out_stream(buffer, sizeof(buffer), drain_to_file, &file);
    bool is_new = files_size(SKIPPED_PATH) <= 0; /* the recovery may have deleted a damaged file */
    bool ok = files_begin_list(SKIPPED_PATH, SKIPPED_HEADER) && file_append(&file, SKIPPED_PATH);

    if (ok && !is_new && !skipped.has_end)
        out_text(&out, "\r\n");
    skipped_put(entry, &out);
    ok = ok && out_flush(&out) && file_flush(&file);
    file_close(&file);
    skipped.has_end = skipped.has_end || ok;
    return ok;
}

static bool is_left_out(const char *name, uint32_t crc32, bool is_built_in, uint32_t *run)
{
    return skipped_deaths(&skipped.kernels, name, crc32, CPU_NONE, run) >=
           (is_built_in ? DEATHS_BUILT_IN : 1);
}

static void name_phase(const struct phase *phase, char name[SKIPPED_NAME_BYTES])
{
    struct out out = out_buffer(name, SKIPPED_NAME_BYTES);

    render_phase_name(phase, &out);
    out_end(&out);
}

bool skipped_phase(enum phase_kind kind, uint32_t cpu, uint32_t detail)
{
    const struct phase phase = {.kind = kind, .detail = detail};
    char name[SKIPPED_NAME_BYTES];
    uint32_t run;

    name_phase(&phase, name);
    return skipped_deaths(&skipped.kernels, name, 0, cpu, &run) >=
           (kind == PHASE_NOISE || phase_is_of_boot_cpu(kind, detail) ? DEATHS_LIKELY : 1);
}

#define AGAIN " from now on; delete its line in \\" SKIPPED_PATH " to try it again."

static void say_watchdog(const struct skipped_entry *entry, struct out *out)
{
    const struct skipped_entry *other = skipped_watchdog(&skipped.kernels, entry);

    if (!other)
        return;
    out_printf(out,
               " That was %u s after the machine's reset, and run %04u stopped in '%s' %u s after "
               "a reset: "
               "a watchdog of the board or its BMC is likely. Switch it off in their setup.",
               entry->uptime_s, other->run, other->kernel, other->uptime_s);
}

static void say_consequence(const struct cut_off *cut, struct out *out)
{
    static const char *const PHASES_AVOIDED[PHASES] = {
        [PHASE_START] = "The CPU is left out",
        [PHASE_COUNTERS] = "The CPU counts no core events",
        [PHASE_UNCORE_FIND] = "No uncore counters are used",
        [PHASE_UNCORE] = "These counters are not used",
        [PHASE_STATE] = "The setting is left as it is found",
        [PHASE_STATE_LOOK] = "The CPU is left out",
        [PHASE_STATE_RESTORE] = "No setting is changed",
        [PHASE_NOISE] = "The CPU is left out",
        [PHASE_CALIBRATION] = "The CPU is left out",
        [PHASE_PARK] = "The other CPUs wait in the firmware",
        [PHASE_WAKE] = "The other CPUs wait in the firmware",
    };
    const struct known_kernel *kernel = cut->kernel;
    uint32_t run;

    if (cut->phase && skipped_phase(cut->phase->kind, cut->phase->cpu, cut->phase->detail))
        out_printf(out, "%s" AGAIN, PHASES_AVOIDED[cut->phase->kind]);
    else if (cut->phase)
        out_text(out, "It will be tried once more.");
    else if (is_left_out(kernel->name, kernel->crc32, kernels_has_built_in(kernel->name), &run))
        out_text(out, "It is left out" AGAIN);
    else if (kernels_has_built_in(kernel->name))
        out_text(out, "It is built in, so it will be run once more.");
    else
        out_text(out, "It will be run once more.");
}

static void say_death(const struct cut_off *cut, const struct skipped_entry *entry)
{
    char text[SAID_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    out_printf(&out, "Run %04u was cut off ", cut->run->number);
    if (cut->phase) {
        out_text(&out, "while ");
        render_phase_words(cut->phase, &out);
    } else {
        out_text(&out, "in kernel ");
        render_cut_off_kernel(cut, &out);
        out_text(&out, " on ");
        render_cut_off_cpus(cut, &out);
    }
    out_text(&out, ": the machine stopped there, its power failed, or this volume failed. ");
    say_consequence(cut, &out);
    say_watchdog(entry, &out);
    say("- ");
    say_wrapped(out_end(&out), INDENT);
}

static void add(const struct cut_off *cut)
{
    struct skipped_entry entry = {
        .run = cut->run->number, .uptime_s = cut->uptime_s, .ran_s = cut->ran_s};
    bool written = true;

    if (cut->phase) {
        name_phase(cut->phase, entry.kernel);
        entry.cpu = cut->phase->cpu;
    } else {
        text_copy(entry.kernel, sizeof(entry.kernel), cut->kernel->name);
        text_copy(entry.file, sizeof(entry.file), cut->kernel->file);
        entry.crc32 = cut->kernel->crc32;
        entry.cpu = cut->next->cpu;
    }
    text_copy(entry.started, sizeof(entry.started), cut->run->started);
    if (skipped_add(&skipped.kernels, &entry))
        written = append_to_file(&entry);
    say_death(cut, &entry);
    if (!written)
        early_error("\\" SKIPPED_PATH " could not be written: %s. The next boot will know "
                    "nothing of %s",
                    files_error(), entry.kernel);
}

void skipped_kernels_look(void)
{
    read_file();
    store_recover(&skipped.earlier, add);
}

bool skipped_parking(void)
{
    return skipped_phase(PHASE_PARK, CPU_NONE, 0) || skipped_phase(PHASE_WAKE, CPU_NONE, 0);
}

static bool is_cpu_left_out(const struct cpus *cpus, unsigned cpu)
{
    for (unsigned kind = 0; kind < PHASES; kind++)
        if (phase_needs_cpu(kind) && skipped_phase(kind, cpu, cpus->cpu[cpu].boot))
            return true;
    return false;
}

static void leave_out(struct cpu_slot *cpu)
{
    cpu->usable = false;
    cpu->lack = CPU_STOPPED;
}

void skipped_cpus_leave_out(struct cpus *cpus)
{
    unsigned count = 0;

    for (unsigned i = 0; i < cpus->count; i++) {
        if (!cpus->cpu[i].usable || !is_cpu_left_out(cpus, i))
            continue;
        leave_out(&cpus->cpu[i]);
        early_remark(
            "not measured: CPU %u: the machine stopped while using it; see \\" SKIPPED_PATH, i);
    }
    for (unsigned i = 0; i < cpus->count; i++)
        count += cpus->cpu[i].lack == CPU_STOPPED && !cpus->cpu[i].boot;
    if (count < CPUS_STOPPED_MAX || cpus->only_boot)
        return;
    for (unsigned i = 0; i < cpus->count; i++)
        if (cpus->cpu[i].usable && !cpus->cpu[i].boot)
            leave_out(&cpus->cpu[i]);
    cpus->only_boot = "the machine stopped while using other CPUs (\\" SKIPPED_PATH ")";
    early_remark("only the boot CPU is measured: %s", cpus->only_boot);
}

bool skipped_kernels_has(const struct kernel_record *kernel, uint32_t *run)
{
    bool left_out = is_left_out(kernel->name, kernel->crc32, kernels_is_built_in(kernel), run);

    if (!left_out)
        *run = 0;
    return left_out;
}
