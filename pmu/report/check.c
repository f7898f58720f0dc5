/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Renders check.txt: what can be believed on a machine, by topic. A topic begins with its answer,
 * and continues with the worst reason that applies.
 */
#include "pmu/cpu/tsc.h"
#include "pmu/files/machine_file.h"
#include "pmu/files/param.h"
#include "pmu/files/render_parts.h"
#include "pmu/report/parts.h"
#include "pmu/uncore/words.h"

#define SENTENCE_BYTES 900u
#define AVAILABLE_ALL  100000u /* of noise_available() */
#define AVAILABLE_GOOD 99900u  /* gaps take at most a thousandth of the time */
#define FAULTS_SHOWN   3u
#define WORDS_BYTES    160u

enum answer { ANSWER_YES, ANSWER_CARE, ANSWER_NO, ANSWER_UNKNOWN };

struct cpu_set {
    uint8_t bit[VIEW_CPUS_MAX / 8];
    unsigned count;
};

/* What a journal says about the topics. Large (60 KiB): never on a stack. */
struct check {
    struct reading reading;
    struct tally tally;
    struct faults failed;
    struct out *out;
    uint32_t errors;          /* notes of errors */
    uint32_t known;           /* rows whose declared count is right */
    uint32_t of_bad_counters; /* rows that failed because of their counter */

    struct cpu_set measured, silent, in_use, faulty, untested, lacking;
    struct cpu_caps caps;        /* of the first CPU with counters, or else of the first CPU */
    bool has_pmu;                /* some CPU has counters */
    uint32_t no_pmu;             /* why the first CPU has none, if so */
    uint32_t untested_for;       /* why the first untested CPU is */
    struct tested_counter fault; /* the first one */
    uint32_t failures;           /* counters that failed their test, on all CPUs */

    struct cpu_set loud;
    uint32_t watches, smis, nmis, least_available;
    uint64_t longest_ticks;
    bool smis_unknown;

    uint32_t packages;
    uint32_t kinds; /* bit i: units of kind i passed their test */
    struct uncore_record package;
    const struct uncore_record_group *bad;  /* in `package`: failed its test */
    const struct uncore_record_group *lost; /* in `package`: could not be found or taken over */
    uint32_t uncore_unknown;                /* packages whose model is not in the tables */
};

static void set_add(struct cpu_set *set, uint32_t cpu)
{
    if (cpu >= VIEW_CPUS_MAX || set->bit[cpu / 8] >> cpu % 8 & 1)
        return;
    set->bit[cpu / 8] |= (uint8_t)(1u << cpu % 8);
    set->count++;
}

/* Writes "CPU 3", "CPUs 0-2,5" or "every CPU". */
static void put_set(const struct check *check, const struct cpu_set *set, struct out *out)
{
    if (set->count == check->measured.count && set->count > 1)
        out_text(out, "every CPU");
    else
        faults_cpus(set->bit, 0, out);
}

/* ---- reading the journal ---- */

/* STATUS_OK if a CPU has counters. */
static enum status why_no_pmu(const struct cpu_record *cpu)
{
    if (cpu->status != STATUS_OK)
        return cpu->status;
    if (cpu->caps.vendor != VENDOR_INTEL)
        return STATUS_VENDOR;
    if (cpu->caps.gp_count > 0 || cpu->caps.fixed_map != 0)
        return STATUS_OK;
    return cpu->refused_msr ? STATUS_MSR_FAULT : STATUS_NO_PMU;
}

static void take_cpu(struct check *check)
{
    const struct cpu_record *cpu = check->reading.view.cpu;

    if (!cpu)
        return;
    set_add(&check->measured, cpu->cpu);
    if (cpu->status == STATUS_TIMEOUT || cpu->status == STATUS_START_FAILED)
        set_add(&check->silent, cpu->cpu);
    if (cpu->flags & CPU_WAS_IN_USE || pmu_hidden_use(&cpu->found) != 0)
        set_add(&check->in_use, cpu->cpu);
    if (cpu->refused_msr)
        set_add(&check->lacking, cpu->cpu);
    if (why_no_pmu(cpu) != STATUS_OK) {
        if (check->measured.count == 1) {
            check->caps = cpu->caps;
            check->no_pmu = why_no_pmu(cpu);
        }
        return;
    }
    if (!check->has_pmu)
        check->caps = cpu->caps;
    check->has_pmu = true;
}

