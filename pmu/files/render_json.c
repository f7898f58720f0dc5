/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes run.json: the run, its kernels and their buffers. */
#include "pmu/files/render_parts.h"
#include "pmu/cpu/tsc.h"

static void put_version(struct json *json, const char *key, uint32_t revision)
{
    char text[16];
    struct out out = out_buffer(text, sizeof(text));

    /* EFI_TABLE_HEADER: the low 16 bits are ten times the minor version */
    out_printf(&out, "%u.%u", revision >> 16, (revision & 0xffff) / 10);
    if ((revision & 0xffff) % 10)
        out_printf(&out, ".%u", (revision & 0xffff) % 10);
    json_text(json, key, out_end(&out));
}

static void put_parked(struct json *json, uint32_t parked)
{
    char text[32];
    struct out out = out_buffer(text, sizeof(text));

    if ((parked & PARKED_HOW) == PARKED_IN_MWAIT)
        out_printf(&out, "in MWAIT, hint 0x%02x", parked >> PARKED_HINT_SHIFT);
    else
        out_text(&out, "by the firmware");
    json_text(json, "parked", out_end(&out));
}

static void put_linux(struct json *json, const struct linux_record *linux_host)
{
    json_object(json, "linux");
    json_text(json, "kernel", linux_host->kernel);
    json_text(json, "read_by", linux_host->read_by == READ_BY_RDPMC ? "rdpmc" : "ioctl");
    if (linux_host->perf_event_paranoid != PARANOID_UNKNOWN)
        json_signed(json, "perf_event_paranoid", linux_host->perf_event_paranoid);
    json_bool(json, "nmi_watchdog", linux_host->nmi_watchdog);
    json_text(json, "governor", linux_host->governor);
    json_text(json, "isolated_cpus", linux_host->isolated_cpus);
    json_end(json, '}');
}

static void put_run_id(struct json *json, const struct run_record *run, uint64_t journal_id)
{
    char text[40];
    struct out out = out_buffer(text, sizeof(text));

    render_run_id(run, journal_id, &out);
    json_text(json, "run", out_end(&out));
}

static void put_run(struct json *json, const struct run_record *run, uint64_t journal_id)
{
    const uint32_t error_ppm = tsc_error_ppm(run->tsc_source, run->tsc_hz, run->tsc_measured_hz);

    json_text(json, "program", "barecount");
    json_text(json, "source", run->source == SOURCE_LINUX ? "linux" : "bare metal");
    json_text(json, "version", run->version);
    json_number(json, "number", run->number);
    put_run_id(json, run, journal_id);
    json_text(json, "label", run->label);
    json_text(json, "started", run->started);
    json_object(json, "machine");
    json_text(json, "maker", run->smbios.maker);
    json_text(json, "product", run->smbios.product);
    json_text(json, "uuid", run->smbios.uuid);
    json_text(json, "firmware_vendor", run->firmware_vendor);
    json_text(json, "firmware_version", run->smbios.firmware_version);
    if (run->source == SOURCE_BARE_METAL)
        put_version(json, "uefi", run->uefi_revision);
    if (run->secure_boot != SECURE_BOOT_UNKNOWN)
        json_bool(json, "secure_boot", run->secure_boot == SECURE_BOOT_ON);
    json_text(json, "hypervisor", run->hypervisor);
    if (run->emulated)
        json_text(json, "emulated", "by formula");
    json_number(json, "tsc_hz", run->tsc_hz);
    json_text(json, "tsc_source", tsc_source_name(run->tsc_source));
    if (error_ppm > 0)
        json_number(json, "tsc_error_ppm", error_ppm);
    if (run->tsc_measured_hz > 0)
        json_number(json, "tsc_measured_hz", run->tsc_measured_hz);
    json_number(json, "cpus_found", run->cpus_found);
    json_number(json, "cpus_usable", run->cpus_usable);
    if (run->source == SOURCE_BARE_METAL) {
        json_bool(json, "firmware_timer_stopped", run->timer_stopped);
        put_parked(json, run->parked);
    }
    json_end(json, '}');
    if (run->source == SOURCE_LINUX)
        put_linux(json, &run->linux_host);
    json_object(json, "window_cost");
    for (unsigned r = 0; r < WINDOW_RINGS; r++) {
        json_flat_object(json, r == WINDOW_OS ? "os" : "usr");
        for (unsigned i = 0; i < DECLARED_COUNT; i++)
            json_signed(json, RENDER_DECLARED[i], run->window_cost[r][i]);
        json_end(json, '}');
    }
    json_end(json, '}');
}

/* Calls put() for each record; the view contains the journal up to this record. */
static void each(const struct render *render, struct json *json,
                 void (*put)(struct json *json, const struct view *view,
                             const struct journal_head *head))
{
    struct reading reading = reading_start(render);
    const struct journal_head *head;

    while ((head = reading_next(&reading)))
        put(json, &reading.view, head);
}

