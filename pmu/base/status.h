/* SPDX-License-Identifier: BSD-2-Clause */
/* The reasons why something could not be done or counted, each with its sentence. */
#ifndef BARECOUNT_PMU_BASE_STATUS_H
#define BARECOUNT_PMU_BASE_STATUS_H

#include "pmu/base/list.h"

#define STATUS_LIST(X)                                                                             \
    X(STATUS_OK, "ok")                                                                             \
    X(STATUS_NO_PMU, "CPUID.0AH reports no performance monitor (version 0)")                       \
    X(STATUS_VENDOR, "counting is not supported on CPUs of this vendor and family")                \
    X(STATUS_EVENT_ABSENT, "CPUID.0AH:EBX says that this CPU lacks the event")                     \
    X(STATUS_EVENT_NOT_LISTED, "the CPU's list of architectural events ends before this event")    \
    X(STATUS_EVENT_MODEL, "no encoding of this event is known for this CPU model")                 \
    X(STATUS_NO_FIXED, "the CPU has no such fixed counter")                                        \
    X(STATUS_NO_COUNTER, "the CPU has no counter that can count the event")                        \
    X(STATUS_CPU_FEATURE, "the CPU lacks a feature that the kernel needs")                         \
    X(STATUS_KERNEL_RING0, "the kernel needs CPL 0, but the plan runs kernels at CPL 3")           \
    X(STATUS_NO_SPACE, "the kernel could not be mapped into page tables of its own")               \
    X(STATUS_NO_PAGES, "the CPU has no pages of the requested size")                               \
    X(STATUS_NO_MEMORY_TYPE, "the CPU cannot map memory of the requested type")                    \
    X(STATUS_ALONE, "the kernel needs further CPUs, but the run has none")                         \
    X(STATUS_MSR_FAULT, "a performance-monitor register raised #GP")                               \
    X(STATUS_MSR_REFUSED, "the CPU has no such MSR, or refuses the value")                         \
    X(STATUS_READ_BACK, "a performance-monitor register did not keep what was written")            \
    X(STATUS_FAULT, "the kernel raised an exception")                                              \
    X(STATUS_CHANGED, "the kernel changed what it must leave alone")                               \
    X(STATUS_HANG, "the kernel did not return within its time limit; an NMI ended it")             \
    X(STATUS_SKIPPED_KERNEL, "left out: the machine stopped in this kernel earlier")               \
    X(STATUS_CUT_OFF, "the machine stopped in this kernel or lost power")                          \
    X(STATUS_PARTNER, "another CPU that the kernel needs did not arrive")                          \
    X(STATUS_TIMEOUT, "the CPU did not answer within its time limit")                              \
    X(STATUS_SKIPPED, "left out: this CPU did not answer earlier")                                 \
    X(STATUS_STOPPED, "left out: the user ended the run")                                          \
    X(STATUS_TSC, "the time stamp stands still or goes backwards")                                 \
    X(STATUS_START_FAILED, "the firmware cannot start the CPU: exclude it with cpus= in the plan") \
    X(STATUS_NO_MEMORY, "the firmware has no memory left")                                         \
    X(STATUS_EVENT_UNKNOWN, "no event of this name is known for this CPU")                         \
    X(STATUS_EVENT_SYNTAX, "the event is not written as expected")                                 \
    X(STATUS_EVENT_TWO, "ORed unit masks must belong to one event and differ in nothing else")     \
    X(STATUS_EVENT_FIXED, "only a fixed counter counts the event, and it has no modifiers")        \
    X(STATUS_EVENT_CORE, "the event is for the other type of core")                                \
    X(STATUS_EVENT_ANY, "ANY needs PMU version 3 or 4, and CPUID.0AH:EDX[15] clear")               \
    X(STATUS_EVENT_FIELD, "the CPU lacks UMASK2 or EQ (CPUID.23H)")                                \
    X(STATUS_EVENT_TSX, "counting by transaction (IN_TX, IN_TXCP) is not supported")               \
    X(STATUS_EVENT_PEBS, "the event works only with PEBS, which this program does not use")        \
    X(STATUS_EVENT_NUMBER, "event number 0 is for fixed counters only")                            \
    X(STATUS_EVENT_REGISTER, "the CPU lacks the extra register that the event needs")              \
    X(STATUS_STATE_ABSENT, "the CPU has no register for this setting")                             \
    X(STATUS_STATE_KEPT, "the register did not keep what was written")                             \
    X(STATUS_STATE_PART, "the CPU accepted only some of the requested bits")                       \
    X(STATUS_STATE_BASE, "MSR_PLATFORM_INFO does not say which ratio the base clock has")          \
    X(STATUS_STATE_RANGE, "IA32_HWP_CAPABILITIES does not allow the ratio")                        \
    X(STATUS_STATE_VOLTAGE, "on this CPU, IA32_PERF_CTL has more fields than the ratio in [15:8]") \
    X(STATUS_STATE_CLOCK, "IA32_PERF_STATUS does not show the requested ratio")                    \
    X(STATUS_STATE_VENDOR, "this program does not set the clock of this vendor's CPUs")            \
    X(STATUS_NO_MONITOR, "the CPU has no MONITOR and MWAIT")                                       \
    X(STATUS_NO_PERF, "Linux has no driver for this CPU's performance monitor")                    \
    X(STATUS_PERF_REFUSED, "perf_event_open refuses the event on this CPU")                        \
    X(STATUS_PERF_DENIED, "perf_event_paranoid keeps this user from counting CPL 0; see sysctl")   \
    X(STATUS_PERF_COUNTER, "perf has no counter left: others or kernel.nmi_watchdog use them all") \
    X(STATUS_HUGE_PAGES, "Linux has no free huge pages of this size: /sys/kernel/mm/hugepages")    \
    X(STATUS_WRITE_BACK, "Linux gives programs write-back memory only")                            \
    X(STATUS_KILLED, "the kernel did not return within its time limit; its process was killed")    \
    X(STATUS_DIED, "the kernel ended its process")                                                 \
    X(STATUS_UNCORE_UNKNOWN, "the uncore counters of this CPU model are not known")                \
    X(STATUS_UNCORE_ABSENT, "this CPU model has no such uncore counters")                          \
    X(STATUS_UNCORE_DEVICE, "the PCI device with the counters is absent or hidden")                \
    X(STATUS_UNCORE_PCI, "the firmware has no MCFG table: PCI registers cannot be reached")        \
    X(STATUS_UNCORE_OFF, "the memory-mapped registers with the counters are switched off")         \
    X(STATUS_UNCORE_REFUSED, "an uncore register raised #GP")                                      \
    X(STATUS_UNCORE_KEPT, "an uncore register did not keep what was written")                      \
    X(STATUS_UNCORE_LINUX, "barecount-linux does not count uncore events")                         \
    X(STATUS_UNCORE_RING, "uncore counters cannot tell rings apart: leave out :u and :k")          \
    X(STATUS_UNCORE_FIELD, "the uncore counters have no such field")                               \
    X(STATUS_UNCORE_SOCKET, "the package of the PCI devices with counters cannot be determined")   \
    X(STATUS_UNCORE_TABLE, "the table of uncore counters is damaged or too long")                  \
    X(STATUS_UNCORE_EMPTY, "no memory channel of this package has a DIMM")                         \
    X(STATUS_UNCORE_MEMORY, "the uncore registers overlap memory, or there is no memory map")      \
    X(STATUS_NOT_MODELLED, "not modelled: this emulated machine has no rule for the event")        \
    X(STATUS_MACHINE_CHECK, "a machine check, after which the CPU could not go on, ended the run") \
    X(STATUS_HYPERVISOR, "under this hypervisor the counter stands still")                         \
    X(STATUS_SKIPPED_PHASE, "left out: the machine stopped in this phase before; see skipped.csv") \
    X(STATUS_ONE_AT_A_TIME, "mode=parallel and pairs need firmware that runs CPUs in parallel")    \
    X(STATUS_EVENT_MERGED, "this use of two merged counters is not supported")                     \
    X(STATUS_EVENT_PREC_RET, "the CPU does not announce PREC_RET; barecount-linux cannot use it")

enum status { STATUS_LIST(LIST_CODE) STATUS_COUNT };

/* Unknown codes give "unknown status". */
const char *status_text(unsigned code);

#endif
