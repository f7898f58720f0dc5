/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run leaves: the payloads of the journal's records, in the order in which they are written:
 * one RUN, one PLAN, a KERNEL for each, then for each CPU its CPU record, its EVENTS, its SCHEDULE,
 * its PACKAGE if it counts for that, the test of its counters, the STATE that was set, its NOISE
 * before, its calibration, its results, each kernel's behind a NEXT, and its NOISE after; NOTEs
 * anywhere; one END. CPUs that run in parallel have their results behind all of that, each behind
 * an AGAIN that names its CPU.
 * Little-endian, as they stand in memory. How payloads may change, and older schemas:
 * pmu/journal/renew.h.
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
#include "pmu/journal/noise.h"
#include "pmu/uncore/uncore.h"
#include "pmu/counters/schedule.h"
#include "pmu/plan/state.h"

#define RECORD_SCHEMA 6u

enum record_type {
    RECORD_RUN = 1,
    RECORD_PLAN,     /* the plan file as it was read */
    RECORD_KERNEL,   /* struct known_kernel */
    RECORD_CPU,      /* struct cpu_record */
    RECORD_RESULT,   /* struct result and its samples */
    RECORD_NOTE,     /* struct note */
    RECORD_END,      /* struct end_record */
    RECORD_TEST,     /* struct counter_tests */
    RECORD_EVENTS,   /* struct event for each event of the run, as the last CPU counts it */
    RECORD_SCHEDULE, /* the passes of a struct schedule that are used */
    RECORD_AGAIN,    /* struct again */
    RECORD_STATE,    /* struct cpu_state */
    RECORD_NOISE,    /* struct noise */
    RECORD_NEXT, /* struct next: what is about to run; its RESULT follows unless the machine died */
    RECORD_UNCORE,   /* struct uncore_record */
    RECORD_REASONS,  /* after EVENTS: see view_reason() */
    RECORD_LEFT_OUT, /* struct left_out, after the KERNELs */
};

/* Where CPUs wait that do not measure: as the firmware has them, or in MWAIT, the deepest hint. */
enum park_how { PARKED_BY_FIRMWARE, PARKED_IN_MWAIT };
#define PARKED_HOW        0xffu /* of run_record.parked */
#define PARKED_HINT_SHIFT 8     /* above: the boot CPU's hint; other types of core have their own */

/* Who counted: this program's image, or Linux for barecount-linux (perf_event_open). */
enum run_source { SOURCE_BARE_METAL, SOURCE_LINUX, RUN_SOURCES };

/* Unknown: the firmware does not say, the version was older, or Linux was asked for counts. */
enum secure_boot { SECURE_BOOT_UNKNOWN, SECURE_BOOT_OFF, SECURE_BOOT_ON };

enum linux_read_by { READ_BY_IOCTL, READ_BY_RDPMC, LINUX_READS };

#define PARANOID_UNKNOWN (-100) /* there is no perf_event_paranoid */

/* What Linux was like. All zeros on bare metal. */
struct linux_record {
    char kernel[64];        /* its release, as uname() has it */
    char governor[24];      /* of the first measured CPU; "" where there is none */
    char isolated_cpus[64]; /* as /sys/devices/system/cpu/isolated lists them */
    uint32_t read_by;       /* enum linux_read_by */
    int32_t perf_event_paranoid;
    uint32_t nmi_watchdog; /* 1: on, so that it holds a counter of each CPU */
    uint32_t reserved;
};

/* The rings that a window has instructions in. */
enum window_ring { WINDOW_OS, WINDOW_USR, WINDOW_RINGS };

struct run_record {
    uint32_t schema;
    uint32_t number;
    char version[24];
    char started[24]; /* UTC or local as the firmware keeps it, ISO 8601; "" when not set */
    char plan_name[64];
    char label[32];

    char firmware_vendor[64];
    struct smbios smbios;
    uint32_t uefi_revision; /* major << 16 | minor, as EFI_TABLE_HEADER has it */
    uint32_t firmware_revision;

