/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the CPUs, their state and their packages into run.json. */
#include "pmu/cpu/features.h"
#include "pmu/base/scale.h"
#include "pmu/counters/errata.h"
#include "pmu/cpu/msr.h"
#include "pmu/counters/select.h"
#include "pmu/uncore/words.h"
#include "pmu/events/perf_config.h"
#include "pmu/files/render.h"
#include "pmu/files/render_parts.h"
#include "pmu/base/status.h"

#define WORDS_BYTES   240u
#define COUNTER_BYTES 40u /* "m2pcie0+m2pcie1" */
#define CONTROL_BYTES 40u /* two 64-bit values */

static void put_pmu(struct json *json, const struct cpu_record *cpu)
{
    const struct cpu_caps *caps = &cpu->caps;

    json_object(json, "pmu");
    json_number(json, "version", caps->pmu_version);
    json_number(json, "general_counters", caps_general_count(caps));
    json_number(json, "general_counters_named",
                caps->vendor == VENDOR_INTEL ? caps->pmu_leaf[0] >> 8 & 0xff
                                             : caps_general_count(caps) + caps->gp_refused);
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
    if (found->has_inuse)
        json_hex(json, "inuse", found->inuse);
    json_end(json, '}');
}

static uint64_t control_value(const struct event *event, const struct slot *slot)
{
    if (slot->where == SLOT_UNCORE)
        return event->select;
    return slot->where == SLOT_FIXED ? program_fixed(event)
                                     : program_select(event, slot) | EVTSEL_EN;
}

