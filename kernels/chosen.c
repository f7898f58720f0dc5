/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses a run's kernels. */
#include "kernels/check.h"
#include "kernels/choose.h"
#include "kernels/chosen.h"
#include "pmu/files/param.h"
#include "pmu/base/nearest.h"
#include "pmu/base/text.h"
#include "pmu/cpu/mtrr.h"

#if KNOWN_PAIR != KERNEL_PAIR || KNOWN_CROWD != KERNEL_CROWD ||                                    \
    (KNOWN_READS | KNOWN_WRITES) != (KERNEL_READS | KERNEL_WRITES) ||                              \
    KNOWN_STREAMS != KERNEL_STREAMS
#error "the KNOWN_ flags must equal the KERNEL_ flags"
#endif
_Static_assert((int)DECLARED_COUNT == (int)KERNEL_DECLARATIONS, "the same declarations");
_Static_assert(KNOWN_LIST_MAX == KERNEL_LIST_MAX, "room for the same properties");

struct candidate {
    const struct kernel_record *record;
    const struct code_kernel *code;
    const char *file;
};

/* State of chosen_find(). `wanted` is the plan's entry that is being processed. */
struct taking {
    const struct kernel_offer *offer;
    struct plan *plan;
    struct chosen_kernel *to;
    unsigned taken;
    const struct plan_kernel *wanted;
    bool full; /* the plan selects more than CHOSEN_MAX kernels */
};

#define VALUES_TOLD 4u /* an error message names at most this many refused values */

static unsigned candidates(const struct kernel_offer *offer)
{
    return offer->kernels + offer->codes;
}

static struct candidate candidate(const struct kernel_offer *offer, unsigned i)
{
    if (i < offer->kernels)
        return (struct candidate){offer->kernel[i], 0, offer->file[i]};
    i -= offer->kernels;
    return (struct candidate){offer->code[i].record, &offer->code[i], ""};
}

static struct kernel_wanted wanted_of(const struct plan_kernel *line)
{
    return (struct kernel_wanted){
        .n = line->n,
        .size = line->size,
        .argument = line->argument,
        .argument_value = line->argument_value,
        .page_bytes = line->page_bytes,
        .memory = line->memory,
    };
}

static bool is_meant(const struct candidate *from, const char *word)
{
    if (from->code)
        return text_same(word, KERNEL_WORD_CODE) || text_same(word, "default");
    return kernel_is_meant(from->record, from->file[0] != 0, word);
}

/*
 * Whether the kernel refuses a line for the reason `why`. If the line names a family or a word such
 * as `all`, the result is true only if all other kernels of the family or word refuse the line too,
 * each for any reason.
 */
static bool is_refused(const struct taking *taking, const struct kernel_record *record,
                       const struct plan_kernel *line, enum kernel_refusal why)
{
    const struct kernel_wanted wanted = wanted_of(line);

    if (kernel_takes(record, &wanted) != why)
        return false;
    for (unsigned i = 0; !text_same(line->name, record->name) && i < candidates(taking->offer);
         i++) {
        const struct candidate from = candidate(taking->offer, i);

        if (is_meant(&from, line->name) && kernel_takes(from.record, &wanted) == KERNEL_TAKES_IT)
            return false;
    }
    return true;
}

static bool is_of_argument(enum kernel_refusal why)
{
    return why == KERNEL_OUT_OF_RANGE || why == KERNEL_BETWEEN_STEPS;
}

static uint64_t refused_value(const struct plan_kernel *line, enum kernel_refusal why)
{
    if (is_of_argument(why))
        return line->argument_value;
    if (line->size)
        return line->size;
    return line->page_bytes ? line->page_bytes : line->memory;
}

static void say_value(const struct plan_kernel *line, enum kernel_refusal why, struct out *out)
{
    if (is_of_argument(why))
        out_printf(out, "%u", line->argument_value);
    else if (line->size || line->page_bytes)
        out_size(out, refused_value(line, why));
    else
        out_text(out, MEMORY_WORDS[line->memory - MEMORY_WB]);
}

