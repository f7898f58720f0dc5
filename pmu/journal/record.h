/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The payloads of the journal's records. A journal begins with RUN, PLAN, a KERNEL for each kernel,
 * and LEFT_OUTs, and ends with END. In between are the records of one CPU after another: CPU,
 * EVENTS, REASONS (if an event has an error), SCHEDULE, TRUST (if an earlier run made a trust map),
 * UNCORE (if the CPU counts for its package), TEST, STATE, NOISE, the RESULT of the calibration, a
 * NEXT and a RESULT for each kernel, and NOISE again. TEST, STATE and NOISE may be missing. NOTEs,
 * PHASEs and MACHINEs can be anywhere.
 *
 * In parallel mode, and for kernels that run on several CPUs, the NEXTs and RESULTs follow the
 * calibration of the last CPU; an AGAIN before each of them names the CPU.
 *
 * Numbers are little-endian. pmu/journal/renew.h has the rules for changing payloads.
 */
#ifndef BARECOUNT_PMU_JOURNAL_RECORD_H
#define BARECOUNT_PMU_JOURNAL_RECORD_H

#include "pmu/counters/changed.h"
#include "pmu/counters/check.h"
#include "pmu/counters/msr_script.h"
#include "pmu/cpu/mtrr.h"
#include "pmu/cpu/nearby.h"
#include "pmu/cpu/smbios.h"
#include "pmu/cpu/srat.h"
#include "pmu/cpu/tsc.h"
#include "pmu/cpu/zen.h"
#include "pmu/journal/noise.h"
#include "pmu/uncore/uncore.h"
#include "pmu/counters/schedule.h"
#include "pmu/plan/state.h"

#define RECORD_SCHEMA 7u

enum record_type {
    RECORD_RUN = 1,
    RECORD_PLAN,     /* the plan's text as read */
    RECORD_KERNEL,   /* struct known_kernel */
    RECORD_CPU,      /* struct cpu_record */
    RECORD_RESULT,   /* struct result, its samples, and the results of the MSR scripts */
    RECORD_NOTE,     /* struct note */
    RECORD_END,      /* struct end_record */
    RECORD_TEST,     /* struct counter_tests */
    RECORD_EVENTS,   /* struct event for each event of the run, as the CPU counts it */
    RECORD_SCHEDULE, /* struct schedule, used passes */
    RECORD_AGAIN,    /* struct again */
    RECORD_STATE,    /* struct cpu_state */
    RECORD_NOISE,    /* struct noise */
    RECORD_NEXT,     /* struct next, before a kernel; no RESULT follows if the machine died */
    RECORD_UNCORE,   /* struct uncore_record */
    RECORD_REASONS,  /* a text for each event: see cpu_events_reasons() */
    RECORD_LEFT_OUT, /* struct left_out */
    RECORD_PHASE,    /* struct phase; any later record except a NOTE shows that the phase ended */
    RECORD_MACHINE,  /* part of machine.txt */
    RECORD_TRUST,    /* a text: lines of a remembered map (pmu/files/trusted.h) */
};

/* How a CPU waits while it does not measure. MWAIT's hint is from mwait_deepest_hint(). */
enum park_how { PARKED_BY_FIRMWARE, PARKED_IN_MWAIT };
#define PARKED_HOW        0xffu /* enum park_how */
#define PARKED_HINT_SHIFT 8     /* lowest bit of the boot CPU's hint */

/* SOURCE_LINUX: barecount-linux, which uses perf_event_open(). */
enum run_source { SOURCE_BARE_METAL, SOURCE_LINUX, RUN_SOURCES };

/* SECURE_BOOT_UNKNOWN: the firmware, Linux or an older version did not report the state. */
enum secure_boot { SECURE_BOOT_UNKNOWN, SECURE_BOOT_OFF, SECURE_BOOT_ON };

enum linux_read_by { READ_BY_IOCTL, READ_BY_RDPMC, LINUX_READS };

