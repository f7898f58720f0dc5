/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prove what kernels declare: run each under ptrace, one instruction at a time, and compare.
 *
 *     prove_kernels [--seed S] [--n N] [--csv] build/kernels.bin
 *
 * Without --n each kernel runs for 1, for its default n, and for an n drawn from the seed, which is
 * past the end of every built-in kernel's buffer. The exit status is 0 when all that ran passed and
 * something ran, 1 when not, and 3 when the prover itself could not work.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/check.h"
#include "pmu/crc32.h"
#include "prove_decode.h"
#include "prove_trace.h"

#define TABLE_BYTES_MAX (16u << 20)
#define EXIT_HOST       3

static const char *const COUNTED[KERNEL_DECLARATIONS] = {
    [KERNEL_INSTRUCTIONS] = "instructions",
    [KERNEL_BRANCHES] = "branches",
    [KERNEL_TAKEN_BRANCHES] = "taken_branches",
    [KERNEL_LOADS] = "loads",
    [KERNEL_STORES] = "stores",
};

struct options {
    uint64_t seed;
    uint64_t n; /* 0: three of them */
    bool csv;
    const char *path;
};

struct tally {
    unsigned passed;
    unsigned failed;
    unsigned skipped;
};

static bool number(const char *text, uint64_t *value)
{
    char *end;

    if (text == NULL || *text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 0);
    return *end == '\0';
}

static bool parse(int count, char **arguments, struct options *options)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--csv") == 0) {
            options->csv = true;
        } else if (strcmp(arguments[i], "--seed") == 0) {
            if (!number(arguments[++i], &options->seed))
                return false;
        } else if (strcmp(arguments[i], "--n") == 0) {
            if (!number(arguments[++i], &options->n) || options->n == 0 ||
                options->n > KERNEL_N_MAX)
                return false;
        } else if (options->path == NULL && arguments[i][0] != '-') {
            options->path = arguments[i];
        } else {
            return false;
        }
    }
    return options->path != NULL;
}

/* The whole file, 0 bytes of it when it cannot be read; to be freed. */
static void *read_table(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    void *table = malloc(TABLE_BYTES_MAX);

    *bytes = 0;
    if (file != NULL && table != NULL)
        *bytes = fread(table, 1, TABLE_BYTES_MAX, file);
    if (file != NULL)
        fclose(file);
    return table;
}

/* The next number of the seed's sequence (a linear congruential generator; its upper half). */
static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return *seed >> 32;
}

/* Why this host cannot run a kernel; NULL when it can. */
static const char *lacks(const struct kernel_record *kernel)
{
    if ((kernel->cpu_features & KERNEL_NEEDS(AVX)) && !__builtin_cpu_supports("avx"))
        return "host lacks AVX";
    if ((kernel->cpu_features & KERNEL_NEEDS(AVX2)) && !__builtin_cpu_supports("avx2"))
        return "host lacks AVX2";
    if (kernel->flags & KERNEL_RING0)
        return "needs ring 0";
    if (kernel->flags & KERNEL_PAIR)
        return "needs two CPUs";
    return NULL;
}

/* A count that is not declared holds whatever it is. Messages are whole lines of `out`. */
static bool holds(const struct kernel_record *kernel, uint64_t n, const uint64_t *counts, FILE *out)
{
    bool all = true;

    for (size_t i = 0; i < KERNEL_DECLARATIONS; i++) {
        const struct kernel_count *declared = &kernel->declared[i];
        int64_t low = kernel_count_low(declared, n);
        int64_t high = kernel_count_high(declared, n);
        int64_t counted = (int64_t)counts[i];

        if (declared->kind == KERNEL_NOT_DECLARED || (low <= counted && counted <= high))
            continue;
        fprintf(out, "%s, n = %" PRIu64 ": %s: declared %" PRId64, kernel->name, n, COUNTED[i],
                low);
        if (high != low)
            fprintf(out, " to %" PRId64, high);
        fprintf(out, ", counted %" PRId64 "\n", counted);
        all = false;
    }
    return all;
}

/* Counts that are not declared stay empty: they follow a convention, not every core. */
static void print_csv(const struct kernel_record *kernel, uint64_t n, const uint64_t *counts)
{
    printf("%s,%" PRIu64, kernel->name, n);
    for (size_t i = 0; i < KERNEL_DECLARATIONS; i++) {
        if (kernel->declared[i].kind == KERNEL_NOT_DECLARED) {
            printf(",");
        } else {
            printf(",%" PRIu64, counts[i]);
        }
    }
    printf("\n");
}

