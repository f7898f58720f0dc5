/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a kernel under ptrace, instruction by instruction. */
#include "tests/prover/trace.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/check.h"
#include "tests/prover/decode.h"
#include "tests/prover/kept.h"
#include "tests/prover/region.h"
#include "tests/prover/whole.h"

#define RFLAGS_DF (1u << 10)
#define INT3      0xcc

#define PLACE_SIZE 40u /* for texts such as " at PREPARE+0x1c" */

/*
 * Limit of a second run, which locates a stray access. This number of steps takes about ten
 * seconds.
 */
#define STRAY_STEPS_MAX 200000u

/* CF, PF, AF, ZF, SF and OF, on which a kernel must not rely. */
#define RFLAGS_SCRAMBLED 0x8d5u

struct trace {
    const struct kernel_record *kernel;
    struct region code;
    struct region buffer;
    struct region stack;
    struct effect *effects; /* by offset into the code, decoded on demand */
    bool *ran;              /* by offset into the code: whether the instruction was executed */
    pid_t child;
    uint32_t argument;
    uint64_t steps;
    uint64_t steps_max;
    bool is_declared; /* steps_max was computed from what the kernel declares */
    uint64_t at;      /* address of the last stepped instruction; 0 after the return */
    bool strays;      /* the kernel or prepare wrote outside the buffer */
    bool finds_stray; /* check after each store */
    uint64_t *counts; /* null: the kernel runs at full speed */
    bool *has_rep;
    char *why;
    size_t why_bytes;
};

static bool __attribute__((format(printf, 2, 3)))
broken(struct trace *trace, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(trace->why, trace->why_bytes, format, arguments);
    va_end(arguments);
    return false;
}

/* " at ENTRY+0x1c", for example; "" for a place outside the code. */
static const char *place(const struct trace *trace, uint64_t rip, char text[PLACE_SIZE])
{
    const struct kernel_record *kernel = trace->kernel;
    const struct {
        const char *name; /* as in kernels/kernel.inc */
        uint32_t at;
    } part[] = {{"ENTRY", kernel->entry_offset},
                {"PREPARE", kernel->prepare_offset},
                {"SECOND", kernel->second_offset}};
    uint64_t offset = rip - (uintptr_t)trace->code.own;
    uint32_t last = 0;

    text[0] = '\0';
    if (offset >= kernel->record_bytes + kernel->code_bytes)
        return text;
    for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        if (part[i].at <= last || part[i].at > offset)
            continue;
        last = part[i].at;
        snprintf(text, PLACE_SIZE, " at %s+0x%" PRIx64, part[i].name, offset - last);
    }
    return text;
}

static bool raises(struct trace *trace, const char *what, int signal, uint64_t rip)
{
    char text[PLACE_SIZE];

    return broken(trace, "%sraises %s%s", what, strsignal(signal), place(trace, rip, text));
}

/* Null if RIP is outside the code, or the instruction is unknown. */
static const struct effect *effect_at(struct trace *trace, uint64_t rip)
{
    const uint8_t *first = trace->code.own + trace->kernel->record_bytes;
    uint64_t offset = rip - (uintptr_t)first;
    struct effect *effect;
    char text[PLACE_SIZE];

    if (offset >= trace->kernel->code_bytes) {
        broken(trace, "jumps out of its code%s", place(trace, trace->at, text));
        return NULL;
    }
    effect = &trace->effects[offset];
    if (!trace->ran[offset]) {
        decode(first + offset, trace->kernel->code_bytes - offset, effect);
        trace->ran[offset] = true;
    }
    if (!effect->known) {
        broken(trace, "the prover's table lacks what is%s: %s", place(trace, rip, text),
               effect->text);
        return NULL;
    }
    trace->at = rip;
    return effect;
}

/* Whether the access crosses a line. `next` is the address of the next instruction. */
static bool is_split(const struct access *access, const struct user_regs_struct *regs,
                     uint64_t next)
{
    const uint64_t values[] = {
        [0] = regs->rax, regs->rcx, regs->rdx, regs->rbx, regs->rsp,         regs->rbp,
        regs->rsi,       regs->rdi, regs->r8,  regs->r9,  regs->r10,         regs->r11,
        regs->r12,       regs->r13, regs->r14, regs->r15, [BASE_RIP] = next, [BASE_NONE] = 0};
    const uint64_t first =
        values[access->base] + (uint64_t)access->offset + values[access->index] * access->scale;

    return access->bytes > 0 && first / 64 != (first + access->bytes - 1) / 64;
}