#define PARANOID_UNKNOWN (-100) /* could not be read */

/* Zeros on bare metal. */
struct linux_record {
    char kernel[64];        /* release of uname() */
    char governor[24];      /* of the first measured CPU; "" if none */
    char isolated_cpus[64]; /* as in /sys/devices/system/cpu/isolated */
    uint32_t read_by;       /* enum linux_read_by */
    int32_t perf_event_paranoid;
    uint32_t nmi_watchdog; /* 1: the watchdog uses a counter */
    uint32_t reserved;
};

enum window_ring { WINDOW_OS, WINDOW_USR, WINDOW_RINGS };

struct run_record {
    uint32_t schema;
    uint32_t number;
    char version[24];
    char started[24]; /* ISO 8601, in UTC or the firmware's local time; "" if not set */
    char plan_name[64];
    char label[32];

    char firmware_vendor[64];
    struct smbios smbios;
    uint32_t uefi_revision; /* major << 16 | minor */
    uint32_t firmware_revision;

    uint64_t tsc_hz;
    uint64_t tsc_measured_hz; /* against the ACPI timer or a Linux clock; 0: not measured */
    uint32_t tsc_source;
    uint32_t cpus_found;
    uint32_t cpus_usable;
    uint32_t cpus_planned;
    uint32_t kernels;
    uint32_t runs;
    uint32_t runs_asked; /* in the plan; `runs` may be smaller, to save time */
    uint32_t warmup;
    uint32_t kernel_ring;    /* RING_OS: CPL 0; RING_USR: CPL 3 */
    uint32_t method;         /* enum count_method */
    uint32_t parallel;       /* 1: each kernel ran on all measured CPUs at once */
    uint32_t overflow_after; /* 0: counters not preset */
    uint32_t timer_stopped;  /* 1: the firmware's timer was off while the boot CPU measured */
    uint32_t parked;         /* enum park_how, and the hint at PARKED_HINT_SHIFT */
    /*
     * The declared counts that the window itself adds in each ring. The instructions that open
     * and close the window are not included: see view.edges_counted.
     */
    int64_t window_cost[WINDOW_RINGS][DECLARED_COUNT];
    uint32_t source;      /* enum run_source */
    uint32_t secure_boot; /* enum secure_boot */
    struct linux_record linux_host;
    uint32_t plan_errors;
    uint32_t plan_flags; /* RUN_PLAN_* */
    uint32_t emulated;   /* 1: cycles are computed by a formula */
    uint32_t max_time_s; /* 0: no limit */
    char hypervisor[16]; /* as in struct emulation */
};
_Static_assert(sizeof(struct run_record) == 816, "journal layout");

#define RUN_PLAN_KNOWN   (1u << 0) /* plan_errors is valid; older versions do not set it */
#define RUN_PLAN_STRICT  (1u << 1) /* an error prevents measuring */
#define RUN_NO_CPU       (1u << 2) /* every CPU is skipped */
#define RUN_CHECK        (1u << 3) /* check.txt is requested */
#define RUN_UNCORE       (1u << 4) /* the plan names uncore events; older versions did not set it */
#define RUN_ONLY_BOOT    (1u << 5) /* the firmware's MP services cannot start other CPUs */
#define RUN_NOT_ALL      (1u << 6) /* this program has no room for all CPUs */
#define RUN_EACH_COUNTER (1u << 7) /* counters=each */

enum refused { REFUSED_NOT, REFUSED_STRICT, REFUSED_NO_CPU };

static inline enum refused run_refused(const struct run_record *run)
{
    if (run->plan_flags & RUN_PLAN_STRICT && run->plan_errors > 0)
        return REFUSED_STRICT;
    return run->plan_flags & RUN_NO_CPU ? REFUSED_NO_CPU : REFUSED_NOT;
}

