/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads numbers and texts from sysfs and procfs. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scripts/linux/sysfs.h"

bool sysfs_text(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, text, size - 1);

    if (file >= 0)
        close(file);
    text[got < 0 ? 0 : got] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return got >= 0;
}

bool sysfs_number(const char *path, uint64_t *value)
{
    char text[32], *end;

    if (!sysfs_text(path, text, sizeof(text)) || text[0] == '\0')
        return false;
    *value = strtoull(text, &end, 10);
    return *end == '\0';
}

bool cpu_list_has(const char *list, unsigned cpu)
{
    while (*list) {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;

        if (end == list)
            return false;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (cpu >= first && cpu <= last)
            return true;
        list = *end == ',' ? end + 1 : end;
    }
    return false;
}

bool sysfs_lists(const char *path, unsigned cpu)
{
    char text[4096];

    return sysfs_text(path, text, sizeof(text)) && cpu_list_has(text, cpu);
}
