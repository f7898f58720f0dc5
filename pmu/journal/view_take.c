/* SPDX-License-Identifier: BSD-2-Clause */
/* Validates records and adds them to a view. */
#include "pmu/journal/view.h"

#define COST_MAX   (1ll << 32)
#define EXPECT_MAX (1ll << 62) /* kernels/check.h allows c0 and c1 * n of half as much */

#define ENDS(text) ((text)[sizeof(text) - 1] == 0)

static const void *payload_of(const struct journal_head *head, size_t bytes)
{
    return head->payload_bytes >= bytes ? journal_payload(head) : 0;
}

/*
 * Checksums detect damage, not forgery. Each value that later serves as index, divisor, shift or
 * string is therefore validated here; an invalid record is treated as missing.
 */
static const struct run_record *take_run(const struct journal_head *head)
{
    const struct run_record *run = payload_of(head, sizeof(*run));
    bool right = run && run->schema == RECORD_SCHEMA && ENDS(run->version) && ENDS(run->started) &&
                 ENDS(run->plan_name) && ENDS(run->label) && ENDS(run->firmware_vendor) &&
                 ENDS(run->smbios.firmware_version) && ENDS(run->smbios.maker) &&
                 ENDS(run->smbios.product) && ENDS(run->smbios.uuid) && run->source < RUN_SOURCES &&
                 ENDS(run->linux_host.kernel) && ENDS(run->linux_host.governor) &&
                 ENDS(run->linux_host.isolated_cpus) && run->linux_host.read_by < LINUX_READS;

    for (unsigned r = 0; right && r < WINDOW_RINGS; r++)
        for (unsigned i = 0; right && i < DECLARED_COUNT; i++)
            right = run->window_cost[r][i] >= -COST_MAX && run->window_cost[r][i] <= COST_MAX;
    return right ? run : 0;
}

static const struct known_kernel *take_kernel(const struct journal_head *head)
{
    const struct known_kernel *kernel = payload_of(head, sizeof(*kernel));
    bool right = kernel && kernel->n > 0 && kernel->copies <= UINT16_MAX &&
                 kernel->n <= INT64_MAX / 2 / (kernel->copies + 1) && ENDS(kernel->name) &&
                 ENDS(kernel->title) && ENDS(kernel->param) && ENDS(kernel->family) &&
                 ENDS(kernel->file);

    for (unsigned i = 0; right && i < DECLARED_COUNT + KNOWN_LIST_MAX; i++) {
        const struct expect *expect =
            i < DECLARED_COUNT ? &kernel->expect[i] : &kernel->list[i - DECLARED_COUNT];

        right = expect->kind <= EXPECT_RANGE && expect->low >= 0 && expect->low <= EXPECT_MAX &&
                expect->high >= -EXPECT_MAX && expect->high <= EXPECT_MAX && expect->low_2n >= 0;
    }
    return right ? kernel : 0;
}

static const struct cpu_record *take_cpu(const struct view *view, const struct journal_head *head)
{
    const struct cpu_record *cpu = payload_of(head, sizeof(*cpu));
    bool right = cpu && view->run && cpu->caps.gp_count <= GP_COUNTERS_MAX &&
                 ENDS(cpu->caps.vendor_id) && ENDS(cpu->caps.brand);

    for (unsigned i = 0; right && i < CPU_CACHES_MAX; i++)
        right = cpu->cache[i].type < CACHE_TYPES;
    return right ? cpu : 0;
}

/*
 * Forgets the schedule, and the kernel that began last, which can have no rows without a schedule.
 */
static void forget_schedule(struct view *view)
{
    view->schedule = 0;
    view->next = 0;
    view_calibrate(view, 0);
}

static void forget_events(struct view *view)
{
    view->event = 0;
    view->events = 0;
    view->reasons = 0;
    view->trust = (struct piece){.size = 0};
    forget_schedule(view);
}

/* Uncore events have no declared count, and only they can be sums of two events. */
static bool has_scope(const struct event *event)
{
    const bool is_sum = event->flags & EVENT_SUM;

    if (event->scope == SCOPE_CPU)
        return !is_sum;
    return event->scope == SCOPE_UNCORE && event->kind < UNCORE_KINDS &&
           event->declared == EVENT_UNDECLARED &&
           (!is_sum ||
            (event->extra != 0 && event->extra_msr == 0 && event->unit != UNIT_MICROJOULES));
}

static void take_events(struct view *view, const struct journal_head *head)
{
    const struct event *event = journal_payload(head);
    unsigned events = head->payload_bytes / sizeof(*event);
    bool right =
        view->cpu && events <= EVENTS_MAX && head->payload_bytes == events * sizeof(*event);

    for (unsigned i = 0; right && i < events; i++)
        right = ENDS(event[i].name) && event[i].unit < UNITS &&
                event[i].declared >= EVENT_UNDECLARED && event[i].declared < DECLARED_COUNT &&
                has_scope(&event[i]);
    forget_events(view);
    if (right) {
        view->event = event;
        view->events = events;
    }
}

