/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes over the performance monitor, programs passes, reads their counters, and gives the
 * registers back (Intel SDM vol. 3B "Performance Monitoring"). All functions act on the current
 * CPU, with interrupts off.
 */
#ifndef BARECOUNT_PMU_COUNTERS_PROGRAM_H
#define BARECOUNT_PMU_COUNTERS_PROGRAM_H

#include "pmu/base/out.h"
#include "pmu/counters/schedule.h"

struct msr_value {
    uint32_t msr;
    uint64_t value;
};

/* A register to read: `calm` is the expected value of the bits in `cares`. */
struct msr_look {
    uint64_t msr, calm, cares, value;
};

/*
 * Access to MSRs. All functions but look() return false after a #GP; read() then leaves *value
 * unchanged. read_all(), write_all() and look() continue after a #GP; a register that raises #GP
 * reads as 0. A port that only describes a CPU may lack read_all(), write_all() and look(). look()
 * returns 0 if all values were as expected.
 */
struct msr_port {
    void *context;
    bool (*read)(void *context, uint32_t msr, uint64_t *value);
    bool (*write)(void *context, uint32_t msr, uint64_t value);
    bool (*read_all)(void *context, const uint32_t *msr, uint64_t count, uint64_t *values);
    bool (*write_all)(void *context, const struct msr_value *to, uint64_t count);
    uint64_t (*look)(void *context, struct msr_look *looks, uint64_t count);
};

/*
 * The numbers of a vendor's registers and events. 0: the vendor lacks the register or event. The
 * registers of general counter i are `step` * i above those of counter 0.
 */
struct pmu_layout {
    uint32_t select, counter, step;
    uint32_t full_width; /* the counter's address for full-width writes */
    uint32_t fixed, fixed_ctrl;
    uint32_t global_ctrl, global_status, global_clear, global_set, global_inuse;
    uint32_t debugctl, pebs_enable;
    uint32_t cycles; /* event of unhalted cycles, which every general counter can count */
    uint32_t smis;   /* event of SMIs */
    /* false: a write to a general counter sign-extends the low 32 bits */
    bool takes_all_bits;
};
const struct pmu_layout *pmu_layout(const struct cpu_caps *caps);

static inline uint32_t pmu_select_msr(const struct pmu_layout *layout, unsigned counter)
{
    return layout->select + counter * layout->step;
}

static inline uint32_t pmu_counter_msr(const struct pmu_layout *layout, unsigned counter)
{
    return layout->counter + counter * layout->step;
}

static inline uint32_t pmu_full_width_msr(const struct pmu_layout *layout, unsigned counter)
{
    return layout->full_width + counter * layout->step;
}

/* The control registers before any change. `held` says which to restore: bits HELD_*. */
struct pmu_found {
    uint64_t select[GP_COUNTERS_MAX];
    uint64_t fixed_ctrl;
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t debugctl;
    uint64_t pebs_enable;
    uint64_t extra[EXTRAS_MAX]; /* in the order of EXTRA_MSRS */
    uint64_t inuse;             /* IA32_PERF_GLOBAL_INUSE before any write */
    uint32_t held;
    uint32_t has_inuse; /* 1: the register exists (from PMU version 4 on) */
};
_Static_assert(sizeof(struct pmu_found) == 200, "journal layout");
#define HELD_SELECT(i)   (1u << (i))
#define HELD_FIXED_CTRL  (1u << 16)
#define HELD_GLOBAL_CTRL (1u << 17)
#define HELD_DEBUGCTL    (1u << 18)
#define HELD_PEBS        (1u << 19)
#define HELD_EXTRA(i)    (1u << (20 + (i)))

/* Registers that contain an additional parameter of an event. */
extern const uint32_t EXTRA_MSRS[EXTRAS_MAX];

/*
 * The largest number of writes in `preset`: for each slot, one to its counter and two to its
 * select; two to the fixed counters' control; one to a merged counter.
 */
#define PRESETS_MAX (3u * SLOTS_MAX + 3u)

struct programmed {
    const struct pass *pass;
    uint32_t fixed_ctrl_msr, status_msr, clear_msr; /* 0: does not exist */
    uint32_t counters; /* number of slots on the CPU's counters; they precede uncore slots */
    uint32_t counter_msr[SLOTS_MAX], select_msr[SLOTS_MAX]; /* 0: does not exist */
    uint32_t presets;
    struct msr_value preset[PRESETS_MAX]; /* chosen by pmu_start_from() */
    uint32_t open_msr;                    /* writing open_value opens the window; 0: no counters */
    uint64_t open_value;
    uint64_t overflow_bits; /* of IA32_PERF_GLOBAL_STATUS, for pmu_overflowed() */
    uint64_t fixed_ctrl;
    uint64_t select[GP_COUNTERS_MAX];
    uint32_t smi_msr;    /* the counter of pmu_count_smis(); 0: none */
    uint32_t merged_msr; /* the second of two merged counters; 0: none */
    uint32_t high;       /* bit i: slot i starts at HIGH_START */
};

