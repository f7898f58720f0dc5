/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The performance monitor's registers: take them over, program a pass, set and read its counters,
 * give them back. All functions act on the CPU that runs them, with interrupts off.
 * Intel SDM vol. 3B "Performance Monitoring".
 */
#ifndef BARECOUNT_PMU_COUNTERS_PROGRAM_H
#define BARECOUNT_PMU_COUNTERS_PROGRAM_H

#include "pmu/base/out.h"
#include "pmu/counters/schedule.h"

/* Access to MSRs of the running CPU. Both return false when the access raises #GP. */
struct msr_port {
    void *context;
    bool (*read)(void *context, uint32_t msr, uint64_t *value);
    bool (*write)(void *context, uint32_t msr, uint64_t value);
};

/*
 * Where a vendor has these registers; 0: it has none. Those of general counter i stand i steps
 * behind those of counter 0.
 */
struct pmu_layout {
    uint32_t select, counter, step;
    uint32_t full_width; /* the counter again, for writes at its full width */
    uint32_t fixed, fixed_ctrl;
    uint32_t global_ctrl, global_status, global_clear, global_set, global_inuse;
    uint32_t debugctl, pebs_enable;
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

/* The control registers as found. Bits of `held`: the register was read and must be given back. */
struct pmu_found {
    uint64_t select[GP_COUNTERS_MAX];
    uint64_t fixed_ctrl;
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t debugctl;
    uint64_t pebs_enable;
    uint64_t extra[EXTRAS_MAX]; /* by EXTRA_MSRS */
    uint64_t inuse;             /* IA32_PERF_GLOBAL_INUSE, before anything was written */
    uint32_t held;
    uint32_t has_inuse; /* 1: it was read (version 4 on) */
};
_Static_assert(sizeof(struct pmu_found) == 152, "journal layout");
#define HELD_SELECT(i)   (1u << (i))
#define HELD_FIXED_CTRL  (1u << 16)
#define HELD_GLOBAL_CTRL (1u << 17)
#define HELD_DEBUGCTL    (1u << 18)
#define HELD_PEBS        (1u << 19)
#define HELD_EXTRA(i)    (1u << (20 + (i)))

/* The registers that hold a further value of some events. */
extern const uint32_t EXTRA_MSRS[EXTRAS_MAX];

/* A slot's counter and select; 0: it has none. */
struct slot_msrs {
    uint32_t counter, select;
};

/* A pass as it stands in the registers. */
struct programmed {
    const struct pass *pass;
    /* registers, found once, as each sample asks for them; 0: there is none */
    uint32_t fixed_ctrl_msr, status_msr, clear_msr;
    struct slot_msrs msr[SLOTS_MAX];
    uint32_t open_msr; /* the register whose one write opens the counters; 0 without a counter */
    uint64_t open_value;
    uint64_t fixed_ctrl;
    uint64_t select[GP_COUNTERS_MAX]; /* what must stand in the selects before the opening */
};

/* What went wrong: the register, what was written and what it read back. */
struct pmu_error {
    uint32_t status; /* STATUS_OK, STATUS_MSR_FAULT or STATUS_READ_BACK */
    uint32_t msr;
    uint64_t written;
    uint64_t read;
};

/*
 * Takes out of *caps the counters whose registers raise #GP although CPUID promises them: those at
 * and behind the first such general counter, each such fixed counter, and all of them without the
 * global registers. Writes nothing. Returns the first register that refused, or 0.
 */
uint32_t pmu_probe(const struct msr_port *port, struct cpu_caps *caps);

/*
 * Reads the control registers into *found, then stops and clears everything: all counters disabled
 * at both levels, PEBS and freezing on a PMI off, overflow bits cleared. Registers that raise #GP
 * where CPUID does not promise them are left alone.
 */
struct pmu_error pmu_take(const struct msr_port *port, const struct cpu_caps *caps,
                          struct pmu_found *found);

/* Whether somebody had left a counter enabled. */
bool pmu_was_in_use(const struct pmu_found *found, const struct cpu_caps *caps);

/*
 * What IA32_PERF_GLOBAL_INUSE names although the control registers as found do not show it: bits as
 * there. 0: nothing, or there is no such register.
 */
uint64_t pmu_hidden_use(const struct pmu_found *found);

/* Such bits in words: "pmc3, fixed1, a PMI, bit 48". */
void pmu_use_words(uint64_t bits, struct out *out);

/* Stops the counters and puts the control registers back, in reverse order. */
struct pmu_error pmu_give_back(const struct msr_port *port, const struct cpu_caps *caps,
                               const struct pmu_found *found);

/* The IA32_PERFEVTSELx that counts an event in its rings on a general slot, with EN clear. */
uint64_t program_select(const struct event *event, const struct slot *slot);

/* Its four bits of IA32_FIXED_CTR_CTRL on a fixed counter. */
uint64_t program_fixed(const struct event *event);

/*
 * Writes a pass's selects, fixed control and extra registers, and reads them back. Nothing counts
 * yet. `event` has what the slots name.
 */
struct pmu_error pmu_program(const struct msr_port *port, const struct cpu_caps *caps,
                             const struct event *event, const struct pass *pass,
                             struct programmed *programmed);

/* The greatest N for pmu_preset(): IA32_PMCx takes 32 bits and extends their sign. */
uint64_t pmu_preset_max(const struct cpu_caps *caps);

/*
 * Before a sample: sets the pass's counters to -N, `events` before their overflow; 0 is 0. Nothing
 * counts. False: a register raised #GP, or N is above pmu_preset_max(); then nothing was written.
 */
bool pmu_preset(const struct msr_port *port, const struct cpu_caps *caps,
                const struct programmed *programmed, uint64_t events);

/* After a sample: the pass's counters, by slot. False: a register raised #GP. */
bool pmu_read(const struct msr_port *port, const struct programmed *programmed, uint64_t *raw);

/*
 * Which counters of the pass overflowed, bit i for slot i; clears their bits. Without a status
 * register (version 1) nothing is known, and 0 is returned.
 */
uint32_t pmu_overflowed(const struct msr_port *port, const struct cpu_caps *caps,
                        const struct programmed *programmed);

#endif
