/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UEFI program for tests: it stands between the firmware and the program that ships, and lies. It
 * hands that program, which is unmodified, system table and services of its own. They do what the
 * firmware does but for the lies that are told: firmware that we do not have, and faults that no
 * emulator makes. Only the program sees them; the firmware's own drivers go on undisturbed.
 *
 * \lies.txt on the volume that it was started from says what to do. Each line is one start of
 * \EFI\barecount\BOOTX64.EFI with the lies on it, as `pages=7 clock_fails no_keys`; `-` is none.
 * Behind the last line the machine is powered off. The plan should end with at_end=leave.
 */
#ifndef BARECOUNT_TESTS_IMAGE_FIRMWARE_LIAR_H
#define BARECOUNT_TESTS_IMAGE_FIRMWARE_LIAR_H

#include <stdbool.h>
#include <stdint.h>

#include <efi.h>

/*
 * All lies, by name. "n-th": `=7` is the seventh such call alone, `=7+` that and all behind it,
 * `=1+` every one, `=0` none; it fails with EFI_DEVICE_ERROR, or as the call does that has not
 * enough memory.
 */
#define LIES(LIE)                                                                                  \
    LIE(revision)     /* of UEFI, as EFI_TABLE_HEADER has it */                                    \
    LIE(old_services) /* those that came with UEFI 2.0 or later are null */                        \
    LIE(no_vendor)    /* the system table names no maker of the firmware */                        \
    LIE(pages)        /* the n-th AllocatePages() */                                               \
    LIE(pool)         /* the n-th AllocatePool() */                                                \
    LIE(kib)          /* so much memory is there, as pages, and no more */                         \
    LIE(map)          /* the n-th GetMemoryMap() */                                                \
    LIE(reserved)     /* the type in that map of what is reserved, as a number */                  \
    LIE(w_xor_x)      /* as newer firmware has it: no code is writable, nothing else executes */   \
    LIE(event)        /* the n-th CreateEvent() */                                                 \
    LIE(timer)        /* the n-th SetTimer() */                                                    \
    LIE(watchdog)     /* the n-th SetWatchdogTimer() */                                            \
    LIE(no_watchdog)  /* SetWatchdogTimer() gives EFI_UNSUPPORTED */                               \
    LIE(stall)        /* Stall() takes so many times as long */                                    \
    LIE(handles)      /* the n-th LocateHandleBuffer() */                                          \
    LIE(no_tick)      /* the firmware does not show its periodic timer */                          \
    LIE(tick)         /* the n-th SetTimerPeriod() of that timer; it goes on */                    \
    LIE(mtrr)         /* the type of memory, as a number, where no variable range is set */        \
    LIE(bus_master)   /* 1: a device's cannot be switched off; 2: it does not come on again */     \
    LIE(no_reset)     /* ResetSystem() returns */                                                  \
    LIE(by_hand)      /* no lie: the program gets a command line, so that it does not ask */       \
    LIE(no_image)     /* there is no EFI_LOADED_IMAGE_PROTOCOL */                                  \
    LIE(no_device)    /* the program was loaded from nowhere */                                    \
    LIE(clock_fails)  /* GetTime() */                                                              \
    LIE(clock_year)   /* the year that it tells */                                                 \
    LIE(clock_wild)   /* every field is far too large */                                           \
    LIE(no_console)   /* ConOut is null */                                                         \
    LIE(console)      /* the n-th OutputString() */                                                \
    LIE(console_us)   /* each OutputString() takes so long */                                      \
    LIE(no_keys)      /* ConIn is null */                                                          \
    LIE(keys)         /* the n-th ReadKeyStroke() */                                               \
    LIE(quit)         /* the n-th ReadKeyStroke() gives Q */                                       \
    LIE(no_serial)    /* the firmware shows no serial port */                                      \
    LIE(serial)       /* the n-th Write() to one; it gives EFI_TIMEOUT */                          \
    LIE(no_http)      /* a NIC has no such protocol */                                             \
    LIE(http)         /* the error, as a number, that each request ends with */                    \
    LIE(http_call)    /* the error, as a number, that Request() itself returns */                  \
    LIE(no_dns)       /* a NIC has no such protocol */                                             \
    LIE(no_server)    /* DHCP named none for DNS */                                                \
    LIE(dns)          /* the error, as a number, that each question ends with */                   \
    LIE(dns_host)     /* whatever is asked for is at 10.0.2.2, which is this host */               \
    LIE(no_mp)        /* there are no MP services */                                               \
    LIE(mp)           /* the n-th GetNumberOfProcessors() */                                       \
    LIE(cpu_disabled) /* this CPU's status: bits of a set, CPU 0 is 1 */                           \
    LIE(cpu_ill)      /* the same: disabled and unhealthy */                                       \
    LIE(cpu_unknown)  /* the same: GetProcessorInfo() knows none of that number */                 \
    LIE(cpu_dead)     /* the same: StartupThisAP() gives EFI_DEVICE_ERROR */                       \
    LIE(cpu_busy)     /* the same: EFI_NOT_READY */                                                \
    LIE(no_boot_cpu)  /* no CPU is marked as the boot CPU */                                       \
    LIE(who)          /* the n-th WhoAmI() */                                                      \
    LIE(no_smbios)    /* there is no such table */                                                 \
    LIE(smbios)       /* 1: strings are empty; 2: as makers leave them; 3, 4: it is damaged */     \
    LIE(no_acpi)      /* there is no such table: no timer, no nodes */                             \
    LIE(volume)       /* the n-th OpenVolume() */                                                  \
    LIE(volume_error) /* the error, as a number, that it gives then */                             \
    LIE(open)         /* the n-th Open() of a file; then so for its other calls */                 \
    LIE(read)                                                                                      \
    LIE(write)                                                                                     \
    LIE(position)                                                                                  \
    LIE(info)                                                                                      \
    LIE(flush)                                                                                     \
    LIE(remove)                                                                                    \
    LIE(file) /* the n-th of all calls of files */

