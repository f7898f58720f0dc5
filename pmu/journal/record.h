/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The payloads of the journal's records. A journal begins with RUN, PLAN, a KERNEL for each kernel,
 * and LEFT_OUTs. A complete journal ends with END. Before END come the records of each CPU, one CPU
 * after another: CPU, EVENTS, REASONS (if an event has an error), SCHEDULE, UNCORE (if the CPU
 * counts for its package), TEST, STATE, NOISE, the RESULT of the calibration, a NEXT and a RESULT
 * for each kernel, and NOISE again. TEST, STATE and NOISE may be missing. NOTEs, PHASEs and
 * MACHINEs can be anywhere. In parallel mode, and for kernels that run on several CPUs, the NEXTs
 * and RESULTs come after the records of all CPUs up to the calibration. An AGAIN before each NEXT
 * or RESULT then names the CPU. Numbers are little-endian, as in memory. pmu/journal/renew.h
 * describes older schemas and the rules for changing payloads.
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
    RECORD_PLAN,     /* the plan file as read */
    RECORD_KERNEL,   /* struct known_kernel */
    RECORD_CPU,      /* struct cpu_record */
    RECORD_RESULT,   /* struct result, its samples, and the results of the MSR scripts */
    RECORD_NOTE,     /* struct note */
    RECORD_END,      /* struct end_record */
    RECORD_TEST,     /* struct counter_tests */
    RECORD_EVENTS,   /* struct event for each event of the run, as the CPU counts it */
    RECORD_SCHEDULE, /* the used passes of a struct schedule */
    RECORD_AGAIN,    /* struct again */
    RECORD_STATE,    /* struct cpu_state */
    RECORD_NOISE,    /* struct noise */
    RECORD_NEXT,     /* struct next, before a kernel; its RESULT follows unless the machine died */
    RECORD_UNCORE,   /* struct uncore_record */
    RECORD_REASONS,  /* a text for each event, after EVENTS: see cpu_events_reasons() */
    RECORD_LEFT_OUT, /* struct left_out, after the KERNELs */
    RECORD_PHASE,    /* struct phase; a later record shows that the machine did not stop in it */
    RECORD_MACHINE,  /* a part of the text of machine.txt; the parts are in order */
};

/* Where a CPU waits while it does not measure: in firmware, or in MWAIT with the deepest hint. */
enum park_how { PARKED_BY_FIRMWARE, PARKED_IN_MWAIT };
#define PARKED_HOW        0xffu /* mask of enum park_how in run_record.parked */
#define PARKED_HINT_SHIFT 8     /* the boot CPU's hint; other core types may have other hints */

/* The program that counted: the image, or barecount-linux (perf_event_open). */
enum run_source { SOURCE_BARE_METAL, SOURCE_LINUX, RUN_SOURCES };

/*
 * SECURE_BOOT_UNKNOWN: the firmware did not report the state, or the run was made under Linux or by
 * an older version.
 */
enum secure_boot { SECURE_BOOT_UNKNOWN, SECURE_BOOT_OFF, SECURE_BOOT_ON };

enum linux_read_by { READ_BY_IOCTL, READ_BY_RDPMC, LINUX_READS };

#define PARANOID_UNKNOWN (-100) /* perf_event_paranoid could not be read */

/* The configuration of Linux; zeros on bare metal. */
struct linux_record {
    char kernel[64];        /* release of uname() */
    char governor[24];      /* the frequency governor of the first measured CPU; "" if none */
    char isolated_cpus[64]; /* as in /sys/devices/system/cpu/isolated */
    uint32_t read_by;       /* enum linux_read_by */
    int32_t perf_event_paranoid;
    uint32_t nmi_watchdog; /* 1: the watchdog is on and occupies a counter of each CPU */
    uint32_t reserved;
};

