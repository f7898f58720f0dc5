/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files of /proc and /sys. */
#ifndef BARECOUNT_LINUX_SYSFS_H
#define BARECOUNT_LINUX_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line, without its end, cut to `size` bytes. False, and "": it cannot be read. */
bool sysfs_text(const char *path, char *text, size_t size);

/* A decimal number. */
bool sysfs_number(const char *path, uint64_t *value);

/* Whether a list of CPUs like 0-3,8 has one. */
bool sysfs_lists(const char *path, unsigned cpu);

/* The same of a text. */
bool cpu_list_has(const char *list, unsigned cpu);

#endif
