/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the parser of plan files (pmu/plan/plan.c) and the meaning of its sections' lines. */
#ifndef BARECOUNT_PMU_PLAN_KEYS_H
#define BARECOUNT_PMU_PLAN_KEYS_H

#include "pmu/base/piece.h"
#include "pmu/plan/plan.h"

_Static_assert(PLAN_LABEL_BYTES == PLAN_NAME_BYTES, "piece_show() makes both");

struct parser;

/* Takes a line of a section, or adds an error. */
typedef void plan_line(struct parser *p, struct piece line);

struct parser {
    struct plan *plan;
    uint32_t line;
    plan_line *section; /* takes the lines of the section; null: there is none yet */

    /* [run] */
    uint32_t run_seen;      /* bit i: its key i has been seen */
    uint32_t overflow_line; /* of overflow_after=, 0: none */
    uint32_t events_line;   /* of events=, 0: none */
    struct piece events;    /* its value, understood when the groups are known */
    bool cpl_given;

    uint32_t state_seen;       /* the same of [state] */
    uint32_t results_seen;     /* and of [results] */
    uint16_t group;            /* of [events]: the index of the present one */
    struct msr_script *script; /* of [msr]: the present one */
    uint32_t code_seen;        /* the keys of the present [code], as run_seen */
};

/*
 * A key of a section of lines key=value. take() takes its value or adds an error; where it is null,
 * a field gets the number of the value among the words, or a number from low to high.
 */
struct plan_key {
    const char *name;
    void (*take)(struct parser *p, struct piece value);
    size_t field;            /* where it stands in what the section fills in */
    size_t bytes;            /* and how long it is */
    const char *const *word; /* they end with a null; null: a number */
    uint64_t low, high;
};

/* Such a field of a struct, as a number; + refuses what is no integer. */
#define PLAN_FIELD(of, to)                                                                         \
    .field = offsetof(of, to), .bytes = sizeof(((of *)0)->to) + 0 * sizeof(+((of *)0)->to)
#define PLAN_NUMBER(of, to, from, most) PLAN_FIELD(of, to), .low = (from), .high = (most)

/* One of some words, by its number: those of an enum from 0 on, without gaps, the highest last. */
#define PLAN_WORD(of, to, ...) .word = (const char *const[]){__VA_ARGS__, 0}, PLAN_FIELD(of, to)

struct plan_section {
    const char *name; /* with its brackets */
    const struct plan_key *key;
    unsigned keys; /* at most 32 */
    size_t lines;  /* in what it fills in: where the line of each key stands; 0: nowhere */
};

/*
 * Takes a line of such a section, which fills in *of. *seen has a bit for each key that came
 * before.
 */
void plan_take_key(struct parser *p, const struct plan_section *section, uint32_t *seen,
                   struct piece line, void *of);

/*
 * The value of a key as a number from low to high, perhaps with K, M or G (piece_size()). False:
 * *to is left alone, that was an error.
 */
bool plan_take_number(struct parser *p, const char *key, struct piece value, uint64_t low,
                      uint64_t high, uint64_t *to);

/* Which of some words, which end with a null, a value is; where the null stands: none of them. */
unsigned plan_find_word(struct piece value, const char *const *words);

/*
 * Says that a value is none of these words, nor what else may stand there: "EXPECTED, found 'x';
 * nearest: y".
 */
void plan_word_error(struct parser *p, struct piece value, const char *const *words,
                     const char *expected, ...) __attribute__((format(printf, 4, 5)));

/* The same of a key's value, with an error when it is none of them. */
unsigned plan_take_word(struct parser *p, const char *key, struct piece value,
                        const char *const *words);

/* The lines of the sections. */
plan_line plan_run_line;
plan_line plan_state_line;
plan_line plan_results_line;
plan_line plan_kernels_line;
plan_line plan_events_line;
plan_line plan_msr_line;
plan_line plan_code_line;

/* [kernels], [events NAME], [msr NAME], [code NAME] begin. False, after an error: their lines
 * are left out.
 */
bool plan_kernels_begin(struct parser *p, struct piece name);
bool plan_events_begin(struct parser *p, struct piece name);
bool plan_msr_begin(struct parser *p, struct piece name);
bool plan_code_begin(struct parser *p, struct piece name);

/* After the last line: what could not be known before. */
void plan_run_end(struct parser *p);
void plan_kernels_end(struct parser *p);
void plan_events_end(struct parser *p);
void plan_msr_end(struct parser *p);
void plan_code_end(struct parser *p);

#endif
