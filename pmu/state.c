/* SPDX-License-Identifier: BSD-2-Clause */
#include "caps.h"
#include "msr.h"
#include "plan.h"
#include "program.h"
#include "state.h"
#include "status.h"

/* IA32_PERF_STATUS is read so often until it shows the ratio: milliseconds, as a change may take.
 */
#define CLOCK_READS_MAX 50000u

/* The CPU that runs, and what is asked of it. */
struct work {
    const struct msr_port *port;
    const struct cpu_caps *caps;
    const struct plan_state *plan;
    struct cpu_state *state;
};

/* A register whose bits switch something off when they are 1. */
struct off_register {
    uint32_t setting;
    uint32_t vendor;
    uint32_t feature; /* of caps.h that promises it; 0: it is asked for itself */
    uint32_t msr;
    uint64_t off;
    bool set_hides_it; /* CPUID does not promise it while the bits are 1 */
};

static const struct off_register OFF_REGISTERS[] = {
    {STATE_TURBO, VENDOR_INTEL, FEATURE_TURBO, MSR_IA32_MISC_ENABLE, MISC_ENABLE_TURBO_OFF, true},
    {STATE_TURBO, VENDOR_AMD, FEATURE_AMD_BOOST, MSR_AMD_HWCR, AMD_HWCR_BOOST_OFF, false},
    {STATE_PREFETCH, VENDOR_INTEL, 0, MSR_MISC_FEATURE_CONTROL, PREFETCH_OFF, false},
    {STATE_PREFETCH, VENDOR_AMD, FEATURE_AMD_PREFETCH, MSR_AMD_PREFETCH_CONTROL, AMD_PREFETCH_OFF,
     false},
};
#define OFF_REGISTERS_COUNT (sizeof(OFF_REGISTERS) / sizeof(OFF_REGISTERS[0]))

/* Models of family 6 on which 1A4H has other bits than most. */
static const struct {
    uint8_t model;
    uint8_t off;
} PREFETCH_MODELS[] = {
    {0x5c, 0x5}, {0x5f, 0x5}, {0x7a, 0x5}, /* Goldmont: 1 and 3 are reserved */
    {0x57, 0x3}, {0x85, 0x3},              /* Xeon Phi: L1 data, L2 */
};

static bool read_msr(const struct work *work, uint32_t msr, uint64_t *value)
{
    return work->port->read(work->port->context, msr, value);
}

static struct state_item *add_item(const struct work *work, uint32_t setting, uint32_t msr,
                                   enum status status)
{
    struct state_item *item = &work->state->item[work->state->items++];

    *item = (struct state_item){.setting = setting, .msr = msr, .status = status};
    return item;
}

/* STATUS_OK: the register holds `value`. Else why not; it was made to hold `before` again. */
static enum status try_write(const struct msr_port *port, uint32_t msr, uint64_t value,
                             uint64_t before)
{
    uint64_t now;

    if (!port->write(port->context, msr, value))
        return STATUS_MSR_REFUSED;
    if (port->read(port->context, msr, &now) && now == value)
        return STATUS_OK;
    port->write(port->context, msr, before);
    return STATUS_STATE_KEPT;
}

/* Bit by bit, where not all of them can be written at once: those that the register keeps. */
static void write_bits(const struct work *work, struct state_item *item)
{
    uint64_t held = item->found;

    for (uint64_t left = item->found ^ item->asked; left; left &= left - 1) {
        uint64_t next = held ^ (left & -left);

        if (try_write(work->port, item->msr, next, held) == STATUS_OK)
            held = next;
    }
    if (held != item->found)
        item->status = STATUS_STATE_PART;
}

/* Brings the register of an item from `found` to `asked`. */
static void make(const struct work *work, struct state_item *item)
{
    uint64_t wanted = item->found ^ item->asked;

    item->got = item->found;
    if (wanted == 0)
        return;
    item->written = 1; /* from now on, should the CPU not come back from here */
    item->status = try_write(work->port, item->msr, item->asked, item->found);
    if (item->status != STATUS_OK && wanted & (wanted - 1) && item->setting == STATE_PREFETCH)
        write_bits(work, item);
    item->written = !read_msr(work, item->msr, &item->got) || item->got != item->found;
}

static uint64_t off_bits(const struct off_register *reg, const struct cpu_caps *caps)
{
    if (reg->msr != MSR_MISC_FEATURE_CONTROL)
        return reg->off;
    for (unsigned i = 0; i < sizeof(PREFETCH_MODELS) / sizeof(PREFETCH_MODELS[0]); i++)
        if (caps->family == 6 && caps->model == PREFETCH_MODELS[i].model)
            return PREFETCH_MODELS[i].off;
    return caps->core_type == CORE_TYPE_ATOM ? reg->off | PREFETCH_OFF_ATOM : reg->off;
}

