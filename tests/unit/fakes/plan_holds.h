/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules that hold for a plan parsed from any bytes. The includer defines CHECK(condition). */
#ifndef BARECOUNT_TESTS_UNIT_FAKES_PLAN_HOLDS_H
#define BARECOUNT_TESTS_UNIT_FAKES_PLAN_HOLDS_H

#include <string.h>

#include "pmu/counters/event.h"
#include "pmu/plan/plan.h"
#include "pmu/journal/record.h"
#include "pmu/base/url.h"

static inline void check_is_text(const char *text, size_t size)
{
    CHECK(strnlen(text, size) < size);
    for (; *text; text++)
        CHECK(*text >= ' ' && *text <= '~');
}

static inline void check_is_within(struct piece piece, const char *text, size_t size)
{
    CHECK(piece.size == 0 || (piece.at >= text && piece.at + piece.size <= text + size));
}

static inline void check_plan_events(const struct plan *plan, const char *text, size_t size)
{
    CHECK(plan->groups <= PLAN_GROUPS_MAX && plan->events <= PLAN_EVENTS_MAX);
    for (unsigned i = 0; i < plan->groups; i++)
        check_is_text(plan->group[i].name, PLAN_NAME_BYTES);
    for (unsigned i = 0; i < plan->events; i++) {
        struct piece rest = plan->event[i].expression;

        CHECK(plan->event[i].group < plan->groups && plan->event[i].line > 0);
        CHECK(plan->event[i].name.size < EVENT_NAME_BYTES && rest.size > 0);
        check_is_within(plan->event[i].name, text, size);
        check_is_within(rest, text, size);
        while (rest.size > 0) {
            struct piece one = plan_alternative(&rest);

            CHECK(one.size > 0 && (plan->event[i].name.size > 0 || one.size < EVENT_NAME_BYTES));
            check_is_within(one, text, size);
        }
    }
}

static inline void check_plan_script(const struct plan *plan, const struct msr_script *script)
{
    for (unsigned i = 0; i < script->count; i++) {
        char text[PLAN_ERROR_BYTES];
        struct out why = out_buffer(text, sizeof(text));

        CHECK(script->op[i].kind < MSR_OPS && script->op[i].line > 0);
        CHECK(plan->unsafe_msr || msr_op_allowed(&script->op[i], &why));
    }
}

static inline void check_plan_codes(const struct plan *plan, const char *text, size_t size)
{
    static uint8_t bytes[PLAN_CODE_BYTES_MAX];

    CHECK(plan->codes <= PLAN_CODES_MAX);
    for (unsigned i = 0; i < plan->codes; i++) {
        const struct plan_code *code = &plan->code[i];

        check_is_text(code->name, PLAN_NAME_BYTES);
        check_is_within(code->code, text, size);
        check_is_within(code->init, text, size);
        CHECK(plan_code_bytes(code->code, bytes) >= 1);
        CHECK(plan_code_bytes(code->code, 0) <= PLAN_CODE_BYTES_MAX);
        CHECK(plan_code_bytes(code->init, 0) <= PLAN_CODE_BYTES_MAX);
        CHECK(code->unroll >= 1 && code->unroll <= PLAN_UNROLL_MAX && code->loop <= PLAN_LOOP_MAX);
    }
}

static inline void check_plan_results(const struct plan *plan)
{
    const char *server = plan->results.server;
    char why[PLAN_ERROR_BYTES];
    struct out out = out_buffer(why, sizeof(why));
    struct url url;

    CHECK(plan->results.frames <= FRAMES_NEVER);
    check_is_text(server, PLAN_SERVER_BYTES);
    CHECK(server[0] == 0 || url_parse(piece_of(server), &url, &out));
    CHECK(server[0] == 0 || server[strlen(server) - 1] == '/');
}

static inline void check_plan(const struct plan *plan, const char *text, size_t size)
{
    CHECK(plan->runs >= 1 && plan->runs <= PLAN_RUNS_MAX && plan->warmup <= PLAN_WARMUP_MAX);
    CHECK(plan->n <= PLAN_N_MAX && plan->overflow_after <= PLAN_OVERFLOW_MAX);
    CHECK(plan->cpus <= CPUS_LISTED && plan->mode <= MODE_PARALLEL);
    CHECK(plan->at_end <= AT_END_LEAVE && plan->method <= METHOD_DELTAS);
    CHECK(plan->rings > 0 && plan->rings <= (RING_OS | RING_USR));
    CHECK(plan->cpl == 0 || plan->cpl == 3);
    CHECK(plan->method == METHOD_RESET || plan->overflow_after == 0);
    CHECK(plan->timeout_ms >= 1 && plan->timeout_ms <= PLAN_TIMEOUT_MS_MAX);
    CHECK(plan->noise_ms <= PLAN_NOISE_MS_MAX);
    CHECK(plan->max_time_s <= PLAN_MAX_TIME_S);
    CHECK(plan->noise_threshold_ns >= PLAN_NOISE_NS_MIN);
    CHECK(plan->noise_threshold_ns <= PLAN_NOISE_NS_MAX);
    CHECK(plan->state.turbo <= SWITCH_ON && plan->state.prefetch <= SWITCH_ON);
    CHECK(plan->state.park <= PARK_MWAIT);
    CHECK(plan->state.ratio <= PLAN_RATIO_MAX || plan->state.ratio == PLAN_RATIO_BASE);
    check_plan_results(plan);
    check_is_text(plan->label, PLAN_LABEL_BYTES);
    CHECK(plan->kernels <= PLAN_KERNELS_MAX);
    for (unsigned i = 0; i < plan->kernels; i++) {
        check_is_text(plan->kernel[i].name, PLAN_NAME_BYTES);
        CHECK(plan->kernel[i].name[0] != 0 && plan->kernel[i].line > 0);
        CHECK(plan->kernel[i].n <= PLAN_N_MAX && plan->kernel[i].size <= PLAN_SIZE_MAX);
        check_is_text(plan->kernel[i].argument, PLAN_ARGUMENT_BYTES);
        CHECK(plan->kernel[i].argument[0] || plan->kernel[i].argument_value == 0);
        CHECK(plan->kernel[i].memory <= MEMORY_UC);
    }
    check_plan_codes(plan, text, size);
    check_plan_events(plan, text, size);
    CHECK(plan->before.count + plan->after.count <= MSR_SCRIPT_OPS_MAX);
    check_plan_script(plan, &plan->before);
    check_plan_script(plan, &plan->after);
    CHECK(plan->conditions == 0 || plan->each_counter);
    CHECK(plan->errors_kept <= plan->errors);
    for (unsigned i = 0; i < plan->errors_kept; i++) {
        check_is_text(plan->error[i].text, PLAN_ERROR_BYTES);
        CHECK(plan->error[i].text[0] != 0 && plan->error[i].line > 0);
        CHECK(i == 0 || plan->error[i].line >= plan->error[i - 1].line);
    }
}

#endif
