/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan file: what to measure. The first line is version=1; a '#' starts a comment anywhere.
 *
 *   [run]
 *   cpus=all            all, boot, one-per-core, performance, efficiency, or numbers: 0,2-5
 *   mode=serial         or parallel: all CPUs run the same kernel at the same time
 *   label=rack 7        any words, for results\index.csv
 *   runs=default        accepted samples of each kernel in each pass; by default 100, but fewer
 *                       if the run would take more than ten minutes
 *   warmup=5            discarded runs before these samples
 *   kernels=default     names of kernels and of their families, separated by commas, or words: all,
 *                       known (kernels with known counts), stick (kernels on the stick), code (the
 *                       sections [code]), default (known, stick and code). The section [kernels]
 *                       can be used instead
 *   n=default           each kernel's own n, or a value for all kernels without n= in [kernels]
 *   ring=default        the rings to count in, for events that name no ring: os, usr or both; by
 *                       default os on bare metal, usr under Linux
 *   cpl=0               where kernels run, 0 or 3; by default 3 with ring=usr, else 0
 *   method=reset        or deltas: counters run freely and are read before and after a kernel
 *   overflow_after=0    counters are preset to overflow after this many events; 0: they start at 0
 *   events=default      groups of events; `default` is the group of the built-in events. Without
 *                       this key, all groups of the plan are counted or, without groups, `default`
 *   counters=any        each: an event of [events] is counted on each general counter that can
 *                       count it, as EVENT@0, EVENT@1 and so on; not under Linux
 *   unsafe_msr=no       yes: any MSR may be written (pmu/counters/msr_script.h)
 *   timeout_ms=5000     how long one run of a kernel may take before an NMI ends it, in addition to
 *                       20 us for each n and the time to clear the buffer
 *   noise_ms=100        how long each CPU is watched for gaps in time, before and after its
 *                       kernels (pmu/journal/noise.h); 0: not at all
 *   noise_threshold_ns=1000   the shortest gap that is counted
 *   max_time=20min      a limit of the run's estimated time, in s, min or h: kernels that would
 *                       exceed it are left out; by default there is no limit
 *   at_end=menu         menu, shutdown, reboot or leave
 *   strict=no           yes: nothing is measured if the plan has an error
 *
 *   [state]             settings during the measurement, which are restored afterwards
 *   turbo=keep          keep, off or on
 *   prefetch=keep       keep, off or on: all hardware prefetchers of the core
 *   ratio=keep          keep, base, or a number: the clock in multiples of the bus clock
 *   lock_speculation=keep   keep, off or on: whether AMD's cores speculate past LOCK
 *   lfence_serializes=keep  keep, off or on: whether LFENCE orders RDTSC and RDPMC on AMD
 *   park=auto           where CPUs that do not measure wait: firmware, mwait or auto. With auto,
 *                       the plan's CPUs and their siblings wait in the deepest MWAIT state, if
 *                       it is deeper than C1 and a store ends it. All other CPUs, and all CPUs
 *                       of virtual machines, wait in the firmware
 *   bus_masters=keep    keep, or off: while a kernel runs, only needed devices may use the bus
 *
 *   [results]           where results go in addition to the stick
 *   server=http://192.168.1.1/runs/
 *                       or tftp://ADDRESS[:PORT]/PATH/ (pmu/base/url.h); by default none
 *   frames=auto         framed lines on the console (and serial line): auto, if results could not
 *                       be written anywhere; always; or never
 *   check=no            yes: also check.txt, which says what can be believed on this machine
 *   machine=no          yes: also machine.txt (pmu/files/machine_file.h)
 *
 *   [kernels]
 *   load n=1000,2000 size=4K..64M*2    runs each combination; the size changes fastest,
 *                                      then the kernel's argument, page, memory and n
 *   chase stride=64..4K*2 page=2M      a kernel's own argument; its buffer's page size: 4K, 2M, 1G
 *   load memory=wb,uc                  the buffer's memory type: wb, wt, wc, uc
 *
 *   [events cache]                     a group and its name
 *   LONGEST_LAT_CACHE.MISS:u           an event by its name in the tables
 *   L1Miss = ONE.NAME, OTHER.NAME      the first one that the CPU can count, under your own name
 *
 *   [code NAME]         your own kernel in bytes of machine code, run by its name; R14, RDI, RSI
 *                       and RBP point to the middle of areas of 64 KiB (kernels/code.h)
 *   code=48 ff c0       the code to measure, in hexadecimal digits
 *   init=31 c0          code to run once before the code to measure
 *   unroll=100          consecutive copies of the code
 *   loop=0              how many times the copies run, counted by R15; 0: once
 *
 *   [msr before]  [msr after]          before or after a kernel: see pmu/counters/msr_script.h
 *
 * Numbers are parsed by piece_size(): 4096, 0x1000 or 4K.
 *
 * An invalid line is reported and skipped, and the key's default applies. In the lists of kernels=
 * and events=, only the names that cannot be used are skipped.
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
#define PLAN_EVENTS_MAX      1008u /* EVENTS_MAX minus EVENTS_BUILTIN_MAX */
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
#define PLAN_OVERFLOW_MAX    0x7fffffffull /* minus this value must fit in a signed 32-bit write */
#define PLAN_ERROR_BYTES     224u
#define PLAN_FILE_BYTES_MAX  65536u
#define PLAN_SERVER_BYTES    208u /* a URL of pmu/base/url.h as text */
#define PLAN_RUNS_DEFAULT    100u
#define PLAN_WARMUP_DEFAULT  5u
#define PLAN_NOISE_MS        100u
#define PLAN_NOISE_NS        1000u /* the default threshold of Linux's osnoise tracer since 2024 */