/*
 * The item of a switch, its register as it was found, with the bits that are 1 when it is off. Null
 * behind an item that says why there is none.
 */
static struct state_item *find_switch(const struct work *work, uint32_t setting, uint64_t *off)
{
    const struct off_register *reg = OFF_REGISTERS;
    struct state_item *item;
    uint64_t found;
    bool promised;

    while (reg < OFF_REGISTERS + OFF_REGISTERS_COUNT &&
           (reg->setting != setting || reg->vendor != work->caps->vendor))
        reg++;
    promised = reg < OFF_REGISTERS + OFF_REGISTERS_COUNT && caps_has(work->caps, FEATURE_MSR) &&
               (caps_has(work->caps, reg->feature) || reg->set_hides_it);
    if (!promised) {
        add_item(work, setting, 0, STATUS_STATE_ABSENT);
        return 0;
    }
    if (!read_msr(work, reg->msr, &found)) {
        add_item(work, setting, reg->msr, STATUS_MSR_REFUSED);
        return 0;
    }
    *off = off_bits(reg, work->caps);
    if (!caps_has(work->caps, reg->feature) && (found & *off) == 0) {
        add_item(work, setting, 0, STATUS_STATE_ABSENT);
        return 0;
    }
    item = add_item(work, setting, reg->msr, STATUS_OK);
    item->found = item->asked = item->got = found;
    return item;
}

static void set_switch(const struct work *work, uint32_t setting, enum plan_switch wish)
{
    uint64_t off;
    struct state_item *item = find_switch(work, setting, &off);

    if (!item)
        return;
    item->asked = wish == SWITCH_OFF ? item->found | off : item->found & ~off;
    make(work, item);
}

/* Where the ratio is asked for. */
struct ratio_request {
    uint32_t msr;
    enum status status; /* STATUS_OK, or why nothing can be asked */
    unsigned ratio;
    uint64_t found, asked;
};

/* With HWP, which somebody has switched on: levels of performance. Nothing here does that. */
static struct ratio_request request_of_hwp(const struct work *work)
{
    struct ratio_request request = {.msr = MSR_IA32_HWP_REQUEST, .status = STATUS_MSR_REFUSED};
    uint64_t allowed;

    if (!read_msr(work, MSR_IA32_HWP_CAPABILITIES, &allowed) ||
        !read_msr(work, request.msr, &request.found))
        return request;
    request.ratio =
        work->plan->ratio == PLAN_RATIO_BASE ? HWP_GUARANTEED(allowed) : work->plan->ratio;
    request.asked = (request.found & ~(HWP_REQUEST_RANGE | HWP_REQUEST_PACKAGE)) |
                    (uint64_t)request.ratio * 0x010101u;
    request.status = request.ratio < HWP_LOWEST(allowed) || request.ratio > HWP_HIGHEST(allowed)
                         ? STATUS_STATE_RANGE
                         : STATUS_OK;
    return request;
}

/*
 * A ratio in [15:8] and nothing else is what CPUs have from Sandy Bridge on. Where the low byte is
 * in use it is a voltage that must fit the ratio, or the ratio itself: CPUs of before, Silvermont.
 */
static struct ratio_request request_of_perf_ctl(const struct work *work)
{
    struct ratio_request request = {.msr = MSR_IA32_PERF_CTL, .status = STATUS_MSR_REFUSED};
    uint64_t shown, platform;

    if (!read_msr(work, MSR_IA32_PERF_STATUS, &shown) ||
        !read_msr(work, request.msr, &request.found))
        return request;
    request.asked = request.found;
    request.status = STATUS_STATE_VOLTAGE;
    if ((shown | request.found) & 0xff)
        return request;
    request.ratio = work->plan->ratio;
    if (work->plan->ratio == PLAN_RATIO_BASE)
        request.ratio =
            read_msr(work, MSR_PLATFORM_INFO, &platform) ? PLATFORM_INFO_RATIO(platform) : 0;
    request.status = request.ratio > 0 ? STATUS_OK : STATUS_STATE_BASE;
    if (request.ratio > 0)
        request.asked = (request.found & ~PERF_CTL_RATIO) | (uint64_t)request.ratio << 8;
    return request;
}

/*
 * Waits until the CPU shows the ratio, and keeps what it shows at the end. On a hybrid CPU levels
 * of HWP are no ratios; then nothing is waited for.
 */