static void take_tests(struct check *check)
{
    const struct counter_tests *tests = check->reading.view.tests;

    if (!tests)
        return;
    if (tests->status != STATUS_OK) {
        check->untested_for = check->untested.count ? check->untested_for : tests->status;
        set_add(&check->untested, tests->cpu);
    }
    if (tests->general_kept < tests->general_named || tests->alias_refused)
        set_add(&check->lacking, tests->cpu);
    if (counter_check_failures(tests) == 0)
        return;
    if (check->faulty.count == 0)
        check->fault = *counter_check_first(tests);
    check->failures += counter_check_failures(tests);
    set_add(&check->faulty, tests->cpu);
}

static void take_noise(struct check *check)
{
    const struct noise *noise = check->reading.view.noise;

    if (!noise || noise->status != STATUS_OK || noise->threshold_ticks == 0 ||
        !noise_is_right(noise))
        return;
    check->watches++;
    check->smis += noise->smis;
    check->nmis += noise->nmis;
    check->smis_unknown |= !noise->smis_known;
    if (noise_available(noise) < check->least_available)
        check->least_available = noise_available(noise);
    if (noise->longest_ticks > check->longest_ticks)
        check->longest_ticks = noise->longest_ticks;
    if (!noise_is_quiet(noise))
        set_add(&check->loud, noise->cpu);
}

/* Keeps the first package with a failed group, or else the first with a lost one. */
static void take_uncore(struct check *check)
{
    const struct uncore_record *uncore = check->reading.view.uncore;

    if (!uncore)
        return;
    check->packages++;
    check->uncore_unknown += uncore->status == STATUS_UNCORE_UNKNOWN;
    for (uint32_t i = 0; i < uncore->groups && i < UNCORE_GROUPS_MAX; i++) {
        const struct uncore_record_group *group = &uncore->group[i];
        const bool is_bad = uncore_group_fails(group);
        const bool is_lost = group->status != STATUS_OK || uncore->error[i].status != STATUS_OK;

        if (!is_bad && !is_lost && group->fault != UNCORE_UNTESTED)
            check->kinds |= 1u << group->kind % UNCORE_KINDS;
        if (check->bad || (check->lost && !is_bad) || (!is_bad && !is_lost))
            continue;
        check->package = *uncore;
        check->bad = is_bad ? &check->package.group[i] : 0;
        check->lost = is_bad ? 0 : &check->package.group[i];
    }
}

static void take_rows(struct check *check, const struct rows *rows)
{
    tally_rows(&check->tally, rows);
    if (rows->result->status == STATUS_TIMEOUT || rows->result->status == STATUS_SKIPPED)
        set_add(&check->silent, rows->result->cpu);
    for (unsigned i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];

        check->known += row->verdict == VERDICT_EXACT || row->verdict == VERDICT_WITHIN;
        check->of_bad_counters += row_fails(row) && row->counter_off;
        if (row_fails(row) && !row->counter_off)
            faults_add(&check->failed, rows, row);
    }
}

static void take(struct check *check, const struct journal_head *head)
{
    if (check->reading.result)
        take_rows(check, reading_rows(&check->reading, check->reading.result));
    else if (head->type == RECORD_CPU)
        take_cpu(check);
    else if (head->type == RECORD_TEST)
        take_tests(check);
    else if (head->type == RECORD_NOISE)
        take_noise(check);
    else if (head->type == RECORD_UNCORE)
        take_uncore(check);
    else if (render_note(head, NOTE_ERROR))
        check->errors++;
}

/* ---- the topics ---- */

__attribute__((format(printf, 4, 5))) static void say(const struct check *check, const char *topic,
                                                      enum answer answer, const char *format, ...)
{
    static const char *const ANSWERS[] = {[ANSWER_YES] = "Yes.",
                                          [ANSWER_CARE] = "With care.",
                                          [ANSWER_NO] = "No.",
                                          [ANSWER_UNKNOWN] = "Not known."};
    char sentence[SENTENCE_BYTES], line[SENTENCE_BYTES + 16];

