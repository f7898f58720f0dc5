/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files in /proc and /sys. */
#ifndef BARECOUNT_LINUX_SYSFS_H
#define BARECOUNT_LINUX_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the first line without its end, truncated to `size` bytes. False, and "": not readable. */
bool sysfs_text(const char *path, char *text, size_t size);

/* Reads a decimal number. */
bool sysfs_number(const char *path, uint64_t *value);

/* Whether a list of CPUs in a file, such as 0-3,8, has this one. */
bool sysfs_lists(const char *path, unsigned cpu);

/* The same for a text. */
bool cpu_list_has(const char *list, unsigned cpu);

#endif
