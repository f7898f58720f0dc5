/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Renders check.txt: what can be believed on a machine, by topic. A topic begins with an answer,
 * such as "Yes.", and the most serious reason for it.
 */
#include "pmu/base/text.h"
#include "pmu/cpu/tsc.h"
#include "pmu/files/machine_file.h"
#include "pmu/report/check_parts.h"
#include "pmu/uncore/words.h"

#define WORDS_BYTES    160u /* for the text of faults_cpus() */
#define SENTENCE_BYTES (2u * REPORT_FAULT_BYTES + RUN_SUM_WORDS_BYTES)
#define AVAILABLE_ALL  100000u /* noise_available() without gaps */
#define AVAILABLE_GOOD 99900u  /* at most a thousandth of the time is lost in gaps */
#define TSC_PPM_GOOD   1000u

enum answer { ANSWER_YES, ANSWER_CARE, ANSWER_NO, ANSWER_UNKNOWN };

/* The result of cpus_or(), valid until the next call of cpus_or(). */
static char words[WORDS_BYTES];

static const char *cpus_or(const struct check *check, const struct cpu_set *set, const char *all)
{
    struct out out = out_buffer(words, sizeof(words));

    if (set->count == check->measured.count && set->count > 1)
        out_text(&out, all);
    else
        faults_cpus(set->bit, 0, &out);
    return out_end(&out);
}

/* "CPU 3", "CPUs 0-2,5" or "every CPU". */
static const char *cpus_of(const struct check *check, const struct cpu_set *set)
{
    return cpus_or(check, set, "every CPU");
}

/* "any CPU" instead of "every CPU", for a sentence with a negation. */
static const char *no_cpus_of(const struct check *check, const struct cpu_set *set)
{
    return cpus_or(check, set, "any CPU");
}

__attribute__((format(printf, 4, 5))) static void say(struct out *out, const char *topic,
                                                      enum answer answer, const char *format, ...)
{
    static const char *const ANSWERS[] = {[ANSWER_YES] = "Yes.",
                                          [ANSWER_CARE] = "With care.",
                                          [ANSWER_NO] = "No.",
                                          [ANSWER_UNKNOWN] = "Not known."};
    static char sentence[SENTENCE_BYTES], line[SENTENCE_BYTES + 16]; /* too large for a stack */

    OUT_FORMAT(sentence, sizeof(sentence), format);
    out_put(line, sizeof(line), "%s %s", ANSWERS[answer], sentence);
    out_printf(out, "%*s", -(int)REPORT_INDENT, topic);
    report_wrapped(line, REPORT_INDENT, out);
}

static void say_run(const struct check *check, const struct render *render, struct out *out)
{
    const struct end_record *end = check->reading.view.end;
    char text[NOTE_BYTES], errors[COUNTED_BYTES], exceptions[COUNTED_BYTES];
    struct out part = out_buffer(text, sizeof(text));

    if (!end)
        render_how_cut_off(render, &part);
    else if (end->stopped == STOPPED_BY_MACHINE_CHECK)
        out_text(&part, "a machine check ended the run");
    else if (end->stopped != STOPPED_NOT)
        out_text(&part, "a key ended the run");
    if (part.used > 0)
        say(out, "Complete", ANSWER_NO, "This page is about a part of the run: %s.",
            out_end(&part));
    if (check->errors > 0)
        say(out, "Errors", ANSWER_CARE, "The run has %s: see the lines with '!' in summary.txt.",
            counted(check->errors, "error", errors));
    if (check->exceptions > 0)
        say(out, "Restored", ANSWER_NO, "%s could not be put back as found: see run.json.",
            counted(check->exceptions, "register", exceptions));
}

/*
 * Returns false, and leaves out the topics from "Counters" to "Uncore", if no CPU was measured or
 * none answered.
 */
static bool say_cpus(const struct check *check, struct out *out)
{
    const struct run_record *run = check->run;
    const unsigned measured = check->measured.count;

    if (measured == 0)
        say(out, "CPUs", ANSWER_NO, "No CPU was measured.");
    else if (check->silent.count == measured)
        say(out, "CPUs", ANSWER_NO, "No CPU answered all the time.");
    else if (check->silent.count > 0)
        say(out, "CPUs", ANSWER_NO, "%s did not answer: believe nothing that was counted there.",
            cpus_of(check, &check->silent));
    else if (run->plan_flags & RUN_ONLY_BOOT)
        say(out, "CPUs", ANSWER_CARE, "The firmware lets the program use only the boot CPU.");
    else if (run->plan_flags & RUN_NOT_ALL)
        say(out, "CPUs", ANSWER_CARE, "There are more CPUs than the %u that were measured.",
            measured);
    else
        say(out, "CPUs", measured < run->cpus_found ? ANSWER_CARE : ANSWER_YES,
            "CPUs measured: %u of %u.", measured, run->cpus_found);
    return measured > check->silent.count;
}

