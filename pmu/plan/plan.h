/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan file: what to measure. The first line is version=1; from a '#' to the end of its line is
 * comment, wherever it stands.
 *
 *   [run]
 *   cpus=all            all, boot, one-per-core, performance, efficiency, or numbers: 0,2-5
 *   mode=serial         or parallel: all CPUs run the same kernel at the same time
 *   label=rack 7        any words, for results\index.csv
 *   runs=default        accepted samples of each kernel in each pass; by default 100, but fewer
 *                       when the run would take over ten minutes
 *   warmup=5            runs before them that are thrown away
 *   kernels=default     kernels, families of kernels, and the words all, known (those whose counts
 *                       are known), stick (those from the stick), code (the sections [code]) and
 *                       default (known, stick and code), with commas; or a section of their own
 *   n=default           each kernel's own n, or one for all that have none of their own below
 *   ring=default        what counters count when an event does not say: os, usr or both; by
 *                       default the ring that kernels run in: os, under Linux usr
 *   cpl=0               where kernels run, 0 or 3; by default 3 with ring=usr, else 0
 *   method=reset        or deltas: the counters run on and are read before and after
 *   overflow_after=0    counters are preset to overflow after so many events; 0: they are not
 *   events=default      groups of events, `default` for the built-in ones; without the key all
 *                       groups of the file, or the built-in events when it has none
 *   unsafe_msr=no       yes: any MSR may be written (pmu/counters/msr_script.h)
 *   timeout_ms=5000     how long one run of a kernel may take, beside 10 us for each n, before an
 *                       NMI ends it
 *   noise_ms=100        how long each CPU is watched for gaps in time, before its kernels and after
 *                       them (pmu/journal/noise.h); 0: not at all
 *   noise_threshold_ns=1000   what counts as a gap, at least
 *   max_time=20min      s, min or h: kernels that would take a run longer than this, by its
 *                       estimate, are left out; without the key none are
 *   at_end=menu         menu, shutdown, reboot or leave
 *   strict=no           yes: nothing is measured when the plan has an error
 *
 *   [state]             what is set for the time of the measurement, and put back
 *   turbo=keep          keep, off or on
 *   prefetch=keep       keep, off or on: all hardware prefetchers of the core
 *   ratio=keep          keep, base, or a number: the clock in multiples of the bus clock
 *   park=auto           where other CPUs wait: firmware, mwait, or auto: mwait where it is deeper
 *                       than C1 and a store ends it, not on virtual machines; then only the CPUs of
 *                       the plan and their siblings
 *   bus_masters=keep    keep, or off: devices that are not needed must not use the bus meanwhile
 *
 *   [results]           where results go beside the stick
 *   server=http://192.168.1.1/runs/
 *                       or tftp://ADDRESS[:PORT]/PATH/ (pmu/base/url.h); without the key, none
 *   frames=auto         framed lines over the console (and so the serial line): auto, when they
 *                       could not be written anywhere; always; or never
 *
 *   [kernels]
 *   load n=1000,2000 size=4K..64M*2    each combination is an entry; the size changes fastest,
 *                                      then the kernel's argument, page, memory and n
 *   chase stride=64..4K*2 page=2M      an argument of the kernel's own, and pages of its buffer:
 *                                      4K, 2M, 1G
 *   load memory=wb,uc                  its memory type: wb, wt, wc, uc
 *
 *   [events cache]                     a group and its name
 *   LONGEST_LAT_CACHE.MISS:u           an event by its name in the tables
 *   L1Miss = ONE.NAME, OTHER.NAME      a name of one's own for the first that the CPU has
 *
 *   [code NAME]         a kernel of one's own in bytes of machine code, run by its name; R14, RDI,
 *                       RSI and RBP are the middles of areas of 64 KiB (kernels/code.h)
 *   code=48 ff c0       what is measured, in hexadecimal digits
 *   init=31 c0          what runs before it, once
 *   unroll=100          copies of the code behind each other
 *   loop=0              how often these run; R15 is then the counter
 *
 *   [msr before]  [msr after]          a kernel: operations of pmu/counters/msr_script.h
 *
 * Numbers are those of piece_size(): 4096, 0x1000 or 4K.
 *
 * A line that cannot be understood is reported and left out; the default stands in its place. Of a
 * list of kernels only the names that do not exist are left out.
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
#define PLAN_EVENTS_MAX      1008u /* beside EVENTS_BUILTIN_MAX, EVENTS_MAX in all */
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
#define PLAN_RATIO_BASE      0xffffffffu /* that of the base clock */
#define PLAN_RATIO_MAX       0xffu
#define PLAN_OVERFLOW_MAX    0x7fffffffull /* -N must fit a write of 32 bits with a sign */
#define PLAN_ERROR_BYTES     208u
#define PLAN_FILE_BYTES_MAX  65536u
#define PLAN_SERVER_BYTES    208u /* an address of pmu/base/url.h as text */
#define PLAN_RUNS_DEFAULT    100u
#define PLAN_WARMUP_DEFAULT  5u
#define PLAN_NOISE_MS        100u
#define PLAN_NOISE_NS        1000u /* the threshold of Linux' osnoise and hwnoise tracers */