enum plan_at_end { AT_END_MENU, AT_END_SHUTDOWN, AT_END_REBOOT, AT_END_LEAVE };
enum plan_mode { MODE_SERIAL, MODE_PARALLEL };
enum plan_cpus {
    CPUS_ALL,
    CPUS_BOOT,
    CPUS_ONE_PER_CORE, /* the first thread of each core */
    CPUS_PERFORMANCE,  /* every CPU that is not an efficiency core */
    CPUS_EFFICIENCY,   /* the efficiency cores of a hybrid CPU, Intel or AMD; otherwise no CPU */
    CPUS_LISTED,
};

/* What a plan requests for a setting that can be on or off. */
enum plan_switch { SWITCH_KEEP, SWITCH_OFF, SWITCH_ON };

/* Where a CPU waits when it does not measure: see park= above. */
enum plan_park { PARK_AUTO, PARK_FIRMWARE, PARK_MWAIT };

/* The names of the parameters in [kernels], except the kernels' own arguments; ends with null. */
extern const char *const PLAN_PARAMETERS[];

/* Section [state]. */
struct plan_state {
    enum plan_switch turbo, prefetch, lock_speculation, lfence_serializes;
    uint32_t ratio; /* PLAN_RATIO_KEEP, PLAN_RATIO_BASE, or multiples of the bus clock */
    enum plan_park park;
    bool bus_masters_off; /* while a kernel runs */
    uint32_t line[7];     /* lines of the settings (state.h), park=, bus_masters=; 0: none */
};

/*
 * When results go to the console as framed lines. FRAMES_AUTO: if the results could not be written
 * anywhere else.
 */
enum plan_frames { FRAMES_AUTO, FRAMES_ALWAYS, FRAMES_NEVER };

/* Section [results]. */
struct plan_results {
    enum plan_frames frames;
    bool check, machine;            /* check.txt and machine.txt are written */
    char server[PLAN_SERVER_BYTES]; /* URL of a folder, as url_parse() accepts it; "": none */
    uint32_t line[4];               /* lines of server=, frames=, check=, machine=; 0: none */
};

#define PLAN_ELSEWHERE 0xffffffffu /* plan_error.line: the error is in a file named in the text */

struct plan_error {
    uint32_t line; /* from 1; 0: of the whole plan or the command line; or PLAN_ELSEWHERE */
    char text[PLAN_ERROR_BYTES];
};

/* A kernel with its parameters. */
struct plan_kernel {
    char name[PLAN_NAME_BYTES];
    uint32_t line;
    uint64_t n;                         /* 0: the plan's n */
    uint64_t size;                      /* bytes of the buffer; 0: the kernel's default */
    char argument[PLAN_ARGUMENT_BYTES]; /* name of the kernel's own argument; "": not given */
    uint32_t argument_value;
    uint32_t page_bytes; /* size of the buffer's pages; 0: any size that fits */
    uint32_t memory;     /* enum memory_type of pmu/cpu/mtrr.h; 0: not given */
};

/* A section [code NAME]. `code` and `init` point to hexadecimal digits in the plan's text. */
struct plan_code {
    char name[PLAN_NAME_BYTES];
    uint32_t line;
    bool refused; /* the value of code= is invalid */
    struct piece code;
    struct piece init; /* size 0: none */
    uint32_t unroll;   /* consecutive copies of the code; twice as many at 2n */
    uint32_t loop;     /* repetitions, counted by R15; 0: once, and the code may use R15 */
};

/*
 * An event of a group. `name` and `expression` point into the plan's text, which must stay in
 * memory.
 */
struct plan_event {
    struct piece name;       /* the plan's own name for the event; size 0: none */
    struct piece expression; /* the event's alternatives: see plan_alternative(); not empty */
    uint32_t line;
    uint16_t group;
};

struct plan_group {
    char name[PLAN_NAME_BYTES];
    bool chosen; /* the events of the group are counted */
};

struct plan {
    enum plan_cpus cpus;
    uint8_t listed[PLAN_CPUS_MAX / 8]; /* for CPUS_LISTED: bit i is set if CPU i is measured */
    uint32_t cpus_line;                /* line of cpus= */
    enum plan_mode mode;
    char label[PLAN_LABEL_BYTES];
    bool runs_given; /* false: `runs` may be reduced, so that the run takes less time */
    uint32_t runs;
    uint32_t warmup;
    uint64_t n; /* 0: each kernel's default */
    enum plan_at_end at_end;

