/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's MP services, and the start of one CPU. Boot CPU only. */
#ifndef BARECOUNT_BOOT_EFI_MP_H
#define BARECOUNT_BOOT_EFI_MP_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/efi/cpus.h"
#include "boot/efi/border.h"

/* UEFI PI specification vol. 2, "EFI_MP_SERVICES_PROTOCOL"; gnu-efi 3.0.15 lacks it. */
#define MP_SERVICES_GUID                                                                           \
    {                                                                                              \
        0x3fdda605, 0xa76e, 0x4f46,                                                                \
        {                                                                                          \
            0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08                                         \
        }                                                                                          \
    }
#define PROCESSOR_AS_BSP  (1u << 0)
#define PROCESSOR_ENABLED (1u << 1)
#define PROCESSOR_HEALTHY (1u << 2)

struct processor_information {
    UINT64 processor_id;
    UINT32 status_flag;
    UINT32 package, core, thread;
    UINT32 extended[6];
};

typedef struct mp_services MP_SERVICES;
typedef VOID(EFIAPI *AP_PROCEDURE)(VOID *argument);

struct mp_services {
    EFI_STATUS(EFIAPI *get_number_of_processors)(MP_SERVICES *, UINTN *all, UINTN *enabled);
    EFI_STATUS(EFIAPI *get_processor_info)
    (MP_SERVICES *, UINTN number, struct processor_information *);
    EFI_STATUS(EFIAPI *startup_all_aps)
    (MP_SERVICES *, AP_PROCEDURE, BOOLEAN single, EFI_EVENT, UINTN timeout_us, VOID *argument,
     UINTN **failed);
    EFI_STATUS(EFIAPI *startup_this_ap)
    (MP_SERVICES *, AP_PROCEDURE, UINTN number, EFI_EVENT, UINTN timeout_us, VOID *argument,
     BOOLEAN *finished);
    EFI_STATUS(EFIAPI *switch_bsp)(MP_SERVICES *, UINTN number, BOOLEAN enable_old);
    EFI_STATUS(EFIAPI *enable_disable_ap)
    (MP_SERVICES *, UINTN number, BOOLEAN enable, UINT32 *health);
    EFI_STATUS(EFIAPI *who_am_i)(MP_SERVICES *, UINTN *number);
};

/* Null: none. */
extern MP_SERVICES *EFI_MP;

#define START_RETRY_US 3000000u /* CPUs start within milliseconds, or later on a busy host */
#define START_RETRIES  3u
#define START_ONE_US   20000u                                       /* 2 * (INIT, 10 ms, STARTUP) */
#define START_ALL_US   (2u * (START_RETRIES + 2u) * START_RETRY_US) /* enough if two CPUs fail */
#define GATE_POLL_US   100u

/*
 * Starts a CPU, which calls `enter`; that function must set *entered. Returns at once if `ended` is
 * not null. If timeout_us is 0, there is no time limit.
 */
EFI_STATUS mp_start(const struct cpus *cpus, unsigned number, AP_PROCEDURE enter,
                    volatile bool *entered, void *argument, EFI_EVENT ended, uint64_t timeout_us);

/* False if no CPU sets *flag within START_RETRY_US. */
bool mp_wait_flag(const volatile bool *flag);

/* Waits for the end of a task. False if the task has not ended after timeout_us. */
bool mp_wait_event(EFI_EVENT ended, uint64_t timeout_us);

#endif
