/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan file, which says what to measure. docs/plan.md describes its sections, keys and
 * defaults. Numbers are parsed by piece_size(): 4096, 0x1000 or 4K. An invalid line is reported and
 * skipped. If no other line sets its key, the key's default applies. In kernels= and events=, only
 * names that cannot be used are skipped.
 */
#ifndef BARECOUNT_PMU_PLAN_PLAN_H
#define BARECOUNT_PMU_PLAN_PLAN_H

#include "pmu/base/array.h"
#include "pmu/counters/event.h"
#include "pmu/counters/msr_script.h"

#define PLAN_CPUS_MAX        1024u
#define PLAN_KERNELS_MAX     1024u
#define PLAN_CODES_MAX       16u
#define PLAN_ARGUMENT_BYTES  12u
#define PLAN_UNROLL_MAX      100000u
#define PLAN_LOOP_MAX        1000000u
#define PLAN_CODE_BYTES_MAX  4096u
#define PLAN_CODE_MEMORY_MAX (8u << 20)
#define PLAN_TIMEOUT_MS      5000u
#define PLAN_TIMEOUT_MS_MAX  3600000u
#define PLAN_EVENTS_MAX      1008u /* counters=each makes more of them, up to EVENTS_MAX */
#define PLAN_GROUPS_MAX      32u
#define PLAN_LABEL_BYTES     32u
#define PLAN_NAME_BYTES      32u
#define PLAN_RUNS_MAX        10000u
#define PLAN_WARMUP_MAX      1000u
#define PLAN_N_MAX           1000000000ull
#define PLAN_SIZE_MAX        (1ull << 40)
#define PLAN_NOISE_MS_MAX    3600000u
#define PLAN_NOISE_NS_MIN    100u
#define PLAN_NOISE_NS_MAX    1000000000u
#define PLAN_MAX_TIME_S      3600000u
#define PLAN_RATIO_KEEP      0u
#define PLAN_RATIO_BASE      0xffffffffu /* the base clock's ratio */
#define PLAN_RATIO_MAX       0xffu
#define PLAN_OVERFLOW_MAX    0x7fffffffull /* its negative fits in a signed 32-bit write */
#define PLAN_ERROR_BYTES     224u
#define PLAN_FILE_BYTES_MAX  65536u
#define PLAN_SERVER_BYTES    208u /* a URL */
#define PLAN_RUNS_DEFAULT    100u
#define PLAN_WARMUP_DEFAULT  5u
#define PLAN_NOISE_MS        100u
#define PLAN_NOISE_NS        1000u /* the default of Linux's osnoise tracer since 2024 */

enum plan_at_end { AT_END_MENU, AT_END_SHUTDOWN, AT_END_REBOOT, AT_END_LEAVE };
enum plan_mode { MODE_SERIAL, MODE_PARALLEL };
enum plan_cpus {
    CPUS_ALL,
    CPUS_BOOT,
    CPUS_BOOT_CORE, /* the boot CPU and its siblings */
    CPUS_ONE_PER_CORE,
    CPUS_PERFORMANCE, /* every CPU that is not an efficiency core */
    CPUS_EFFICIENCY,  /* on hybrid CPUs of Intel or AMD; otherwise none */
    CPUS_LISTED,
};

enum plan_switch { SWITCH_KEEP, SWITCH_OFF, SWITCH_ON };

enum plan_park { PARK_AUTO, PARK_FIRMWARE, PARK_MWAIT };

/* The words of conditions=, by enum event_condition; ends with null. */
extern const char *const PLAN_CONDITIONS[];

/* The parameters of [kernels], except the kernels' own arguments; ends with null. */
extern const char *const PLAN_PARAMETERS[];

struct plan_state {
    enum plan_switch turbo, prefetch, lock_speculation, lfence_serializes;
    uint32_t ratio; /* PLAN_RATIO_KEEP, PLAN_RATIO_BASE, or multiples of the bus clock */
    enum plan_park park;
    bool bus_masters_off; /* while a kernel runs */
    uint32_t line[7];     /* line numbers: settings (state.h), park=, bus_masters=; 0: none */
};

/* FRAMES_AUTO: framed lines go to the console if the results could not be written elsewhere. */
enum plan_frames { FRAMES_AUTO, FRAMES_ALWAYS, FRAMES_NEVER };

struct plan_results {
    enum plan_frames frames;
    bool check, machine;
    char server[PLAN_SERVER_BYTES]; /* URL of a folder, as url_parse() accepts it; "": none */
    uint32_t line[4];               /* line numbers: server=, frames=, check=, machine=; 0: none */
};

#define PLAN_ELSEWHERE 0xffffffffu /* plan_error.line: the text names the file with the error */

struct plan_error {
    uint32_t line; /* from 1; 0: error of the whole plan or command line; or PLAN_ELSEWHERE */
    char text[PLAN_ERROR_BYTES];
};

struct plan_kernel {
    char name[PLAN_NAME_BYTES];
    uint32_t line;
    uint64_t n;                         /* 0: the plan's n */
    uint64_t size;                      /* bytes of the buffer; 0: the kernel's default */
    char argument[PLAN_ARGUMENT_BYTES]; /* "": not given */
    uint32_t argument_value;
    uint32_t page_bytes; /* 0: any size that fits */
    uint32_t memory;     /* enum memory_type; 0: not given */
};