/*
 * Whether an entry from `first` on, but before `line`, has the same value as `line` and is refused
 * by the kernel for the reason `why`.
 */
static bool is_repeated(const struct taking *taking, const struct kernel_record *record,
                        const struct plan_kernel *first, const struct plan_kernel *line,
                        enum kernel_refusal why)
{
    for (; first < line; first++)
        if (refused_value(first, why) == refused_value(line, why) &&
            is_refused(taking, record, first, why))
            return true;
    return false;
}

/*
 * Writes the values that the kernel refuses for the reason `why`, such as "32K, 256K and 1M", but
 * at most VALUES_TOLD of them. Returns the number of all refused values.
 */
static unsigned say_values(const struct taking *taking, const struct kernel_record *record,
                           enum kernel_refusal why, struct out *out)
{
    const struct plan_kernel *first = taking->wanted, *value[VALUES_TOLD];
    const struct plan_kernel *end = taking->plan->kernel + taking->plan->kernels;
    unsigned count = 0;

    for (const struct plan_kernel *at = first;
         at < end && at->line == first->line && text_same(at->name, first->name); at++) {
        if (!is_refused(taking, record, at, why) || is_repeated(taking, record, first, at, why))
            continue;
        if (count < VALUES_TOLD)
            value[count] = at;
        count++;
    }
    for (unsigned i = 0; i < count && i < VALUES_TOLD; i++) {
        out_text(out, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        say_value(value[i], why, out);
    }
    if (count > VALUES_TOLD)
        out_printf(out, " and %u more", count - VALUES_TOLD);
    return count;
}

/*
 * Whether taking->wanted is the first entry of its line that the kernel refuses for the reason
 * `why`. If `record` is null: whether taking->wanted is the first entry of its line.
 */
static bool is_news(const struct taking *taking, const struct kernel_record *record,
                    enum kernel_refusal why)
{
    const struct plan_kernel *at = taking->plan->kernel, *end = at + taking->plan->kernels;

    for (; at < end && at != taking->wanted; at++)
        if (at->line == taking->wanted->line && text_same(at->name, taking->wanted->name) &&
            (!record || is_refused(taking, record, at, why)))
            return false;
    return true;
}

/* Writes, for example, "size=16K". */
static unsigned say_of_buffer(const struct taking *taking, const struct kernel_record *record,
                              enum kernel_refusal why, struct out *out)
{
    const struct plan_kernel *line = taking->wanted;

    out_text(out, line->size ? "size=" : line->page_bytes ? "page=" : "memory=");
    return say_values(taking, record, why, out);
}

static void say_page(const struct kernel_record *record, const struct plan_kernel *line,
                     struct out *out)
{
    out_size(out, line->page_bytes ? line->page_bytes : record->page_bytes);
    if (!line->page_bytes)
        out_text(out, ", its page size");
}

static void say_argument(const struct kernel_record *record, const struct plan_kernel *line,
                         struct out *out)
{
    struct nearest best = nearest_to(piece_of(line->argument));

    for (unsigned i = 0; PLAN_PARAMETERS[i]; i++)
        nearest_consider(&best, piece_of(PLAN_PARAMETERS[i]));
    if (record->argument[0])
        nearest_consider(&best, piece_of(record->argument));
    out_printf(out, " has no argument '%s'", line->argument);
    nearest_say(&best, out);
    if (best.count == 0 && record->argument[0])
        out_printf(out, "; its argument is '%s'", record->argument);
}

static void say_refusal(const struct taking *taking, const struct kernel_record *record,
                        enum kernel_refusal why, struct out *out)
{
    const struct plan_kernel *line = taking->wanted;
    bool many;