/* Writes "4 general counters", or "6 to 8 general counters" if CPUs differ. */
static void put_extent(const struct extent *extent, const char *noun, struct out *out)
{
    char text[COUNTED_BYTES];

    if (extent->low < extent->high)
        out_printf(out, "%u to ", extent->low);
    out_text(out, counted(extent->high, noun, text));
}

static void say_passed(const struct check *check, struct out *out)
{
    char text[WORDS_BYTES];
    struct out counters = out_buffer(text, sizeof(text));

    if (check->vendor == VENDOR_AMD) {
        put_extent(&check->general, "counter", &counters);
        say(out, "Counters", ANSWER_YES, "%s: %s passed their test on %s.",
            check->version.high >= 2 ? "PerfMonV2" : "Without PerfMonV2", out_end(&counters),
            cpus_of(check, &check->passed));
        return;
    }
    out_printf(&counters, "PMU version %u: ", check->version.high);
    put_extent(&check->general, "general counter", &counters);
    out_text(&counters, " and ");
    put_extent(&check->fixed, "fixed one", &counters);
    say(out, "Counters", ANSWER_YES, "%s passed their test on %s.", out_end(&counters),
        cpus_of(check, &check->passed));
}

static void say_counters(const struct check *check, struct out *out)
{
    char text[REPORT_FAULT_BYTES];
    struct out fault = out_buffer(text, sizeof(text));

    if (check->faulty.count > 0) {
        counter_check_say(&check->fault, &fault);
        say(out, "Counters", ANSWER_NO, "On %s, %s%s.", cpus_of(check, &check->faulty),
            out_end(&fault),
            check->faults > check->faulty.count ? "; summary.txt has the other counters that failed"
                                                : "");
    } else if (check->untested.count > 0) {
        say(out, "Counters", ANSWER_NO, "No counter was tested on %s: %s.",
            no_cpus_of(check, &check->untested), status_text(check->untested.why));
    } else if (check->without.count > 0) {
        say(out, "Counters", ANSWER_NO, "Nothing is counted on %s: %s.",
            no_cpus_of(check, &check->without), status_text(check->without.why));
    } else if (check->lacking.count > 0) {
        say(out, "Counters", ANSWER_CARE,
            "CPUID promises registers that do not exist on %s; they are not used.",
            cpus_of(check, &check->lacking));
    } else if (check->in_use.count > 0) {
        say(out, "Counters", ANSWER_CARE,
            "Counters of %s were in use before the run, perhaps by the firmware or a BMC.",
            cpus_of(check, &check->in_use));
    } else {
        say_passed(check, out);
    }
}

static const char *failed_words(const struct check *check)
{
    static char text[SENTENCE_BYTES];
    struct out out = out_buffer(text, sizeof(text));
    const struct fault *fault = &check->failed.fault[0];

    if (check->failed.count > 0) {
        report_fault(fault, &out);
        out_text(&out, ": ");
        report_fault_reason(fault, &out);
    }
    return out_end(&out);
}