    OUT_FORMAT(sentence, sizeof(sentence), format);
    out_put(line, sizeof(line), "%s %s", ANSWERS[answer], sentence);
    out_printf(check->out, "%*s", -(int)REPORT_INDENT, topic);
    report_wrapped(line, REPORT_INDENT, check->out);
}

static void say_cpus(const struct check *check)
{
    const struct run_record *run = check->reading.view.run;
    char text[WORDS_BYTES];
    struct out cpus = out_buffer(text, sizeof(text));

    put_set(check, &check->silent, &cpus);
    out_end(&cpus);
    if (check->silent.count > 0)
        say(check, "CPUs", ANSWER_NO, "%s did not answer: believe nothing that was counted there.",
            text);
    else
        say(check, "CPUs", check->measured.count < run->cpus_found ? ANSWER_CARE : ANSWER_YES,
            "CPUs measured: %u of %u.", check->measured.count, run->cpus_found);
}

static void say_counters_right(const struct check *check)
{
    const struct cpu_caps *caps = &check->caps;
    char general[COUNTED_BYTES], fixed[COUNTED_BYTES], text[WORDS_BYTES];
    struct out cpus = out_buffer(text, sizeof(text));
    unsigned count = 0;

    for (uint32_t map = caps->fixed_map; map; map &= map - 1)
        count++;
    put_set(check, &check->measured, &cpus);
    say(check, "Counters", ANSWER_YES, "PMU version %u: %s and %s passed their test on %s.",
        caps->pmu_version, counted(caps->gp_count, "general counter", general),
        counted(count, "fixed one", fixed), out_end(&cpus));
}

static void say_counters(const struct check *check)
{
    char text[WORDS_BYTES], fault[SENTENCE_BYTES / 2];
    struct out cpus = out_buffer(text, sizeof(text)), why = out_buffer(fault, sizeof(fault));

    if (!check->has_pmu) {
        say(check, "Counters", ANSWER_NO, "Nothing is counted: %s.", status_text(check->no_pmu));
    } else if (check->faulty.count > 0) {
        put_set(check, &check->faulty, &cpus);
        counter_check_say(&check->fault, &why);
        say(check, "Counters", ANSWER_NO, "On %s, %s%s.", out_end(&cpus), out_end(&why),
            check->failures > check->faulty.count
                ? "; summary.txt has the other counters that failed"
                : "");
    } else if (check->untested.count > 0) {
        put_set(check, &check->untested, &cpus);
        say(check, "Counters", ANSWER_NO, "The test did not finish on %s: %s.", out_end(&cpus),
            status_text(check->untested_for));
    } else if (check->lacking.count > 0) {
        put_set(check, &check->lacking, &cpus);
        say(check, "Counters", ANSWER_CARE,
            "CPUID promises registers that do not exist on %s; they are not used.", out_end(&cpus));
    } else if (check->in_use.count > 0) {
        put_set(check, &check->in_use, &cpus);
        say(check, "Counters", ANSWER_CARE,
            "Someone else was using counters on %s, perhaps the firmware or a BMC.",
            out_end(&cpus));
    } else {
        say_counters_right(check);
    }
}

/* Writes "nops on CPU 1: reason" for the first failed rows. */
static void put_failed(const struct check *check, struct out *out)
{
    for (unsigned i = 0; i < check->failed.count && i < FAULTS_SHOWN; i++) {
        const struct fault *fault = &check->failed.fault[i];

        out_text(out, i > 0 ? "; " : "");
        if (fault->rows == fault->of_rows)
            param_say(fault->kernel, out);
        else
            out_text(out, fault->name);
        out_text(out, " on ");
        faults_cpus(fault->cpus, 0, out);
        out_printf(out, ": %s", fault->reason);
    }
    if (check->failed.count > FAULTS_SHOWN)
        out_text(out, "; and more");
}

