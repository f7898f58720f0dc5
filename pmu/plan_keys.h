/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the parser of plan files (plan.c) and the meaning of its sections' lines. */
#ifndef BARECOUNT_PMU_PLAN_KEYS_H
#define BARECOUNT_PMU_PLAN_KEYS_H

#include "piece.h"
#include "plan.h"

_Static_assert(PLAN_LABEL_BYTES == PLAN_NAME_BYTES, "piece_show() makes both");

struct parser;

/* Takes a line of a section, or complains of it. */
typedef void plan_line(struct parser *p, struct piece line);

struct parser {
    struct plan *plan;
    uint32_t line;
    plan_line *section; /* takes the lines of the section; null: there is none yet */

    /* [run] */
    uint32_t keys_seen;     /* bit i: key i of plan_keys.c */
    uint32_t kernels_line;  /* of kernels=, 0: none */
    uint32_t overflow_line; /* of overflow_after=, 0: none */
    uint32_t events_line;   /* of events=, 0: none */
    struct piece events;    /* its value, understood when the groups are known */
    bool cpl_given;

    uint32_t kernels_section;  /* its line: it holds, not kernels=; 0: there is none */
    uint16_t group;            /* of [events]: the index of the present one */
    struct msr_script *script; /* of [msr]: the present one */
};

/* The lines of the sections. */
plan_line plan_run_line;
plan_line plan_kernels_line;
plan_line plan_events_line;
plan_line plan_msr_line;

/* [kernels], [events NAME], [msr NAME] begin. False, after a complaint: their lines are left out.
 */
bool plan_kernels_begin(struct parser *p, struct piece name);
bool plan_events_begin(struct parser *p, struct piece name);
bool plan_msr_begin(struct parser *p, struct piece name);

/* After the last line: what could not be known before. */
void plan_run_end(struct parser *p);
void plan_kernels_end(struct parser *p);
void plan_events_end(struct parser *p);
void plan_msr_end(struct parser *p);

#endif