/*
 * Leaves out the accesses of PUSH, CALL and the like: the stack is aligned, so none of them is
 * split.
 */
static void count_splits(struct trace *trace, const struct effect *effect,
                         const struct user_regs_struct *before)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct access *access = &effect->access[i];
        const bool splits = is_split(access, before, before->rip + effect->bytes);

        trace->counts[PROPERTY_SPLIT_LOADS] += splits && access->loads;
        trace->counts[PROPERTY_SPLIT_STORES] += splits && access->stores;
    }
}

static void count(struct trace *trace, const struct effect *effect,
                  const struct user_regs_struct *before)
{
    const bool taken = branch_is_taken(effect, before->eflags, before->rcx);

    effect_count(effect, trace->counts);
    trace->counts[KERNEL_TAKEN_BRANCHES] += taken;
    count_splits(trace, effect, before);
    if (!branch_is_conditional(effect))
        return;
    trace->counts[taken ? PROPERTY_CONDITIONAL_TAKEN : PROPERTY_NOT_TAKEN]++;
    trace->counts[PROPERTY_FORWARD_TAKEN] += taken && effect->target >= effect->bytes;
}

/* *signal gets the signal that stops the child. */
static bool resume(struct trace *trace, enum __ptrace_request how, int *signal)
{
    int status = 0;

    if (ptrace(how, trace->child, NULL, NULL) != 0 ||
        waitpid(trace->child, &status, 0) != trace->child || !WIFSTOPPED(status))
        return broken(trace, "the traced process is gone");
    *signal = WSTOPSIG(status);
    return true;
}

static bool get_registers(struct trace *trace, struct user_regs_struct *regs)
{
    return ptrace(PTRACE_GETREGS, trace->child, NULL, regs) == 0 ||
           broken(trace, "its registers cannot be read");
}

static bool step(struct trace *trace, struct user_regs_struct *regs)
{
    int signal = 0;

    if (++trace->steps > trace->steps_max)
        return broken(trace,
                      trace->is_declared
                          ? "runs away: no return after %" PRIu64 " steps"
                          : "no return after %" PRIu64 " steps: it runs away, or does too much in "
                            "each n to be counted; do less in each n, or declare its instructions "
                            "by hand",
                      trace->steps_max);
    if (!resume(trace, PTRACE_SINGLESTEP, &signal))
        return false;
    if (signal != SIGTRAP)
        return raises(trace, "", signal, regs->rip);
    return get_registers(trace, regs);
}

/*
 * Executes an instruction without single-stepping it. A single-stepped string instruction with REP
 * would trap at each repetition. The child runs to an INT3, which replaces the byte after the
 * instruction in the child's copy of the code.
 */
static bool step_over(struct trace *trace, const struct effect *effect,
                      struct user_regs_struct *regs)
{
    uint64_t behind = regs->rip + effect->bytes;
    long code = ptrace(PTRACE_PEEKTEXT, trace->child, behind, NULL);
    int signal = 0;

    if (ptrace(PTRACE_POKETEXT, trace->child, behind, (code & ~0xffl) | INT3) != 0)
        return broken(trace, "its code cannot be written");
    if (!resume(trace, PTRACE_CONT, &signal))
        return false;
    if (signal != SIGTRAP)
        return raises(trace, "", signal, regs->rip);
    if (!get_registers(trace, regs))
        return false;
    if (regs->rip != behind + 1)
        return broken(trace, "is not %u bytes long: %s", effect->bytes, effect->text);
    regs->rip = behind;
    if (ptrace(PTRACE_POKETEXT, trace->child, behind, code) != 0 ||
        ptrace(PTRACE_SETREGS, trace->child, NULL, regs) != 0)
        return broken(trace, "its code cannot be written");
    return true;
}

static bool stays_in_buffer(struct trace *trace, const char *what)
{
    trace->strays = !is_untouched_around(&trace->buffer);
    return !trace->strays || broken(trace, "%swrites outside its buffer", what);
}

/* Counts the events of the kernel until it returns to `home`. The return is not counted. */
static bool run_counted(struct trace *trace, uint64_t home, struct user_regs_struct *regs)
{
    for (;;) {
        struct user_regs_struct before = *regs;
        const struct effect *effect = effect_at(trace, before.rip);
        if (effect == NULL || !(effect->repeats || effect->emulated ? step_over(trace, effect, regs)
                                                                    : step(trace, regs)))
            return false;
        if (trace->finds_stray && (effect->stores > 0 || effect->repeats) &&
            !stays_in_buffer(trace, ""))
            return false;
        if (effect->returns && regs->rip == home) {
            trace->at = 0;
            return true;
        }
        if (effect->branch == BRANCH_NONE && regs->rip != before.rip + effect->bytes)
            return broken(trace, "is not %u bytes long: %s", effect->bytes, effect->text);
        count(trace, effect, &before);
        if (effect->repeats && trace->has_rep)
            *trace->has_rep = true;
    }
}

