/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"
#include "msr.h"
#include "render.h"
#include "tsc.h"

static const char *const DECLARED_NAMES[DECLARED_COUNT] = {
    [DECLARED_INSTRUCTIONS] = "instructions",
    [DECLARED_BRANCHES] = "branches",
    [DECLARED_TAKEN_BRANCHES] = "taken_branches",
    [DECLARED_LOADS] = "loads",
    [DECLARED_STORES] = "stores",
};

static void put_version(struct json *json, const char *key, uint32_t revision)
{
    char text[16];
    struct out out = out_buffer(text, sizeof(text));

    /* EFI_TABLE_HEADER: the minor version is in tenths */
    out_printf(&out, "%u.%u", revision >> 16, (revision & 0xffff) / 10);
    if ((revision & 0xffff) % 10)
        out_printf(&out, ".%u", (revision & 0xffff) % 10);
    json_text(json, key, out_end(&out));
}

static void put_run(struct json *json, const struct run_record *run)
{
    json_text(json, "program", "barecount");
    json_text(json, "version", run->version);
    json_number(json, "number", run->number);
    json_text(json, "started", run->started);
    json_object(json, "machine");
    json_text(json, "maker", run->maker);
    json_text(json, "product", run->product);
    json_text(json, "uuid", run->uuid);
    json_text(json, "firmware_vendor", run->firmware_vendor);
    json_text(json, "firmware_version", run->firmware_version);
    put_version(json, "uefi", run->uefi_revision);
    json_number(json, "tsc_hz", run->tsc_hz);
    json_text(json, "tsc_source", tsc_source_name(run->tsc_source));
    json_number(json, "cpus_found", run->cpus_found);
    json_number(json, "cpus_usable", run->cpus_usable);
    json_end(json, '}');
    json_number(json, "memory_bytes", run->memory_bytes);
    json_flat_object(json, "window_cost");
    for (unsigned i = 0; i < DECLARED_COUNT; i++)
        json_signed(json, DECLARED_NAMES[i], run->window_cost[i]);
    json_end(json, '}');
}

static void put_kernel(struct json *json, const struct known_kernel *kernel)
{
    json_flat_object(json, 0);
    json_text(json, "name", kernel->name);
    json_text(json, "title", kernel->title);
    json_number(json, "n", kernel->n);
    json_number(json, "buffer_bytes", kernel->buffer_bytes);
    for (unsigned i = 0; i < DECLARED_COUNT; i++) {
        const struct expect *expect = &kernel->expect[i];

        if (expect->kind == EXPECT_EXACT) {
            json_signed(json, DECLARED_NAMES[i], expect->low);
        } else if (expect->kind == EXPECT_RANGE) {
            json_array(json, DECLARED_NAMES[i]);
            json_signed(json, 0, expect->low);
            json_signed(json, 0, expect->high);
            json_end(json, ']');
        }
    }
    json_end(json, '}');
}

static void put_pmu(struct json *json, const struct cpu_record *cpu)
{
    const struct cpu_caps *caps = &cpu->caps;

    json_object(json, "pmu");
    json_number(json, "version", caps->pmu_version);
    json_number(json, "general_counters", caps->gp_count);
    json_number(json, "general_width_bits", caps->gp_width_bits);
    json_hex(json, "fixed_counters", caps->fixed_map);
    json_number(json, "fixed_width_bits", caps->fixed_width_bits);
    json_number(json, "architectural_events", caps->arch_events);
    json_hex(json, "architectural_events_absent", caps->arch_events_absent);
    json_hex(json, "perf_capabilities", cpu->perf_capabilities);
    json_flat_object(json, "cpuid_0ah");
    json_hex(json, "eax", caps->pmu_leaf[0]);
    json_hex(json, "ebx", caps->pmu_leaf[1]);
    json_hex(json, "ecx", caps->pmu_leaf[2]);
    json_hex(json, "edx", caps->pmu_leaf[3]);
    json_end(json, '}');
    json_bool(json, "announced_by_misc_enable", !(cpu->flags & CPU_PERFMON_HIDDEN));
    json_end(json, '}');
}

