/* SPDX-License-Identifier: BSD-2-Clause */
/* MP services that know less about the CPUs than there is. */
#include "tests/image/firmware/liar.h"

#include "boot/efi/mp.h"

static MP_SERVICES services;
static MP_SERVICES *real;

static EFI_STATUS EFIAPI number_of_processors(MP_SERVICES *this, UINTN *all, UINTN *enabled)
{
    (void)this;
    if (lie_now(&lies.mp))
        return EFI_DEVICE_ERROR;
    return real->get_number_of_processors(real, all, enabled);
}

static EFI_STATUS EFIAPI processor_info(MP_SERVICES *this, UINTN number,
                                        struct processor_information *info)
{
    EFI_STATUS status;

    (void)this;
    if (lie_of_cpu(&lies.cpu_unknown, number))
        return EFI_NOT_FOUND;
    status = real->get_processor_info(real, number, info);
    if (lie_of_cpu(&lies.cpu_disabled, number))
        info->status_flag &= ~PROCESSOR_ENABLED;
    if (lie_of_cpu(&lies.cpu_ill, number))
        info->status_flag &= ~(PROCESSOR_ENABLED | PROCESSOR_HEALTHY);
    if (lie_acts(&lies.no_boot_cpu))
        info->status_flag &= ~PROCESSOR_AS_BSP;
    return status;
}

static EFI_STATUS EFIAPI start_this(MP_SERVICES *this, AP_PROCEDURE procedure, UINTN number,
                                    EFI_EVENT event, UINTN timeout_us, VOID *argument,
                                    BOOLEAN *finished)
{
    (void)this;
    if (lie_of_cpu(&lies.cpu_dead, number))
        return EFI_DEVICE_ERROR;
    if (lie_of_cpu(&lies.cpu_busy, number))
        return EFI_NOT_READY;
    return real->startup_this_ap(real, procedure, number, event, timeout_us, argument, finished);
}

static EFI_STATUS EFIAPI who_am_i(MP_SERVICES *this, UINTN *number)
{
    (void)this;
    if (lie_now(&lies.who))
        return EFI_DEVICE_ERROR;
    return real->who_am_i(real, number);
}

/* Calls that the program does not use are null. */
void *lie_of_cpus(void *interface)
{
    real = interface;
    services = (MP_SERVICES){.get_number_of_processors = number_of_processors,
                             .get_processor_info = processor_info,
                             .startup_this_ap = start_this,
                             .who_am_i = who_am_i};
    return &services;
}