/* EXPECT_AT_LEAST uses neither `high` nor high_2n. */
enum expect_kind { EXPECT_NOTHING, EXPECT_EXACT, EXPECT_RANGE, EXPECT_AT_LEAST };
struct expect {
    uint32_t kind;
    uint32_t property; /* in known_kernel.list: enum property; elsewhere 0 */
    int64_t low, high;
    int64_t low_2n, high_2n;
};

#define KNOWN_LIST_MAX 8u

struct known_kernel {
    char name[32];
    char title[80];
    char param[80]; /* "k=v;k=v", sorted by key */
    char family[16];
    char file[40];    /* "" if built in */
    uint64_t n_given; /* 1: the plan gave n */
    uint64_t n;
    uint64_t buffer_bytes;
    uint32_t argument;   /* value of R9 */
    uint32_t page_bytes; /* 0: any size that fits */
    uint32_t memory;     /* enum memory_type */
    uint32_t flags;      /* as in kernels/kernel.h */
    uint32_t crc32;      /* identifies the code */
    /* The run in which the machine died in this kernel; 0: not skipped, or not known. */
    uint32_t skipped_for;
    uint64_t cpu_features; /* pmu/cpu/features.h */
    struct expect expect[DECLARED_COUNT];
    uint64_t round; /* smallest n that covers the whole buffer or pattern; 0: not known */
    /*
     * How many times per unit of n the kernel does what its title names; 0: not known, or n has no
     * effect.
     */
    uint64_t copies;
    /* Offsets from the start of the kernel's record; 0: no such part, or not known. */
    uint32_t entry_offset, prepare_offset, second_offset;
    uint32_t twice_offset; /* entry for 2n, if different */
    /*
     * Only for a kernel of a section [code], otherwise 0. init_at and copy_at: distances from an
     * entry to the code of init= and to the first copy of code=. init_bytes and copy_bytes: the
     * sizes of init= and code=. unroll: copies that follow the entry for n; twice as many follow
     * the entry for 2n.
     */
    uint32_t init_at, init_bytes;
    uint32_t copy_at, copy_bytes;
    uint32_t unroll;
    uint32_t no_others; /* properties below this number that `list` lacks are 0 */
    struct expect list[KNOWN_LIST_MAX];
};
_Static_assert(sizeof(struct known_kernel) == 880, "journal layout");

/* The numbers are those of kernels/kernel.h; KNOWN_DIFFERENCE is set only in journals. */
#define KNOWN_PAIR    (1u << 1)
#define KNOWN_CROWD   (1u << 2)
#define KNOWN_READS   (1u << 4) /* reads n cache lines */
#define KNOWN_WRITES  (1u << 5)
#define KNOWN_STREAMS (1u << 6)
/* Counts per n come from the difference between the means at 2n and at n. */
#define KNOWN_DIFFERENCE (1u << 31)

/* A kernel that was left out because of the plan's max_time. */
struct left_out {
    char name[32];
    char param[80]; /* as in known_kernel */
    uint64_t n;
};
_Static_assert(sizeof(struct left_out) == 120, "journal layout");

struct cpu_record {
    uint32_t cpu;      /* index in the firmware's list; under Linux, the CPU's number */
    uint32_t flags;    /* CPU_*, below */
    uint32_t siblings; /* number of other threads of this core in the firmware's or Linux's list */
    uint32_t microcode;
    uint64_t perf_capabilities; /* 0: no such register */
    uint64_t tsc_ratio;         /* 0: none */
    struct cpu_caps caps;
    struct pmu_found found;
    uint32_t status;       /* STATUS_OK, or why the CPU could not describe itself */
    uint32_t refused_msr;  /* the first PMU register that raised #GP; 0: none */
    uint32_t mc_banks;     /* number of banks that are monitored */
    uint32_t logs_found;   /* CPU_HAS_ flags of registers with a thermal log bit already set */
    uint64_t caches_bytes; /* of all data and unified caches; 0: not known */
    struct cpu_cache cache[CPU_CACHES_MAX];
    uint32_t ccx, ccd; /* valid with CPU_HAS_CCX, CPU_HAS_CCD */
};
_Static_assert(sizeof(struct cpu_record) == 528, "journal layout");