/* An event that is the sum of two events has two control values: "0xcf05+0xcf06". */
static void put_control(struct json *json, const struct event *event, const struct slot *slot)
{
    char text[CONTROL_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    out_printf(&out, "0x%llx", (unsigned long long)control_value(event, slot));
    if (event_second(event))
        out_printf(&out, "+0x%llx", (unsigned long long)event_second(event));
    json_text(json, "control", out_end(&out));
}

/* Linux does not say whether it chose a general or a fixed counter, so the errata of both apply. */
static const struct erratum *erratum_of_any(const struct event *event, const struct cpu_caps *caps)
{
    const struct erratum *general = event_erratum(event, caps, false);

    return general ? general : event_erratum(event, caps, true);
}

static void put_erratum(struct json *json, const struct erratum *erratum)
{
    json_text(json, "erratum", erratum->sentence);
    json_text(json, "erratum_name", erratum->name);
    json_text(json, "erratum_source", erratum->source);
    json_text(json, "erratum_effect", erratum->effect);
}

static void put_words(struct json *json, const struct view *view, const struct event *event,
                      const struct slot *slot)
{
    const struct cpu_caps *caps = &view->cpu->caps;
    const bool by_linux = view->run->source == SOURCE_LINUX;
    const struct erratum *erratum;
    char text[WORDS_BYTES];
    struct out words = out_buffer(text, sizeof(text));
    struct event placed = *event;

    if (event->scope == SCOPE_UNCORE) {
        uncore_event_words(event, &words);
        json_text(json, "means", out_end(&words));
        return;
    }
    if (by_linux) {
        placed.select = perf_config(event);
        placed.fixed_only = event->fixed_only && placed.select == event->select;
    } else if (slot->select_xor) { /* the extra value is in the other off-core register */
        placed.select ^= slot->select_xor;
        placed.extra_msr ^= OFFCORE_OTHER;
    }
    select_words(caps->vendor, &placed, &words);
    json_text(json, "means", out_end(&words));
    erratum = by_linux ? erratum_of_any(&placed, caps)
                       : event_erratum(event, caps, slot->where == SLOT_FIXED);
    if (erratum)
        put_erratum(json, erratum);
}

static void put_passes(struct json *json, const struct view *view)
{
    const struct schedule *schedule = view->schedule;

    json_array(json, "passes");
    for (unsigned p = 0; p < schedule->passes; p++) {
        json_array(json, 0);
        for (unsigned s = 0; s < schedule->pass[p].slots; s++) {
            const struct slot *slot = &schedule->pass[p].slot[s];
            const struct event *event = &view->event[slot->event];
            const struct baseline baseline = view_baseline(view, p, s);
            const bool by_linux = view->run->source == SOURCE_LINUX;
            struct row row = {
                .event = event, .has_slot = true, .slot = *slot, .slot_unknown = by_linux};
            char name[COUNTER_BYTES];
            struct out counter = out_buffer(name, sizeof(name));

            render_counter(&row, &counter);
            json_flat_object(json, 0);
            json_text(json, "event", event->name);
            json_text(json, "counter", out_end(&counter));
            if (by_linux)
                json_hex(json, "perf_config", perf_config(event));
            else
                put_control(json, event, slot);
            put_words(json, view, event, slot);
            if (baseline.samples > 0) {
                json_signed(json, "empty_window_min", baseline.min);
                json_signed(json, "empty_window_max", baseline.max);
            }
            if (view_microcode(view, p, s) > 0)
                json_signed(json, "wrmsr_microcode", view_microcode(view, p, s));
            json_end(json, '}');
        }
        json_end(json, ']');
    }
    json_end(json, ']');
    json_number(json, view->run->source == SOURCE_LINUX ? "edges_counted" : "wrmsr_counted",
                view->edges_counted);
    if (view->run->source != SOURCE_LINUX && view->run->kernel_ring == RING_USR)
        json_text(json, "iret_counted", view->iret_usr ? "usr" : "os");
}

static void put_tests(struct json *json, const struct counter_tests *tests)
{
    char text[REASON_BYTES];

    json_object(json, "counter_test");
    json_text(json, "status", status_text(tests->status));
    json_number(json, "counters", tests->counters);
    json_number(json, "windows", tests->windows);
    json_number(json, "general_named", tests->general_named);
    json_number(json, "general_kept", tests->general_kept);
    json_number(json, "wrmsr_counted", tests->wrmsr_counted);
    json_array(json, "failed");
    for (unsigned i = 0; i < tests->counters; i++) {
        struct out out = out_buffer(text, sizeof(text));

        if (tests->counter[i].fault == COUNTER_RIGHT)
            continue;
        counter_check_say(&tests->counter[i], &out);
        json_text(json, 0, out_end(&out));
    }
    json_end(json, ']');
    json_end(json, '}');
}

/*
 * "mhz" is the frequency during the kernels. "core_mhz" (APERF) and "reference_mhz" (MPERF) are
 * from the noise measurements.
 */
static void put_clock(struct json *json, const struct view *view, const struct clock *clock)
{
    const struct run_record *run = view->run;
    const bool by_mperf = !(view->cpu->flags & CPU_MPERF_DIFFERS);
    const struct {
        const char *key;
        uint64_t khz;
    } further[] = {
        {"tsc_mhz", clock_tsc_khz(run)},
        {"nominal_mhz", clock_nominal_khz(view->cpu)},
        {"crystal_mhz", tsc_crystal_hz(&view->cpu->caps) / 1000},
        {"reference_mhz", by_mperf ? clock_reference_khz(clock, run) : 0},
        {"core_mhz", by_mperf ? clock_watched_khz(clock, run) : 0},
    };
    uint64_t khz = clock_run_khz(clock, run), known = khz;

    for (unsigned i = 0; i < sizeof(further) / sizeof(further[0]); i++)
        known |= further[i].khz;
    if (known == 0)
        return;
    json_flat_object(json, "clock");
    if (khz > 0) {
        json_milli(json, "mhz", (int64_t)khz);
        json_milli(json, "base_mhz", (int64_t)(run->tsc_hz / 1000));
        json_milli(json, "cycle_ns", (int64_t)scale_ns_milli(1, khz));
        json_number(json, "error_ppm", clock_run_error_ppm(clock, run));
        json_number(json, "kernels", clock->kernels);
    }
    for (unsigned i = 0; i < sizeof(further) / sizeof(further[0]); i++)
        if (further[i].khz > 0)
            json_milli(json, further[i].key, (int64_t)further[i].khz);
    if (clock_nominal_khz(view->cpu) > 0)
        json_text(json, "nominal_from",
                  tsc_source_word(view->cpu->caps.base_mhz > 0
                                      ? TSC_CPUID_16H
                                      : tsc_nominal_source(&view->cpu->caps)));
    json_end(json, '}');
}

/* What the busiest sibling did while this CPU measured. */
static const char *siblings_parked(const struct cpu_record *cpu)
{
    if (cpu->flags & CPU_BESIDE_MEASURED)
        return "measuring";
    if (cpu->flags & CPU_BESIDE_BOOT)
        return "boot CPU waiting";
    return cpu->flags & CPU_BESIDE_PARKED ? "mwait" : "firmware";
}

static void put_kernel_features(struct json *json, uint64_t mask)
{
    json_array(json, "kernel_features");
    for (unsigned i = 0; i < CPU_FEATURES_COUNT; i++)
        if (mask >> i & 1)
            json_text(json, 0, cpu_feature_name(i));
    json_end(json, ']');
}

static void put_caches(struct json *json, const struct cpu_record *cpu)
{
    static const char *const TYPES[CACHE_TYPES] = {
        [CACHE_DATA] = "data", [CACHE_CODE] = "code", [CACHE_UNIFIED] = "unified"};

    json_array(json, "caches");
    for (unsigned i = 0; i < CPU_CACHES_MAX && cpu->cache[i].type != CACHE_NONE; i++) {
        json_flat_object(json, 0);
        json_number(json, "level", cpu->cache[i].level);
        json_text(json, "type", TYPES[cpu->cache[i].type]);
        json_number(json, "bytes", (uint64_t)cpu->cache[i].kib << 10);
        json_end(json, '}');
    }
    json_end(json, ']');
}

void render_json_cpu(struct json *json, const struct view *view, const struct clock *clock)
{
    const struct cpu_record *cpu = view->cpu;
    const struct cpu_caps *caps = &cpu->caps;

    json_object(json, 0);
    json_number(json, "cpu", cpu->cpu);
    json_number(json, "apic_id", caps->x2apic_id);
    json_bool(json, "boot_cpu", cpu->flags & CPU_IS_BOOT);
    json_number(json, "package", caps->package);
    if (cpu->flags & CPU_HAS_CCD)
        json_number(json, "ccd", cpu->ccd);
    if (cpu->flags & CPU_HAS_CCX)
        json_number(json, "ccx", cpu->ccx);
    json_number(json, "core", caps->core);
    json_number(json, "thread", caps->thread);
    json_number(json, "siblings", cpu->siblings);
    if (cpu->siblings > 0 && view->run->source == SOURCE_BARE_METAL)
        json_text(json, "siblings_parked", siblings_parked(cpu));
    json_text(json, "vendor", caps_vendor_name(caps));
    json_text(json, "brand", caps->brand);
    json_number(json, "family", caps->family);
    json_number(json, "model", caps->model);
    json_number(json, "stepping", caps->stepping);
    json_hex(json, "signature", caps->signature);
    json_text(json, "core_type", caps_core_type_name(caps));
    if (zen_core_name(caps)[0])
        json_text(json, "core_name", zen_core_name(caps));
    json_hex(json, "microcode", cpu->microcode);
    json_bool(json, "invariant_tsc", caps_has(caps, FEATURE_TSC_CONST));
    put_kernel_features(json, caps->kernel_features);
    put_caches(json, cpu);
    json_bool(json, "log_bits_found", cpu->logs_found);
    json_bool(json, "global_pages_found", cpu->flags & CPU_HAS_GLOBAL_PAGES);
    put_pmu(json, cpu);
    put_found(json, cpu);
    if (view->tests)
        put_tests(json, view->tests);
    put_passes(json, view);
    put_clock(json, view, clock);
    json_end(json, '}');
}

static void put_item(struct json *json, uint32_t cpu, const struct state_item *item)
{
    json_flat_object(json, 0);
    json_number(json, "cpu", cpu);
    json_text(json, "setting", state_name(item->setting));
    if (item->msr) {
        json_hex(json, "register", item->msr);
        json_hex(json, "found", item->found);
    }
    if (item->kept)
        json_text(json, "asked", "keep");
    else if (item->msr)
        json_hex(json, "asked", item->asked);
    if (item->msr) {
        json_bool(json, "set", item->written);
        json_hex(json, "read_back", item->got);
    }
    json_text(json, "status", status_text(item->status));
    json_end(json, '}');
}

void render_json_state(struct json *json, const struct cpu_state *state)
{
    for (uint32_t i = 0; i < state->items; i++)
        put_item(json, state->cpu, &state->item[i]);
}

#define STEP_ONE (1ull << 32) /* 1 uJ */

static void put_group(struct json *json, const struct uncore_record_group *group,
                      const struct uncore_error *error)
{
    char text[REASON_BYTES], status[REASON_BYTES];
    struct out fault = out_buffer(text, sizeof(text)), why = out_buffer(status, sizeof(status));

    json_flat_object(json, 0);
    json_text(json, "kind", uncore_kind_name(group->kind));
    if (error->status != STATUS_OK)
        uncore_error_words(error, &why);
    else
        out_text(&why, status_text(group->status));
    json_text(json, "status", out_end(&why));
    json_number(json, "units", group->units);
    json_number(json, "counters", group->counters);
    json_number(json, "width_bits", group->width_bits);
    if (uncore_group_fails(group))
        uncore_fault_words(group, &fault);
    else
        out_text(&fault, uncore_fault_text(group->fault));
    json_text(json, "test", out_end(&fault));
    json_end(json, '}');
}

static void put_steps(struct json *json, const uint64_t step[ENERGIES])
{
    static const char *const KEYS[ENERGIES] = {[ENERGY_PACKAGE] = "package",
                                               [ENERGY_DRAM] = "dram",
                                               [ENERGY_CORE] = "core",
                                               [ENERGY_GRAPHICS] = "graphics"};

    json_flat_object(json, "energy_step_uj");
    for (unsigned i = 0; i < ENERGIES; i++)
        if (step[i] != 0)
            json_milli(json, KEYS[i], (int64_t)scale(step[i], 1000, STEP_ONE));
    json_end(json, '}');
}

void render_json_uncore(struct json *json, const struct uncore_record *uncore)
{
    char text[REASON_BYTES];
    struct out first = out_buffer(text, sizeof(text));
    uint32_t failed = 0;

    while (failed < uncore->groups && uncore->error[failed].status == STATUS_OK)
        failed++;
    json_object(json, 0);
    json_number(json, "cpu", uncore->cpu);
    json_number(json, "package", uncore->package);
    json_text(json, "model", uncore->model);
    json_text(json, "status", status_text(uncore->status));
    if (failed < uncore->groups) {
        uncore_error_words(&uncore->error[failed], &first);
        json_text(json, "error", out_end(&first));
    }
    json_number(json, "left_running", uncore->left_running);
    put_steps(json, uncore->energy_step);
    json_array(json, "groups");
    for (uint32_t i = 0; i < uncore->groups; i++)
        put_group(json, &uncore->group[i], &uncore->error[i]);
    json_end(json, ']');
    json_end(json, '}');
}