/* The rings in which a window executes instructions. */
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
    uint32_t uefi_revision; /* major << 16 | minor, as in EFI_TABLE_HEADER */
    uint32_t firmware_revision;

    uint64_t tsc_hz;
    uint64_t tsc_measured_hz; /* against the ACPI timer or a Linux clock; 0: not measured */
    uint32_t tsc_source;
    uint32_t cpus_found;
    uint32_t cpus_usable;
    uint32_t cpus_planned;
    uint32_t kernels;
    uint32_t runs;
    uint32_t runs_asked; /* number of runs in the plan; `runs` may be smaller, to save time */
    uint32_t warmup;
    uint32_t kernel_ring;    /* RING_OS: kernels run at CPL 0; RING_USR: at CPL 3 */
    uint32_t method;         /* enum count_method */
    uint32_t parallel;       /* 1: each kernel ran on all measured CPUs at once */
    uint32_t overflow_after; /* the plan's overflow_after; 0: counters were not preset */
    uint32_t timer_stopped;  /* 1: the firmware's timer was off while the boot CPU measured */
    uint32_t parked;         /* enum park_how, and the hint at PARKED_HINT_SHIFT */
    /*
     * The declared counts of the window in each ring, without the instructions that open and close
     * the window: see edges_counted in struct view.
     */
    int64_t window_cost[WINDOW_RINGS][DECLARED_COUNT];
    uint32_t source;      /* enum run_source */
    uint32_t secure_boot; /* enum secure_boot */
    struct linux_record linux_host;
    uint32_t plan_errors;
    uint32_t plan_flags; /* RUN_PLAN_* */
    uint32_t emulated;   /* 1: the CPUs are emulated; cycle counts are from formulas */
    uint32_t max_time_s; /* the plan's max_time; 0: no limit */
    char hypervisor[16]; /* as in struct emulation */
};
_Static_assert(sizeof(struct run_record) == 816, "journal layout");

#define RUN_PLAN_KNOWN  (1u << 0) /* plan_errors is valid; older versions do not set it */
#define RUN_PLAN_STRICT (1u << 1) /* an error of the plan prevents all measurements */
#define RUN_NO_CPU      (1u << 2) /* every CPU of the plan is left out: see skipped.csv */
#define RUN_CHECK       (1u << 3) /* the plan asks for check.txt */
#define RUN_UNCORE      (1u << 4) /* the plan names uncore events; older versions did not set it */
#define RUN_ONLY_BOOT   (1u << 5) /* the firmware's MP services cannot start other CPUs */
#define RUN_NOT_ALL     (1u << 6) /* there are more CPUs than the program has room for */

/* Why nothing is measured. */
enum refused { REFUSED_NOT, REFUSED_STRICT, REFUSED_NO_CPU };

static inline enum refused run_refused(const struct run_record *run)
{
    if (run->plan_flags & RUN_PLAN_STRICT && run->plan_errors > 0)
        return REFUSED_STRICT;
    return run->plan_flags & RUN_NO_CPU ? REFUSED_NO_CPU : REFUSED_NOT;
}

/* A declared count at the kernel's n and at 2n. EXPECT_AT_LEAST uses neither `high` nor high_2n. */
enum expect_kind { EXPECT_NOTHING, EXPECT_EXACT, EXPECT_RANGE, EXPECT_AT_LEAST };
struct expect {
    uint32_t kind;
    uint32_t reserved;
    int64_t low, high;
    int64_t low_2n, high_2n;
};

struct known_kernel {
    char name[32];
    char title[80];
    char param[80]; /* "k=v;k=v", sorted by key; "" without parameters */
    char family[16];
    char file[40];    /* the kernel's file on the stick; "" if built in */
    uint64_t n_given; /* 1: the plan gave n */
    uint64_t n;
    uint64_t buffer_bytes;
    uint32_t argument;   /* value of R9 */
    uint32_t page_bytes; /* page size of its buffer; 0: any size that fits */
    uint32_t memory;     /* enum memory_type of its buffer */
    uint32_t flags;      /* as in kernels/kernel.h, and KNOWN_DIFFERENCE */
    uint32_t crc32;      /* CRC of the kernel's record; identifies the code */
    /* Number of the run in which the machine died in this kernel; 0: not skipped, or not known. */
    uint32_t skipped_for;
    uint64_t cpu_features; /* required features: pmu/cpu/features.h */
    struct expect expect[DECLARED_COUNT];
    uint64_t round; /* smallest n that covers its whole buffer or pattern; 0: not known */
    /*
     * How many times per n the kernel does the operation in its title; 0: n is irrelevant, or the
     * number is not known.
     */
    uint64_t copies;
    /* Offsets of parts of the kernel from the start of its record; 0: no such part, or not known */
    uint32_t entry_offset, prepare_offset, second_offset;
    uint32_t twice_offset; /* entry for 2n, if different */
    /*
     * The fields init_at to `unroll` are set for a kernel from a section [code] of a plan,
     * otherwise 0. init_at is the distance from an entry to the code of init=, and copy_at the
     * distance to the first copy of code=; the entries for n and for 2n have the same distances.
     * init_bytes and copy_bytes are the sizes of init= and code=. `unroll` copies of code= follow
     * the entry for n, and twice as many follow the entry for 2n.
     */
    uint32_t init_at, init_bytes;
    uint32_t copy_at, copy_bytes;
    uint32_t unroll;
    uint32_t reserved;
};
_Static_assert(sizeof(struct known_kernel) == 560, "journal layout");

