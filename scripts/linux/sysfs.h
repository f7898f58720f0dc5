/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files in /proc and /sys. */
#ifndef BARECOUNT_LINUX_SYSFS_H
#define BARECOUNT_LINUX_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads a file's first line, cut to `size` bytes. If the file cannot be read, sets the text to ""
 * and returns false.
 */
bool sysfs_text(const char *path, char *text, size_t size);

/* Reads the decimal number in a file's first line; false if there is none. */
bool sysfs_number(const char *path, uint64_t *value);

/* Whether the list of CPUs in a file, such as 0-3,8, contains this CPU. */
bool sysfs_lists(const char *path, unsigned cpu);

/* Whether a list of CPUs contains this CPU. */
bool cpu_list_has(const char *list, unsigned cpu);

#endif
