/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UEFI program for tests, the liar. It starts the unmodified barecount program with false
 * services. The services do what the firmware does, except for the requested lies. Lies imitate
 * firmware that we do not have, and faults that no emulator produces.
 *
 * \lies.txt on the liar's volume lists the lies of each start of \EFI\barecount\BOOTX64.EFI, e.g.
 * `pages=7 clock_fails no_keys`; `-` means none. After the last line the machine is powered off.
 * The plan should contain at_end=leave.
 */
#ifndef BARECOUNT_TESTS_IMAGE_FIRMWARE_LIAR_H
#define BARECOUNT_TESTS_IMAGE_FIRMWARE_LIAR_H

#include <stdbool.h>
#include <stdint.h>

#include <efi.h>

/*
 * All lies, by name. A lie about the n-th call takes a number: `=7` means only the seventh call,
 * `=7+` the seventh and all later calls, `=1+` all calls, `=0` none. Unless a comment says
 * otherwise, the call fails with EFI_DEVICE_ERROR or EFI_OUT_OF_RESOURCES.
 */
#define LIES(LIE)                                                                                  \
    LIE(revision)     /* the revision of UEFI, as in EFI_TABLE_HEADER */                           \
    LIE(old_services) /* services introduced with UEFI 2.0 or later are null */                    \
    LIE(no_vendor)    /* the system table has no firmware vendor */                                \
    LIE(pages)        /* the n-th AllocatePages() */                                               \
    LIE(pool)         /* the n-th AllocatePool() */                                                \
    LIE(kib)          /* AllocatePages() fails if the program would own more KiB than this */      \
    LIE(map)          /* the n-th GetMemoryMap() */                                                \
    LIE(reserved)     /* the type, as a number, that reserved ranges get in the memory map */      \
    LIE(w_xor_x)      /* as in newer firmware, memory is either writable or executable */          \
    LIE(event)        /* the n-th CreateEvent() */                                                 \
    LIE(timer)        /* the n-th SetTimer() */                                                    \
    LIE(watchdog)     /* the n-th SetWatchdogTimer() */                                            \
    LIE(no_watchdog)  /* SetWatchdogTimer() gives EFI_UNSUPPORTED */                               \
    LIE(stall)        /* Stall() takes this many times as long as requested */                     \
    LIE(handles)      /* the n-th LocateHandleBuffer() fails */                                    \
    LIE(no_tick)      /* the firmware has no periodic timer */                                     \
    LIE(tick)         /* the n-th SetTimerPeriod() fails, and the timer keeps ticking */           \
    LIE(tick_hangs)   /* the n-th SetTimerPeriod(0) does not return */                             \
    LIE(mtrr)         /* the default memory type of the MTRRs, as a number */                      \
    LIE(bus_master)   /* 1: bus mastering cannot be disabled; 2: it cannot be enabled again */     \
    LIE(connect_us)   /* each ConnectController() takes this many microseconds */                  \
    LIE(connect)      /* no volume is found before the n-th ConnectController() */                 \
    LIE(no_reset)     /* ResetSystem() returns */                                                  \
    LIE(by_hand)      /* the program gets a command line, so it asks the user nothing */           \
    LIE(no_image)     /* the program finds no EFI_LOADED_IMAGE_PROTOCOL */                         \
    LIE(no_device)    /* firmware does not say which device the program was loaded from */         \
    LIE(clock_fails)  /* GetTime() fails */                                                        \
    LIE(clock_year)   /* the year of GetTime() */                                                  \
    LIE(clock_wild)   /* every field of GetTime() is far too large */                              \
    LIE(no_console)   /* ConOut is null */                                                         \
    LIE(hidden_text)  /* nothing is shown until EFI_CONSOLE_CONTROL_PROTOCOL is set to text */     \
    LIE(console)      /* the n-th OutputString() */                                                \
    LIE(console_us)   /* each OutputString() takes this many microseconds */                       \
    LIE(no_keys)      /* ConIn is null */                                                          \
    LIE(keys)         /* the n-th ReadKeyStroke() */                                               \
    LIE(quit)         /* the n-th ReadKeyStroke() returns Q */                                     \
    LIE(old_key)      /* the first ReadKeyStroke() returns Q, unless Reset() was called before */  \
    LIE(no_serial)    /* the firmware has no serial port */                                        \
    LIE(no_terminal)  /* no handle has SimpleTextOutput, so no serial port has a terminal */       \
    LIE(serial)       /* the n-th Write() to a serial port returns EFI_TIMEOUT */                  \
    LIE(nic_class)    /* the device class, as a number, that NICs claim to have */                 \
    LIE(no_http)      /* NICs lack the HTTP protocol */                                            \
    LIE(http)         /* the error, as a number, that ends each HTTP request */                    \
    LIE(http_call)    /* the error, as a number, that HTTP's Request() returns */                  \
    LIE(no_dns)       /* NICs lack the DNS protocol */                                             \
    LIE(no_server)    /* DHCP gave no DNS server */                                                \
    LIE(dns)          /* the error, as a number, that ends each DNS query */                       \
    LIE(dns_host)     /* every name resolves to 10.0.2.2, QEMU's address of the host */            \
    LIE(no_mp)        /* no MP services */                                                         \
    LIE(mp)           /* the n-th GetNumberOfProcessors() */                                       \
    LIE(cpu_disabled) /* the CPUs in this mask are disabled; bit 0 is CPU 0 */                     \
    LIE(cpu_ill)      /* the CPUs in this mask are disabled and unhealthy */                       \
    LIE(cpu_unknown)  /* the CPUs in this mask are unknown to GetProcessorInfo() */                \
    LIE(cpu_dead)     /* StartupThisAP() gives EFI_DEVICE_ERROR for the CPUs in this mask */       \
    LIE(cpu_busy)     /* StartupThisAP() gives EFI_NOT_READY for the CPUs in this mask */          \
    LIE(cpu_hangs)    /* StartupThisAP() does not return for the CPUs in this mask */              \
    LIE(start_hangs)  /* the n-th StartupThisAP() does not return */                               \
    LIE(start_waits)  /* StartupThisAP() with an event returns EFI_UNSUPPORTED */                  \
    LIE(no_boot_cpu)  /* no CPU is marked as the boot CPU */                                       \
    LIE(gdt)          /* each CPU has a GDT of 64 KiB, most of it unused, that contains no TSS */  \
    LIE(global_pages) /* CR4.PGE is set on each CPU */                                             \
    LIE(five_levels)  /* the boot CPU's page tables have five levels (-cpu la57=on, one CPU) */    \
    LIE(variable)     /* the error, as a number, that GetVariable() returns */                     \
    LIE(who)          /* the n-th WhoAmI() */                                                      \
    LIE(no_smbios)    /* there is no SMBIOS table */                                               \
    LIE(tpm)          /* there is a TPM, but it fails to extend a PCR */                           \
    LIE(smbios)       /* 1: empty strings; 2: placeholders; 3, 4: damaged; 5: unequal DIMMs */     \
    LIE(no_acpi)      /* there are no ACPI tables, so no ACPI timer and no NUMA nodes */           \
    LIE(still_timer)  /* the ACPI timer's port always reads the same value */                      \
    LIE(volume)       /* the n-th OpenVolume() */                                                  \
    LIE(volume_error) /* the error, as a number, of a failing OpenVolume() */                      \
    LIE(open)         /* the n-th Open() of a file; below: the n-th Read(), Write() and so on */   \
    LIE(read)                                                                                      \
    LIE(write)                                                                                     \
    LIE(position)                                                                                  \
    LIE(info)                                                                                      \
    LIE(flush)                                                                                     \
    LIE(remove)                                                                                    \
    LIE(file) /* the n-th call of any of these seven kinds or of OpenVolume() */

