/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what each kernel declares, at three values of n and of its argument
 * (docs/internals/proofs.md).
 *
 * Without --n, the values of n are 1, the default, and a random number that depends on the seed.
 * The values of the argument are its lowest, default and highest. If a built-in kernel's default n
 * is 1 or above 100, its random n is above the number of addresses that the kernel is assumed to
 * access in its buffer (PLACES_MAX), so that the kernel passes the buffer's end. The default and
 * the random n are halved until the kernel executes few enough instructions.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/check.h"
#include "pmu/base/bytes.h"
#include "pmu/base/out.h"
#include "tests/prover/declare.h"
#include "tests/prover/decode.h"
#include "tests/prover/options.h"
#include "tests/prover/proof.h"

#define TABLE_BYTES_MAX (16u << 20)
#define EXIT_USAGE      2
#define EXIT_HOST       4

/* A step takes about ten microseconds. */
#define DEFAULT_STEPS_MAX 20000
#define DRAWN_STEPS_MAX   30000

/* With this n, a loop has a first turn, a last turn and one between them. */
#define TURNS 3

/*
 * A kernel is assumed to access at most this many addresses of its buffer, for example every 64th
 * byte of 64 KiB. In buffers below 4 KiB, every 4th byte is assumed to be accessed.
 */
#define PLACES_MAX 1024

/*
 * A kernel whose default n is 2 to DEFAULT_N_SMALL gets a random n of 2 to SMALL_DRAWN + 1. There
 * are hundreds of these kernels, so larger numbers would take long.
 */
#define DEFAULT_N_SMALL 100
#define SMALL_DRAWN     50

static const char *const COUNTED[KERNEL_COUNTS] = {[KERNEL_INSTRUCTIONS] = "instructions",
                                                   [KERNEL_BRANCHES] = "branches",
                                                   [KERNEL_TAKEN_BRANCHES] = "taken_branches",
                                                   [KERNEL_LOADS] = "loads",
                                                   [KERNEL_STORES] = "stores",
#define COUNTED_NAME(number, name, text, window, twice) [number] = (text),
                                                   PROPERTY_LIST(COUNTED_NAME)
#undef COUNTED_NAME
};

static const char *const PROOF_TEXTS[PROOFS] = {
    [PROOF_STEPPED] = "stepped",
    [PROOF_DECODED] = "decoded",
    [PROOF_BOTH] = "both",
    [PROOF_RAN] = "ran",
};

struct tally {
    unsigned all;
    unsigned passed;
    unsigned failed;
    unsigned skipped;
    struct out names_skipped;
    unsigned kernels[PROOFS];
};

/* The caller must free the memory; *bytes is 0 if the file cannot be read. */
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

/* The upper half of a linear congruential generator's state. */
static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return *seed >> 32;
}

/* Only stepping finds the addresses of accesses. */
static bool is_counted(unsigned count, enum proof proof)
{
    const bool steps = proof == PROOF_STEPPED || proof == PROOF_BOTH;

    return steps || (count != PROPERTY_SPLIT_LOADS && count != PROPERTY_SPLIT_STORES);
}

static bool holds(const struct kernel_record *kernel, const struct values *values,
                  const uint64_t *counts, enum proof proof, FILE *out)
{
    bool all = true;

    for (unsigned i = 0; i < KERNEL_COUNTS; i++) {
        const struct kernel_count declared = kernel_declares(kernel, i);
        int64_t low = kernel_count_low(&declared, values->n);
        int64_t high = kernel_count_high(&declared, values->n);
        int64_t counted = (int64_t)counts[i];

        if (declared.kind == KERNEL_NOT_DECLARED || !is_counted(i, proof) ||
            (low <= counted && counted <= high))
            continue;
        fprintf(out, "%s, n = %" PRIu64 ": %s: declared %" PRId64, kernel->name, values->n,
                COUNTED[i], low);
        if (high != low)
            fprintf(out, " to %" PRId64, high);
        fprintf(out, ", counted %" PRId64 "\n", counted);
        all = false;
    }
    return all;
}