    uint64_t tsc_hz;
    uint64_t tsc_measured_hz; /* against the ACPI timer, whatever tsc_hz is from; 0: not measured */
    uint32_t tsc_source;
    uint32_t cpus_found;
    uint32_t cpus_usable;
    uint32_t cpus_planned;
    uint32_t kernels;
    uint32_t runs;
    uint32_t runs_asked; /* more than runs: they were cut to keep the run short */
    uint32_t warmup;
    uint32_t kernel_ring;    /* RING_OS: kernels run at CPL 0; RING_USR: at CPL 3 */
    uint32_t method;         /* enum count_method */
    uint32_t parallel;       /* 1: each kernel ran on all CPUs at the same time */
    uint32_t overflow_after; /* counters were preset to overflow after so many events; 0: not */
    uint32_t timer_stopped;  /* 1: the firmware's timer stood still while the boot CPU measured */
    uint32_t parked;         /* enum park_how and hint: where CPUs that do not measure were to be */
    /* Of the window, by ring; without what opens and closes it: see struct view, edges_counted. */
    int64_t window_cost[WINDOW_RINGS][DECLARED_COUNT];
    uint32_t source;      /* enum run_source */
    uint32_t secure_boot; /* enum secure_boot */
    struct linux_record linux_host;
    uint32_t plan_errors;
    uint32_t plan_flags; /* RUN_PLAN_ bits */
    uint32_t emulated;   /* 1: CPUs are emulated, cycles and times are those of formulas */
    uint32_t max_time_s; /* of the plan; 0: as long as it takes */
};
_Static_assert(sizeof(struct run_record) == 800, "journal layout");

#define RUN_PLAN_KNOWN  (1u << 0) /* plan_errors is; older versions did not tell */
#define RUN_PLAN_STRICT (1u << 1) /* nothing is measured when there are errors */

/* Whether nothing was measured because of the plan's errors. */
static inline bool run_is_refused(const struct run_record *run)
{
    return run->plan_flags & RUN_PLAN_STRICT && run->plan_errors > 0;
}

/* A declared count at the run's n, and at 2n. */
enum expect_kind { EXPECT_NOTHING, EXPECT_EXACT, EXPECT_RANGE };
struct expect {
    uint32_t kind;
    uint32_t reserved;
    int64_t low, high;
    int64_t low_2n, high_2n;
};

struct known_kernel {
    char name[32];
    char title[80];
    char param[80]; /* "k=v;k=v", keys sorted; "" for a kernel as it comes */
    char family[16];
    char file[40];    /* of the stick, where it came from; "" for a built-in one */
    uint64_t n_given; /* 1: the plan gave this kernel its n */
    uint64_t n;
    uint64_t buffer_bytes;
    uint32_t argument;     /* R9 */
    uint32_t page_bytes;   /* of its buffer; 0: whatever fits */
    uint32_t memory;       /* enum memory_type of its buffer */
    uint32_t flags;        /* those of kernels/kernel.h, and KNOWN_DIFFERENCE */
    uint32_t crc32;        /* of its record: which bytes ran */
    uint32_t skipped_for;  /* the run that it was left out for; 0: it is not, or none is told */
    uint64_t cpu_features; /* that it needs: see pmu/cpu/features.h */
    struct expect expect[DECLARED_COUNT];
    uint64_t round;  /* the least n that goes through all that it walks; 0: it is not known */
    uint64_t copies; /* how often each n does what the title names; 0: n does not matter, or none is
                        told */
    /* What fault_offset may be in, from the record's start; 0: it has none, or none is told. */
    uint32_t entry_offset, prepare_offset, second_offset;
    uint32_t twice_offset; /* the entry of 2n, where that is another */
    /* Of a section [code]: from either entry to init= and the first copy of code=, and their bytes;
     * copies at n, and twice as many at twice_offset. All 0: it is none. */
    uint32_t init_at, init_bytes;
    uint32_t copy_at, copy_bytes;
    uint32_t unroll;
    uint32_t reserved;
};
_Static_assert(sizeof(struct known_kernel) == 560, "journal layout");

/* Bits of flags, as kernels/kernel.h has them, and our own. */
#define KNOWN_PAIR    (1u << 1)
#define KNOWN_CROWD   (1u << 2)
#define KNOWN_READS   (1u << 4) /* each n moves such lines: see KERNEL_READS there */
#define KNOWN_WRITES  (1u << 5)
#define KNOWN_STREAMS (1u << 6)
/* What it counts for each n is the difference of its means at 2n and at n, not the mean at n. */
#define KNOWN_DIFFERENCE (1u << 31)

/* A kernel that the plan's max_time has no time for. */
struct left_out {
    char name[32];
    char param[80]; /* as known_kernel has it */
    uint64_t n;
};
_Static_assert(sizeof(struct left_out) == 120, "journal layout");