static void await_clock(const struct work *work, const struct ratio_request *request, uint64_t was)
{
    bool is_level = request->msr == MSR_IA32_HWP_REQUEST && caps_has(work->caps, FEATURE_HYBRID);
    struct state_item *item = add_item(work, STATE_RATIO, MSR_IA32_PERF_STATUS, STATUS_OK);

    item->found = item->got = was;
    item->asked = is_level ? was : (was & ~PERF_CTL_RATIO) | (uint64_t)request->ratio << 8;
    for (unsigned i = 0; i < CLOCK_READS_MAX; i++)
        if (!read_msr(work, item->msr, &item->got) || is_level ||
            PERF_STATUS_RATIO(item->got) == request->ratio)
            break;
    if (!is_level && PERF_STATUS_RATIO(item->got) != request->ratio)
        item->status = STATUS_STATE_CLOCK;
}

static bool has_hwp_on(const struct work *work)
{
    uint64_t enabled;

    return caps_has(work->caps, FEATURE_MSR | FEATURE_HWP) &&
           read_msr(work, MSR_IA32_PM_ENABLE, &enabled) && enabled & PM_ENABLE_HWP;
}

static void set_ratio(const struct work *work)
{
    struct ratio_request request;
    struct state_item *item;
    bool hwp = has_hwp_on(work), is_shown;
    uint64_t was;

    if (!hwp && !caps_has(work->caps, FEATURE_MSR | FEATURE_EIST)) {
        add_item(work, STATE_RATIO, 0, STATUS_STATE_ABSENT);
        return;
    }
    request = hwp ? request_of_hwp(work) : request_of_perf_ctl(work);
    item = add_item(work, STATE_RATIO, request.msr, request.status);
    item->found = item->got = request.found;
    item->asked = request.asked;
    if (request.status != STATUS_OK)
        return;
    is_shown = read_msr(work, MSR_IA32_PERF_STATUS, &was);
    make(work, item);
    if (is_shown && item->status == STATUS_OK)
        await_clock(work, &request, was);
}

void state_set(const struct msr_port *port, const struct cpu_caps *caps,
               const struct plan_state *plan, struct cpu_state *state)
{
    const struct work work = {.port = port, .caps = caps, .plan = plan, .state = state};

    state->items = 0;
    if (plan->turbo != SWITCH_KEEP)
        set_switch(&work, STATE_TURBO, plan->turbo);
    if (plan->prefetch != SWITCH_KEEP)
        set_switch(&work, STATE_PREFETCH, plan->prefetch);
    if (plan->ratio != PLAN_RATIO_KEEP && caps->vendor == VENDOR_INTEL)
        set_ratio(&work);
    else if (plan->ratio != PLAN_RATIO_KEEP)
        add_item(&work, STATE_RATIO, 0, STATUS_STATE_VENDOR);
}

/* A register of the clock that is only looked at. */
static void look_at(const struct work *work, uint32_t msr)
{
    struct state_item *item = add_item(work, STATE_RATIO, msr, STATUS_OK);

    if (!read_msr(work, msr, &item->found))
        item->status = STATUS_MSR_REFUSED;
    item->asked = item->got = item->found;
}

static void look_at_ratio(const struct work *work)
{
    bool hwp = has_hwp_on(work);

    if (!hwp && !caps_has(work->caps, FEATURE_MSR | FEATURE_EIST)) {
        add_item(work, STATE_RATIO, 0, STATUS_STATE_ABSENT);
        return;
    }
    look_at(work, hwp ? MSR_IA32_HWP_REQUEST : MSR_IA32_PERF_CTL);
    look_at(work, MSR_IA32_PERF_STATUS);
}

void state_look(const struct msr_port *port, const struct cpu_caps *caps,
                const struct plan_state *plan, struct cpu_state *state)
{
    const struct work work = {.port = port, .caps = caps, .plan = plan, .state = state};
    uint32_t first = state->items;
    uint64_t off;

    if (plan->turbo == SWITCH_KEEP)
        find_switch(&work, STATE_TURBO, &off);
    if (plan->prefetch == SWITCH_KEEP)
        find_switch(&work, STATE_PREFETCH, &off);
    if (plan->ratio == PLAN_RATIO_KEEP && caps->vendor == VENDOR_INTEL)
        look_at_ratio(&work);
    for (uint32_t i = first; i < state->items; i++)
        state->item[i].kept = 1;
}

void state_restore(const struct msr_port *port, struct cpu_state *state)
{
    for (uint32_t i = state->items; i-- > 0;) {
        struct state_item *item = &state->item[i];
        uint64_t now;

        if (!item->written)
            continue;
        if (!port->write(port->context, item->msr, item->found))
            item->status = STATUS_MSR_REFUSED;
        else if (!port->read(port->context, item->msr, &now) || now != item->found)
            item->status = STATUS_STATE_KEPT;
        else
            item->written = 0;
    }
}