static void head_part(struct json *json, const struct view *view, const struct journal_head *head)
{
    if (view->run == journal_payload(head))
        put_run(json, view->run, head->run_id);
    if (head->type != RECORD_PLAN || !view->run)
        return;
    json_object(json, "plan");
    json_text(json, "file", view->run->plan_name);
    json_number(json, "runs", view->run->runs);
    json_number(json, "runs_asked", view->run->runs_asked);
    json_number(json, "warmup", view->run->warmup);
    json_number(json, "cpus", view->run->cpus_planned);
    if (view->run->plan_flags & RUN_PLAN_KNOWN) {
        json_bool(json, "strict", view->run->plan_flags & RUN_PLAN_STRICT);
        json_number(json, "errors", view->run->plan_errors);
    }
    if (view->run->max_time_s > 0)
        json_number(json, "max_time_s", view->run->max_time_s);
    json_bytes(json, "text", journal_payload(head), head->payload_bytes);
    json_end(json, '}');
}

static void kernel_part(struct json *json, const struct view *view, const struct journal_head *head)
{
    if (view->kernels > 0 && view->kernel[view->kernels - 1] == journal_payload(head))
        render_json_kernel(json, view->kernel[view->kernels - 1]);
}

static void left_out_part(struct json *json, const struct view *view,
                          const struct journal_head *head)
{
    const struct left_out *left_out = journal_payload(head);

    (void)view;
    if (head->type != RECORD_LEFT_OUT || head->payload_bytes < sizeof(*left_out) ||
        left_out->name[sizeof(left_out->name) - 1] || left_out->param[sizeof(left_out->param) - 1])
        return;
    json_flat_object(json, 0);
    json_text(json, "name", left_out->name);
    json_text(json, "param", left_out->param);
    json_number(json, "n", left_out->n);
    json_end(json, '}');
}

static void state_part(struct json *json, const struct view *view, const struct journal_head *head)
{
    if (head->type == RECORD_STATE && view->state)
        render_json_state(json, view->state);
}

/* Reads the whole journal, because a CPU's results may come long after its other records. */
static void read_clocks(const struct render *render, struct clock clocks[VIEW_CPUS_MAX])
{
    struct reading reading = reading_start(render);
    const struct journal_head *head;

    for (unsigned i = 0; i < VIEW_CPUS_MAX; i++)
        clocks[i] = (struct clock){0};
    while ((head = reading_next(&reading))) {
        const struct noise *noise = head->type == RECORD_NOISE ? reading.view.noise : 0;

        if (reading.result && reading.result->cpu < VIEW_CPUS_MAX)
            clock_add(&clocks[reading.result->cpu], &reading.view, reading.result);
        if (noise && noise->cpu < VIEW_CPUS_MAX)
            clock_watch(&clocks[noise->cpu], noise);
    }
}

/*
 * The first result after a CPU's record is the CPU's calibration. The CPU is written when this
 * result is read.
 */
static void put_cpus(const struct render *render, struct json *json)
{
    static const struct clock UNKNOWN = {0};
    static struct clock clocks[VIEW_CPUS_MAX]; /* 48 KiB: too large for the firmware's stack */
    struct reading reading = reading_start(render);
    const struct view *view = &reading.view;
    const struct journal_head *head;

    read_clocks(render, clocks);
    while ((head = reading_next(&reading))) {
        const struct result *result = journal_payload(head);

        if (head->type == RECORD_RESULT && view->run && view->cpu &&
            head->payload_bytes >= sizeof(*result) && result->kernel == KERNEL_CALIBRATION &&
            view->schedule)
            render_json_cpu(json, view,
                            view->cpu->cpu < VIEW_CPUS_MAX ? &clocks[view->cpu->cpu] : &UNKNOWN);
    }
}

static void uncore_part(struct json *json, const struct view *view, const struct journal_head *head)
{
    if (head->type == RECORD_UNCORE && view->uncore == journal_payload(head))
        render_json_uncore(json, view->uncore);
}

static void put_notes(struct json *json, const struct journal_head *head, uint32_t kind)
{
    const char *text = render_note(head, kind);

    if (text)
        json_text(json, 0, text);
}

static void error_part(struct json *json, const struct view *view, const struct journal_head *head)
{
    (void)view;
    put_notes(json, head, NOTE_ERROR);
}

static void exception_part(struct json *json, const struct view *view,
                           const struct journal_head *head)
{
    (void)view;
    put_notes(json, head, NOTE_EXCEPTION);
}

static void remark_part(struct json *json, const struct view *view, const struct journal_head *head)
{
    (void)view;
    put_notes(json, head, NOTE_REMARK);
}

static void put_cut_off(const struct render *render, struct json *json)
{
    char text[NOTE_BYTES];
    struct out out = out_buffer(text, sizeof(text));
    struct cut_off cut;

    if (!render_cut_off(render, &cut))
        return;
    render_cut_off_words(&cut, &out);
    json_text(json, 0, out_end(&out));
}