/* The CPU of the NEXT or RESULT that follows. */
struct again {
    uint32_t cpu;
    uint32_t reserved;
};

#define KERNEL_CALIBRATION 0xffffffffu /* the empty window */
#define CPU_NONE           0xffffffffu

/*
 * The phases, other than kernels, in which the machine may stop. Their numbers are in journals, and
 * never change. Each row has a name for skipped.csv and the two parts of a sentence, which enclose
 * the name of the detail.
 */
#define PHASE_LIST(X)                                                                              \
    X(PHASE_START, "start", "starting and inspecting", "")                                         \
    X(PHASE_COUNTERS, "counters", "testing the counters of", "")                                   \
    X(PHASE_UNCORE_FIND, "uncore", "looking for uncore counters with", "")                         \
    X(PHASE_UNCORE, "uncore", "testing the uncore counters ", " with")                             \
    X(PHASE_STATE, "state", "setting ", " on")                                                     \
    X(PHASE_STATE_LOOK, "look", "reading the settings of", "")                                     \
    X(PHASE_STATE_RESTORE, "restore", "restoring the settings of", "")                             \
    X(PHASE_NOISE, "noise", "measuring the noise of", "")                                          \
    X(PHASE_CALIBRATION, "calibration", "calibrating", "")                                         \
    X(PHASE_PARK, "park", "parking CPUs", "")                                                      \
    X(PHASE_WAKE, "wake", "waking parked CPUs", "")

enum phase_kind { PHASE_LIST(LIST_CODE) PHASES };
#define PHASE_NONE UINT32_MAX /* in phase.kind: the phase that began last is over */

/* Whether later runs leave out a CPU if the machine stopped in this phase of the CPU. */
static inline bool phase_needs_cpu(uint32_t kind)
{
    return kind == PHASE_START || kind == PHASE_STATE_LOOK || kind == PHASE_NOISE ||
           kind == PHASE_CALIBRATION;
}

static inline bool phase_is_of_boot_cpu(uint32_t kind, uint32_t detail)
{
    return kind != PHASE_UNCORE && kind != PHASE_STATE && detail == 1;
}

struct phase {
    uint32_t kind;     /* enum phase_kind */
    uint32_t cpu;      /* CPU_NONE: several */
    uint32_t detail;   /* PHASE_UNCORE: enum uncore_kind; PHASE_STATE: enum state_setting; others: 1
                          for the boot CPU */
    uint32_t uptime_s; /* 0: not known */
};

struct next {
    uint32_t cpu;
    uint32_t kernel;
    uint32_t partner;  /* as in struct result */
    uint32_t uptime_s; /* as in struct phase */
};

/*
 * `samples` samples of `stride_bytes` each follow, sorted by pass, and then `msrs_before` +
 * `msrs_after` results of the MSR scripts.
 */
struct result {
    uint32_t cpu;
    uint32_t kernel; /* index of its RECORD_KERNEL, or KERNEL_CALIBRATION */
    uint32_t status; /* STATUS_OK: no sample is missing */
    uint32_t vector; /* vector of the exception */
    uint32_t error_code;
    uint32_t stride_bytes;
    uint32_t samples;
    uint16_t msrs_before;
    uint16_t msrs_after;
    uint64_t fault_offset;  /* of the instruction in the kernel's record */
    uint64_t fault_address; /* CR2 */
    uint64_t elapsed_us;
    /* A pass that could not be programmed has no samples. */
    struct pmu_error program_error;
    struct pmu_error restore_error;
    uint32_t program_error_pass; /* the first failed pass */
    uint32_t changed;            /* bits of CHANGED_LIST */
    uint32_t partner;            /* CPU_NONE: no pair */
    uint32_t node;   /* proximity domain of the buffer; NODE_UNKNOWN: no buffer or SRAT */
    uint64_t buffer; /* physical address; 0: none */
    /*
     * For each kind of unit with a failed register: the first register that failed. The pass in
     * which it failed has no samples, or its samples mark the kind's slots in `uncounted`.
     */
    struct uncore_error uncore_error[UNCORE_GROUPS_MAX];
    struct uncore_error uncore_restore_error;
    struct nearby fault_nearby; /* location of fault_address */
    /* The range read from MSR_UNCORE_PERF_STATUS after the passes; 0: not known. */
    uint32_t uncore_ratio_low, uncore_ratio_high;
};
_Static_assert(sizeof(struct result) == 576, "journal layout");
#define VECTOR_OUTSIDE (1u << 8) /* in result.vector: fault_offset is an absolute address */