struct cpu_record {
    uint32_t cpu;      /* number in the firmware's list */
    uint32_t flags;    /* of pmu/journal/record.h */
    uint32_t siblings; /* other listed threads of the same core */
    uint32_t microcode;
    uint64_t perf_capabilities; /* 0 without the register, as the next */
    uint64_t platform_info;
    struct cpu_caps caps;
    struct pmu_found found;
    uint32_t status;       /* STATUS_OK, or why the CPU could not describe itself */
    uint32_t refused_msr;  /* the first register of the PMU that raised #GP; 0: none */
    uint32_t mc_banks;     /* machine-check banks that are looked at; 0: none */
    uint32_t logs_found;   /* CPU_HAS_ flags of registers whose log of heat was set already */
    uint64_t caches_bytes; /* of its data and unified caches together; 0: not known */
    struct cpu_cache cache[CPU_CACHES_MAX];
};
_Static_assert(sizeof(struct cpu_record) == 472, "journal layout");

/* What follows is of a CPU whose CPU record came before. */
struct again {
    uint32_t cpu;
    uint32_t reserved;
};

#define KERNEL_CALIBRATION 0xffffffffu /* the empty window */
#define CPU_NONE           0xffffffffu

/* What is about to run. */
struct next {
    uint32_t cpu;
    uint32_t kernel;
    uint32_t partner; /* CPU_NONE: the CPU runs it alone, or all do */
    uint32_t reserved;
};

/*
 * One CPU and one kernel. Followed by `samples` samples of `stride_bytes` each, in the order of
 * their passes, and by what the MSR scripts gave, `msrs_before` and `msrs_after` of struct
 * msr_result.
 */
struct result {
    uint32_t cpu;
    uint32_t kernel; /* number of its RECORD_KERNEL, or KERNEL_CALIBRATION */
    uint32_t status; /* STATUS_OK: the samples are whole */
    uint32_t vector; /* of the exception, when status is STATUS_FAULT or STATUS_HANG */
    uint32_t error_code;
    uint32_t stride_bytes;
    uint32_t samples;
    uint16_t msrs_before;
    uint16_t msrs_after;
    uint64_t fault_offset;  /* of the faulting instruction from the kernel's record */
    uint64_t fault_address; /* CR2 */
    uint64_t elapsed_us;
    /* Of a register while a pass was programmed; a pass without samples was not. */
    struct pmu_error program_error;
    struct pmu_error restore_error; /* of a register that could not be given back */
    uint32_t program_error_pass;    /* the pass that program_error is of, the first one */
    uint32_t changed;               /* bits of CHANGED_LIST, when status is STATUS_CHANGED */
    uint32_t partner;               /* the CPU of the other role; CPU_NONE: there is none */
    uint32_t node;   /* proximity domain of its buffer; NODE_UNKNOWN without an SRAT */
    uint64_t buffer; /* physical address; 0: none */
    /*
     * Of registers outside the cores: the first of each kind that was not counted, by samples'
     * `uncounted` or in a pass without samples; and one that could not be given back.
     */
    struct uncore_error uncore_error[UNCORE_GROUPS_MAX];
    struct uncore_error uncore_restore_error;
    struct nearby fault_nearby; /* of fault_address, where the kernel ran */
};
_Static_assert(sizeof(struct result) == 568, "journal layout");
#define VECTOR_OUTSIDE (1u << 8) /* beside the vector: fault_offset is the address itself */

enum sample_kind { SAMPLE_N, SAMPLE_2N };

/* Why a sample was rejected; 0: accepted. */
#define EVIDENCE_SMI      (1u << 0)
#define EVIDENCE_NMI      (1u << 1)
#define EVIDENCE_OVERFLOW (1u << 2)
#define EVIDENCE_REGISTER (1u << 3)  /* a counter could not be set or read */
#define EVIDENCE_THERMAL  (1u << 4)  /* the CPU or its package was throttled for its heat */
#define EVIDENCE_CLOCK    (1u << 5)  /* its clock changed */
#define EVIDENCE_LIMIT    (1u << 6)  /* its clock was limited for its heat or that of its supply */
#define EVIDENCE_MACHINE  (1u << 7)  /* a machine-check bank reported something */
#define EVIDENCE_GAP      (1u << 8)  /* the core stood still while the time stamp went on */
#define EVIDENCE_SHARED   (1u << 9)  /* Linux gave the counters to others for a part of it */
#define EVIDENCE_SWITCHED (1u << 10) /* Linux ran something else on the CPU meanwhile */

/* What only counts of cycles and time are rejected for: retired instructions do not see it. */
#define EVIDENCE_OF_TIME (EVIDENCE_GAP | EVIDENCE_SWITCHED)

#define SMIS_UNKNOWN 0xffffu