static void put_found(struct json *json, const struct cpu_record *cpu)
{
    const struct pmu_found *found = &cpu->found;

    json_object(json, "found");
    json_bool(json, "in_use", cpu->flags & CPU_WAS_IN_USE);
    if (found->held & HELD_GLOBAL_CTRL) {
        json_hex(json, "global_ctrl", found->global_ctrl);
        json_hex(json, "global_status", found->global_status);
    }
    if (found->held & HELD_FIXED_CTRL)
        json_hex(json, "fixed_ctr_ctrl", found->fixed_ctrl);
    json_array(json, "selects");
    for (unsigned i = 0; i < cpu->caps.gp_count; i++)
        if (found->held & HELD_SELECT(i))
            json_hex(json, 0, found->select[i]);
    json_end(json, ']');
    if (found->held & HELD_DEBUGCTL)
        json_hex(json, "debugctl", found->debugctl);
    if (found->held & HELD_PEBS)
        json_hex(json, "pebs_enable", found->pebs_enable);
    json_end(json, '}');
}

/* What is written for a slot: its IA32_PERFEVTSELx, or its field of IA32_FIXED_CTR_CTRL. */
static uint64_t control_value(const struct event *event, const struct slot *slot)
{
    return slot->fixed ? FIXED_CTRL_OS : program_select(event) | EVTSEL_EN;
}

/* Each pass's counters, and what the empty window counted on them. */
static void put_passes(struct json *json, const struct view *view)
{
    const struct schedule *schedule = &view->cpu->schedule;
    const struct baseline *baseline = &view->baseline;

    json_array(json, "passes");
    for (unsigned p = 0; p < schedule->passes; p++) {
        json_array(json, 0);
        for (unsigned s = 0; s < schedule->pass[p].slots; s++) {
            const struct slot *slot = &schedule->pass[p].slot[s];
            struct row row = {.has_slot = true, .slot = *slot};
            char name[16];
            struct out counter = out_buffer(name, sizeof(name));

            render_counter(&row, &counter);
            json_flat_object(json, 0);
            json_text(json, "event", view->run->event[slot->event].name);
            json_text(json, "counter", out_end(&counter));
            json_hex(json, "control", control_value(&view->run->event[slot->event], slot));
            if (baseline->samples[p] > 0) {
                json_number(json, "empty_window_min", baseline->min[p][s]);
                json_number(json, "empty_window_max", baseline->max[p][s]);
            }
            json_end(json, '}');
        }
        json_end(json, ']');
    }
    json_end(json, ']');
    json_number(json, "wrmsr_counted", baseline->wrmsr_counted);
}

static void put_cpu(struct json *json, const struct view *view)
{
    const struct cpu_record *cpu = view->cpu;
    const struct cpu_caps *caps = &cpu->caps;

    json_object(json, 0);
    json_number(json, "cpu", cpu->cpu);
    json_number(json, "apic_id", caps->x2apic_id);
    json_bool(json, "boot_cpu", cpu->flags & CPU_IS_BOOT);
    json_number(json, "package", caps->package);
    json_number(json, "core", caps->core);
    json_number(json, "thread", caps->thread);
    json_number(json, "siblings", cpu->siblings);
    json_text(json, "vendor", caps_vendor_name(caps));
    json_text(json, "brand", caps->brand);
    json_number(json, "family", caps->family);
    json_number(json, "model", caps->model);
    json_number(json, "stepping", caps->stepping);
    json_hex(json, "signature", caps->signature);
    json_text(json, "core_type", caps_core_type_name(caps));
    json_hex(json, "microcode", cpu->microcode);
    put_pmu(json, cpu);
    put_found(json, cpu);
    put_passes(json, view);
    json_end(json, '}');
}

/* Calls put() for the records that it wants, with a view of all that came before. */
static void each(const struct render *render, struct json *json,
                 void (*put)(struct json *json, struct view *view, const struct journal_head *head))
{
    struct journal_cursor cursor = journal_start(render->journal, render->journal_bytes);
    const struct journal_head *head;
    struct view view;

    view_start(&view, render->scratch, render->scratch_count);
    while ((head = journal_next(&cursor))) {
        view_take(&view, head);
        put(json, &view, head);
    }
}