/* `code` and `init` are hexadecimal digits in the plan's text. */
struct plan_code {
    char name[PLAN_NAME_BYTES];
    uint32_t line;
    bool refused; /* code= is invalid */
    struct piece code;
    struct piece init; /* size 0: none */
    uint32_t unroll;   /* copies of the code at n; twice as many at 2n */
    uint32_t loop;     /* repetitions, counted by R15; 0: once, and the code may use R15 */
};

/* `name` and `expression` point into the plan's text, which must stay in memory. */
struct plan_event {
    struct piece name;       /* size 0: none */
    struct piece expression; /* see plan_alternative() */
    uint32_t line;
    uint16_t group;
    bool may_lack; /* `none`: it is left out if the CPU cannot count it */
};

struct plan_group {
    char name[PLAN_NAME_BYTES];
    bool chosen; /* its events are counted */
};

struct plan {
    enum plan_cpus cpus;
    uint8_t listed[PLAN_CPUS_MAX / 8]; /* bit i: CPU i is measured */
    uint32_t cpus_line;                /* of cpus= */
    enum plan_mode mode;
    char label[PLAN_LABEL_BYTES];
    bool runs_given; /* false: `runs` may be reduced */
    uint32_t runs;
    uint32_t warmup;
    uint64_t n; /* 0: each kernel's default */
    enum plan_at_end at_end;

    uint8_t rings;     /* RING_* */
    bool rings_given;  /* false: the default applies */
    uint8_t cpl;       /* 0 or 3 */
    uint32_t cpl_line; /* of cpl=, or else of ring=; 0: neither is given */
    enum count_method method;
    uint32_t overflow_after; /* 0: counters start at 0 */
    bool each_counter;       /* counters=each */
    uint8_t conditions;      /* bit i: enum event_condition i, in addition to CONDITION_NONE */
    bool unsafe_msr;
    uint32_t unsafe_line;            /* 0: not given */
    bool strict;                     /* an error prevents measuring */
    struct msr_script before, after; /* around each kernel */

    uint32_t timeout_ms; /* part of plan_window_us(), the time limit for one run of a kernel */
    uint32_t max_time_s; /* 0: no limit */
    uint32_t noise_ms;   /* 0: none */
    uint32_t noise_threshold_ns;
    struct plan_state state;
    struct plan_results results;

    bool default_events; /* count built-in events */
    uint32_t groups;
    struct plan_group group[PLAN_GROUPS_MAX];
    uint32_t events; /* number of events, chosen or not */
    struct plan_event event[PLAN_EVENTS_MAX];

    uint32_t codes;
    struct plan_code code[PLAN_CODES_MAX];

    uint32_t kernels_section; /* 0: not given */
    uint32_t kernels_line;    /* 0: not given, or replaced by [kernels] */
    uint32_t kernels;         /* 0: kernels=default applies */
    struct plan_kernel kernel[PLAN_KERNELS_MAX];

    uint32_t errors; /* including those not kept */
    uint32_t errors_kept;
    uint32_t errors_room;
    struct plan_error *error; /* sorted by line */
    array_memory *memory;
};

struct plan_cpu {
    bool boot;
    bool boot_core; /* of the boot CPU's core */
    bool first_of_core;
    uint32_t core_type; /* CORE_TYPE_*; 0: not hybrid */
};

/* Sets the defaults. memory() will allocate the plan's errors. */
void plan_default(struct plan *plan, array_memory *memory);

/* Sets the defaults and parses a plan. */
void plan_parse(const char *text, size_t size, struct plan *plan, array_memory *memory);

/* Replaces a setting of [run] that does not depend on other lines. Errors have line 0. */
void plan_override(struct plan *plan, const char *setting);

/*
 * For a plan without a signature under Secure Boot: removes unsafe_msr=yes and the sections [code],
 * whose code could run at CPL 0. Adds an error for each.
 */
void plan_refuse_unsigned(struct plan *plan);

#define PLAN_SIGN_IT "make sign PLAN= signs a plan"

/*
 * If the plan names kernels, adds an error which says that none of them can be used and that the
 * default kernels run.
 */
void plan_no_kernels(struct plan *plan);

/* Adds a line of [kernels] from the command line. Errors have line 0. */
void plan_add_kernels(struct plan *plan, const char *line);

/* Decodes the value of code= or init= to `to`, unless `to` is null. Returns the number of bytes. */
uint32_t plan_code_bytes(struct piece hex, uint8_t *to);

/* Adds an error that the caller found, such as a kernel that does not exist. */
void plan_add_error(struct plan *plan, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For the image only: method=deltas with CPL 3 is an error, and CPL becomes 0. */
void plan_choose_cpl(struct plan *plan);

static inline bool plan_is_refused(const struct plan *plan)
{
    return plan->strict && plan->errors > 0;
}

/* Whether CPU `number` is to be measured. */
bool plan_has_cpu(const struct plan *plan, unsigned number, const struct plan_cpu *cpu);

#define PLAN_BOUND_US_PER_N       10u  /* no kernel needs more us per unit of n */
#define PLAN_CLEARED_BYTES_PER_US 256u /* every CPU clears more bytes per us */

/* The longest time, in us, that any CPU needs to clear a buffer and run its kernel once at 2n. */
uint64_t plan_explained_us(uint64_t n, uint64_t buffer_bytes);

/* The time limit, in us, for one run of a kernel. */
uint64_t plan_window_us(const struct plan *plan, uint64_t n, uint64_t buffer_bytes);

/*
 * Cuts the first alternative off *rest. In the first call, *rest is an event's expression; after
 * the last alternative, it is empty. Commas within / / belong to the event.
 */
struct piece plan_alternative(struct piece *rest);

#endif