/*
 * Bits of known_kernel.flags. KNOWN_DIFFERENCE is set only in journals; the other bits have the
 * same numbers in kernels/kernel.h.
 */
#define KNOWN_PAIR    (1u << 1)
#define KNOWN_CROWD   (1u << 2)
#define KNOWN_READS   (1u << 4) /* reads n cache lines in a window; see kernels/kernel.h */
#define KNOWN_WRITES  (1u << 5)
#define KNOWN_STREAMS (1u << 6)
/*
 * Counts per n come from the difference between the means at 2n and at n, not from a single mean.
 */
#define KNOWN_DIFFERENCE (1u << 31)

/* A kernel that was left out because the run would have exceeded the plan's max_time. */
struct left_out {
    char name[32];
    char param[80]; /* as in known_kernel */
    uint64_t n;
};
_Static_assert(sizeof(struct left_out) == 120, "journal layout");

struct cpu_record {
    uint32_t cpu;      /* index in the firmware's list; under Linux, the CPU's number */
    uint32_t flags;    /* CPU_*, below */
    uint32_t siblings; /* number of the core's other threads that the firmware or Linux lists */
    uint32_t microcode;
    uint64_t perf_capabilities; /* 0: the CPU lacks the register */
    uint64_t tsc_ratio;         /* from tsc_read_ratio(); 0: none */
    struct cpu_caps caps;
    struct pmu_found found;
    uint32_t status;       /* STATUS_OK, or why the CPU could not describe itself */
    uint32_t refused_msr;  /* first PMU register that raised #GP; 0: none */
    uint32_t mc_banks;     /* number of machine-check banks that are monitored */
    uint32_t logs_found;   /* CPU_HAS_ flags of registers with a thermal log bit already set */
    uint64_t caches_bytes; /* bytes of all its data and unified caches; 0: not known */
    struct cpu_cache cache[CPU_CACHES_MAX];
    uint32_t ccx, ccd; /* as in struct zen_place; valid with CPU_HAS_CCX, CPU_HAS_CCD */
};
_Static_assert(sizeof(struct cpu_record) == 528, "journal layout");

/* The NEXT or RESULT that follows belongs to this CPU, whose other records come earlier. */
struct again {
    uint32_t cpu;
    uint32_t reserved;
};

#define KERNEL_CALIBRATION 0xffffffffu /* the empty window */
#define CPU_NONE           0xffffffffu

/*
 * The phases, other than kernels, in which the machine may stop. Journals contain the numbers of
 * the phases, so the numbers never change. Each row gives a phase's number, its name in
 * skipped.csv, and two parts of a sentence. In the sentence, the name of the phase's detail comes
 * between the two parts, and the CPU at the end.
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

/* What the machine does next. */
struct phase {
    uint32_t kind;     /* enum phase_kind */
    uint32_t cpu;      /* CPU_NONE: several */
    uint32_t detail;   /* PHASE_UNCORE: enum uncore_kind; PHASE_STATE: enum state_setting; others: 1
                          for the boot CPU */
    uint32_t uptime_s; /* seconds since the machine's reset; 0: not known */
};

/* The kernel about to run. */
struct next {
    uint32_t cpu;
    uint32_t kernel;
    uint32_t partner;  /* as in struct result */
    uint32_t uptime_s; /* as in struct phase */
};

/*
 * The result of a kernel on a CPU. After struct result come `samples` samples of `stride_bytes`
 * each, sorted by pass, and then the results of the MSR scripts (struct msr_result): first
 * `msrs_before` results, then `msrs_after` results.
 */
