/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes over the performance monitor's registers, programs passes, sets and reads their counters,
 * and gives the registers back. All functions act on the current CPU, with interrupts off. Intel
 * SDM vol. 3B "Performance Monitoring".
 */
#ifndef BARECOUNT_PMU_COUNTERS_PROGRAM_H
#define BARECOUNT_PMU_COUNTERS_PROGRAM_H

#include "pmu/base/out.h"
#include "pmu/counters/schedule.h"

struct msr_value {
    uint32_t msr;
    uint64_t value;
};

/* A register to read. `calm`: the expected value of the bits in `cares`; `value`: what was read. */
struct msr_look {
    uint64_t msr, calm, cares, value;
};

/*
 * Access to MSRs of the current CPU. read() and write() return false if the access raises #GP;
 * read() then leaves *value unchanged. read_all(), write_all() and look() are for samples, and are
 * null in ports that only serve to describe a CPU. These three continue after an access that raises
 * #GP, and a value that cannot be read is 0. read_all() and write_all() return false if an access
 * raised #GP. look() returns 0 if all registers had their expected values.
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
 * A vendor's registers (0: the register does not exist) and event numbers (0: none). The registers
 * of general counter i are `step` * i above those of counter 0.
 */
struct pmu_layout {
    uint32_t select, counter, step;
    uint32_t full_width; /* another address of the counter, for full-width writes */
    uint32_t fixed, fixed_ctrl;
    uint32_t global_ctrl, global_status, global_clear, global_set, global_inuse;
    uint32_t debugctl, pebs_enable;
    uint32_t cycles; /* the event of unhalted cycles, which every general counter can count */
    uint32_t smis;   /* the event of SMIs that the core received */
    /* Whether a write sets all bits of a counter; if not, it sign-extends the low 32 bits. */
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

/*
 * The values of the control registers before this program changed them. `held` says which registers
 * were read and must be restored.
 */
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
    uint32_t has_inuse; /* 1: `inuse` was read; the register exists from PMU version 4 on */
};
_Static_assert(sizeof(struct pmu_found) == 200, "journal layout");
#define HELD_SELECT(i)   (1u << (i))
#define HELD_FIXED_CTRL  (1u << 16)
#define HELD_GLOBAL_CTRL (1u << 17)
#define HELD_DEBUGCTL    (1u << 18)
#define HELD_PEBS        (1u << 19)
#define HELD_EXTRA(i)    (1u << (20 + (i)))

/* The registers that hold an additional parameter of some events. */
extern const uint32_t EXTRA_MSRS[EXTRAS_MAX];

/*
 * The most writes before a sample: up to three for each slot (one to its counter, two to its
 * select), two to the fixed counters' control, and one to the second of two merged counters.
 */
#define PRESETS_MAX (3u * SLOTS_MAX + 3u)

/* A pass and the registers that it was programmed into. */
struct programmed {
    const struct pass *pass;
    uint32_t fixed_ctrl_msr, status_msr, clear_msr; /* 0: does not exist */
    uint32_t counters; /* how many slots are on the CPU's own counters; these slots come first */
    uint32_t counter_msr[SLOTS_MAX], select_msr[SLOTS_MAX]; /* 0: does not exist */
    uint32_t presets;
    struct msr_value preset[PRESETS_MAX]; /* the writes that pmu_start_from() chose */
    uint32_t open_msr; /* writing open_value to it opens the window; 0: no counters */
    uint64_t open_value;
    uint64_t overflow_bits; /* bits of IA32_PERF_GLOBAL_STATUS, for pmu_overflowed(); 0: none */
    uint64_t fixed_ctrl;
    uint64_t select[GP_COUNTERS_MAX]; /* the values that pmu_program() writes to the selects */
    uint32_t smi_msr;                 /* the counter of SMIs, see pmu_count_smis(); 0: none */
    uint32_t merged_msr;              /* the second of two merged counters; 0: none */
};

/* Unless `status` is STATUS_OK, a failed access: its register, the values written and read back. */
struct pmu_error {
    uint32_t status; /* STATUS_OK, STATUS_MSR_FAULT or STATUS_READ_BACK */
    uint32_t msr;
    uint64_t written;
    uint64_t read;
};

/*
 * Removes counters from *caps if reading their registers raises #GP although CPUID promises them.
 * If a fixed counter raises #GP, removes only this counter; if the fixed counters' control register
 * does, removes all fixed counters. If a general counter or its select raises #GP, also removes all
 * general counters after it. If a global register raises #GP, removes all counters. Writes no
 * register. Returns the first register that raised #GP, or 0.
 */
uint32_t pmu_probe(const struct msr_port *port, struct cpu_caps *caps);

