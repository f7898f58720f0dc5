/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the plan's parser (pmu/plan/plan.c) and the parsers of its sections share. */
#ifndef BARECOUNT_PMU_PLAN_KEYS_H
#define BARECOUNT_PMU_PLAN_KEYS_H

#include "pmu/base/piece.h"
#include "pmu/plan/plan.h"

_Static_assert(PLAN_LABEL_BYTES == PLAN_NAME_BYTES, "piece_show() writes both");

struct parser;

/* Parses a line of a section, or adds an error. */
typedef void plan_line(struct parser *p, struct piece line);

struct parser {
    struct plan *plan;
    uint32_t line;
    plan_line *section; /* null: none yet */

    /* [run] */
    uint32_t run_seen;      /* bit i: key i was set by an earlier line */
    uint32_t overflow_line; /* 0: not given */
    uint32_t conditions_line;
    uint32_t events_line; /* 0: not given */
    struct piece events;  /* resolved at the end */
    bool cpl_given;

    uint32_t state_seen;       /* like run_seen, for [state] */
    uint32_t results_seen;     /* like run_seen, for [results] */
    uint16_t group;            /* [events]: group's index */
    struct msr_script *script; /* [msr]: the current script */
    uint32_t code_seen;        /* like run_seen, for the current [code] */
};

/*
 * take() parses the value or adds an error. If `take` is null, the field is set to the value's
 * index in `word`, or to a number from `low` to `high`.
 */
struct plan_key {
    const char *name;
    void (*take)(struct parser *p, struct piece value);
    size_t field;            /* in the section's struct */
    size_t bytes;            /* size of the field */
    const char *const *word; /* null: numbers */
    uint64_t low, high;
};

/* A numeric field. The unary + makes the compiler reject structs and pointers. */
#define PLAN_FIELD(of, to)                                                                         \
    .field = offsetof(of, to), .bytes = sizeof(((of *)0)->to) + 0 * sizeof(+((of *)0)->to)
#define PLAN_NUMBER(of, to, from, most) PLAN_FIELD(of, to), .low = (from), .high = (most)

/* A key whose value is a word, stored as the word's index in a list. */
#define PLAN_WORD(of, to, ...) .word = (const char *const[]){__VA_ARGS__, 0}, PLAN_FIELD(of, to)

struct plan_section {
    const char *name; /* with brackets */
    const struct plan_key *key;
    unsigned keys; /* at most 32 */
    size_t lines;  /* byte offset of the array of line numbers in the section's struct; 0: none */
};

/* Parses a key=value line into *of. Bit i of *seen: an earlier line set key i. */
void plan_take_key(struct parser *p, const struct plan_section *section, uint32_t *seen,
                   struct piece line, void *of);

/*
 * Parses a number from `low` to `high`, perhaps with K, M or G (piece_size()). After an error, *to
 * is unchanged and the result is false.
 */
bool plan_take_number(struct parser *p, const char *key, struct piece value, uint64_t low,
                      uint64_t high, uint64_t *to);

/*
 * The index of a value in a null-terminated list of words, ignoring case. If the value is not in
 * the list, the index of the null.
 */
unsigned plan_find_word(struct piece value, const char *const *words);

/*
 * Adds the error "EXPECTED, found 'x'; nearest: y", without "; nearest: y" if no word is similar.
 */
void plan_word_error(struct parser *p, struct piece value, const char *const *words,
                     const char *expected, ...) __attribute__((format(printf, 4, 5)));

/* Like plan_find_word(), but adds an error if the value is not in the list. */
unsigned plan_take_word(struct parser *p, const char *key, struct piece value,
                        const char *const *words);

plan_line plan_run_line;
plan_line plan_state_line;
plan_line plan_results_line;
plan_line plan_kernels_line;
plan_line plan_events_line;
plan_line plan_msr_line;
plan_line plan_code_line;

/*
 * Begin a section. After an error, these functions return false, and the section's lines are
 * skipped.
 */
bool plan_kernels_begin(struct parser *p, struct piece name);
bool plan_events_begin(struct parser *p, struct piece name);
bool plan_msr_begin(struct parser *p, struct piece name);
bool plan_code_begin(struct parser *p, struct piece name);

/* Check what depends on the whole plan. Called after the plan's last line. */
void plan_run_end(struct parser *p);
void plan_kernels_end(struct parser *p);
void plan_events_end(struct parser *p);
void plan_msr_end(struct parser *p);
void plan_code_end(struct parser *p);

/* Removes the writes in [msr] that need unsafe_msr=yes, and reports them as errors. */
void plan_msr_keep_safe(struct plan *plan);

#endif