    uint8_t rings;     /* RING_OS, RING_USR of pmu/counters/event.h */
    bool rings_given;  /* false: the default applies */
    uint8_t cpl;       /* 0 or 3 */
    uint32_t cpl_line; /* line of cpl=, or else of ring=; 0: neither is given */
    enum count_method method;
    uint32_t overflow_after; /* 0: counters start at 0 */
    bool each_counter;       /* counters=each */
    bool unsafe_msr;
    uint32_t unsafe_line;            /* line of unsafe_msr=; 0: none */
    bool strict;                     /* if the plan has an error, nothing is measured */
    struct msr_script before, after; /* scripts run before and after each kernel */

    uint32_t timeout_ms; /* plus plan_explained_us(): the time limit for one run of a kernel */
    uint32_t max_time_s; /* limit of the run's estimated time; 0: no limit */
    uint32_t noise_ms;   /* length of each noise measurement; 0: none is made */
    uint32_t noise_threshold_ns;
    struct plan_state state;
    struct plan_results results;

    bool default_events; /* the built-in events are counted */
    uint32_t groups;
    struct plan_group group[PLAN_GROUPS_MAX];
    uint32_t events; /* number of events of all groups, chosen or not */
    struct plan_event event[PLAN_EVENTS_MAX];

    uint32_t codes;
    struct plan_code code[PLAN_CODES_MAX];

    uint32_t kernels_section; /* line of [kernels]; 0: there is none */
    uint32_t kernels_line;    /* line of kernels=; 0: there is none, or [kernels] replaces it */
    uint32_t kernels;         /* elements of kernel[]; 0: kernels=default applies */
    struct plan_kernel kernel[PLAN_KERNELS_MAX];

    uint32_t errors; /* number of errors, including those not kept for lack of memory */
    uint32_t errors_kept;
    uint32_t errors_room;
    struct plan_error *error; /* by line, then in the order found */
    array_memory *memory;
};

/* The properties by which CPUs are chosen. */
struct plan_cpu {
    bool boot;          /* the firmware started on this CPU */
    bool first_of_core; /* the first thread of its core */
    uint32_t core_type; /* CORE_TYPE_* of pmu/cpu/caps.h; 0 if the CPU is not hybrid */
};

/* Sets the defaults. Stores memory(), which is called to allocate memory for the plan's errors. */
void plan_default(struct plan *plan, array_memory *memory);

/* Sets the defaults and parses a plan. plan->errors counts the errors in the plan. */
void plan_parse(const char *text, size_t size, struct plan *plan, array_memory *memory);

/*
 * Replaces a setting of [run], for example by cpus= from the command line. The setting must not
 * depend on other lines of the plan. Errors have line 0.
 */
void plan_override(struct plan *plan, const char *setting);

/*
 * For a plan without a signature under Secure Boot: leaves out unsafe_msr=yes, and the sections
 * [code], whose code could run at CPL 0. Reports each omission as an error.
 */
void plan_refuse_unsigned(struct plan *plan);

#define PLAN_SIGN_IT "make sign PLAN= signs a plan" /* advice in errors about unsigned plans */

/*
 * If the plan names kernels, reports that none of them can be used and that the default kernels are
 * run.
 */
void plan_no_kernels(struct plan *plan);

/* Adds a line of [kernels] from the command line. Errors have line 0. */
void plan_add_kernels(struct plan *plan, const char *line);

/* Decodes the value of code= or init= to `to`, unless `to` is null. Returns the number of bytes. */
uint32_t plan_code_bytes(struct piece hex, uint8_t *to);

/* Adds an error that the caller found, for example a kernel that does not exist. */
void plan_add_error(struct plan *plan, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For the image only: method=deltas with CPL 3 is reported as an error, and CPL becomes 0. */
void plan_choose_cpl(struct plan *plan);

/* Whether the plan's errors prevent all measurements. */
static inline bool plan_is_refused(const struct plan *plan)
{
    return plan->strict && plan->errors > 0;
}

/* Whether CPU `number` is to be measured. */
bool plan_has_cpu(const struct plan *plan, unsigned number, const struct plan_cpu *cpu);

#define PLAN_BOUND_US_PER_N       10u  /* no kernel needs more us for each n */
#define PLAN_CLEARED_BYTES_PER_US 256u /* every CPU clears more bytes per us */

/* The longest time, in us, that any CPU needs to clear a buffer and run its kernel once at 2n. */
uint64_t plan_explained_us(uint64_t n, uint64_t buffer_bytes);

/* The time limit, in us, for one run of a kernel. A kernel that runs longer is considered hung. */
uint64_t plan_window_us(const struct plan *plan, uint64_t n, uint64_t buffer_bytes);

/*
 * Cuts the first alternative off *rest and returns the alternative. Before the first call, *rest is
 * an event's expression; after the last alternative, it is empty. Commas within / / belong to the
 * event.
 */
struct piece plan_alternative(struct piece *rest);

#endif