/* Leaves the field of an undeclared count empty, because the count may differ between cores. */
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

static void print_row(const struct kernel_record *kernel, const struct values *values,
                      const uint64_t *counts, enum proof proof, const char *result)
{
    printf("%-24s %6" PRIu64 " %8u", kernel->name, values->n, values->argument);
    for (size_t i = 0; i < KERNEL_DECLARATIONS; i++) {
        char mark = kernel->declared[i].kind == KERNEL_NOT_DECLARED ? '?' : ' ';
        printf(" %13" PRIu64 "%c", counts[i], mark);
    }
    printf(" %s %s\n", PROOF_TEXTS[proof], result);
}

/* Returns false if the events could not be counted; other values of n would fail too. */
static bool prove(const struct kernel_record *kernel, const struct values *values, enum proof proof,
                  bool csv, struct tally *tally)
{
    uint64_t counts[KERNEL_COUNTS] = {0};
    FILE *out = csv ? stderr : stdout;
    char why[320];

    if (!proof_count(kernel, values, proof, counts, why, sizeof(why))) {
        fprintf(out, "%s, n = %" PRIu64 ": %s\n", kernel->name, values->n, why);
        tally->failed++;
        return false;
    }
    bool passed = holds(kernel, values, counts, proof, out);
    tally->passed += passed;
    tally->failed += !passed;
    if (csv) {
        print_csv(kernel, values->n, counts);
    } else {
        print_row(kernel, values, counts, proof, passed ? "passed" : "FAILED");
    }
    return true;
}

static uint64_t bounded(const struct kernel_record *kernel, uint64_t n, int64_t steps_max)
{
    const struct kernel_count *declared = &kernel->declared[KERNEL_INSTRUCTIONS];

    while (n > 2 && kernel_count_high(declared, n) > steps_max)
        n /= 2;
    return n;
}

static uint64_t places_of(const struct kernel_record *kernel)
{
    uint64_t places = kernel->buffer_bytes / 4;

    return places < PLACES_MAX ? places : PLACES_MAX;
}

/* A value of --n or --argument replaces all three values of n or of the argument. */
static void values_of(const struct kernel_record *kernel, struct options *options,
                      struct values values[3])
{
    bool small = kernel->default_n <= DEFAULT_N_SMALL && kernel->default_n > 1;
    uint64_t random = draw(&options->seed);
    uint64_t drawn = small ? 2 + random % SMALL_DRAWN : 2 + places_of(kernel) + random % 256;
    uint32_t step = kernel->argument_step > 0 ? kernel->argument_step : 1;
    uint32_t steps = (kernel->argument_high - kernel->argument_low) / step;

    values[0] = (struct values){.n = 1, .argument = kernel->argument_low};
    values[1] = (struct values){.n = bounded(kernel, kernel->default_n, DEFAULT_STEPS_MAX),
                                .argument = kernel->argument_default,
                                .whole = options->whole};
    values[2] = (struct values){.n = bounded(kernel, drawn, DRAWN_STEPS_MAX),
                                .argument = kernel->argument_low + steps * step};
    for (unsigned i = 0; i < 3; i++) {
        if (options->n != 0)
            values[i].n = options->n;
        if (options->argument != ARGUMENT_OF_KERNEL)
            values[i].argument = (uint32_t)options->argument;
    }
}

static void prove_values(const struct kernel_record *kernel, struct options *options,
                         struct tally *tally)
{
    FILE *out = options->csv ? stderr : stdout;
    struct values values[3];
    enum proof proof;
    bool excused;
    char why[320];