/* The record is valid only if it contains exactly one text for each event. */
static void take_reasons(struct view *view, const struct journal_head *head)
{
    const char *text = journal_payload(head);
    unsigned ends = 0;

    for (uint32_t i = 0; i < head->payload_bytes; i++)
        ends += text[i] == 0;
    if (ends > 0 && ends == view->events && text[head->payload_bytes - 1] == 0)
        view->reasons = text;
}

static void take_trust(struct view *view, const struct journal_head *head)
{
    view->trust = (struct piece){journal_payload(head), head->payload_bytes};
}

static bool is_slot_of(const struct slot *slot, const struct event *event)
{
    static const uint8_t COUNTERS[] = {[SLOT_GENERAL] = GP_COUNTERS_MAX,
                                       [SLOT_FIXED] = FIXED_COUNTERS_MAX,
                                       [SLOT_UNCORE] = UNCORE_COUNTERS_MAX};

    return slot->where <= SLOT_UNCORE && slot->counter < COUNTERS[slot->where] &&
           (slot->where == SLOT_UNCORE) == (event->scope == SCOPE_UNCORE) &&
           (!event_second(event) ||
            (slot->second < UNCORE_COUNTERS_MAX && slot->second != slot->counter));
}

static void take_schedule(struct view *view, const struct journal_head *head)
{
    const struct schedule *schedule = payload_of(head, SCHEDULE_BYTES(0));
    bool right = view->event && schedule && schedule->passes <= PASSES_MAX &&
                 head->payload_bytes >= SCHEDULE_BYTES(schedule->passes);

    for (unsigned p = 0; right && p < schedule->passes; p++) {
        const struct pass *pass = &schedule->pass[p];

        right = pass->slots <= SLOTS_MAX && pass->extras <= EXTRAS_MAX;
        for (unsigned s = 0; right && s < pass->slots; s++) {
            const struct slot *slot = &pass->slot[s];

            right = slot->event < view->events && is_slot_of(slot, &view->event[slot->event]);
        }
    }
    forget_schedule(view);
    view->schedule = right ? schedule : 0;
}

static const struct counter_tests *take_tests(const struct view *view,
                                              const struct journal_head *head)
{
    const struct counter_tests *tests = payload_of(head, sizeof(*tests));

    return tests && view->cpu && tests->cpu == view->cpu->cpu && tests->counters <= SLOTS_MAX
               ? tests
               : 0;
}

static const struct uncore_record *take_uncore(const struct view *view,
                                               const struct journal_head *head)
{
    const struct uncore_record *uncore = payload_of(head, sizeof(*uncore));
    bool right = uncore && view->cpu && uncore->cpu == view->cpu->cpu &&
                 uncore->groups <= UNCORE_GROUPS_MAX && ENDS(uncore->model);

    for (uint32_t i = 0; right && i < uncore->groups; i++)
        right = uncore->group[i].kind < UNCORE_KINDS && uncore->group[i].fault < UNCORE_FAULTS;
    return right ? uncore : 0;
}

static const struct noise *take_noise(const struct view *view, const struct journal_head *head)
{
    const struct noise *noise = payload_of(head, sizeof(*noise));

    return noise && view->run && noise_is_right(noise) ? noise : 0;
}

static const struct cpu_state *take_state(const struct view *view, const struct journal_head *head)
{
    const struct cpu_state *state = payload_of(head, sizeof(*state));
    bool right =
        state && view->cpu && state->cpu == view->cpu->cpu && state->items <= STATE_ITEMS_MAX;

    for (uint32_t i = 0; right && i < state->items; i++)
        right = state->item[i].setting < STATE_SETTINGS && state->item[i].written <= 1 &&
                state->item[i].kept <= 1;
    return right ? state : 0;
}

static bool has_room(const struct result *result, const struct schedule *schedule)
{
    bool right = result->stride_bytes % 8 == 0 && result->stride_bytes <= sizeof(struct sample) &&
                 result->stride_bytes >= SAMPLE_BYTES(0);

    for (unsigned p = 0; right && p < schedule->passes; p++)
        right = result->stride_bytes >= SAMPLE_BYTES(schedule->pass[p].slots);
    return right || result->samples == 0;
}

static bool has_msrs(const struct result *result)
{
    const struct msr_result *msr = result_msrs(result);

    for (unsigned i = 0; i < (unsigned)result->msrs_before + result->msrs_after; i++)
        if (msr[i].kind != MSR_OP_READ && msr[i].kind != MSR_OP_WRITE &&
            msr[i].kind != MSR_OP_RDTSC)
            return false;
    return true;
}

