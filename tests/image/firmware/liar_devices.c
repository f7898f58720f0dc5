/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies about memory types, and makes the timer and devices ignore commands. */
#include "tests/image/firmware/liar.h"

#include <efipciio.h>

#define PCI_COMMAND        0x04u
#define PCI_CLASS          0x0au /* with the subclass */
#define CLASS_NIC          0x0200u
#define COMMAND_BUS_MASTER (1u << 2)
#define MSR_MTRR_DEF_TYPE  0x2ffu
#define MTRR_TYPE          0xffull

/* PI specification vol. 2 "EFI_TIMER_ARCH_PROTOCOL". */
struct timer {
    void *register_handler;
    EFI_STATUS(EFIAPI *set_period)(struct timer *, UINT64 period);
    EFI_STATUS(EFIAPI *get_period)(struct timer *, UINT64 *period);
};

static struct timer tick, *real_tick;
static EFI_PCI_IO_PROTOCOL_CONFIG_ACCESS real_config; /* all devices share these functions */
static bool switched_on; /* the last write to a PCI command register set Bus Master Enable */
static uint64_t mtrr_found;

/* ---- the timer ---- */

static EFI_STATUS EFIAPI set_period(struct timer *this, UINT64 period)
{
    (void)this;
    if (period == 0 && lie_now(&lies.tick_hangs))
        lie_hangs();
    if (!lie_now(&lies.tick))
        return real_tick->set_period(real_tick, period);
    if (period > 0)
        real_tick->set_period(real_tick, period);
    return EFI_DEVICE_ERROR;
}

static EFI_STATUS EFIAPI get_period(struct timer *this, UINT64 *period)
{
    (void)this;
    return real_tick->get_period(real_tick, period);
}

void *lie_of_tick(void *interface)
{
    real_tick = interface;
    tick = (struct timer){.set_period = set_period, .get_period = get_period};
    return &tick;
}

/* ---- bus masters ---- */

static EFI_STATUS EFIAPI read_config(EFI_PCI_IO *this, EFI_PCI_IO_PROTOCOL_WIDTH width,
                                     UINT32 offset, UINTN count, VOID *to)
{
    EFI_STATUS status = real_config.Read(this, width, offset, count, to);

    if (offset == PCI_COMMAND && switched_on && lies.bus_master.value == 2 &&
        lie_acts(&lies.bus_master))
        *(uint16_t *)to &= (uint16_t)~COMMAND_BUS_MASTER;
    if (offset == PCI_CLASS && *(uint16_t *)to == CLASS_NIC && lie_acts(&lies.nic_class))
        *(uint16_t *)to = (uint16_t)lies.nic_class.value;
    return status;
}

static EFI_STATUS EFIAPI write_config(EFI_PCI_IO *this, EFI_PCI_IO_PROTOCOL_WIDTH width,
                                      UINT32 offset, UINTN count, VOID *from)
{
    if (offset == PCI_COMMAND) {
        switched_on = *(const uint16_t *)from & COMMAND_BUS_MASTER;
        if (!switched_on && lies.bus_master.value == 1 && lie_acts(&lies.bus_master))
            return EFI_SUCCESS;
    }
    return real_config.Write(this, width, offset, count, from);
}

/* The firmware finds a device by its protocol's address, so the protocol is changed in place. */
void *lie_of_pci(void *interface)
{
    EFI_PCI_IO *pci = interface;

    if (pci->Pci.Read != read_config) {
        real_config = pci->Pci;
        pci->Pci = (EFI_PCI_IO_PROTOCOL_CONFIG_ACCESS){read_config, write_config};
    }
    return pci;
}

/* ---- types of memory ---- */

static uint64_t read_mtrr_type(void)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(MSR_MTRR_DEF_TYPE));
    return (uint64_t)high << 32 | low;
}

static void write_mtrr_type(uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "a"((uint32_t)value), "d"((uint32_t)(value >> 32)), "c"(MSR_MTRR_DEF_TYPE));
}

void lie_of_devices(void)
{
    switched_on = false;
    mtrr_found = read_mtrr_type();
    if (lie_acts(&lies.mtrr))
        write_mtrr_type((mtrr_found & ~MTRR_TYPE) | lies.mtrr.value);
}

void end_lie_of_devices(void)
{
    write_mtrr_type(mtrr_found);
}