/* The return faults, since `home` is not executable. */
static bool run_uncounted(struct trace *trace, const char *what, uint64_t home,
                          struct user_regs_struct *regs)
{
    struct rlimit seconds = {RUN_SECONDS_MAX, RLIM_INFINITY};
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    int signal = 0;

    if (prlimit(trace->child, RLIMIT_CPU, &seconds, NULL) != 0)
        return broken(trace, "its CPU time cannot be limited");
    if (!resume(trace, PTRACE_CONT, &signal) || !get_registers(trace, regs))
        return false;
    if (signal == SIGXCPU)
        return broken(trace, "%sruns away: no return after %u s", what, RUN_SECONDS_MAX);
    if (signal != SIGSEGV || regs->rip != home)
        return raises(trace, what, signal, regs->rip);
    return prlimit(trace->child, RLIMIT_CPU, &none, NULL) == 0 ||
           broken(trace, "its CPU time cannot be limited");
}

/* Steps through the kernel only if its instructions are counted. */
static bool call(struct trace *trace, uint32_t offset, struct user_regs_struct *regs)
{
    uint8_t *top = trace->stack.own + trace->stack.own_bytes;
    uint64_t home = (uintptr_t)trace->code.start; /* in an inaccessible page */
    bool is_kernel = offset == trace->kernel->entry_offset;

    memcpy(top - sizeof(home), &home, sizeof(home));
    regs->rsp = (uintptr_t)top - sizeof(home);
    regs->rip = (uintptr_t)trace->code.own + offset;
    regs->orig_rax = ~0ull; /* the child stopped in a system call, which must not restart */
    if (ptrace(PTRACE_SETREGS, trace->child, NULL, regs) != 0)
        return broken(trace, "its registers cannot be set");
    if (!(is_kernel && trace->counts != NULL
              ? run_counted(trace, home, regs)
              : run_uncounted(trace, is_kernel ? "the kernel " : "prepare ", home, regs)))
        return false;
    if (regs->rsp != (uintptr_t)top)
        return broken(trace, "returns with another RSP");
    return (regs->eflags & RFLAGS_DF) == 0 || broken(trace, "returns with DF = 1");
}

/* Calls prepare or the kernel, and checks that it changes only the registers in `clobbers`. */
static bool call_guarded(struct trace *trace, uint32_t offset, struct user_regs_struct *regs)
{
    bool prepares = offset == trace->kernel->prepare_offset;
    struct kept kept = {trace->child, trace->kernel->clobbers, trace->why, trace->why_bytes};
    struct user_fpregs_struct vectors;
    struct user_regs_struct before;

    regs->rax = scrambled(0);
    regs->rcx = prepares ? 0 : scrambled(1); /* prepare gets role 0 and its buffer (kernel.h) */
    regs->rdx = prepares ? regs->rsi : scrambled(2);
    regs->eflags ^= RFLAGS_SCRAMBLED;
    before = *regs;
    return vectors_scramble(&kept, &vectors) && call(trace, offset, regs) &&
           registers_kept(&kept, &before, regs) && vectors_kept(&kept, &vectors);
}

static bool run(struct trace *trace, uint64_t n)
{
    struct user_regs_struct regs;
    uint32_t prepare = trace->kernel->prepare_offset;

    if (!get_registers(trace, &regs))
        return false;
    regs.rbx = scrambled(3);
    regs.rbp = scrambled(5);
    regs.rsi = trace->kernel->buffer_bytes != 0 ? (uintptr_t)trace->buffer.own : 0;
    regs.rdi = n;
    regs.r8 = trace->kernel->buffer_bytes;
    regs.r9 = trace->argument;
    regs.r10 = scrambled(10);
    regs.r11 = scrambled(11);
    regs.r12 = scrambled(12);
    regs.r13 = scrambled(13);
    regs.r14 = scrambled(14);
    regs.r15 = scrambled(15);
    if (prepare != 0 &&
        (!call_guarded(trace, prepare, &regs) || !stays_in_buffer(trace, "prepare ")))
        return false;
    if (trace->counts != NULL)
        memset(trace->counts, 0, KERNEL_COUNTS * sizeof(trace->counts[0]));
    if (!call_guarded(trace, trace->kernel->entry_offset, &regs))
        return false;
    if (!stays_in_buffer(trace, ""))
        return false;
    return is_untouched_around(&trace->stack) || broken(trace, "writes above its stack");
}