static bool is_whole(const struct view *view, const struct journal_head *head,
                     const struct result *result)
{
    return view->run && view->cpu && view->schedule && view->cpu->cpu == result->cpu &&
           has_room(result, view->schedule) && head->payload_bytes >= result_bytes(result) &&
           has_msrs(result) &&
           (result->kernel == KERNEL_CALIBRATION ||
            (result->kernel < view->kernels && view->kernel[result->kernel]));
}

static const struct next *take_next(const struct view *view, const struct journal_head *head)
{
    const struct next *next = payload_of(head, sizeof(*next));
    bool right = next && !view->end && view->run && view->cpu && view->schedule &&
                 view->cpu->cpu == next->cpu && next->kernel < view->kernels &&
                 view->kernel[next->kernel];

    return right ? next : 0;
}

static const struct phase *take_phase(const struct view *view, const struct journal_head *head)
{
    const struct phase *phase = payload_of(head, sizeof(*phase));
    bool right = phase && !view->end && view->run && phase->kind < PHASES;

    if (right && phase->kind == PHASE_STATE)
        right = phase->detail < STATE_SETTINGS;
    return right ? phase : 0;
}

static void forget_cpu(struct view *view)
{
    view->cpu = 0;
    view->tests = 0;
    view->state = 0;
    view->uncore = 0;
    forget_events(view);
}

static void remember_cpu(struct view *view, const struct journal_cursor *cursor,
                         const struct journal_head *head)
{
    size_t at = (size_t)((const char *)head - cursor->bytes);

    if (view->cpu && view->cpu->cpu < VIEW_CPUS_MAX && at <= UINT32_MAX)
        view->cpu_at[view->cpu->cpu] = (uint32_t)at;
}

/* Reads a CPU's records again, which are consecutive and end with the CPU's calibration. */
static void take_again(struct view *view, const struct journal_cursor *cursor,
                       const struct journal_head *head)
{
    const struct again *again = payload_of(head, sizeof(*again));
    struct journal_cursor back = *cursor;
    const struct journal_head *record;

    forget_cpu(view);
    if (!again || again->cpu >= VIEW_CPUS_MAX || view->cpu_at[again->cpu] == 0)
        return;
    back.at = view->cpu_at[again->cpu];
    record = (const struct journal_head *)(back.bytes + back.at);
    back.sequence = record->sequence;
    while (!view->calibration && (record = journal_next(&back)) &&
           (record->type == RECORD_CPU) == !view->cpu && record->type != RECORD_AGAIN)
        if (record->type != RECORD_KERNEL) /* already known */
            view_take(view, &back, record);
}

const struct result *view_take(struct view *view, const struct journal_cursor *cursor,
                               const struct journal_head *head)
{
    const struct result *result;

    if (head->type != RECORD_NOTE)
        view->phase = 0;
    switch (head->type) {
    case RECORD_RUN:
        if (!view->run)
            view->run = take_run(head);
        break;
    case RECORD_KERNEL:
        if (view->kernels < KERNELS_MAX)
            view->kernel[view->kernels++] = take_kernel(head);
        break;
    case RECORD_CPU:
        forget_cpu(view);
        view->cpu = take_cpu(view, head);
        remember_cpu(view, cursor, head);
        break;
    case RECORD_AGAIN:
        take_again(view, cursor, head);
        view->phase = 0;
        break;
    case RECORD_EVENTS:
        take_events(view, head);
        break;
    case RECORD_REASONS:
        take_reasons(view, head);
        break;
    case RECORD_TRUST:
        take_trust(view, head);
        break;
    case RECORD_SCHEDULE:
        take_schedule(view, head);
        break;
    case RECORD_TEST:
        view->tests = take_tests(view, head);
        break;
    case RECORD_NOISE:
        view->noise = take_noise(view, head);
        break;
    case RECORD_STATE:
        view->state = take_state(view, head);
        break;
    case RECORD_UNCORE:
        view->uncore = take_uncore(view, head);
        break;
    case RECORD_NEXT:
        view->next = take_next(view, head);
        break;
    case RECORD_PHASE:
        view->phase = take_phase(view, head);
        break;
    case RECORD_END:
        view->next = 0;
        if (!view->end)
            view->end = payload_of(head, sizeof(*view->end));
        break;
    case RECORD_RESULT:
        view->next = 0;
        result = payload_of(head, sizeof(*result));
        if (!result || !is_whole(view, head, result))
            break;
        if (result->kernel != KERNEL_CALIBRATION)
            return result;
        view_calibrate(view, result);
        break;
    default:
        break;
    }
    return 0;
}