/* A failed access, unless `status` is STATUS_OK. */
struct pmu_error {
    uint32_t status; /* STATUS_OK, STATUS_MSR_FAULT or STATUS_READ_BACK */
    uint32_t msr;
    uint64_t written;
    uint64_t read;
};

/*
 * Removes from *caps the counters whose registers raise #GP when read. If a fixed counter raises
 * #GP, only this counter is removed; if a general counter does, all general counters after it are
 * removed too. If the fixed counters' control raises #GP, all fixed counters are removed; if a
 * global register does, all counters are removed. Writes no register. Returns the first register
 * that raised #GP, or 0.
 */
uint32_t pmu_probe(const struct msr_port *port, struct cpu_caps *caps);

/*
 * Reads the control registers into *found, disables all counters, switches PEBS and freeze-on-PMI
 * off, and clears the overflow bits. Ignores #GP of registers that CPUID does not promise.
 */
struct pmu_error pmu_take(const struct msr_port *port, const struct cpu_caps *caps,
                          struct pmu_found *found);

/* Whether *found shows that a counter or PEBS was enabled. */
bool pmu_was_in_use(const struct pmu_found *found, const struct cpu_caps *caps);

/*
 * Bits of IA32_PERF_GLOBAL_INUSE that the other control registers do not explain; 0 if the register
 * does not exist.
 */
uint64_t pmu_hidden_use(const struct pmu_found *found);

/* Writes, for example, "pmc3, fixed1, a PMI, bit 48". */
void pmu_use_words(uint64_t bits, struct out *out);

/* Clears the global control, then restores the registers in reverse order of pmu_take(). */
struct pmu_error pmu_give_back(const struct msr_port *port, const struct cpu_caps *caps,
                               const struct pmu_found *found);

/* The value of IA32_PERFEVTSELx, with EN clear. */
uint64_t program_select(const struct event *event, const struct slot *slot);

/* The event's four-bit field in IA32_FIXED_CTR_CTRL. */
uint64_t program_fixed(const struct event *event);

/*
 * Writes a pass's selects, fixed control and extra registers, and reads them back. Without a global
 * control, starts all counters except the first; otherwise starts none.
 */
struct pmu_error pmu_program(const struct msr_port *port, const struct cpu_caps *caps,
                             const struct event *event, const struct pass *pass,
                             struct programmed *programmed);

/*
 * On AMD, programs the last free counter to count SMIs, and stores its MSR in programmed->smi_msr.
 * A counter is free if neither the pass nor `taken` (bit i for counter i) contains it. Between
 * windows the counter is stopped if there is a global control; otherwise it goes on counting. Call
 * this after pmu_program(). If there is no pass, do not call pmu_program(), but set only
 * programmed->open_msr; all other fields must be 0.
 */
void pmu_count_smis(const struct msr_port *port, const struct cpu_caps *caps, uint32_t taken,
                    struct programmed *programmed);

/* False if the counter of SMIs has lost its select, which is then rewritten. */
bool pmu_keep_smis(const struct msr_port *port, const struct cpu_caps *caps,
                   const struct programmed *programmed);

/*
 * Works around errata AAK100, AAP53 and BD53 of Nehalem and Westmere: general counters may count
 * core cycles instead of their events. The counters must be stopped, and IA32_PEBS_ENABLE must be
 * 0. Selects and counters are 0 afterwards. Does nothing on other CPUs, or on a CPU with fewer than
 * four general counters.
 */
void pmu_unlock(const struct msr_port *port, const struct cpu_caps *caps);

/*
 * The largest `events` for pmu_start_from(). On Intel it is at most 2^31, because a write to
 * IA32_PMCx sign-extends the low 32 bits.
 */
uint64_t pmu_preset_max(const struct cpu_caps *caps);

/* Whether software can write all bits of a general counter, and so make it start at HIGH_START. */
bool pmu_takes_all_bits(const struct cpu_caps *caps, uint64_t perf_capabilities);

/*
 * Makes the counters start from 0 or, if `events` is not 0, overflow after `events` events. Slots
 * of CONDITION_HIGH start at HIGH_START instead. False if `events` is above pmu_preset_max().
 */
bool pmu_start_from(const struct cpu_caps *caps, uint64_t events, struct programmed *programmed);

/* Writes the start values of the pass's counters, which must be stopped. False after a #GP. */
static inline bool pmu_preset(const struct msr_port *port, const struct programmed *programmed)
{
    return port->write_all(port->context, programmed->preset, programmed->presets);
}

/*
 * Reads programmed->counters values into `raw`. A counter that raises #GP is read as 0, and the
 * result is false.
 */
static inline bool pmu_read(const struct msr_port *port, const struct programmed *programmed,
                            uint64_t *raw)
{
    return port->read_all(port->context, programmed->counter_msr, programmed->counters, raw);
}

/*
 * Returns which slots' counters overflowed (bit i for slot i), and clears their status bits.
 * Ignores fixed counter 2, whose status bit may be set again (trial.c).
 */
uint32_t pmu_overflowed(const struct msr_port *port, const struct programmed *programmed);

#endif
