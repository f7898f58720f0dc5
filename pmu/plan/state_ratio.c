/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets the clock's ratio. */
#include "pmu/cpu/msr.h"
#include "pmu/plan/state_parts.h"

/* So many reads take a few milliseconds. A change of the ratio may take as long. */
#define CLOCK_READS_MAX 50000u

struct ratio_request {
    uint32_t msr;
    enum status status; /* STATUS_OK, or why no ratio can be requested */
    unsigned ratio;
    uint64_t found, asked;
};

/* With HWP on, a performance level is requested. This program never enables HWP. */
static struct ratio_request request_of_hwp(const struct state_work *work)
{
    struct ratio_request request = {.msr = MSR_IA32_HWP_REQUEST, .status = STATUS_MSR_REFUSED};
    uint64_t allowed;

    if (!state_read(work, MSR_IA32_HWP_CAPABILITIES, &allowed) ||
        !state_read(work, request.msr, &request.found))
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
 * On Sandy Bridge and later, IA32_PERF_CTL contains only the ratio, in bits 15:8. Older CPUs and
 * Silvermont use the low byte, for the ratio or for a voltage that must match it.
 */
static struct ratio_request request_of_perf_ctl(const struct state_work *work)
{
    struct ratio_request request = {.msr = MSR_IA32_PERF_CTL, .status = STATUS_MSR_REFUSED};
    uint64_t shown, platform;

    if (!state_read(work, MSR_IA32_PERF_STATUS, &shown) ||
        !state_read(work, request.msr, &request.found))
        return request;
    request.asked = request.found;
    request.status = STATUS_STATE_VOLTAGE;
    if ((shown | request.found) & 0xff)
        return request;
    request.ratio = work->plan->ratio;
    if (work->plan->ratio == PLAN_RATIO_BASE)
        request.ratio =
            state_read(work, MSR_PLATFORM_INFO, &platform) ? PLATFORM_INFO_RATIO(platform) : 0;
    request.status = request.ratio > 0 ? STATUS_OK : STATUS_STATE_BASE;
    if (request.ratio > 0)
        request.asked = (request.found & ~PERF_CTL_RATIO) | (uint64_t)request.ratio << 8;
    return request;
}

/*
 * Waits until the CPU reports the requested ratio. HWP levels of a hybrid CPU are not ratios, so
 * there is no wait for them.
 */
static void await_clock(const struct state_work *work, const struct ratio_request *request,
                        uint64_t was)
{
    bool is_level = request->msr == MSR_IA32_HWP_REQUEST && caps_has(work->caps, FEATURE_HYBRID);
    struct state_item *item = state_add(work, STATE_RATIO, MSR_IA32_PERF_STATUS, STATUS_OK);

    item->found = item->got = was;
    item->asked = is_level ? was : (was & ~PERF_CTL_RATIO) | (uint64_t)request->ratio << 8;
    for (unsigned i = 0; i < CLOCK_READS_MAX; i++)
        if (!state_read(work, item->msr, &item->got) || is_level ||
            PERF_STATUS_RATIO(item->got) == request->ratio)
            break;
    if (!is_level && PERF_STATUS_RATIO(item->got) != request->ratio)
        item->status = STATUS_STATE_CLOCK;
}

static bool has_hwp_on(const struct state_work *work)
{
    uint64_t enabled;

    return caps_has(work->caps, FEATURE_MSR | FEATURE_HWP) &&
           state_read(work, MSR_IA32_PM_ENABLE, &enabled) && enabled & PM_ENABLE_HWP;
}

void state_set_ratio(const struct state_work *work)
{
    struct ratio_request request;
    struct state_item *item;
    bool hwp = has_hwp_on(work), is_shown;
    uint64_t was;

    if (!hwp && !caps_has(work->caps, FEATURE_MSR | FEATURE_EIST)) {
        state_add(work, STATE_RATIO, 0, STATUS_STATE_ABSENT);
        return;
    }
    request = hwp ? request_of_hwp(work) : request_of_perf_ctl(work);
    item = state_add(work, STATE_RATIO, request.msr, request.status);
    item->found = item->got = request.found;
    item->asked = request.asked;
    if (request.status != STATUS_OK)
        return;
    is_shown = state_read(work, MSR_IA32_PERF_STATUS, &was);
    state_make(work, item);
    if (is_shown && item->status == STATUS_OK)
        await_clock(work, &request, was);
}

static void look_at(const struct state_work *work, uint32_t msr)
{
    struct state_item *item = state_add(work, STATE_RATIO, msr, STATUS_OK);

    if (!state_read(work, msr, &item->found))
        item->status = STATUS_MSR_REFUSED;
    item->asked = item->got = item->found;
}

void state_look_at_ratio(const struct state_work *work)
{
    bool hwp = has_hwp_on(work);

    if (!hwp && !caps_has(work->caps, FEATURE_MSR | FEATURE_EIST)) {
        state_add(work, STATE_RATIO, 0, STATUS_STATE_ABSENT);
        return;
    }
    look_at(work, hwp ? MSR_IA32_HWP_REQUEST : MSR_IA32_PERF_CTL);
    look_at(work, MSR_IA32_PERF_STATUS);
}