static void print_row(const struct kernel_record *kernel, uint64_t n, const uint64_t *counts,
                      const char *result)
{
    printf("%-20s %8" PRIu64, kernel->name, n);
    for (size_t i = 0; i < KERNEL_DECLARATIONS; i++) {
        char mark = kernel->declared[i].kind == KERNEL_NOT_DECLARED ? '?' : ' ';
        printf(" %13" PRIu64 "%c", counts[i], mark);
    }
    printf(" %s\n", result);
}

static void prove(const struct kernel_record *kernel, uint64_t n, bool csv, struct tally *tally)
{
    uint64_t counts[KERNEL_DECLARATIONS] = {0};
    FILE *out = csv ? stderr : stdout;
    char why[160];

    if (!trace_kernel(kernel, n, counts, why, sizeof(why))) {
        fprintf(out, "%s, n = %" PRIu64 ": %s\n", kernel->name, n, why);
        tally->failed++;
        return;
    }
    bool passed = holds(kernel, n, counts, out);
    tally->passed += passed;
    tally->failed += !passed;
    if (csv) {
        print_csv(kernel, n, counts);
    } else {
        print_row(kernel, n, counts, passed ? "passed" : "FAILED");
    }
}

static void prove_values(const struct kernel_record *kernel, struct options *options,
                         struct tally *tally)
{
    const char *lack = lacks(kernel);
    uint64_t drawn = 1025 + draw(&options->seed) % 1024;

    if (lack != NULL) {
        fprintf(options->csv ? stderr : stdout, "%-20s skipped: %s\n", kernel->name, lack);
        tally->skipped++;
        return;
    }
    if (options->n != 0) {
        prove(kernel, options->n, options->csv, tally);
        return;
    }
    prove(kernel, 1, options->csv, tally);
    if (kernel->default_n != 1)
        prove(kernel, kernel->default_n, options->csv, tally);
    prove(kernel, drawn, options->csv, tally);
}

static void prove_table(const void *table, size_t bytes, struct options *options,
                        struct tally *tally)
{
    const struct kernel_record *kernel = NULL;
    const char *last = "the start";
    enum kernel_fault why;

    if (options->csv) {
        printf("kernel,n");
        for (size_t i = 0; i < KERNEL_DECLARATIONS; i++)
            printf(",%s", COUNTED[i]);
        printf("\n");
    } else {
        printf("seed %" PRIu64 "\n%-20s %8s", options->seed, "kernel", "n");
        for (size_t i = 0; i < KERNEL_DECLARATIONS; i++)
            printf(" %13s ", COUNTED[i]);
        printf("\n");
    }
    while ((kernel = kernel_next(table, bytes, kernel, crc32_ieee, &why)) != NULL) {
        fflush(stdout); /* a child must not print it again */
        prove_values(kernel, options, tally);
        last = kernel->name;
    }
    if (why != KERNEL_OK) {
        fprintf(stderr, "%s: the kernel behind %s: %s\n", options->path, last,
                kernel_fault_text(why));
        tally->failed++;
    }
}

/* A step is two switches between processes: four times as fast on one CPU. Only speed depends. */
static void stay_on_one_cpu(void)
{
    cpu_set_t one;
    int cpu = sched_getcpu();

    CPU_ZERO(&one);
    CPU_SET(cpu < 0 ? 0 : cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
}

int main(int count, char **arguments)
{
    struct options options = {.seed = (uint64_t)time(NULL)};
    struct tally tally = {0};
    size_t bytes;
    void *table;

    if (!parse(count, arguments, &options)) {
        fprintf(stderr, "usage: prove_kernels [--seed S] [--n N] [--csv] TABLE\n");
        return EXIT_HOST;
    }
    table = read_table(options.path, &bytes);
    if (bytes == 0 || !decode_open()) {
        fprintf(stderr, "%s: %s\n", options.path, bytes == 0 ? "cannot be read" : "no Capstone");
        free(table);
        return EXIT_HOST;
    }
    stay_on_one_cpu();
    prove_table(table, bytes, &options, &tally);
    fprintf(options.csv ? stderr : stdout, "%u passed, %u failed, %u skipped\n", tally.passed,
            tally.failed, tally.skipped);
    decode_close();
    free(table);
    return tally.passed > 0 && tally.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
