/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups rows with the same fault. */
#include "pmu/verdicts/faults.h"
#include "pmu/base/text.h"

#define RANGES_MAX 8u

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *behind_number(const char *at)
{
    const bool is_hex = at[0] == '0' && at[1] == 'x';

    for (at += is_hex ? 2 : 0; is_digit(*at) || (is_hex && *at >= 'a' && *at <= 'f');)
        at++;
    return at;
}

/* Whether two reasons are equal, except for numbers in them. */
static bool is_alike(const char *a, const char *b)
{
    for (;;) {
        if (is_digit(*a) && is_digit(*b)) {
            a = behind_number(a);
            b = behind_number(b);
        } else if (*a != *b) {
            return false;
        } else if (*a == 0) {
            return true;
        } else {
            a++;
            b++;
        }
    }
}

static bool is_of_cpu(const struct result *result)
{
    return result->status == STATUS_TIMEOUT || result->status == STATUS_SKIPPED;
}

static bool is_of(const struct fault *fault, const struct rows *rows, const struct row *row,
                  const char *name)
{
    const bool is_same = text_same(fault->reason, row->reason);
    const bool is_of_event = text_same(fault->name, name);
    const bool is_of_kernel = fault->kernel == rows->view->kernel[rows->result->kernel];

    if (fault->verdict != row->verdict || fault->is_of_counter != row->counter_off)
        return false;
    if (row->counter_off)
        return is_of_event && is_alike(fault->reason, row->reason);
    if (row->verdict == VERDICT_UNAVAILABLE || is_of_cpu(rows->result))
        return is_same;
    return is_of_kernel && (is_same || ((is_of_event || row->verdict == VERDICT_FAULT ||
                                         row->verdict == VERDICT_TIMEOUT) &&
                                        is_alike(fault->reason, row->reason)));
}

static void begin(struct fault *fault, const struct rows *rows, const struct row *row,
                  const char *name)
{
    *fault = (struct fault){.kernel = rows->view->kernel[rows->result->kernel],
                            .verdict = row->verdict,
                            .is_of_counter = row->counter_off};
    text_copy(fault->name, sizeof(fault->name), name);
    text_copy(fault->reason, sizeof(fault->reason), row->reason);
}

static void add_cpu(struct fault *fault, uint32_t cpu)
{
    fault->cpus[cpu % VIEW_CPUS_MAX / 8] |= (uint8_t)(1u << cpu % 8);
}

void faults_add(struct faults *faults, const struct rows *rows, const struct row *row)
{
    const struct result *result = rows->result;
    char text[FAULT_NAME_BYTES];
    struct out name = out_buffer(text, sizeof(text));
    struct fault *fault = faults->fault, *end = faults->fault + faults->count;

    row_name(row, &name);
    out_end(&name);
    while (fault < end && !is_of(fault, rows, row, text))
        fault++;
    if (fault == faults->fault + FAULTS_MAX) {
        faults->more++;
        return;
    }
    if (fault == end) {
        begin(fault, rows, row, text);
        faults->count++;
    }
    if (fault->last != result)
        fault->of_rows += rows->count;
    fault->rows++;
    fault->events += fault->of_rows == rows->count;
    fault->has_other_kernels |= fault->kernel != rows->view->kernel[result->kernel];
    fault->last = result;
    fault->numbers_differ |= !text_same(fault->reason, row->reason);
    add_cpu(fault, result->cpu);
    if (result->partner != CPU_NONE)
        add_cpu(fault, result->partner);
}

static bool has(const uint8_t cpus[VIEW_CPUS_MAX / 8], unsigned cpu)
{
    return cpu < VIEW_CPUS_MAX && cpus[cpu / 8] >> cpu % 8 & 1;
}

void faults_cpus(const uint8_t cpus[VIEW_CPUS_MAX / 8], unsigned all, struct out *out)
{
    unsigned count = 0, ranges = 0, more = 0;

    for (unsigned i = 0; i < VIEW_CPUS_MAX; i++)
        count += has(cpus, i);
    if (count == all && count > 1) {
        out_printf(out, "all %u CPUs", count);
        return;
    }
    out_text(out, count > 1 ? "CPUs " : "CPU ");
    for (unsigned i = 0, end; i < VIEW_CPUS_MAX; i = end + 1) {
        for (end = i; has(cpus, end); end++)
            more += ranges >= RANGES_MAX;
        if (end > i && ranges++ < RANGES_MAX) {
            out_printf(out, "%s%u", ranges > 1 ? "," : "", i);
            if (end - i > 1)
                out_printf(out, "-%u", end - 1);
        }
    }
    if (more > 0)
        out_printf(out, " and %u more", more);
}