struct lie {
    bool told;
    bool onwards;
    uint64_t value;
    uint64_t calls; /* of what can fail */
    uint64_t acted; /* how often the program was lied to */
};

#define LIE_FIELD(name) struct lie name;
struct lies {
    LIES(LIE_FIELD)
};
#undef LIE_FIELD

extern struct lies lies;

/* One call of what a lie is about. True: it is to fail. */
bool lie_now(struct lie *lie);

/* The program asks for what a lie is about. True: it gets the lie. */
bool lie_acts(struct lie *lie);

/* The same for a lie about a set of CPUs: whether this one is of them. */
bool lie_of_cpu(struct lie *lie, UINTN cpu);

/* What the program has taken and not given back. */
struct held {
    int64_t pages, pools, events, files, children;
};
extern struct held held;

/* The last folder that it made, by its path, "" for none; whether on the volume it came from. */
#define PATH_CHARS 96u
extern char made_folder[PATH_CHARS];
extern bool made_at_home;

/* The firmware's own, and what the program gets. */
extern EFI_HANDLE SELF;
extern EFI_SYSTEM_TABLE *REAL;
extern EFI_SYSTEM_TABLE FALSE_SYSTEM;
extern EFI_FILE_IO_INTERFACE *HOME; /* the firmware's, of the volume that the liar came from */

bool same_guid(const EFI_GUID *a, const EFI_GUID *b);

/* Each makes its part of FALSE_SYSTEM anew, from REAL and the lies. */
void lie_of_services(void);
void lie_of_runtime(void);
void lie_of_console(void);
void lie_of_tables(void);

/* A protocol as the program is to find it: `interface` of the firmware's, or one in its place. */
void *lie_of_files(void *interface);
void *lie_of_cpus(void *interface);
void *lie_of_serial(void *interface);
void *lie_of_tick(void *interface);
void *lie_of_pci(void *interface);

/* The same; it looks for itself which protocols are of the network. */
void *lie_of_net(const EFI_GUID *guid, void *interface);

/* What stands in registers, around a start of the program. */
void lie_of_devices(void);
void end_lie_of_devices(void);

/* Files that a start has left open have no place in the next. */
void end_lie_of_files(void);

/*
 * How memory is mapped, where the lie w_xor_x is told: data, a loaded image (returns where it
 * starts), what is freed.
 */
void map_as_data(EFI_PHYSICAL_ADDRESS at, UINTN pages);
EFI_IMAGE_ENTRY_POINT map_as_image(const EFI_LOADED_IMAGE *image);
void map_as_free(EFI_PHYSICAL_ADDRESS at, UINTN pages);

#endif
