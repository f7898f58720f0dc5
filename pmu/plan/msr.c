/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses [msr before] and [msr after], the scripts around a kernel. */
#include "pmu/plan/keys.h"

bool plan_msr_begin(struct parser *p, struct piece name)
{
    char shown[PLAN_NAME_BYTES];

    p->script = piece_is(name, "before") ? &p->plan->before : &p->plan->after;
    if (piece_is(name, "before") || piece_is(name, "after"))
        return true;
    plan_add_error(p->plan, p->line,
                   "expected [msr before] or [msr after], found '%s'; all its lines are left out",
                   piece_show(name, shown));
    return false;
}

void plan_msr_line(struct parser *p, struct piece line)
{
    struct plan *plan = p->plan;
    char text[PLAN_ERROR_BYTES];
    struct out why = out_buffer(text, sizeof(text));
    struct msr_op op = {.line = p->line};

    if (!msr_op_parse(line, &op, &why))
        plan_add_error(plan, p->line, "%s", out_end(&why));
    else if (plan->before.count + plan->after.count == MSR_SCRIPT_OPS_MAX)
        plan_add_error(plan, p->line, "expected at most %u lines in all sections [msr]",
                       MSR_SCRIPT_OPS_MAX);
    else
        p->script->op[p->script->count++] = op;
}

static void leave_out(struct plan *plan, struct msr_script *script,
                      bool (*is_right)(const struct msr_op *op, struct out *why))
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < script->count; i++) {
        char text[PLAN_ERROR_BYTES];
        struct out why = out_buffer(text, sizeof(text));

        if (is_right(&script->op[i], &why))
            script->op[kept++] = script->op[i];
        else
            plan_add_error(plan, script->op[i].line, "%s", out_end(&why));
    }
    script->count = kept;
}

void plan_msr_keep_safe(struct plan *plan)
{
    leave_out(plan, &plan->before, msr_op_allowed);
    leave_out(plan, &plan->after, msr_op_allowed);
}

void plan_msr_end(struct parser *p)
{
    struct plan *plan = p->plan;

    if (plan->mode == MODE_PARALLEL) {
        leave_out(plan, &plan->before, msr_op_is_own);
        leave_out(plan, &plan->after, msr_op_is_own);
    }
    if (!plan->unsafe_msr)
        plan_msr_keep_safe(plan);
}