enum sample_kind { SAMPLE_N, SAMPLE_2N };

/* Why a sample, or only its time and cycles (EVIDENCE_OF_TIME), was rejected. */
#define EVIDENCE_SMI      (1u << 0)
#define EVIDENCE_NMI      (1u << 1)
#define EVIDENCE_OVERFLOW (1u << 2)
#define EVIDENCE_REGISTER (1u << 3)  /* a counter could not be set or read */
#define EVIDENCE_THERMAL  (1u << 4)  /* throttled for heat */
#define EVIDENCE_CLOCK    (1u << 5)  /* the clock changed */
#define EVIDENCE_LIMIT    (1u << 6)  /* heat or a failing supply limited the clock */
#define EVIDENCE_MACHINE  (1u << 7)  /* a machine-check status changed */
#define EVIDENCE_GAP      (1u << 8)  /* the core stood still while the time stamp advanced */
#define EVIDENCE_SHARED   (1u << 9)  /* Linux multiplexed the counters */
#define EVIDENCE_SWITCHED (1u << 10) /* Linux ran something else */

/* Evidence that the clock changed but did not stop. */
#define EVIDENCE_OF_CLOCK (EVIDENCE_THERMAL | EVIDENCE_LIMIT | EVIDENCE_CLOCK)

/* Evidence that does not affect counts of retired instructions. */
#define EVIDENCE_OF_TIME (EVIDENCE_GAP | EVIDENCE_SWITCHED | EVIDENCE_OF_CLOCK)

#define SMIS_UNKNOWN 0xffffu

struct sample {
    uint16_t pass;
    uint16_t attempt; /* from 0, per pass and kind */
    uint16_t evidence;
    uint16_t nmis;
    uint16_t smis; /* SMIS_UNKNOWN: not counted */
    uint8_t kind;
    uint8_t reserved;
    uint32_t overflowed; /* bit s: slot s overflowed */
    uint64_t tsc;        /* duration of the window */
    /*
     * Increments from a reading before the window to a reading after it. In a pass with uncore
     * counters, the two readings also enclose the start and stop of these counters.
     */
    uint64_t aperf, mperf; /* 0: not read */
    uint32_t gap_ticks;    /* MPERF was stopped for at least this many time-stamp ticks */
    uint32_t limits;       /* bits 31:16: newly logged reasons; 15:0: limits in effect */
    uint16_t thermal;      /* IA32_THERM_STATUS[15:0] */
    uint16_t package_thermal;
    uint16_t mc_changed;     /* number of changed banks or of handled machine checks, the larger */
    uint16_t uncounted;      /* bit s: slot s has no count */
    uint64_t raw[SLOTS_MAX]; /* in journals, only those within stride_bytes */
};
_Static_assert(sizeof(struct sample) == 56 + 8 * SLOTS_MAX, "journal layout");
#define SAMPLE_BYTES(slots) (56u + 8u * (slots))

enum note_kind {
    NOTE_ERROR,
    NOTE_EXCEPTION, /* something was not restored */
    NOTE_REMARK,
};

#define NOTE_BYTES 240u

struct note {
    uint32_t kind;
    char text[NOTE_BYTES - 4];
};

