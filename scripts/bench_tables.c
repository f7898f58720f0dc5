/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many instructions the reading of one CPU's event table takes: the image's own code, on the
 * host, single-stepped from one INT3 to the next.
 *   bench_tables EVENTS_DIR FAMILY MODEL STEPPING
 * Prints the table's name, its events and the instructions.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu/event_index.h"
#include "pmu/event_table.h"

#define PATH_BYTES  512u
#define ENTRIES_MAX 20000u

static struct event_entry entries[ENTRIES_MAX];

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

/* The child: what is counted stands between the two INT3. */
static void read_table(const char *folder, const struct cpu_caps *caps)
{
    const struct event_complaints complaints = {.line = ignore};
    struct event_tables tables = {.entry = entries, .room = ENTRIES_MAX};
    struct piece index = read_file(folder, piece_of("index.csv")), name, table;

    name = event_index_find(index.at, index.size, caps, &complaints);
    if (name.size == 0) {
        fprintf(stderr, "bench_tables: the index has no table for this CPU\n");
        exit(1);
    }
    table = read_file(folder, name);
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
        exit(1);
    __asm__ volatile("int3");
    event_index_find(index.at, index.size, caps, &complaints);
    event_table_read(&tables, table.at, table.size, caps, false, &complaints);
    __asm__ volatile("int3");
    printf("%.*s %zu ", (int)name.size, name.at, tables.count);
    fflush(stdout);
    _exit(tables.count > 0 ? 0 : 1);
}

/* Whether the child stands behind an INT3. */
static bool at_mark(pid_t child)
{
    siginfo_t info;

    return ptrace(PTRACE_GETSIGINFO, child, 0, &info) == 0 && info.si_code == SI_KERNEL;
}

int main(int count, char **argument)
{
    struct cpu_caps caps = {.vendor_id = "GenuineIntel", .vendor = VENDOR_INTEL};
    unsigned long long steps = 0;
    int status;
    pid_t child;

    if (count != 5) {
        fprintf(stderr, "usage: bench_tables EVENTS_DIR FAMILY MODEL STEPPING\n");
        return 2;
    }
    caps.family = (uint32_t)strtoul(argument[2], NULL, 16);
    caps.model = (uint32_t)strtoul(argument[3], NULL, 16);
    caps.stepping = (uint32_t)strtoul(argument[4], NULL, 16);
    child = fork();
    if (child == 0)
        read_table(argument[1], &caps);
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        return 1;
    do {
        if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) != 0 || waitpid(child, &status, 0) != child ||
            !WIFSTOPPED(status))
            return 1;
        steps++;
    } while (!at_mark(child));
    ptrace(PTRACE_CONT, child, 0, 0);
    waitpid(child, &status, 0);
    printf("%llu\n", steps);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