static void put_end(const struct render *render, struct json *json)
{
    struct end_record end;
    bool complete = render_end(render, &end);

    if (complete) {
        json_number(json, "elapsed_us", end.elapsed_us);
        json_number(json, "memory_bytes", end.memory_bytes);
        json_bool(json, "stopped_by_user", end.stopped == STOPPED_BY_USER);
        json_bool(json, "stopped_by_machine_check", end.stopped == STOPPED_BY_MACHINE_CHECK);
        json_bool(json, "samples_dropped", end.samples_dropped || render->samples_dropped);
    }
    json_bool(json, "complete", complete);
}

static void noise_part(struct json *json, const struct view *view, const struct journal_head *head)
{
    if (head->type == RECORD_NOISE && view->noise == journal_payload(head))
        render_json_noise(json, view->noise, view->run);
}

static void put_verdict(const struct render *render, struct json *json)
{
    char line[TALLY_LINE_BYTES], words[NOISY_BY_BYTES];
    struct out text = out_buffer(line, sizeof(line)), by = out_buffer(words, sizeof(words));
    struct tally tally;

    render_tally(render, &tally);
    tally_line(&tally, &text);
    json_object(json, "verdict");
    json_text(json, "line", out_end(&text));
    for (unsigned v = 0; v < VERDICT_COUNT; v++)
        json_number(json, verdict_name(v), tally.of[v]);
    noisy_by_words(tally.noisy_by, &by);
    json_number(json, "noisy_of_time", tally.noisy_of_time);
    json_text(json, "noisy_by", out_end(&by));
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
    json_array(&json, "left_out");
    each(render, &json, left_out_part);
    json_end(&json, ']');
    json_array(&json, "cpus");
    put_cpus(render, &json);
    json_end(&json, ']');
    json_array(&json, "packages");
    each(render, &json, uncore_part);
    json_end(&json, ']');
    render_json_buffers(render, &json);
    json_array(&json, "state");
    each(render, &json, state_part);
    json_end(&json, ']');
    json_array(&json, "not_restored");
    each(render, &json, exception_part);
    json_end(&json, ']');
    json_array(&json, "remarks");
    each(render, &json, remark_part);
    json_end(&json, ']');
    json_array(&json, "errors");
    each(render, &json, error_part);
    put_cut_off(render, &json);
    json_end(&json, ']');
    render_json_disturbed(render, &json);
    render_json_sums(render, &json);
    json_array(&json, "noise_certificates");
    each(render, &json, noise_part);
    json_end(&json, ']');
    put_verdict(render, &json);
    put_end(render, &json);
    json_end(&json, '}');
    return out_flush(out);
}

static void put_buffer(struct json *json, const struct result *result)
{
    json_flat_object(json, 0);
    json_number(json, "cpu", result->cpu);
    if (result->node != NODE_UNKNOWN)
        json_number(json, "node", result->node);
    json_hex(json, "address", result->buffer);
    json_end(json, '}');
}

void render_json_buffers(const struct render *render, struct json *json)
{
    static uint64_t last[VIEW_CPUS_MAX]; /* by CPU: address of the last buffer written */
    struct reading reading = reading_start(render);
    const struct result *result;

    for (unsigned i = 0; i < VIEW_CPUS_MAX; i++)
        last[i] = 0;
    json_array(json, "buffers");
    while ((result = reading_next_result(&reading))) {
        if (result->buffer == 0 || result->cpu >= VIEW_CPUS_MAX ||
            last[result->cpu] == result->buffer)
            continue;
        last[result->cpu] = result->buffer;
        put_buffer(json, result);
    }
    json_end(json, ']');
}

const char *const RENDER_DECLARED[DECLARED_COUNT] = {
    [DECLARED_INSTRUCTIONS] = "instructions",
    [DECLARED_BRANCHES] = "branches",
    [DECLARED_TAKEN_BRANCHES] = "taken_branches",
    [DECLARED_LOADS] = "loads",
    [DECLARED_STORES] = "stores",
};

static void put_hex(struct json *json, const char *key, uint32_t value)
{
    char text[16];

    json_text(json, key, out_put(text, sizeof(text), "0x%08x", value));
}

void render_json_kernel(struct json *json, const struct known_kernel *kernel)
{
    json_flat_object(json, 0);
    json_text(json, "name", kernel->name);
    json_text(json, "title", kernel->title);
    json_text(json, "family", kernel->family);
    json_text(json, "param", kernel->param);
    json_text(json, "file", kernel->file);
    put_hex(json, "crc32", kernel->crc32);
    json_number(json, "n", kernel->n);
    json_number(json, "argument", kernel->argument);
    json_number(json, "buffer_bytes", kernel->buffer_bytes);
    if (kernel->round > 1)
        json_number(json, "round", kernel->round);
    if (kernel->copies > 0)
        json_number(json, "copies", kernel->copies);
    for (unsigned i = 0; i < DECLARED_COUNT; i++) {
        const struct expect *expect = &kernel->expect[i];

        if (expect->kind == EXPECT_EXACT) {
            json_signed(json, RENDER_DECLARED[i], expect->low);
        } else if (expect->kind == EXPECT_RANGE) {
            json_array(json, RENDER_DECLARED[i]);
            json_signed(json, 0, expect->low);
            json_signed(json, 0, expect->high);
            json_end(json, ']');
        }
    }
    json_end(json, '}');
}
