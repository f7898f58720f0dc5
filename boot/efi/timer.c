/* SPDX-License-Identifier: BSD-2-Clause */
/* Stops the firmware's timer interrupt while the boot CPU measures. */
#include <stdbool.h>

#include "boot/efi/border.h"
#include "boot/efi/firmware.h"

/* PI specification vol. 2 "EFI_TIMER_ARCH_PROTOCOL"; gnu-efi 3.0.15 lacks it. */
#define TIMER_ARCH_GUID                                                                            \
    {                                                                                              \
        0x26baccb3, 0x6f42, 0x11d4,                                                                \
        {                                                                                          \
            0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81                                         \
        }                                                                                          \
    }

typedef struct timer_arch TIMER_ARCH;

/* Periods are in units of 100 ns; 0 means off. */
struct timer_arch {
    EFI_STATUS(EFIAPI *register_handler)(TIMER_ARCH *, VOID *handler);
    EFI_STATUS(EFIAPI *set_timer_period)(TIMER_ARCH *, UINT64 period);
    EFI_STATUS(EFIAPI *get_timer_period)(TIMER_ARCH *, UINT64 *period);
    EFI_STATUS(EFIAPI *generate_soft_interrupt)(TIMER_ARCH *);
};

static struct {
    TIMER_ARCH *arch;
    enum firmware_timer state;
    UINT64 period;
    bool stopped; /* `period` must be restored */
} timer;

enum firmware_timer firmware_timer_try(void)
{
    EFI_GUID guid = TIMER_ARCH_GUID;

    if (timer.state != TIMER_ABSENT)
        return timer.state;
    timer.arch = efi_any_interface(&guid);
    if (!timer.arch || timer.arch->get_timer_period(timer.arch, &timer.period) != EFI_SUCCESS ||
        timer.period == 0)
        return timer.state;
    timer.state = TIMER_STOPS;
    firmware_timer_stop();
    firmware_timer_go_on();
    return timer.state;
}

enum firmware_timer firmware_timer(void)
{
    return timer.state;
}

void firmware_timer_stop(void)
{
    if (timer.state != TIMER_STOPS)
        return;
    if (timer.arch->get_timer_period(timer.arch, &timer.period) != EFI_SUCCESS || timer.period == 0)
        return;
    timer.stopped = timer.arch->set_timer_period(timer.arch, 0) == EFI_SUCCESS;
    if (!timer.stopped)
        timer.state = TIMER_REFUSES;
}

void firmware_timer_go_on(void)
{
    if (!timer.stopped)
        return;
    timer.stopped = timer.arch->set_timer_period(timer.arch, timer.period) != EFI_SUCCESS;
    timer.state = timer.stopped ? TIMER_STUCK : TIMER_STOPS;
}