/*
 * Why a run ended before its last kernel. Older programs read every value except STOPPED_NOT as
 * STOPPED_BY_USER.
 */
enum stopped_by { STOPPED_NOT, STOPPED_BY_USER, STOPPED_BY_MACHINE_CHECK };

struct end_record {
    uint64_t elapsed_us;
    uint64_t memory_bytes;    /* allocated by firmware, without the image; Linux: journal's size */
    uint32_t stopped;         /* enum stopped_by */
    uint32_t samples_dropped; /* 1: samples.csv was left out */
};

static inline const struct msr_result *result_msrs(const struct result *result)
{
    return (const struct msr_result *)((const char *)(result + 1) +
                                       (uint64_t)result->stride_bytes * result->samples);
}

static inline size_t result_bytes(const struct result *result)
{
    return sizeof(*result) + (size_t)result->samples * result->stride_bytes +
           ((size_t)result->msrs_before + result->msrs_after) * sizeof(struct msr_result);
}

/*
 * of_time: the sample is judged for a count of time or cycles (event_is_of_time()). More kinds of
 * evidence reject such a count.
 */
static inline bool sample_is_clean(const struct sample *sample, bool of_time)
{
    return (sample->evidence & ~(of_time ? 0u : EVIDENCE_OF_TIME)) == 0;
}

static inline bool sample_has(const struct sample *sample, unsigned slot)
{
    return slot >= SLOTS_MAX || !(sample->uncounted >> slot & 1);
}

static inline const struct sample *result_sample(const struct result *result, uint32_t i)
{
    return (const struct sample *)((const char *)(result + 1) + (uint64_t)result->stride_bytes * i);
}

/* Bits of cpu_record.flags. */
#define CPU_IS_BOOT                  (1u << 0)
#define CPU_WAS_IN_USE               (1u << 1) /* a counter or PEBS was enabled before the run */
#define CPU_HAS_SMI_COUNT            (1u << 2)
#define CPU_PERFMON_HIDDEN           (1u << 3) /* IA32_MISC_ENABLE[7] is 0 */
#define CPU_HAS_THERM_STATUS         (1u << 4)
#define CPU_HAS_PACKAGE_THERM_STATUS (1u << 5)
#define CPU_HAS_PERF_STATUS          (1u << 6)
#define CPU_HAS_APERF                (1u << 7)  /* with IA32_MPERF */
#define CPU_HAS_CORE_LIMITS          (1u << 8)  /* at 64FH */
#define CPU_HAS_CORE_LIMITS_HASWELL  (1u << 9)  /* at 690H (Haswell, Broadwell) */
#define CPU_BESIDE_BOOT              (1u << 10) /* a sibling is the boot CPU, which only waits */
#define CPU_BESIDE_MEASURED          (1u << 11) /* a sibling runs the same kernels simultaneously */
#define CPU_BESIDE_PARKED            (1u << 12) /* all siblings were in MWAIT when this CPU began */
#define CPU_MPERF_DIFFERS            (1u << 13) /* IA32_MPERF is slower than the time stamp */
#define CPU_HAS_GLOBAL_PAGES         (1u << 14) /* CR4.PGE was set */
#define CPU_HAS_UNCORE_RATIO         (1u << 15) /* MSR_UNCORE_PERF_STATUS */
#define CPU_HAS_CCX                  (1u << 16) /* older versions lack it */
#define CPU_HAS_CCD                  (1u << 17) /* older versions lack it */
#define CPU_HAS_PSTATE               (1u << 18) /* AMD's PStateStat */

static inline void cpu_record_place(struct cpu_record *cpu, const struct zen_place *place)
{
    cpu->flags |= (place->has_ccx ? CPU_HAS_CCX : 0) | (place->has_ccd ? CPU_HAS_CCD : 0);
    cpu->ccx = place->ccx;
    cpu->ccd = place->ccd;
}

#endif
