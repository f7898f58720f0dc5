/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports a plan for a CPU that the program is not running on. */
#include "pmu/base/text.h"
#include "pmu/events/list.h"
#include "pmu/report/other.h"
#include "pmu/report/parts.h"

/* clang-format off */
#define NOT_KNOWN \
    "Not known: how many CPUs there are, their clocks, caches and memory, and what microcode " \
    "changes. The time that the plan takes is therefore not known. A product, or its firmware " \
    "setup, may have other features and counters than its model."
#define NOT_READ \
    "Not known: how long the plan takes, and which units of the uncore the firmware leaves usable."
/* clang-format on */

/* The errors of the plan's events, for each core type that the plan selects. */
struct found {
    unsigned types;
    struct {
        const char *name;
        const struct plan_error *error;
        unsigned errors;
    } of[OTHER_CORE_TYPES];
};

static struct uncore uncore; /* of the reported CPU; too large for a stack */

static const struct uncore *uncore_there(void *context)
{
    return context;
}

void report_other_cpu(const struct other_cpu *cpu, struct out *out)
{
    char text[OTHER_WORDS_BYTES + 64], counters[COUNTED_BYTES];
    struct out words = out_buffer(text, sizeof(text));

    out_text(&words, "For ");
    other_cpu_words(cpu, &words);
    out_char(&words, ':');
    report_wrapped(out_end(&words), 2, out);
    report_pmu(&cpu->caps, out);
    if (!cpu->is_read && cpu->model->alone_count)
        out_printf(out, "          %s on a core that has one thread\n",
                   counted(cpu->model->alone_count, "counter", counters));
    if (!other_cpu_features_known(cpu))
        out_text(out,
                 "          its features, and so the kernels that it can run, are not known\n");
    out_flush(out);
}

static bool was_named(unsigned before, struct piece name)
{
    for (unsigned i = 0; i < before; i++) {
        struct piece names = piece_of(cpu_model_at(i)->names);

        while (names.size > 0)
            if (piece_same_name(word_next(&names), name))
                return true;
    }
    return false;
}

void report_other_names(const char *text, struct out *out)
{
    const struct cpu_model *model;
    size_t column = 0;

    if (piece_find(piece_of(text), '/') < text_length(text))
        return;
    out_text(out, "The names (case, blanks and dashes do not matter):");
    for (unsigned i = 0; (model = cpu_model_at(i)); i++) {
        struct piece names = piece_of(model->names);

        while (names.size > 0) {
            struct piece name = word_next(&names);

            if (was_named(i, name))
                continue;
            if (column == 0 || column + 1 + name.size > REPORT_COLUMNS) {
                out_text(out, "\n ");
                column = 1;
            }
            out_char(out, ' ');
            piece_put(name, out);
            column += 1 + name.size;
        }
    }
    out_text(out, "\n");
    out_flush(out);
}

static void say_nothing(void *context, const char *sentence)
{
    (void)context;
    (void)sentence;
}

static void put_uncounted(const struct cpu_events *events, struct out *out)
{
    bool counts = false;

    for (unsigned i = 0; i < events->events; i++)
        counts |= events->event[i].status == STATUS_OK;
    out_text(out, "Counts    no core events: this family's counters are not supported");
    out_text(out, counts ? "\n" : ";\n          the run ends in NOT MEASURED\n");
}

static void put_events(const struct other_plan *about, const struct other_cpu *cpu, struct out *out)
{
    static const struct run_record RUN;
    static struct cpu_record record;
    static struct view view;
    uint64_t told = 0;
    const struct cpu_events *events = about->events;
    const struct table_source *tables = tables_of(about->tables, &cpu->caps, say_nothing, NULL);

    record.caps = cpu->caps;
    view = (struct view){.run = &RUN,
                         .cpu = &record,
                         .event = events->event,
                         .events = events->events,
                         .schedule = events->schedule};
    out_printf(out, "Events    %s\n",
               tables->file[0] ? tables->file : "built in: there is no table for this CPU");
    out_printf(out, "Plan      %s: kernels: %u, runs: %u, passes: %u\n", about->name,
               about->kernels, about->plan->runs, events->schedule->passes);
    report_events(&view, &told, out);
    if (cpu->caps.pmu_version == 0 && cpu->caps.vendor != VENDOR_INTEL)
        put_uncounted(events, out);
    out_flush(out);
}

