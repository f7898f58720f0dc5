/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects kernels that hang, and ends them with an NMI. */
#include "boot/cpu/start.h"
#include "boot/cpu/watch.h"

#define AGAIN_US  100000u /* time between two NMIs */
#define ASKED_MAX 4u      /* NMIs for one window */
#define HZ_1_MHZ  1000000u

static struct {
    struct watched *cpu;
    unsigned count;
} waited_for;

uint64_t watch_ticks(uint64_t us, uint64_t tsc_hz)
{
    return us * (tsc_hz / HZ_1_MHZ + 1);
}

struct watched watch_of(struct cpu_context *context, uint64_t apic_id, uint64_t bound_us,
                        uint64_t tsc_hz)
{
    return (struct watched){
        .context = context,
        .apic_id = apic_id,
        .bound_ticks = tsc_hz ? watch_ticks(bound_us, tsc_hz) : 0,
        .again_ticks = watch_ticks(AGAIN_US, tsc_hz),
    };
}

/*
 * An SMI or a hypervisor can delay this CPU between the check of `windows` and the NMI. Therefore
 * `has_ender` is set before the check, and cpu_leave() waits until it is clear. If a watcher sets
 * `has_ender` after cpu_leave() has found it clear, the check shows that the window has ended.
 */
bool watch_end(struct cpu_context *context, uint64_t apic_id, uint32_t window)
{
    uint64_t flags = cpu_flags_then_cli();
    bool sent = false;

    if (!__atomic_exchange_n(&context->has_ender, true, __ATOMIC_SEQ_CST)) {
        if (context->windows == window) {
            context->end_asked = window;
            context->end_sent = true;
            sent = start_send_nmi(apic_id);
            if (!sent)
                context->end_asked = 0;
        }
        __atomic_store_n(&context->has_ender, false, __ATOMIC_RELEASE);
    }
    if (flags & RFLAGS_IF)
        cpu_sti();
    return sent;
}

bool watch_end_now(struct cpu_context *context, uint64_t apic_id)
{
    uint32_t window = context->windows;

    return window & 1 && watch_end(context, apic_id, window);
}

void watch_look(struct watched *watched)
{
    uint32_t window = watched->context->windows;
    uint64_t now = cpu_tsc();

    if (window != watched->seen) {
        watched->seen = window;
        watched->since = now;
        watched->asked = 0;
        return;
    }
    if (!(window & 1) || watched->bound_ticks == 0 || watched->asked == ASKED_MAX)
        return;
    if (now - watched->since < (watched->asked ? watched->again_ticks : watched->bound_ticks))
        return;
    watched->asked++;
    watched->since = now;
    watch_end(watched->context, watched->apic_id, window);
}

void watch_while_waiting(struct watched *watched, unsigned count)
{
    waited_for.cpu = watched;
    waited_for.count = count;
}

void watch_until(uint64_t apic_id, const volatile bool *over)
{
    struct watched own; /* a copy, because `since` must be a time stamp of this CPU */

    for (unsigned i = 0; i < waited_for.count; i++) {
        if (waited_for.cpu[i].apic_id != apic_id)
            continue;
        own = waited_for.cpu[i];
        for (own.seen = 0; !*over; cpu_pause())
            watch_look(&own);
    }
}

void watch_look_at_all(void)
{
    for (unsigned i = 0; i < waited_for.count; i++)
        watch_look(&waited_for.cpu[i]);
}