    out_text(out, record->name);
    switch (why) {
    case KERNEL_TAKES_IT:
        break;
    case KERNEL_HAS_NO_BUFFER:
        out_text(out, " uses no memory; it takes no ");
        say_of_buffer(taking, record, why, out);
        break;
    case KERNEL_WANTS_MORE:
        out_text(out, ": ");
        many = say_of_buffer(taking, record, why, out) > 1;
        out_printf(out, " %s smaller than what it uses, ", many ? "are" : "is");
        out_size(out, record->buffer_bytes);
        break;
    case KERNEL_WANTS_A_PAGE:
    case KERNEL_WANTS_PAGES:
        out_text(out, ": ");
        many = say_of_buffer(taking, record, why, out) > 1;
        out_printf(out, " %s %s of ", many ? "are" : "is",
                   why == KERNEL_WANTS_A_PAGE ? "smaller than a page"
                                              : "not a whole number of pages");
        say_page(record, line, out);
        break;
    case KERNEL_HAS_NO_ARGUMENT:
        say_argument(record, line, out);
        break;
    case KERNEL_OUT_OF_RANGE:
    case KERNEL_BETWEEN_STEPS:
        out_printf(out, ": expected %s from %u to %u in steps of %u, found ", line->argument,
                   record->argument_low, record->argument_high, record->argument_step);
        say_values(taking, record, why, out);
        break;
    }
}

static void add_error(struct taking *taking, const struct kernel_record *record,
                      enum kernel_refusal why)
{
    char text[PLAN_ERROR_BYTES];
    struct out out = out_buffer(text, sizeof(text));

    if (!is_news(taking, record, why))
        return;
    say_refusal(taking, record, why, &out);
    plan_add_error(taking->plan, taking->wanted->line, "%s", out_end(&out));
}

struct kernel_use kernel_use_of(const struct kernel_record *record)
{
    const char *code = (const char *)record;

    return (struct kernel_use){
        .code = record,
        .code_bytes = record->size_bytes,
        .entry = code + record->entry_offset,
        .second_entry = record->second_offset ? code + record->second_offset : 0,
        .prepare = record->prepare_offset ? code + record->prepare_offset : 0,
        .n = record->default_n,
        .buffer_bytes = record->buffer_bytes,
        .buffer_align = record->buffer_align,
        .argument = record->argument_default,
        .page_bytes = record->page_bytes,
        .clobbers = record->clobbers,
    };
}

/*
 * n rounded up to whole rounds, but n itself if the result would exceed KERNEL_N_MAX. If a round is
 * longer than PLAN_N_MAX, the result is the larger of n and PLAN_N_MAX.
 */
static uint64_t whole_rounds(uint64_t n, uint64_t round)
{
    uint64_t rounded = round <= PLAN_N_MAX ? (n + round - 1) / round * round : PLAN_N_MAX;

    return rounded >= n && rounded <= KERNEL_N_MAX ? rounded : n;
}

static void take(struct taking *taking, const struct candidate *from)
{
    const struct plan_kernel *line = taking->wanted;
    const struct kernel_wanted wanted = wanted_of(line);
    const struct kernel_record *record = from->record;
    struct kernel_use use = kernel_use_of(record);
    uint64_t n = line->n ? line->n : taking->plan->n, round;

    if (taking->taken == CHOSEN_MAX) {
        taking->full = true;
        return;
    }
    if (from->code)
        use.twice_entry = from->code->twice_entry;
    if (line->argument[0])
        use.argument = line->argument_value;
    if (line->page_bytes)
        use.page_bytes = line->page_bytes;
    use.buffer_bytes = kernel_buffer_bytes(record, &wanted);
    use.memory = line->memory;
    round = kernel_round(record, use.buffer_bytes, use.argument);
    if (n && !from->code)
        use.n = n;
    else
        use.n = whole_rounds(use.n, round);
    taking->to[taking->taken++] = (struct chosen_kernel){
        .record = record,
        .use = use,
        .file = from->file,
        .code = from->code,
        .line = line->line,
        .is_sized = line->size > 0,
        .is_paged = line->page_bytes > 0,
        .is_counted = line->n > 0 && !from->code,
        .is_argued = line->argument[0] != 0,
    };
}

/*
 * Chooses the kernel that the line names, or adds an error if that kernel refuses the line. Returns
 * false if no kernel has the line's name.
 */
static bool take_named(struct taking *taking)
{
    const struct kernel_wanted wanted = wanted_of(taking->wanted);

    for (unsigned i = 0; i < candidates(taking->offer); i++) {
        const struct candidate from = candidate(taking->offer, i);
        enum kernel_refusal why = kernel_takes(from.record, &wanted);

        if (!kernel_is_named(from.record, taking->wanted->name))
            continue;
        if (from.code && wanted.n)
            plan_add_error(taking->plan, taking->wanted->line,
                           "%s takes no n=%llu: its n follows from unroll= and loop=",
                           from.record->name, (unsigned long long)wanted.n);
        else if (why == KERNEL_TAKES_IT)
            take(taking, &from);
        else
            add_error(taking, from.record, why);
        return true;
    }
    return false;
}

static void say_unknown(const struct taking *taking, struct out *out)
{
    struct nearest best = nearest_to(piece_of(taking->wanted->name));

    for (unsigned i = 0; kernel_word(i); i++)
        nearest_consider(&best, piece_of(kernel_word(i)));
    for (unsigned i = 0; i < candidates(taking->offer); i++) {
        nearest_consider(&best, piece_of(candidate(taking->offer, i).record->name));
        nearest_consider(&best, piece_of(candidate(taking->offer, i).record->family));
    }
    out_printf(out, "there is no kernel or family '%s'", taking->wanted->name);
    nearest_say(&best, out);
    if (best.count == 0)
        out_text(out, "; --list-kernels lists them");
}

/*
 * Says why a line selects no kernel. `first` is the first kernel that the line's word stands for,
 * or null.
 */
static void say_nobody(const struct taking *taking, const struct kernel_record *first,
                       struct out *out)
{
    const struct kernel_wanted wanted = wanted_of(taking->wanted);
    const char *word = taking->wanted->name;