/* Sets the largest number of steps that the kernel may take (prover/trace.h). */
static void bound_steps(struct trace *trace, const struct values *values)
{
    const struct kernel_count *declared = &trace->kernel->declared[KERNEL_INSTRUCTIONS];
    int64_t most = kernel_count_high(declared, values->n);

    trace->is_declared = values->steps == 0 && declared->kind != KERNEL_NOT_DECLARED && most >= 0;
    if (trace->is_declared)
        trace->steps_max = 4 * (uint64_t)most + TRACE_STEPS_SPARE;
    else
        trace->steps_max = values->steps ? values->steps : TRACE_STEPS_UNDECLARED;
}

static bool open_regions(struct trace *trace)
{
    const struct kernel_record *kernel = trace->kernel;
    size_t align = kernel->buffer_align > 0 ? kernel->buffer_align : 1;

    if (kernel->page_bytes > align)
        align = kernel->page_bytes;
    trace->effects = calloc(kernel->code_bytes, sizeof(trace->effects[0]));
    trace->ran = calloc(kernel->code_bytes, sizeof(trace->ran[0]));
    if (trace->effects == NULL || trace->ran == NULL ||
        !region_open(&trace->code, kernel->size_bytes, kernel->code_align, MAP_PRIVATE) ||
        !region_open(&trace->buffer, kernel->buffer_bytes, align, MAP_SHARED) ||
        !region_open(&trace->stack, PAGE, PAGE, MAP_SHARED))
        return broken(trace, "the host has no memory for it");
    memcpy(trace->code.own, kernel, kernel->size_bytes);
    if (mprotect(trace->code.start + PAGE, trace->code.bytes - 2 * PAGE, PROT_READ | PROT_EXEC))
        return broken(trace, "its code cannot be made executable");
    return true;
}

static bool trace_child(struct trace *trace, uint64_t n)
{
    bool fine;
    int status = 0;

    trace->child = fork();
    if (trace->child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(1);
        kill(getpid(), SIGSTOP);
        _exit(1);
    }
    if (trace->child < 0)
        return broken(trace, "no process can be started for it");
    fine = waitpid(trace->child, &status, 0) == trace->child && WIFSTOPPED(status);
    if (fine) {
        fine = run(trace, n);
    } else {
        broken(trace, "no process can be traced here");
    }
    kill(trace->child, SIGKILL);
    waitpid(trace->child, &status, 0);
    return fine;
}

static void close_regions(struct trace *trace)
{
    region_close(&trace->code);
    region_close(&trace->buffer);
    region_close(&trace->stack);
    free(trace->effects);
    free(trace->ran);
}

/* Runs the kernel again, and appends to `why` the place of its first write outside its buffer. */
static void find_stray(const struct trace *strayed, uint64_t n)
{
    uint64_t counts[KERNEL_COUNTS];
    char why[160], text[PLACE_SIZE];
    size_t said = strlen(strayed->why);
    struct trace trace = {.kernel = strayed->kernel,
                          .argument = strayed->argument,
                          .steps_max = STRAY_STEPS_MAX,
                          .finds_stray = true,
                          .counts = counts,
                          .why = why,
                          .why_bytes = sizeof(why)};

    if (open_regions(&trace) && !trace_child(&trace, n) && trace.strays && trace.at != 0)
        snprintf(strayed->why + said, strayed->why_bytes - said, "%s",
                 place(&trace, trace.at, text));
    close_regions(&trace);
}

bool trace_kernel(const struct kernel_record *kernel, const struct values *values,
                  uint64_t counts[KERNEL_COUNTS], char *why, size_t why_bytes)
{
    struct trace trace = {.kernel = kernel,
                          .argument = values->argument,
                          .counts = counts,
                          .has_rep = values->has_rep,
                          .why = why,
                          .why_bytes = why_bytes};
    bool fine;

    bound_steps(&trace, values);
    fine = open_regions(&trace) && trace_child(&trace, values->n);
    if (trace.strays)
        find_stray(&trace, values->n);
    if (fine && values->whole && counts != NULL)
        fine = is_whole(kernel, trace.ran, why, why_bytes);
    close_regions(&trace);
    return fine;
}