struct result {
    uint32_t cpu;
    uint32_t kernel; /* index of its RECORD_KERNEL, or KERNEL_CALIBRATION */
    uint32_t status; /* STATUS_OK: no sample is missing */
    uint32_t vector; /* vector of the exception that ended the kernel */
    uint32_t error_code;
    uint32_t stride_bytes;
    uint32_t samples;
    uint16_t msrs_before;
    uint16_t msrs_after;
    uint64_t fault_offset;  /* offset of the instruction from the kernel's record */
    uint64_t fault_address; /* CR2 */
    uint64_t elapsed_us;
    /* A register that failed in a pass. A pass that could not be programmed has no samples. */
    struct pmu_error program_error;
    struct pmu_error restore_error; /* a register that could not be restored */
    uint32_t program_error_pass;    /* the first pass in which a register failed */
    uint32_t changed;               /* bits of CHANGED_LIST, if status is STATUS_CHANGED */
    uint32_t partner;               /* the other CPU of a pair; CPU_NONE: no pair */
    uint32_t node;   /* proximity domain of the buffer; NODE_UNKNOWN: no buffer or SRAT */
    uint64_t buffer; /* physical address; 0: none */
    /*
     * uncore_error: the first register that failed in each kind of unit that could not be counted.
     * If a kind of unit failed in a pass, the pass has no samples, or its samples mark the kind's
     * slots in `uncounted`. uncore_restore_error: a register that could not be restored.
     */
    struct uncore_error uncore_error[UNCORE_GROUPS_MAX];
    struct uncore_error uncore_restore_error;
    struct nearby fault_nearby; /* fault_address relative to the kernel's areas */
    /* The lowest and highest ratio read from MSR_UNCORE_PERF_STATUS after a pass; 0: not known. */
    uint32_t uncore_ratio_low, uncore_ratio_high;
};
_Static_assert(sizeof(struct result) == 576, "journal layout");
#define VECTOR_OUTSIDE (1u << 8) /* bit of result.vector: fault_offset is an absolute address */

enum sample_kind { SAMPLE_N, SAMPLE_2N };

/* Why a sample, or only its time and cycles (EVIDENCE_OF_TIME), was rejected; 0: accepted. */
#define EVIDENCE_SMI      (1u << 0)
#define EVIDENCE_NMI      (1u << 1)
#define EVIDENCE_OVERFLOW (1u << 2)
#define EVIDENCE_REGISTER (1u << 3)  /* a counter could not be set or read */
#define EVIDENCE_THERMAL  (1u << 4)  /* the CPU or package was throttled for heat */
#define EVIDENCE_CLOCK    (1u << 5)  /* the CPU's clock changed */
#define EVIDENCE_LIMIT    (1u << 6)  /* heat or a failing supply limited the clock */
#define EVIDENCE_MACHINE  (1u << 7)  /* a machine-check status changed */
#define EVIDENCE_GAP      (1u << 8)  /* the core was stopped while the time stamp advanced */
#define EVIDENCE_SHARED   (1u << 9)  /* Linux multiplexed the counters */
#define EVIDENCE_SWITCHED (1u << 10) /* Linux ran something else on the CPU */

/* Evidence that a CPU's clock changed but did not stop. */
#define EVIDENCE_OF_CLOCK (EVIDENCE_THERMAL | EVIDENCE_LIMIT | EVIDENCE_CLOCK)

/* Evidence that rejects only cycles and time, because retired instructions are not affected. */
#define EVIDENCE_OF_TIME (EVIDENCE_GAP | EVIDENCE_SWITCHED | EVIDENCE_OF_CLOCK)

#define SMIS_UNKNOWN 0xffffu

struct sample {
    uint16_t pass;
    uint16_t attempt; /* the sample's number within its pass and kind, from 0 */
    uint16_t evidence;
    uint16_t nmis;
    uint16_t smis; /* SMIS_UNKNOWN: nothing counted SMIs */
    uint8_t kind;
    uint8_t reserved;
    uint32_t overflowed; /* bit s: slot s's counter overflowed */
    uint64_t tsc;        /* duration of the window */
    /*
     * Increments between a reading before the window and a reading after it. In a pass with uncore
     * counters, the first reading is before the uncore counters start, and the second reading after
     * they stop. The increments are therefore slightly larger than those within the window.
     */
    uint64_t aperf, mperf; /* 0: not read */
    uint32_t gap_ticks;    /* MPERF was stopped for at least this many time-stamp ticks */
    uint32_t limits;  /* bits 31:16: newly logged reasons; 15:0: heat and power limits in effect */
    uint16_t thermal; /* IA32_THERM_STATUS[15:0] after the window */
    uint16_t package_thermal;
    uint16_t mc_changed;     /* number of changed banks or, if larger, of machine checks handled */
    uint16_t uncounted;      /* bit s: slot s has no count, because its kind of unit failed */
    uint64_t raw[SLOTS_MAX]; /* truncated to stride_bytes */
};
_Static_assert(sizeof(struct sample) == 56 + 8 * SLOTS_MAX, "journal layout");
#define SAMPLE_BYTES(slots) (56u + 8u * (slots))