enum plan_at_end { AT_END_MENU, AT_END_SHUTDOWN, AT_END_REBOOT, AT_END_LEAVE };
enum plan_mode { MODE_SERIAL, MODE_PARALLEL };
enum plan_cpus {
    CPUS_ALL,
    CPUS_BOOT,
    CPUS_ONE_PER_CORE, /* the first thread of each core */
    CPUS_PERFORMANCE,  /* every CPU that is not an efficiency core */
    CPUS_EFFICIENCY,   /* core type Atom; none on a CPU that is not hybrid */
    CPUS_LISTED,
};

/* What a plan wants of something that can be on or off. */
enum plan_switch { SWITCH_KEEP, SWITCH_OFF, SWITCH_ON };

/* Where CPUs wait that do not measure. AUTO: MWAIT, but not on a virtual machine. */
enum plan_park { PARK_AUTO, PARK_FIRMWARE, PARK_MWAIT };

/* What a line of [kernels] may give any kernel, beside an argument of its own; ends with a null. */
extern const char *const PLAN_PARAMETERS[];

/* Section [state]. */
struct plan_state {
    enum plan_switch turbo, prefetch;
    uint32_t
        ratio; /* PLAN_RATIO_KEEP, PLAN_RATIO_BASE, or the clock in multiples of the bus clock */
    enum plan_park park;
    bool bus_masters_off; /* while a kernel runs */
    uint32_t line[5];     /* where turbo, prefetch, ratio, park and bus_masters stand; 0: nowhere */
};

/* When the console gets the results as framed lines. AUTO: no volume and no server took them. */
enum plan_frames { FRAMES_AUTO, FRAMES_ALWAYS, FRAMES_NEVER };

/* Section [results]. */
struct plan_results {
    enum plan_frames frames;
    char server[PLAN_SERVER_BYTES]; /* a folder that url_parse() takes; "": none */
    uint32_t line[2];               /* where server and frames stand; 0: nowhere */
};

#define PLAN_ELSEWHERE 0xffffffffu /* the error is of another file, which its text names */

struct plan_error {
    uint32_t line; /* from 1; 0: of the plan as a whole */
    char text[PLAN_ERROR_BYTES];
};

/* A kernel with its parameters. */
struct plan_kernel {
    char name[PLAN_NAME_BYTES];
    uint32_t line;
    uint64_t n;                         /* 0: the plan's n */
    uint64_t size;                      /* bytes of its buffer; 0: its own */
    char argument[PLAN_ARGUMENT_BYTES]; /* the name that a value was given for; "": none was */
    uint32_t argument_value;
    uint32_t page_bytes; /* of its buffer; 0: whatever fits */
    uint32_t memory;     /* enum memory_type of pmu/journal/record.h */
};

/* [code NAME]: bytes of machine code. The pieces are of the plan's text: hexadecimal digits. */
struct plan_code {
    char name[PLAN_NAME_BYTES];
    uint32_t line;
    bool refused; /* a code= was, with an error */
    struct piece code;
    struct piece init; /* size 0: none */
    uint32_t unroll;   /* copies of the code behind each other; at 2n twice as many */
    uint32_t loop;     /* how often they run, with R15 as the counter; 0: once, and R15 is free */
};

/* An event of a group. The pieces are of the plan's text, which must stay as long as the plan. */
struct plan_event {
    struct piece name;       /* one's own for it; size 0: none, the expression is its name */
    struct piece expression; /* one or more, taken one by one with plan_alternative(); not empty */
    uint32_t line;
    uint16_t group;
};

struct plan_group {
    char name[PLAN_NAME_BYTES];
    bool chosen; /* its events are to be counted */
};

struct plan {
    enum plan_cpus cpus;
    uint8_t listed[PLAN_CPUS_MAX / 8]; /* with CPUS_LISTED. Bit set: measured */
    uint32_t cpus_line;                /* where they stand */
    enum plan_mode mode;
    char label[PLAN_LABEL_BYTES];
    bool runs_given; /* false: they may be cut */
    uint32_t runs;
    uint32_t warmup;
    uint64_t n; /* 0: each kernel's default */
    enum plan_at_end at_end;