static void tell_cpu(const struct other_plan *about, const struct other_cpu *cpu,
                     struct found *found, struct out *out)
{
    static struct plan plan; /* only collects errors, which are never freed */
    const struct cpu_events_port port = {
        .tables = about->tables,
        .uncore = uncore_there,
        .context = &uncore,
    };

    uncore_of_model(&cpu->caps, &uncore);
    plan_default(&plan, about->memory);
    cpu_events_find(about->events, &port, about->plan, &cpu->caps, STATUS_OK, &plan);
    report_other_cpu(cpu, out);
    put_events(about, cpu, out);
    about->say_kernels(about->context, cpu);
    found->of[found->types].name = caps_core_type_name(&cpu->caps);
    found->of[found->types].error = plan.error;
    found->of[found->types++].errors = plan.errors_kept;
}

/*
 * The number of core types with the same error. Errors in the plan are the same if they are in the
 * same line. Errors in other files are the same if they have the same text.
 */
static unsigned types_with(const struct found *found, const struct plan_error *error)
{
    unsigned types = 0;

    for (unsigned t = 0; t < found->types; t++)
        for (unsigned i = 0; i < found->of[t].errors; i++) {
            const struct plan_error *other = &found->of[t].error[i];

            if (other->line == error->line &&
                (error->line != PLAN_ELSEWHERE || text_same(other->text, error->text))) {
                types++;
                break;
            }
        }
    return types;
}

/* An error that occurs for all core types is reported once, and added to the plan's errors. */
static void tell_errors(const struct other_plan *about, const struct found *found)
{
    for (unsigned t = 0; t < found->types; t++)
        for (unsigned i = 0; i < found->of[t].errors; i++) {
            const struct plan_error *error = &found->of[t].error[i];
            struct plan_error missing = {.line = error->line};

            if (types_with(found, error) < found->types) {
                out_put(missing.text, sizeof(missing.text), "not on %s: %s", found->of[t].name,
                        error->text);
                about->say_error(about->context, &missing);
            } else if (t == 0) {
                plan_add_error(about->plan, error->line, "%s", error->text);
                about->say_error(about->context, error);
            }
        }
}

/* True for a list of CPU numbers, because the numbers may select a CPU of any core type. */
static bool is_asked(const struct plan *plan, const struct other_cpu *cpu)
{
    const struct plan_cpu is = {.boot = true,
                                .boot_core = true,
                                .first_of_core = true,
                                .core_type = caps_hybrid_type(&cpu->caps)};

    return plan->cpus == CPUS_LISTED || plan_has_cpu(plan, 0, &is);
}

static void put_end(const struct plan *plan, bool is_read, struct out *out)
{
    report_wrapped(is_read ? NOT_READ : NOT_KNOWN, 2, out);
    if (plan->errors > 0)
        out_printf(out, "! plan errors: %u; %s\n", plan->errors,
                   plan->strict ? "strict=yes: nothing is measured"
                                : "the rest of the plan applies");
    else
        out_text(out, "The plan has no errors.\n");
    out_flush(out);
}

void report_other_plan(const struct other_plan *about, struct out *out)
{
    struct plan *plan = about->plan;
    struct found found = {0};
    unsigned asked = 0;

    for (unsigned i = 0; i < about->cpus->count; i++)
        asked += is_asked(plan, &about->cpus->cpu[i]);
    if (asked == 0)
        plan_add_error(plan, plan->cpus_line, "cpus: the CPU of --for has no core of this kind");
    out_flush(out);
    for (unsigned i = 0; i < plan->errors_kept; i++)
        about->say_error(about->context, &plan->error[i]);
    for (unsigned i = 0; i < about->cpus->count; i++)
        if (asked == 0 || is_asked(plan, &about->cpus->cpu[i]))
            tell_cpu(about, &about->cpus->cpu[i], &found, out);
    tell_errors(about, &found);
    put_end(plan, about->cpus->cpu[0].is_read, out);
}

bool report_other_events(const struct other_cpus *cpus, const struct tables_port *tables,
                         void (*say)(void *context, const char *sentence), const char *pattern,
                         struct out *out)
{
    bool found = false;

    for (unsigned i = 0; i < cpus->count; i++) {
        const struct cpu_caps *caps = &cpus->cpu[i].caps;
        const struct table_source *source;

        report_other_cpu(&cpus->cpu[i], out);
        source = tables_of(tables, caps, say, NULL);
        uncore_of_model(caps, &uncore);
        found |= event_list(source, caps, &uncore, pattern, out);
    }
    return found;
}