static const char *broken_sum(const struct check *check)
{
    static char text[RUN_SUM_WORDS_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    for (unsigned i = 0; i < check->sums.count && out.used == 0; i++)
        if (check->sums.of[i].differs > 0)
            render_sum_words(&check->sums.of[i], &out);
    return out_end(&out);
}

static void say_counts(const struct check *check, struct out *out)
{
    const uint32_t right = check_right(check);
    const uint32_t others = tally_failed(&check->tally) - check->of_bad_counters;
    char rows[COUNTED_BYTES];

    if (check->tally.counted == 0)
        say(out, "Counts", ANSWER_UNKNOWN, "No event was counted.");
    else if (others > 0)
        say(out, "Counts", ANSWER_NO,
            "Rows with a known count that are right: %u. %s failed; the first: %s.", right,
            counted(others, "row", rows), failed_words(check));
    else if (right == 0 && check->of_bad_counters > 0)
        say(out, "Counts", ANSWER_NO,
            "No row with a known count is right. The counters of %s failed their test or "
            "calibration.",
            counted(check->of_bad_counters, "row", rows));
    else if (check->of_bad_counters > 0)
        say(out, "Counts", ANSWER_CARE,
            "The counters of %s failed their test or calibration. Of the other rows, all with a "
            "known count are right: %u.",
            counted(check->of_bad_counters, "row", rows), right);
    else if (check->unchecked > 0)
        say(out, "Counts", ANSWER_CARE,
            "Rows with a known count that are right: %u. Not counted: %u; the first: %s.", right,
            check->unchecked, status_text(check->unchecked_why));
    else if (right == 0)
        say(out, "Counts", ANSWER_UNKNOWN, "No event with a known count was counted.");
    else if (broken_sum(check)[0])
        say(out, "Counts", ANSWER_CARE,
            "All rows with a known count are right: %u. But a sum does not hold: %s.", right,
            broken_sum(check));
    else
        say(out, "Counts", ANSWER_YES, "All rows with a known count are right: %u.", right);
}

static void say_time(const struct check *check, struct out *out)
{
    const struct run_record *run = check->run;
    const uint32_t ppm = tsc_error_ppm(run->tsc_source, run->tsc_hz, run->tsc_measured_hz);
    char text[NOISY_BY_BYTES], rows[COUNTED_BYTES];
    struct out why = out_buffer(text, sizeof(text));

    noisy_by_words(check->tally.noisy_by, &why);
    out_end(&why);
    if (check->bad_tsc.count > 0)
        say(out, "Time", ANSWER_NO, "The time stamp of %s stands still or goes backwards.",
            cpus_of(check, &check->bad_tsc));
    else if (run->emulated)
        say(out, "Time", ANSWER_NO, "The CPUs are emulated: cycles follow a formula.");
    else if (run->tsc_source == TSC_UNKNOWN)
        say(out, "Time", ANSWER_NO, "The time stamp's rate is not known.");
    else if (tsc_is_doubtful(run->tsc_hz, run->tsc_measured_hz))
        say(out, "Time", ANSWER_CARE,
            "The rate of the time stamp, %s, is not what the ACPI timer shows.",
            tsc_source_name(run->tsc_source));
    else if (check->tally.noisy_of_time > 0)
        say(out, "Time", ANSWER_CARE, "%s of time or cycles are noisy: %s.",
            counted(check->tally.noisy_of_time, "row", rows), text);
    else if (run->hypervisor[0])
        say(out, "Time", ANSWER_CARE, "This is a virtual machine, which its host can pause.");
    else if (!check->has_constant_tsc)
        say(out, "Time", ANSWER_CARE, "The time stamp's rate changes with the CPU's clock.");
    else
        say(out, "Time", ppm > TSC_PPM_GOOD ? ANSWER_CARE : ANSWER_YES,
            "The time stamp's rate is known within %u ppm.", ppm);
}

static void say_gaps(const struct check *check, struct out *out)
{
    const uint64_t us = noise_ns(check->longest_ticks, check->run->tsc_hz) / 1000;
    const uint32_t lost = AVAILABLE_ALL - check->least_available;
    const bool is_good =
        check->least_available >= AVAILABLE_GOOD && check->smis == 0 && check->nmis == 0;

    say(out, "Quiet", is_good ? ANSWER_YES : ANSWER_CARE,
        "Gaps on %s took up to %u.%03u %% of a CPU's time, the longest %llu us. SMIs: %u, NMIs: "
        "%u%s.",
        cpus_of(check, &check->loud), lost / 1000, lost % 1000, (unsigned long long)us, check->smis,
        check->nmis, check->smis_unknown ? "; SMIs cannot be counted" : "");
}

static void say_quiet(const struct check *check, struct out *out)
{
    if (check->watched.count == 0 && check->unwatched.count == 0)
        say(out, "Quiet", ANSWER_UNKNOWN, "No CPU was watched for gaps.");
    else if (check->unwatched.count > 0)
        say(out, "Quiet", ANSWER_CARE, "%s was not watched to the end: %s.",
            cpus_of(check, &check->unwatched), status_text(check->unwatched.why));
    else if (check->loud.count > 0)
        say_gaps(check, out);
    else
        say(out, "Quiet", ANSWER_YES, "Nothing interrupted a CPU while it was watched%s.",
            check->smis_unknown ? "; SMIs cannot be counted" : "");
}

/* Adds the sentence "INTRODUCTION: KIND, KIND.", or nothing if there are no kinds. */
static void put_kinds(const char *introduction, uint32_t kinds, struct out *out)
{
    const char *before = ": ";

    if (kinds == 0)
        return;
    out_printf(out, "%s%s", out->used > 0 ? " " : "", introduction);
    for (unsigned kind = 0; kind < UNCORE_KINDS; kind++)
        if (kinds >> kind & 1) {
            out_printf(out, "%s%s", before, uncore_kind_name(kind));
            before = ", ";
        }
    out_text(out, ".");
}

static const char *units_words(const struct check *check)
{
    static char text[SENTENCE_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    put_kinds("These passed their test", check->kinds_passed, &out);
    put_kinds("Counted without a test", check->kinds_counted & ~check->kinds_passed, &out);
    if (check->lost_why != STATUS_OK)
        out_printf(&out, " But %s of package %u is not counted: %s.",
                   uncore_kind_name(check->lost_kind), check->lost_package,
                   status_text(check->lost_why));
    return out_end(&out);
}

/* The first CPU that counts for its package and did not answer; VIEW_CPUS_MAX: none. */
static unsigned silent_for_package(const struct check *check)
{
    for (unsigned i = 0; i < check->looked_at; i++)
        if (check->uncore_cpu[i] < VIEW_CPUS_MAX && set_has(&check->silent, check->uncore_cpu[i]))
            return check->uncore_cpu[i];
    return VIEW_CPUS_MAX;
}

static enum status why_no_uncore(const struct check *check)
{
    if (check->uncore_status != STATUS_OK)
        return check->uncore_status;
    return check->lost_why != STATUS_OK ? check->lost_why : STATUS_UNCORE_ABSENT;
}

static void say_uncore(const struct check *check, struct out *out)
{
    const unsigned silent = silent_for_package(check);
    char text[REPORT_FAULT_BYTES];
    struct out fault = out_buffer(text, sizeof(text));

    if (!(check->run->plan_flags & RUN_UNCORE) && check->looked_at == 0) {
        say(out, "Uncore", ANSWER_UNKNOWN, "The plan counts no uncore event.");
    } else if (check->bad < UNCORE_GROUPS_MAX) {
        uncore_fault_words(&check->of_bad.group[check->bad], &fault);
        say(out, "Uncore", ANSWER_NO, "In package %u, %s.", check->of_bad.package, out_end(&fault));
    } else if (silent < VIEW_CPUS_MAX) {
        say(out, "Uncore", ANSWER_NO, "CPU %u, which counts for its package, did not answer.",
            silent);
    } else if (check->looked_at < check->packages) {
        say(out, "Uncore", ANSWER_NO, "Packages that could not be looked at: %u of %u.",
            check->packages - check->looked_at, check->packages);
    } else if (check->kinds_counted == 0) {
        say(out, "Uncore", ANSWER_NO, "%s: %s.",
            check->kinds_somewhere ? "No kind of unit is counted in all packages"
                                   : "Nothing is counted",
            status_text(why_no_uncore(check)));
    } else {
        say(out, "Uncore",
            check->lost_why == STATUS_OK && check->kinds_passed == check->kinds_counted
                ? ANSWER_YES
                : ANSWER_CARE,
            "%s", units_words(check));
    }
}

static void say_all(const struct check *check, const struct render *render, struct out *out)
{
    char text[WORDS_BYTES];
    struct out machine = out_buffer(text, sizeof(text));

    piece_put(piece_trim(piece_of(check->machine ? check->machine : "no CPU answered")), &machine);
    if (check->cores && check->cores[0])
        out_printf(&machine, " (%s)", check->cores);
    out_text(out, "What can be believed on this machine\n");
    out_printf(out, "%*s", -(int)REPORT_INDENT, "Machine");
    report_wrapped(out_end(&machine), REPORT_INDENT, out);
    say_run(check, render, out);
    if (say_cpus(check, out)) {
        say_counters(check, out);
        say_counts(check, out);
        say_time(check, out);
        say_quiet(check, out);
        say_uncore(check, out);
    }
    if (!render_has_machine(render))
        return;
    out_printf(out, "%*s", -(int)REPORT_INDENT, "Send");
    report_wrapped("The project can make a test of this machine from this page and machine.txt, "
                   "which have no serial number: docs/first-boot.md",
                   REPORT_INDENT, out);
}

bool report_check_txt(const struct render *render, struct out *out)
{
    static struct check check;

    check_look(&check, render);
    if (check.run)
        say_all(&check, render, out);
    return out_flush(out);
}

bool report_has_check(const struct render *render)
{
    const struct beginning first = render_beginning(render);

    return first.run && first.run->plan_flags & RUN_CHECK;
}
