/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the instructions that the image needs to read one CPU's event table: the same code is
 * single-stepped on the host. Arguments: EVENTS_DIR FAMILY MODEL STEPPING.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "pmu/events/index.h"
#include "pmu/events/table.h"

#define PATH_BYTES  512u
#define ENTRIES_MAX 20000u

/* EFLAGS.TF (bit 8) traps after each instruction, but not after the POPFQ that sets it. */
#define STEP_ON()  __asm__ volatile("pushfq; btsq $8, (%%rsp); popfq" ::: "cc", "memory")
#define STEP_OFF() __asm__ volatile("pushfq; btrq $8, (%%rsp); popfq" ::: "cc", "memory")
#define OWN_STEPS  3 /* traps in STEP_OFF: after its PUSHFQ, BTRQ and POPFQ */

static struct event_entry entries[ENTRIES_MAX];
static volatile unsigned long long steps;

/* Counts in the traced process, because a tracer would cost two process switches per trap. */
static void count_step(int signal)
{
    (void)signal;
    steps++;
}

static void ignore(void *context, uint32_t line, const char *sentence)
{
    (void)context;
    fprintf(stderr, "line %u: %s\n", line, sentence);
    exit(1);
}

static struct piece read_file(const char *folder, struct piece name)
{
    char path[PATH_BYTES];
    FILE *file;
    char *bytes;
    long size;

    snprintf(path, sizeof(path), "%s/%.*s", folder, (int)name.size, name.at);
    file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 ||
        !(bytes = malloc((size_t)size + 1))) {
        perror(path);
        exit(1);
    }
    rewind(file);
    size = (long)fread(bytes, 1, (size_t)size, file);
    fclose(file);
    return (struct piece){bytes, (size_t)size};
}

int main(int count, char **argument)
{
    const struct event_errors errors = {.line = ignore};
    struct cpu_caps caps = {.vendor_id = "GenuineIntel", .vendor = VENDOR_INTEL};
    struct event_tables tables = {.entry = entries, .room = ENTRIES_MAX};
    struct piece index, name, table;

    if (count != 5) {
        fprintf(stderr, "usage: bench_tables EVENTS_DIR FAMILY MODEL STEPPING\n");
        return 2;
    }
    caps.family = (uint32_t)strtoul(argument[2], NULL, 16);
    caps.model = (uint32_t)strtoul(argument[3], NULL, 16);
    caps.stepping = (uint32_t)strtoul(argument[4], NULL, 16);
    index = read_file(argument[1], piece_of("index.csv"));
    name = event_index_find(index.at, index.size, &caps, &errors);
    if (name.size == 0) {
        fprintf(stderr, "bench_tables: the index names no table for this CPU\n");
        return 1;
    }
    table = read_file(argument[1], name);
    if (signal(SIGTRAP, count_step) == SIG_ERR)
        return 1;
    STEP_ON();
    event_index_find(index.at, index.size, &caps, &errors);
    event_table_read(&tables, table.at, table.size, &caps, false, &errors);
    STEP_OFF();
    printf("%.*s %zu %llu\n", (int)name.size, name.at, tables.count, steps - OWN_STEPS);
    return tables.count > 0 && steps > OWN_STEPS ? 0 : 1;
}