    uint8_t rings;     /* RING_OS, RING_USR of pmu/counters/event.h */
    bool rings_given;  /* false: by default */
    uint8_t cpl;       /* 0 or 3 */
    uint32_t cpl_line; /* of cpl=, else of ring=; 0: neither */
    enum count_method method;
    uint32_t overflow_after; /* 0: counters start at 0 */
    bool unsafe_msr;
    bool strict;                     /* errors keep everything from being measured */
    struct msr_script before, after; /* a kernel */

    uint32_t timeout_ms; /* one run of a kernel, beside what its n explains; then it hangs */
    uint32_t max_time_s; /* of the whole run; 0: as long as it takes */
    uint32_t noise_ms;   /* each of a CPU's two certificates of noise; 0: none */
    uint32_t noise_threshold_ns;
    struct plan_state state;
    struct plan_results results;

    bool default_events; /* the built-in events are to be counted */
    uint32_t groups;
    struct plan_group group[PLAN_GROUPS_MAX];
    uint32_t events; /* of all groups, chosen or not */
    struct plan_event event[PLAN_EVENTS_MAX];

    uint32_t codes;
    struct plan_code code[PLAN_CODES_MAX];

    uint32_t kernels_section; /* its line: it holds, not kernels=; 0: there is none */
    uint32_t kernels_line;    /* of kernels=, where it holds; 0: it does not */
    uint32_t kernels; /* names of kernels or families, or words; 0: as the word default says */
    struct plan_kernel kernel[PLAN_KERNELS_MAX];

    uint32_t errors; /* may be more than are kept, when there is no memory for them */
    uint32_t errors_kept;
    uint32_t errors_room;
    struct plan_error *error; /* by line; those of one line as they were found */
    array_memory *memory;
};

/* What the choice of CPUs asks of one. */
struct plan_cpu {
    bool boot;          /* the firmware started on it */
    bool first_of_core; /* the first thread of its core */
    uint32_t core_type; /* CORE_TYPE_* of pmu/cpu/caps.h, 0 on a CPU that is not hybrid */
};

/* Errors are kept in `memory`, which must last as long as the plan. */
void plan_default(struct plan *plan, array_memory *memory);

/* Reads a plan over the defaults. plan->errors says how many lines were left out, and why. */
void plan_parse(const char *text, size_t size, struct plan *plan, array_memory *memory);

/*
 * A setting of [run], as the command line gives it, in the place of the plan's: cpus, label, runs,
 * warmup, mode or at_end, which mean the same whatever else the plan has. Errors: line 0.
 */
void plan_override(struct plan *plan, const char *setting);

/* Says that the default kernels run, when nothing that the plan names of kernels can be used. */
void plan_no_kernels(struct plan *plan);

/* A line of [kernels], as a command line gives it, more to run. Errors: line 0. */
void plan_add_kernels(struct plan *plan, const char *line);

/* The bytes of a code or init, into `to` unless that is null. Returns how many there are. */
uint32_t plan_code_bytes(struct piece hex, uint8_t *to);

/* Adds an error of a line, found by the caller: a kernel that does not exist, for instance. */
void plan_add_error(struct plan *plan, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For the image, not for Linux: makes method=deltas with CPL 3 an error, and the CPL 0. */
void plan_choose_cpl(struct plan *plan);

/* Whether the plan's errors keep everything from being measured. */
static inline bool plan_is_refused(const struct plan *plan)
{
    return plan->strict && plan->errors > 0;
}

/* Whether CPU `number` is to be measured. */
bool plan_has_cpu(const struct plan *plan, unsigned number, const struct plan_cpu *cpu);

#define PLAN_BOUND_US_PER_N       10u  /* far beyond slow */
#define PLAN_CLEARED_BYTES_PER_US 256u /* of a buffer, far slower than memory is */

/* What a run's n, which is 2n at the most, and clearing its buffer explain. */
uint64_t plan_explained_us(uint64_t n, uint64_t buffer_bytes);

/* How long one run of a kernel may take; beyond that it hangs. */
uint64_t plan_window_us(const struct plan *plan, uint64_t n, uint64_t buffer_bytes);

/*
 * Takes the first of an event's alternatives off *rest, which starts as a copy of its expression
 * and has size 0 after the last one. Commas within / / belong to the event.
 */
struct piece plan_alternative(struct piece *rest);

#endif