struct sample {
    uint16_t pass;
    uint16_t attempt; /* within its pass and kind, from 0 */
    uint16_t evidence;
    uint16_t nmis;
    uint16_t smis; /* SMIS_UNKNOWN without MSR_SMI_COUNT */
    uint8_t kind;
    uint8_t reserved;
    uint32_t overflowed; /* bit s: the counter of slot s overflowed */
    uint64_t tsc;        /* of the window */
    /* What went by between the two looks at the clocks: a little more than the window, or than what
     * a package counted in. */
    uint64_t aperf, mperf; /* 0 without the registers */
    uint32_t gap_ticks;    /* of the time stamp, at least, that MPERF stood still */
    uint32_t limits; /* [31:16] limit reasons whose log came up; [15:0] heat that limited it then */
    uint16_t thermal; /* status and log bits of the core that were set or came up, [15:0] */
    uint16_t package_thermal;
    uint16_t mc_changed;     /* machine-check banks whose status changed */
    uint16_t uncounted;      /* bit s: slot s is of a kind of unit that refused to count here */
    uint64_t raw[SLOTS_MAX]; /* only as many as stride_bytes has room for */
};
_Static_assert(sizeof(struct sample) == 56 + 8 * SLOTS_MAX, "journal layout");
#define SAMPLE_BYTES(slots) (56u + 8u * (slots))

enum note_kind {
    NOTE_ERROR,     /* something did not go as it should */
    NOTE_EXCEPTION, /* something that is not left as it was found */
    NOTE_REMARK,
};

#define NOTE_BYTES 240u

struct note {
    uint32_t kind;
    char text[NOTE_BYTES - 4];
};

struct end_record {
    uint64_t elapsed_us;
    uint64_t memory_bytes;    /* taken from the firmware, beside the image itself */
    uint32_t stopped;         /* 1: the user ended the run early */
    uint32_t samples_dropped; /* 1: no room for samples.csv */
};

/* Where the MSR results stand. */
static inline const struct msr_result *result_msrs(const struct result *result)
{
    return (const struct msr_result *)((const char *)(result + 1) +
                                       (uint64_t)result->stride_bytes * result->samples);
}

/* Of a result with all that follows it. */
static inline size_t result_bytes(const struct result *result)
{
    return sizeof(*result) + (size_t)result->samples * result->stride_bytes +
           ((size_t)result->msrs_before + result->msrs_after) * sizeof(struct msr_result);
}

/*
 * Whether a sample is accepted: for counts of time and cycles (event_is_of_time()), or for others,
 * which some evidence does not touch.
 */
static inline bool sample_is_clean(const struct sample *sample, bool of_time)
{
    return (sample->evidence & ~(of_time ? 0u : EVIDENCE_OF_TIME)) == 0;
}

/* Whether a sample has a count in a slot of its pass. */
static inline bool sample_has(const struct sample *sample, unsigned slot)
{
    return slot >= SLOTS_MAX || !(sample->uncounted >> slot & 1);
}

static inline const struct sample *result_sample(const struct result *result, uint32_t i)
{
    return (const struct sample *)((const char *)(result + 1) + (uint64_t)result->stride_bytes * i);
}

/* Bits of cpu_record.flags: what a CPU is in its run, and which registers it has. */
#define CPU_IS_BOOT                  (1u << 0)
#define CPU_WAS_IN_USE               (1u << 1) /* a counter had been left enabled */
#define CPU_HAS_SMI_COUNT            (1u << 2)
#define CPU_PERFMON_HIDDEN           (1u << 3) /* IA32_MISC_ENABLE[7] is 0 */
#define CPU_HAS_THERM_STATUS         (1u << 4)
#define CPU_HAS_PACKAGE_THERM_STATUS (1u << 5)
#define CPU_HAS_PERF_STATUS          (1u << 6)
#define CPU_HAS_APERF                (1u << 7) /* IA32_MPERF and IA32_APERF */
#define CPU_HAS_CORE_LIMITS          (1u << 8) /* MSR_CORE_PERF_LIMIT_REASONS at 64FH */
#define CPU_HAS_CORE_LIMITS_HASWELL                                                                \
    (1u << 9)                          /* the same at 690H, as Haswell and Broadwell have it */
#define CPU_BESIDE_BOOT     (1u << 10) /* a sibling is the boot CPU, which waits for it */
#define CPU_BESIDE_MEASURED (1u << 11) /* a sibling runs the same kernels at the same time */
#define CPU_BESIDE_PARKED   (1u << 12) /* all siblings but such were in MWAIT when it began */
#define CPU_MPERF_DIFFERS   (1u << 13) /* IA32_MPERF does not tick with the time stamp */

#endif