enum note_kind {
    NOTE_ERROR,     /* a failure */
    NOTE_EXCEPTION, /* something that was not restored */
    NOTE_REMARK,
};

#define NOTE_BYTES 240u

struct note {
    uint32_t kind;
    char text[NOTE_BYTES - 4];
};

/*
 * What ended a run before its last kernel. Older programs read every value except STOPPED_NOT as
 * STOPPED_BY_USER.
 */
enum stopped_by { STOPPED_NOT, STOPPED_BY_USER, STOPPED_BY_MACHINE_CHECK };

struct end_record {
    uint64_t elapsed_us;
    uint64_t memory_bytes;    /* allocated from the firmware (image excluded); Linux: the journal */
    uint32_t stopped;         /* enum stopped_by */
    uint32_t samples_dropped; /* 1: no room for samples.csv */
};

/* The MSR scripts' results. */
static inline const struct msr_result *result_msrs(const struct result *result)
{
    return (const struct msr_result *)((const char *)(result + 1) +
                                       (uint64_t)result->stride_bytes * result->samples);
}

/* The size of a result with its samples and the results of the MSR scripts. */
static inline size_t result_bytes(const struct result *result)
{
    return sizeof(*result) + (size_t)result->samples * result->stride_bytes +
           ((size_t)result->msrs_before + result->msrs_after) * sizeof(struct msr_result);
}

/*
 * Whether a sample is accepted. Counts of time and cycles (of_time, see event_is_of_time()) are
 * rejected by more kinds of evidence than other counts.
 */
static inline bool sample_is_clean(const struct sample *sample, bool of_time)
{
    return (sample->evidence & ~(of_time ? 0u : EVIDENCE_OF_TIME)) == 0;
}

/* Whether a sample contains a count for a slot of its pass. */
static inline bool sample_has(const struct sample *sample, unsigned slot)
{
    return slot >= SLOTS_MAX || !(sample->uncounted >> slot & 1);
}

static inline const struct sample *result_sample(const struct result *result, uint32_t i)
{
    return (const struct sample *)((const char *)(result + 1) + (uint64_t)result->stride_bytes * i);
}

/* Bits of cpu_record.flags: what was found out about the CPU, its siblings and its registers. */
#define CPU_IS_BOOT                  (1u << 0)
#define CPU_WAS_IN_USE               (1u << 1) /* a counter or PEBS was enabled before the run */
#define CPU_HAS_SMI_COUNT            (1u << 2)
#define CPU_PERFMON_HIDDEN           (1u << 3) /* IA32_MISC_ENABLE[7] is 0 */
#define CPU_HAS_THERM_STATUS         (1u << 4)
#define CPU_HAS_PACKAGE_THERM_STATUS (1u << 5)
#define CPU_HAS_PERF_STATUS          (1u << 6)
#define CPU_HAS_APERF                (1u << 7)  /* IA32_MPERF and IA32_APERF */
#define CPU_HAS_CORE_LIMITS          (1u << 8)  /* MSR_CORE_PERF_LIMIT_REASONS at 64FH */
#define CPU_HAS_CORE_LIMITS_HASWELL  (1u << 9)  /* limit reasons at 690H (Haswell, Broadwell) */
#define CPU_BESIDE_BOOT              (1u << 10) /* a sibling is the boot CPU, which only waits */
#define CPU_BESIDE_MEASURED          (1u << 11) /* a sibling runs the same kernels simultaneously */
#define CPU_BESIDE_PARKED            (1u << 12) /* all siblings were in MWAIT when this CPU began */
#define CPU_MPERF_DIFFERS            (1u << 13) /* IA32_MPERF is slower than the time stamp */
#define CPU_HAS_GLOBAL_PAGES         (1u << 14) /* firmware had set CR4.PGE */
#define CPU_HAS_UNCORE_RATIO         (1u << 15) /* MSR_UNCORE_PERF_STATUS */
#define CPU_HAS_CCX                  (1u << 16) /* ccx is known; older versions did not set it */
#define CPU_HAS_CCD                  (1u << 17) /* ccd is known; older versions did not set it */
#define CPU_HAS_PSTATE               (1u << 18) /* AMD's PStateStat */

/* Stores a CPU's core complex and core die. */
static inline void cpu_record_place(struct cpu_record *cpu, const struct zen_place *place)
{
    cpu->flags |= (place->has_ccx ? CPU_HAS_CCX : 0) | (place->has_ccd ? CPU_HAS_CCD : 0);
    cpu->ccx = place->ccx;
    cpu->ccd = place->ccd;
}

#endif