struct lie {
    bool told;
    bool onwards;
    uint64_t value;
    uint64_t calls; /* calls that could fail */
    uint64_t acted; /* how often the lie had an effect */
};

#define LIE_FIELD(name) struct lie name;
struct lies {
    LIES(LIE_FIELD)
};
#undef LIE_FIELD

extern struct lies lies;

/* Prints that a call hangs. Never returns. */
_Noreturn void lie_hangs(void);

/* Counts a call that a lie is about. Returns true if the call must fail. */
bool lie_now(struct lie *lie);

/* If the lie was requested, counts its effect and returns true. */
bool lie_acts(struct lie *lie);

/* Like lie_acts(), for a lie about a set of CPUs. */
bool lie_of_cpu(struct lie *lie, UINTN cpu);

/* Resources that the program has got and not given back. */
struct held {
    int64_t pages, pools, events, files, children;
};
extern struct held held;

/* The path of the last folder that the program made, or "". */
#define PATH_CHARS 96u
extern char made_folder[PATH_CHARS];
extern bool made_at_home; /* whether this folder is on the liar's own volume */

/* REAL is the firmware's system table. FALSE_SYSTEM is the one that the program gets. */
extern EFI_HANDLE SELF;
extern EFI_SYSTEM_TABLE *REAL;
extern EFI_SYSTEM_TABLE FALSE_SYSTEM;
extern EFI_FILE_IO_INTERFACE *HOME; /* for the liar's own volume */

bool same_guid(const EFI_GUID *a, const EFI_GUID *b);

/*
 * Each function rebuilds its part of FALSE_SYSTEM from REAL and the lies. lie_of_console_control()
 * returns a protocol instead.
 */
void lie_of_services(void);
void lie_of_runtime(void);
void lie_of_console(void);
void *lie_of_console_control(void);
void lie_of_tables(void);

/* Each function changes `interface` in place and returns it, or returns a replacement. */
void *lie_of_files(void *interface);
void *lie_of_cpus(void *interface);
void *lie_of_serial(void *interface);
void *lie_of_tick(void *interface);
void *lie_of_pci(void *interface);

/* Changes a network protocol in place; returns `interface`, or null if a lie hides it. */
void *lie_of_net(const EFI_GUID *guid, void *interface);

/*
 * lie_of_devices() and lie_of_registers() change registers before a start of the program. The
 * functions whose names begin with end_ restore the registers afterwards.
 */
void lie_of_devices(void);
void end_lie_of_devices(void);
void lie_of_registers(void);
void end_lie_of_registers(void);

/* Forgets the files that the program has left open. */
void end_lie_of_files(void);

/* Set memory attributes for the lie w_xor_x. map_as_image() returns the image's entry point. */
void map_as_data(EFI_PHYSICAL_ADDRESS at, UINTN pages);
EFI_IMAGE_ENTRY_POINT map_as_image(const EFI_LOADED_IMAGE *image);
void map_as_free(EFI_PHYSICAL_ADDRESS at, UINTN pages);

#endif