static void head_part(struct json *json, struct view *view, const struct journal_head *head)
{
    if (view->run == journal_payload(head))
        put_run(json, view->run);
    if (head->type != RECORD_PLAN || !view->run)
        return;
    json_object(json, "plan");
    json_text(json, "file", view->run->plan_name);
    json_number(json, "runs", view->run->runs);
    json_number(json, "runs_asked", view->run->runs_asked);
    json_number(json, "warmup", view->run->warmup);
    json_number(json, "cpus", view->run->cpus_planned);
    json_bytes(json, "text", journal_payload(head), head->payload_bytes);
    json_end(json, '}');
}

static void kernel_part(struct json *json, struct view *view, const struct journal_head *head)
{
    if (view->kernels > 0 && view->kernel[view->kernels - 1] == journal_payload(head))
        put_kernel(json, view->kernel[view->kernels - 1]);
}

/* A CPU is put when its calibration, the first result after its record, has been seen. */
static void cpu_part(struct json *json, struct view *view, const struct journal_head *head)
{
    const struct result *result = journal_payload(head);

    if (head->type == RECORD_RESULT && view->run && view->cpu &&
        head->payload_bytes >= sizeof(*result) && result->kernel == KERNEL_CALIBRATION)
        put_cpu(json, view);
}

static void put_notes(struct json *json, const struct journal_head *head, uint32_t kind)
{
    const struct note *note = journal_payload(head);

    if (head->type == RECORD_NOTE && head->payload_bytes == sizeof(*note) && note->kind == kind &&
        note->text[sizeof(note->text) - 1] == 0)
        json_text(json, 0, note->text);
}

static void error_part(struct json *json, struct view *view, const struct journal_head *head)
{
    (void)view;
    put_notes(json, head, NOTE_ERROR);
}

static void exception_part(struct json *json, struct view *view, const struct journal_head *head)
{
    (void)view;
    put_notes(json, head, NOTE_EXCEPTION);
}

static void remark_part(struct json *json, struct view *view, const struct journal_head *head)
{
    (void)view;
    put_notes(json, head, NOTE_REMARK);
}

/* A run without its last record was cut off: what it holds is true, but it is not all. */
static void put_end(const struct render *render, struct json *json)
{
    struct end_record end;
    bool complete = render_end(render, &end);

    if (complete) {
        json_number(json, "elapsed_us", end.elapsed_us);
        json_bool(json, "stopped_by_user", end.stopped);
        json_bool(json, "samples_dropped", end.samples_dropped);
    }
    json_bool(json, "complete", complete);
}

static void put_verdict(const struct render *render, struct json *json)
{
    char line[80];
    struct out text = out_buffer(line, sizeof(line));
    struct tally tally;

    render_tally(render, &tally);
    tally_line(&tally, &text);
    json_object(json, "verdict");
    json_text(json, "line", out_end(&text));
    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        json_number(json, verdict_name(v), tally.of[v]);
    json_end(json, '}');
}

bool render_run_json(const struct render *render, struct out *out)
{
    struct json json = {.out = out};

    json_object(&json, 0);
    json_number(&json, "schema", RECORD_SCHEMA);
    each(render, &json, head_part);
    json_array(&json, "kernels");
    each(render, &json, kernel_part);
    json_end(&json, ']');
    json_array(&json, "cpus");
    each(render, &json, cpu_part);
    json_end(&json, ']');
    json_array(&json, "not_restored");
    each(render, &json, exception_part);
    json_end(&json, ']');
    json_array(&json, "remarks");
    each(render, &json, remark_part);
    json_end(&json, ']');
    json_array(&json, "errors");
    each(render, &json, error_part);
    json_end(&json, ']');
    put_verdict(render, &json);
    put_end(render, &json);
    json_end(&json, '}');
    return out_flush(out);
}
