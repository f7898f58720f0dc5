/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences between the supported QEMU versions: 7.2, and 10.0 to 10.2. */
#ifndef I386_TCG_PMU_MODEL_COMPAT_H
#define I386_TCG_PMU_MODEL_COMPAT_H

#if QEMU_VERSION_MAJOR < 10
#define bql_lock qemu_mutex_lock_iothread
#define bql_unlock qemu_mutex_unlock_iothread
#define bql_locked qemu_mutex_iothread_locked
#define tcg_env cpu_env
#define MSR_RAPL_POWER_UNIT 0x606
#define MSR_PKG_POWER_LIMIT 0x610
#define MSR_PKG_ENERGY_STATUS 0x611
#define MSR_PKG_POWER_INFO 0x614
#endif

/*
 * For device classes. From QEMU 10.0 on, arrays of properties and interfaces are const, and an
 * array of properties has no end marker. From 10.1 on, class_init() gets const data.
 */
#if QEMU_VERSION_MAJOR < 10
#define PMU_CONST
#define PMU_PROPERTIES_END DEFINE_PROP_END_OF_LIST(),
#else
#define PMU_CONST const
#define PMU_PROPERTIES_END
#endif
#if QEMU_VERSION_MAJOR > 10 || (QEMU_VERSION_MAJOR == 10 && QEMU_VERSION_MINOR > 0)
#define PMU_CLASS_DATA const void
#else
#define PMU_CLASS_DATA void
#endif

/* qemu_system_reset_request() */
#if __has_include("system/runstate.h")
#include "system/runstate.h"
#else
#include "sysemu/runstate.h"
#endif

/* cpu_ldub_code() */
#if __has_include("accel/tcg/cpu-ldst.h")
#include "accel/tcg/cpu-ldst.h"
#else
#include "exec/cpu_ldst.h"
#endif

#endif