/*
 * Reads the control registers into *found. Then disables all counters (in their own registers and
 * in the global register), switches PEBS and freeze-on-PMI off, and clears the overflow bits.
 * Registers that CPUID does not promise are left alone if they raise #GP.
 */
struct pmu_error pmu_take(const struct msr_port *port, const struct cpu_caps *caps,
                          struct pmu_found *found);

/* Whether *found shows that a counter or PEBS was enabled. */
bool pmu_was_in_use(const struct pmu_found *found, const struct cpu_caps *caps);

/*
 * The bits of IA32_PERF_GLOBAL_INUSE that were set although the other control registers gave no
 * reason for them. The result is 0 if the register does not exist.
 */
uint64_t pmu_hidden_use(const struct pmu_found *found);

/* Writes bits of IA32_PERF_GLOBAL_INUSE in words: "pmc3, fixed1, a PMI, bit 48". */
void pmu_use_words(uint64_t bits, struct out *out);

/*
 * Clears the global control, if there is one, and then restores the control registers in reverse
 * order of pmu_take().
 */
struct pmu_error pmu_give_back(const struct msr_port *port, const struct cpu_caps *caps,
                               const struct pmu_found *found);

/* The IA32_PERFEVTSELx value for an event on a general counter, with EN clear. */
uint64_t program_select(const struct event *event, const struct slot *slot);

/* The value of the counter's four-bit field in IA32_FIXED_CTR_CTRL, for an event on it. */
uint64_t program_fixed(const struct event *event);

/*
 * Writes a pass's selects, fixed control and extra registers, and reads them back. If the CPU has a
 * global control register, starts no counter; otherwise, starts all counters except the first. The
 * pass's slots refer to `event` by index.
 */
struct pmu_error pmu_program(const struct msr_port *port, const struct cpu_caps *caps,
                             const struct event *event, const struct pass *pass,
                             struct programmed *programmed);

/*
 * If a CPU can count SMIs only with a general counter (AMD), programs the last free counter to
 * count SMIs, and stores the counter's MSR in programmed->smi_msr. A counter is free if it is
 * neither in the pass nor in `taken` (bit i for counter i). The counter counts during each window,
 * perhaps also at other times, and keeps its count between windows. Must be called after
 * pmu_program() or, if no pass is programmed, with only programmed->open_msr set.
 */
void pmu_count_smis(const struct msr_port *port, const struct cpu_caps *caps, uint32_t taken,
                    struct programmed *programmed);

/*
 * Whether the counter of SMIs still has the select that pmu_count_smis() wrote. If the select
 * differs, rewrites it and returns false.
 */
bool pmu_keep_smis(const struct msr_port *port, const struct cpu_caps *caps,
                   const struct programmed *programmed);

/*
 * Works around errata AAK100, AAP53 and BD53 of Nehalem and Westmere, with the values that Intel
 * gives for the workaround. Without this workaround, general counters may count core cycles instead
 * of their events. The counters must be stopped, and IA32_PEBS_ENABLE 0, as pmu_take() leaves them.
 * Selects and counters are 0 afterwards. Does nothing on other CPUs or if a CPU reports fewer than
 * four general counters.
 */
void pmu_unlock(const struct msr_port *port, const struct cpu_caps *caps);

/*
 * The largest `events` for pmu_start_from(). On Intel, the limit for general counters is 2^31,
 * because a write to IA32_PMCx sign-extends the low 32 bits.
 */
uint64_t pmu_preset_max(const struct cpu_caps *caps);

/*
 * Chooses the values from which the pass's counters start: 0 if `events` is 0, otherwise values
 * from which they overflow after `events` events. False if `events` is above pmu_preset_max().
 */
bool pmu_start_from(const struct cpu_caps *caps, uint64_t events, struct programmed *programmed);

/*
 * Sets the pass's counters, which must be stopped, to the values that pmu_start_from() chose. False
 * if a register raised #GP.
 */
static inline bool pmu_preset(const struct msr_port *port, const struct programmed *programmed)
{
    return port->write_all(port->context, programmed->preset, programmed->presets);
}

/*
 * Reads the counters after a sample into `raw`, which has room for programmed->counters values. A
 * counter that raises #GP is read as 0, and the function returns false.
 */
static inline bool pmu_read(const struct msr_port *port, const struct programmed *programmed,
                            uint64_t *raw)
{
    return port->read_all(port->context, programmed->counter_msr, programmed->counters, raw);
}

/*
 * Returns which slots' counters overflowed (bit i for slot i), and clears their status bits.
 * Ignores fixed counter 2, because its status bit may be set again after it was cleared (trial.c).
 */
uint32_t pmu_overflowed(const struct msr_port *port, const struct programmed *programmed);

#endif