    tally->all++;
    values_of(kernel, options, values);
    if (!proof_choose(kernel, options->decode, &proof, &excused, why, sizeof(why))) {
        fprintf(out, "%-24s %s: %s\n", kernel->name, excused ? "skipped" : "NO PROOF", why);
        tally->skipped += excused;
        tally->failed += !excused;
        if (excused)
            out_printf(&tally->names_skipped, " %s", kernel->name);
        return;
    }
    tally->kernels[proof]++;
    if (options->n != 0) { /* one proof, with the default or requested argument */
        prove(kernel, &values[1], proof, options->csv, tally);
        return;
    }
    bool is_short = proof == PROOF_BOTH && !options->all;
    struct values turns = {
        .n = TURNS, .argument = kernel->argument_default, .whole = options->whole};

    for (unsigned i = 0; i < 3; i++) {
        if (i == 1 && is_short && !prove(kernel, &turns, proof, options->csv, tally))
            return;
        if (i == 1 && values[0].n == values[1].n && values[0].argument == values[1].argument)
            continue;
        bool steps = i == 0 || !is_short;
        if (!prove(kernel, &values[i], steps ? proof : PROOF_RAN, options->csv, tally))
            return;
    }
}

static void declare_kernel(const struct kernel_record *kernel, struct tally *tally)
{
    enum proof proof;
    bool excused;
    char why[320];

    if (proof_choose(kernel, false, &proof, &excused, why, sizeof(why)) &&
        declare(kernel, proof, why, sizeof(why))) {
        tally->passed++;
    } else {
        fprintf(stderr, "%s: %s\n", kernel->name, why);
        tally->failed++;
    }
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
    } else if (!options->declare) {
        printf("seed %" PRIu64 "\n%-24s %6s %8s", options->seed, "kernel", "n", "argument");
        for (size_t i = 0; i < KERNEL_DECLARATIONS; i++)
            printf(" %13s ", COUNTED[i]);
        printf(" proof\n");
    }
    while ((kernel = kernel_next(table, bytes, kernel, crc32_ieee, &why)) != NULL) {
        fflush(stdout); /* otherwise child processes would print buffered output again */
        if (options_want(options, kernel) && options->declare)
            declare_kernel(kernel, tally);
        else if (options_want(options, kernel))
            prove_values(kernel, options, tally);
        last = kernel->name;
    }
    if (why != KERNEL_OK) {
        fprintf(stderr, "%s: the kernel after %s: %s\n", options->path, last,
                kernel_fault_text(why));
        tally->failed++;
    }
}

static void say_tally(struct tally *tally, FILE *out)
{
    if (tally->skipped > 0)
        fprintf(out, "%u of %u kernels are not proved on this host:%s\n", tally->skipped,
                tally->all, out_end(&tally->names_skipped));
    fprintf(out, "%u kernels stepped, %u decoded, %u both\n", tally->kernels[PROOF_STEPPED],
            tally->kernels[PROOF_DECODED], tally->kernels[PROOF_BOTH]);
    fprintf(out, "%u passed, %u failed, %u skipped\n", tally->passed, tally->failed,
            tally->skipped);
}

/*
 * Switching between the prover and the child process that it single-steps is four times as fast if
 * they run on the same CPU.
 */
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
    struct options options;
    char names[2048];
    struct tally tally = {.names_skipped = out_buffer(names, sizeof(names))};
    size_t bytes;
    void *table;

    if (!options_parse(count, arguments, &options)) {
        fputs(OPTIONS_HELP, stderr);
        return EXIT_USAGE;
    }
    if (options.help) {
        fputs(OPTIONS_HELP, stdout);
        return EXIT_SUCCESS;
    }
    table = read_table(options.path, &bytes);
    if (bytes == 0 || !decode_open()) {
        fprintf(stderr, "%s: %s\n", options.path, bytes == 0 ? "cannot be read" : "no Capstone");
        free(table);
        return EXIT_HOST;
    }
    stay_on_one_cpu();
    prove_table(table, bytes, &options, &tally);
    if (!options.declare)
        say_tally(&tally, options.csv ? stderr : stdout);
    decode_close();
    free(table);
    return tally.passed > 0 && tally.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