static void say_counts(const struct check *check)
{
    const uint32_t others = tally_failed(&check->tally) - check->of_bad_counters;
    char text[SENTENCE_BYTES / 2], rows[COUNTED_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    put_failed(check, &out);
    out_end(&out);
    if (check->tally.counted == 0)
        say(check, "Counts", ANSWER_UNKNOWN, "No event was counted.");
    else if (others > 0)
        say(check, "Counts", ANSWER_NO,
            "Rows with a known count that are right: %u. %s failed: %s.", check->known,
            counted(others, "row", rows), text);
    else if (check->of_bad_counters > 0)
        say(check, "Counts", ANSWER_CARE,
            "The %s of bad counters are marked. Of the other rows, all with a known count are "
            "right: %u.",
            counted(check->of_bad_counters, "row", rows), check->known);
    else if (check->known == 0)
        say(check, "Counts", ANSWER_UNKNOWN, "No event was counted whose count is known.");
    else
        say(check, "Counts", ANSWER_YES, "All rows with a known count are right: %u.",
            check->known);
}

static void say_time(const struct check *check)
{
    const struct run_record *run = check->reading.view.run;
    const uint32_t ppm = tsc_error_ppm(run->tsc_source, run->tsc_hz, run->tsc_measured_hz);
    char text[NOISY_BY_BYTES], rows[COUNTED_BYTES];
    struct out why = out_buffer(text, sizeof(text));

    noisy_by_words(check->tally.noisy_by, &why);
    out_end(&why);
    if (run->emulated)
        say(check, "Time", ANSWER_NO, "The CPUs are emulated: cycles follow a formula.");
    else if (run->tsc_source == TSC_UNKNOWN)
        say(check, "Time", ANSWER_NO, "The time stamp's rate is not known.");
    else if (tsc_is_doubtful(run->tsc_hz, run->tsc_measured_hz))
        say(check, "Time", ANSWER_CARE,
            "The time stamp has another rate against the ACPI timer than according to %s.",
            tsc_source_name(run->tsc_source));
    else if (check->tally.noisy_of_time > 0)
        say(check, "Time", ANSWER_CARE, "%s of time or cycles are noisy: %s.",
            counted(check->tally.noisy_of_time, "row", rows), text);
    else if (run->hypervisor[0])
        say(check, "Time", ANSWER_CARE, "This is a virtual machine, which others can stop.");
    else if (!caps_has(&check->caps, FEATURE_TSC_CONST))
        say(check, "Time", ANSWER_CARE, "The time stamp's rate changes with the CPU's clock.");
    else
        say(check, "Time", ANSWER_YES, "The time stamp's rate is known within %u ppm.", ppm);
}

static void say_quiet(const struct check *check)
{
    const struct run_record *run = check->reading.view.run;
    const uint64_t ns = noise_ns(check->longest_ticks, run->tsc_hz);
    const uint32_t lost = AVAILABLE_ALL - check->least_available;
    const char *smis = check->smis_unknown ? "; SMIs cannot be counted" : "";
    char text[WORDS_BYTES];
    struct out cpus = out_buffer(text, sizeof(text));

    put_set(check, &check->loud, &cpus);
    out_end(&cpus);
    if (check->watches == 0)
        say(check, "Quiet", ANSWER_UNKNOWN, "No CPU was watched for gaps.");
    else if (check->loud.count == 0)
        say(check, "Quiet", ANSWER_YES, "Nothing interrupted a CPU while it was watched%s.", smis);
    else
        say(check, "Quiet",
            check->least_available >= AVAILABLE_GOOD && check->smis + check->nmis == 0
                ? ANSWER_YES
                : ANSWER_CARE,
            "Gaps on %s took up to %u.%03u %% of a CPU's time, the longest %llu us; SMIs: %u, "
            "NMIs: "
            "%u%s.",
            text, lost / 1000, lost % 1000, (unsigned long long)(ns / 1000), check->smis,
            check->nmis, smis);
}

static void put_kinds(uint32_t kinds, struct out *out)
{
    const char *before = "";

    for (unsigned kind = 0; kind < UNCORE_KINDS; kind++)
        if (kinds >> kind & 1) {
            out_printf(out, "%s%s", before, uncore_kind_name(kind));
            before = ", ";
        }
}

static uint32_t why_lost(const struct check *check)
{
    const uint32_t error = check->package.error[check->lost - check->package.group].status;

    return check->lost->status != STATUS_OK ? check->lost->status : error;
}

static void say_uncore(const struct check *check)
{
    const struct uncore_record_group *lost = check->lost;
    char text[SENTENCE_BYTES / 2];
    struct out out = out_buffer(text, sizeof(text));

    if (check->packages == 0) {
        say(check, "Uncore", ANSWER_UNKNOWN, "The plan counts no uncore event.");
    } else if (check->bad) {
        uncore_fault_words(check->bad, &out);
        say(check, "Uncore", ANSWER_NO, "In package %u, %s.", check->package.package,
            out_end(&out));
    } else if (check->kinds == 0) {
        say(check, "Uncore", ANSWER_NO, "Nothing is counted: %s.",
            status_text(lost ? why_lost(check) : STATUS_UNCORE_UNKNOWN));
    } else {
        put_kinds(check->kinds, &out);
        if (lost)
            out_printf(&out, ". Not counted in package %u is %s: %s", check->package.package,
                       uncore_kind_name(lost->kind), status_text(why_lost(check)));
        say(check, "Uncore", check->uncore_unknown > 0 || lost ? ANSWER_CARE : ANSWER_YES,
            "These passed their test: %s.", out_end(&out));
    }
}

/* Says that the run ended early, and that it has errors. */
static void say_end(const struct check *check, const struct render *render)
{
    const struct end_record *end = check->reading.view.end;
    char text[SENTENCE_BYTES], errors[COUNTED_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (!end)
        render_how_cut_off(render, &out);
    else if (end->stopped == STOPPED_BY_MACHINE_CHECK)
        out_text(&out, "a machine check ended the run");
    else if (end->stopped != STOPPED_NOT)
        out_text(&out, "a key ended the run");
    if (out.used > 0)
        say(check, "Complete", ANSWER_NO, "This page is about a part of the run: %s.",
            out_end(&out));
    if (check->errors > 0)
        say(check, "Errors", ANSWER_CARE, "The run has %s: see the lines with '!' in summary.txt.",
            counted(check->errors, "error", errors));
}

static void start(struct check *check, const struct render *render, struct out *out)
{
    char *bytes = (char *)check;

    for (size_t i = 0; i < sizeof(*check); i++) /* an initialiser might be made on the stack */
        bytes[i] = 0;
    check->least_available = AVAILABLE_ALL;
    check->out = out;
    check->reading = reading_start(render);
}

static void say_all(const struct check *check, const struct render *render)
{
    struct out *out = check->out;
    const char *brand = check->caps.brand;

    while (*brand == ' ')
        brand++;
    out_text(out, "What can be believed on this machine\n");
    out_printf(out, "%*s", -(int)REPORT_INDENT, "Machine");
    report_wrapped(brand[0] ? brand : check->caps.vendor_id, REPORT_INDENT, out);
    say_end(check, render);
    say_cpus(check);
    say_counters(check);
    say_counts(check);
    say_time(check);
    say_quiet(check);
    say_uncore(check);
    if (!render_has_machine(render))
        return;
    out_printf(out, "%*s", -(int)REPORT_INDENT, "Send");
    report_wrapped("The project can make a test of this machine from this page and machine.txt. "
                   "Neither has a serial number: docs/first-boot.md",
                   REPORT_INDENT, out);
}

bool report_check_txt(const struct render *render, struct out *out)
{
    static struct check check;
    const struct journal_head *head;
    const struct result *result;

    start(&check, render, out);
    while ((head = reading_next(&check.reading)))
        take(&check, head);
    while ((result = reading_next_result(&check.reading)))
        take_rows(&check, reading_rows(&check.reading, result));
    if (check.reading.view.run)
        say_all(&check, render);
    return out_flush(out);
}

bool report_has_check(const struct render *render)
{
    const struct beginning first = render_beginning(render);

    return first.run && first.run->plan_flags & RUN_CHECK;
}
