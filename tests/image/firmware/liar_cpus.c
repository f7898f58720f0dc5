/* SPDX-License-Identifier: BSD-2-Clause */
/* Lies about CPUs, and lies that give registers the values that other firmware gives them. */
#include "tests/image/firmware/liar.h"

#include "boot/cpu/instructions.h"
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
    if (event && lie_acts(&lies.start_waits))
        return EFI_UNSUPPORTED;
    if (lie_of_cpu(&lies.cpu_hangs, number) || lie_now(&lies.start_hangs))
        lie_hangs();
    return real->startup_this_ap(real, procedure, number, event, timeout_us, argument, finished);
}

static EFI_STATUS EFIAPI who_am_i(MP_SERVICES *this, UINTN *number)
{
    (void)this;
    if (lie_now(&lies.who))
        return EFI_DEVICE_ERROR;
    return real->who_am_i(real, number);
}

void *lie_of_cpus(void *interface)
{
    real = interface;
    services = (MP_SERVICES){.get_number_of_processors = number_of_processors,
                             .get_processor_info = processor_info,
                             .startup_this_ap = start_this,
                             .who_am_i = who_am_i};
    return &services;
}

/* ---- registers that EDK II keeps from one start of a CPU to the next ---- */

#define GDT_BYTES 65536u
#define SEGMENT   (1ull << 44) /* S: a code or data segment */

/* What the lies `gdt` and `global_pages` change. OVMF sets the same values on all CPUs. */
struct registers {
    struct table_pointer gdt;
    uint64_t global_pages; /* CR4.PGE or 0 */
};
static struct registers found;
static uint64_t found_cr3; /* 0: not changed */

#define OVMF_CODE_32          0x10
#define PAGE_ENTRIES          512u
#define PAGE_PRESENT_WRITABLE 3u

/* If a register still contains the value that a lie gave it, counts an effect of this lie. */
static VOID EFIAPI set_registers(VOID *argument)
{
    const struct registers *to = argument;

    if (cpu_sgdt().limit == GDT_BYTES - 1)
        __atomic_add_fetch(&lies.gdt.acted, 1, __ATOMIC_SEQ_CST);
    if (cpu_cr4() & CR4_PGE)
        __atomic_add_fetch(&lies.global_pages.acted, 1, __ATOMIC_SEQ_CST);
    cpu_lgdt(&to->gdt);
    cpu_set_cr4((cpu_cr4() & ~CR4_PGE) | to->global_pages);
}

static void set_on_each(struct registers *to)
{
    EFI_GUID guid = MP_SERVICES_GUID;
    MP_SERVICES *mp = 0;

    set_registers(to);
    if (REAL->BootServices->LocateProtocol(&guid, 0, (VOID **)&mp) == EFI_SUCCESS)
        mp->startup_all_aps(mp, set_registers, FALSE, 0, 0, to, 0);
}

/* Leaves out the TSS, since some firmware sets up none. */
static void copy_segments(uint64_t *gdt)
{
    for (unsigned i = 0; 8 * i + 7 <= found.gdt.limit; i++)
        if (((const uint64_t *)found.gdt.base)[i] & SEGMENT)
            gdt[i] = ((const uint64_t *)found.gdt.base)[i];
}

/*
 * CR4.LA57 cannot be changed in 64-bit mode (Intel SDM vol. 3A "Paging-Mode Enabling"), so this
 * function leaves 64-bit mode. OVMF's 32-bit code segment reaches this function's code and data,
 * which are below 4 GiB.
 */
static void set_paging(uint64_t cr3, uint64_t la57)
{
    static struct __attribute__((packed)) {
        uint32_t offset;
        uint16_t selector;
    } narrow, wide;

    narrow.selector = OVMF_CODE_32;
    wide.selector = cpu_cs();
    __asm__ volatile("pushfq\n cli\n"
                     "leaq 1f(%%rip), %%rax\n movl %%eax, (%%rsi)\n"
                     "leaq 2f(%%rip), %%rax\n movl %%eax, (%%rcx)\n"
                     "ljmpl *(%%rsi)\n"
                     ".code32\n"
                     "1: movl %%cr0, %%eax\n andl $0x7fffffff, %%eax\n movl %%eax, %%cr0\n"
                     "movl %%cr4, %%eax\n andl $~0x1000, %%eax\n orl %%edx, %%eax\n"
                     "movl %%eax, %%cr4\n movl %%ebx, %%cr3\n"
                     "movl %%cr0, %%eax\n orl $0x80000000, %%eax\n movl %%eax, %%cr0\n"
                     "ljmpl *(%%ecx)\n"
                     ".code64\n"
                     "2: popfq"
                     :
                     : "S"(&narrow), "c"(&wide), "b"(cr3), "d"(la57)
                     : "rax", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
}

/* Adds a fifth level of page tables: a table whose only entry points to the firmware's tables. */
static void lie_of_paging(void)
{
    EFI_PHYSICAL_ADDRESS top = UINT32_MAX;

    if (!lies.five_levels.told ||
        REAL->BootServices->AllocatePages(AllocateMaxAddress, EfiBootServicesData, 1, &top) !=
            EFI_SUCCESS)
        return;
    found_cr3 = cpu_cr3();
    for (unsigned i = 0; i < PAGE_ENTRIES; i++)
        ((uint64_t *)top)[i] = i == 0 ? found_cr3 | PAGE_PRESENT_WRITABLE : 0;
    set_paging(top, CR4_LA57);
}

static void end_lie_of_paging(void)
{
    if (found_cr3 == 0)
        return;
    lies.five_levels.acted += (cpu_cr4() & CR4_LA57) != 0;
    set_paging(found_cr3, 0);
    found_cr3 = 0;
}

void lie_of_registers(void)
{
    static uint64_t gdt[GDT_BYTES / sizeof(uint64_t)];
    struct registers to = found =
        (struct registers){.gdt = cpu_sgdt(), .global_pages = cpu_cr4() & CR4_PGE};

    if (lies.gdt.told) {
        copy_segments(gdt);
        to.gdt = (struct table_pointer){.limit = GDT_BYTES - 1, .base = (uint64_t)gdt};
    }
    if (lies.global_pages.told)
        to.global_pages = CR4_PGE;
    if (lies.gdt.told || lies.global_pages.told)
        set_on_each(&to);
    lie_of_paging();
}

void end_lie_of_registers(void)
{
    end_lie_of_paging();
    if (lies.gdt.told || lies.global_pages.told)
        set_on_each(&found);
}
