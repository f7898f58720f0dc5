/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes writable memory not executable, as newer firmware does. */
#include "tests/image/firmware/liar.h"

#define READ_ONLY 0x20000u /* EFI_MEMORY_RO (UEFI specification, "GetMemoryMap()") */

/* Offsets and sizes in an image (PE format specification). */
#define AT_PE_HEADER     0x3cu
#define AT_SECTIONS      6u  /* offset of the header's NumberOfSections */
#define AT_ENTRY         40u /* offset of the header's AddressOfEntryPoint */
#define AT_OPTIONAL_SIZE 20u /* offset of the header's SizeOfOptionalHeader */
#define HEADER_BYTES     24u
#define SECTION_BYTES    40u
#define SECTION_SIZE     8u
#define SECTION_AT       12u
#define SECTION_FLAGS    36u
#define SECTION_EXECUTES 0x20000000u

/* From the PI specification, vol. 2 "EFI_CPU_ARCH_PROTOCOL". */
static EFI_GUID cpu_guid = {
    0x26baccb1, 0x6f42, 0x11d4, {0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};

typedef struct cpu_arch CPU_ARCH;
struct cpu_arch {
    void *others[7];
    EFI_STATUS(EFIAPI *set_memory_attributes)
    (CPU_ARCH *, EFI_PHYSICAL_ADDRESS at, UINT64 bytes, UINT64 attributes);
};

static void map(EFI_PHYSICAL_ADDRESS at, UINTN pages, UINT64 attributes)
{
    CPU_ARCH *cpu = 0;

    if (lies.w_xor_x.told &&
        REAL->BootServices->LocateProtocol(&cpu_guid, 0, (void **)&cpu) == EFI_SUCCESS &&
        cpu->set_memory_attributes(cpu, at, pages << EFI_PAGE_SHIFT, attributes) == EFI_SUCCESS)
        lie_acts(&lies.w_xor_x);
}

void map_as_data(EFI_PHYSICAL_ADDRESS at, UINTN pages)
{
    map(at, pages, EFI_MEMORY_XP);
}

void map_as_free(EFI_PHYSICAL_ADDRESS at, UINTN pages)
{
    map(at, pages, 0);
}

EFI_IMAGE_ENTRY_POINT map_as_image(const EFI_LOADED_IMAGE *image)
{
    const uint8_t *base = image->ImageBase;
    const uint8_t *header = base + *(const uint32_t *)(base + AT_PE_HEADER);
    unsigned count = *(const uint16_t *)(header + AT_SECTIONS);
    const uint8_t *section = header + HEADER_BYTES + *(const uint16_t *)(header + AT_OPTIONAL_SIZE);

    map_as_data((EFI_PHYSICAL_ADDRESS)base, 1);
    for (; count > 0; count--, section += SECTION_BYTES) {
        uint64_t bytes = *(const uint32_t *)(section + SECTION_SIZE);
        bool executes = *(const uint32_t *)(section + SECTION_FLAGS) & SECTION_EXECUTES;

        map((EFI_PHYSICAL_ADDRESS)base + *(const uint32_t *)(section + SECTION_AT),
            (bytes + EFI_PAGE_MASK) >> EFI_PAGE_SHIFT, executes ? READ_ONLY : EFI_MEMORY_XP);
    }
    return (EFI_IMAGE_ENTRY_POINT)(base + *(const uint32_t *)(header + AT_ENTRY));
}