    if (first) {
        out_printf(out, "no kernel of '%s' accepts this line; ", word);
        say_refusal(taking, first, kernel_takes(first, &wanted), out);
    } else if (kernel_is_word(word)) {
        out_printf(out, "there are no kernels for the word '%s'", word);
    } else {
        say_unknown(taking, out);
    }
}

static void take_meant(struct taking *taking)
{
    const struct kernel_wanted wanted = wanted_of(taking->wanted);
    const struct kernel_record *first = 0;
    char text[PLAN_ERROR_BYTES];
    struct out out = out_buffer(text, sizeof(text));
    unsigned taken = 0;

    for (unsigned i = 0; i < candidates(taking->offer); i++) {
        const struct candidate from = candidate(taking->offer, i);

        if (!is_meant(&from, taking->wanted->name))
            continue;
        first = first ? first : from.record;
        if (kernel_takes(from.record, &wanted) != KERNEL_TAKES_IT)
            continue;
        taken++;
        take(taking, &from);
    }
    if (taken > 0 ||
        !is_news(taking, first, first ? kernel_takes(first, &wanted) : KERNEL_TAKES_IT))
        return;
    say_nobody(taking, first, &out);
    plan_add_error(taking->plan, taking->wanted->line, "%s", out_end(&out));
}

static void take_line(struct taking *taking, const struct plan_kernel *line)
{
    taking->wanted = line;
    if (kernel_is_word(line->name) || !take_named(taking))
        take_meant(taking);
}

unsigned chosen_find(const struct kernel_offer *offer, struct plan *plan, struct chosen_kernel *to)
{
    static const struct plan_kernel DEFAULT = {.name = "default"};
    struct taking taking = {.offer = offer, .plan = plan, .to = to};

    for (unsigned i = 0; i < plan->kernels && !taking.full; i++)
        take_line(&taking, &plan->kernel[i]);
    if (taking.full)
        plan_add_error(
            plan, taking.wanted->line,
            "expected at most %u kernels (each combination of values counts as one); the others "
            "are left out",
            CHOSEN_MAX);
    if (taking.taken > 0)
        return taking.taken;
    if (plan->kernels > 0)
        plan_no_kernels(plan);
    take_line(&taking, &DEFAULT);
    return taking.taken;
}

static void describe_places(const struct chosen_kernel *wanted, struct known_kernel *known)
{
    const struct code_kernel *code = wanted->code;

    known->entry_offset = wanted->record->entry_offset;
    known->prepare_offset = wanted->record->prepare_offset;
    known->second_offset = wanted->record->second_offset;
    if (!code)
        return;
    known->twice_offset = (uint32_t)((const char *)code->twice_entry - (const char *)code->record);
    known->init_at = code->init_at;
    known->init_bytes = code->init_bytes;
    known->copy_at = code->copy_at;
    known->copy_bytes = code->copy_bytes;
    known->unroll = code->unroll;
}

static struct expect expect_of(const struct kernel_count *count, uint64_t n)
{
    if (count->kind == KERNEL_NOT_DECLARED)
        return (struct expect){.property = count->property};
    return (struct expect){
        .kind = count->kind == KERNEL_EXACT ? EXPECT_EXACT : EXPECT_RANGE,
        .property = count->property,
        .low = kernel_count_low(count, n),
        .high = kernel_count_high(count, n),
        .low_2n = kernel_count_low(count, 2 * n),
        .high_2n = kernel_count_high(count, 2 * n),
    };
}

void chosen_describe(const struct chosen_kernel *wanted, struct known_kernel *to)
{
    const struct kernel_record *kernel = wanted->record;
    const struct kernel_use *use = &wanted->use;
    struct known_kernel known = {
        .n = use->n,
        .n_given = wanted->is_counted,
        .buffer_bytes = use->buffer_bytes,
        .argument = (uint32_t)use->argument,
        .page_bytes = use->page_bytes,
        .memory = use->memory,
        .flags = kernel->flags | (use->twice_entry ? KNOWN_DIFFERENCE : 0),
        .crc32 = kernel->crc32,
        .cpu_features = kernel->cpu_features,
        .round = kernel_round(kernel, use->buffer_bytes, use->argument),
        .copies = kernel->copies,
    };
    const struct param param = {
        .argument = wanted->is_argued ? kernel->argument : "",
        .argument_value = (uint32_t)use->argument,
        .memory = use->memory,
        .page_bytes = wanted->is_paged ? use->page_bytes : 0,
        .size = wanted->is_sized ? use->buffer_bytes : 0,
    };
    struct out text = out_buffer(known.param, sizeof(known.param));

    text_copy(known.name, sizeof(known.name), kernel->name);
    text_copy(known.title, sizeof(known.title), kernel->title);
    text_copy(known.family, sizeof(known.family), kernel->family);
    text_copy(known.file, sizeof(known.file), wanted->file);
    param_put(&param, &text);
    out_end(&text);
    describe_places(wanted, &known);
    for (unsigned i = 0; i < DECLARED_COUNT; i++)
        known.expect[i] = expect_of(&kernel->declared[i], known.n);
    for (size_t i = 0; i < kernel_listed(kernel); i++) {
        if (kernel->list[i].kind == KERNEL_NO_OTHERS)
            known.no_others = kernel->list[i].property;
        else
            known.list[i] = expect_of(&kernel->list[i], known.n);
    }
    *to = known;
}

void chosen_leave_out(const struct chosen_kernel *wanted, struct left_out *to)
{
    struct known_kernel known;

    chosen_describe(wanted, &known);
    *to = (struct left_out){.n = known.n};
    text_copy(to->name, sizeof(to->name), known.name);
    text_copy(to->param, sizeof(to->param), known.param);
}
