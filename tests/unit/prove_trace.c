/* SPDX-License-Identifier: BSD-2-Clause */
#include "prove_trace.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prove_decode.h"
#include "prove_region.h"

#define PAGE      4096u
#define RFLAGS_DF (1u << 10)

#define MXCSR_FLAGS 0x3fu /* of exceptions that have come up: they stay */

/* CF, PF, AF, ZF, SF and OF: a kernel must not rely on any. */
#define RFLAGS_SCRAMBLED 0x8d5u

struct trace {
    const struct kernel_record *kernel;
    struct region code;
    struct region buffer;
    struct region stack;
    struct effect *effects; /* by offset into the code; decoded when first met */
    bool *decoded;
    pid_t child;
    uint32_t argument;
    uint64_t steps;
    uint64_t *counts;
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

/* A number that looks like nothing a kernel could want, differently for each register. */
static unsigned long long scrambled(unsigned index)
{
    return (index + 1) * 0x9e3779b97f4a7c15ull;
}

static void scramble_vectors(struct user_fpregs_struct *vectors)
{
    for (unsigned i = 0; i < sizeof(vectors->xmm_space) / sizeof(vectors->xmm_space[0]); i++)
        vectors->xmm_space[i] = (unsigned)(scrambled(i) >> 32);
}

/* In the order of their encoding, as the clobbers' bits; RSP is compared apart. */
static bool registers_kept(struct trace *trace, const struct user_regs_struct *before,
                           const struct user_regs_struct *after)
{
    const struct {
        const char *name;
        unsigned long long before;
        unsigned long long after;
    } pairs[16] = {
        {"rax", before->rax, after->rax},
        {"rcx", before->rcx, after->rcx},
        {"rdx", before->rdx, after->rdx},
        {"rbx", before->rbx, after->rbx},
        {"rsp", 0, 0},
        {"rbp", before->rbp, after->rbp},
        {"rsi", before->rsi, after->rsi},
        {"rdi", before->rdi, after->rdi},
        {"r8", before->r8, after->r8},
        {"r9", before->r9, after->r9},
        {"r10", before->r10, after->r10},
        {"r11", before->r11, after->r11},
        {"r12", before->r12, after->r12},
        {"r13", before->r13, after->r13},
        {"r14", before->r14, after->r14},
        {"r15", before->r15, after->r15},
    };

    for (unsigned i = 0; i < 16; i++) {
        if (pairs[i].before != pairs[i].after && !(trace->kernel->clobbers & 1u << i))
            return broken(trace, "changes %s and does not declare it", pairs[i].name);
    }
    return true;
}

static bool vectors_kept(struct trace *trace, const struct user_fpregs_struct *before,
                         const struct user_fpregs_struct *after)
{
    uint32_t clobbers = trace->kernel->clobbers;

    if (!(clobbers & KERNEL_CLOBBERS_VECTORS) &&
        memcmp(before->xmm_space, after->xmm_space, sizeof(before->xmm_space)) != 0)
        return broken(trace, "changes a vector register and does not declare it");
    if (((before->mxcsr ^ after->mxcsr) & ~MXCSR_FLAGS) != 0)
        return broken(trace, "changes MXCSR");
    if (before->cwd != after->cwd)
        return broken(trace, "changes the x87 control word");
    if (!(clobbers & KERNEL_CLOBBERS_X87) &&
        (before->swd != after->swd || before->ftw != after->ftw ||
         memcmp(before->st_space, after->st_space, sizeof(before->st_space)) != 0))
        return broken(trace, "changes x87 state and does not declare it");
    return true;
}

/* What the instruction at RIP does; NULL when it is outside the code or unknown. */
static const struct effect *effect_at(struct trace *trace, uint64_t rip)
{
    const uint8_t *first = trace->code.own + sizeof(struct kernel_record);
    uint64_t offset = rip - (uintptr_t)first;
    struct effect *effect;

    if (offset >= trace->kernel->code_bytes) {
        broken(trace, "jumps out of its code");
        return NULL;
    }
    effect = &trace->effects[offset];
    if (!trace->decoded[offset]) {
        decode(first + offset, trace->kernel->code_bytes - offset, effect);
        trace->decoded[offset] = true;
    }
    if (!effect->known) {
        broken(trace, "the prover's table lacks: %s (code + %#llx)", effect->text,
               (unsigned long long)offset);
        return NULL;
    }
    return effect;
}

static void count(struct trace *trace, const struct effect *effect,
                  const struct user_regs_struct *before)
{
    trace->counts[KERNEL_INSTRUCTIONS]++;
    trace->counts[KERNEL_BRANCHES] += effect->branch != BRANCH_NONE;
    trace->counts[KERNEL_TAKEN_BRANCHES] += branch_is_taken(effect, before->eflags, before->rcx);
    trace->counts[KERNEL_LOADS] += effect->loads;
    trace->counts[KERNEL_STORES] += effect->stores;
}

static bool step(struct trace *trace)
{
    int status;

    if (++trace->steps > TRACE_STEPS_MAX)
        return broken(trace, "runs away: no return after %llu steps", TRACE_STEPS_MAX);
    if (ptrace(PTRACE_SINGLESTEP, trace->child, NULL, NULL) != 0 ||
        waitpid(trace->child, &status, 0) != trace->child || !WIFSTOPPED(status))
        return broken(trace, "the traced process is gone");
    if (WSTOPSIG(status) != SIGTRAP)
        return broken(trace, "raises %s", strsignal(WSTOPSIG(status)));
    return true;
}

/*
 * CALL the code at an offset and step until it returns. A repeated string instruction traps once
 * for each repetition and counts when it is done. The return that ends it is not counted.
 */
static bool call(struct trace *trace, uint32_t offset, struct user_regs_struct *regs)
{
    uint8_t *top = trace->stack.own + trace->stack.own_bytes;
    uint64_t home = (uintptr_t)trace->code.start; /* no code is there: never executed */

    memcpy(top - sizeof(home), &home, sizeof(home));
    regs->rsp = (uintptr_t)top - sizeof(home);
    regs->rip = (uintptr_t)trace->code.own + offset;
    regs->orig_rax = ~0ull; /* the child stopped in a system call: do not restart it */
    if (ptrace(PTRACE_SETREGS, trace->child, NULL, regs) != 0)
        return broken(trace, "its registers cannot be set");
    for (;;) {
        struct user_regs_struct before = *regs;
        const struct effect *effect = effect_at(trace, before.rip);
        if (effect == NULL || !step(trace))
            return false;
        if (ptrace(PTRACE_GETREGS, trace->child, NULL, regs) != 0)
            return broken(trace, "its registers cannot be read");
        if (effect->returns && regs->rip == home)
            break;
        if (effect->branch == BRANCH_NONE && regs->rip != before.rip + effect->bytes &&
            !(effect->repeats && regs->rip == before.rip))
            return broken(trace, "is not %u bytes long: %s", effect->bytes, effect->text);
        if (!effect->repeats || regs->rip != before.rip)
            count(trace, effect, &before);
    }
    if (regs->rsp != (uintptr_t)top)
        return broken(trace, "returns with another RSP");
    return (regs->eflags & RFLAGS_DF) == 0 || broken(trace, "returns with DF = 1");
}

/* The same for prepare and kernel: what is not in its clobbers must not change. */
static bool call_guarded(struct trace *trace, uint32_t offset, struct user_regs_struct *regs)
{
    struct user_fpregs_struct vectors;
    struct user_fpregs_struct vectors_after;
    struct user_regs_struct before;

    bool prepares = offset == trace->kernel->prepare_offset;

    regs->rax = scrambled(0);
    regs->rcx = prepares ? 0 : scrambled(1); /* the first role, whose buffer is its own */
    regs->rdx = prepares ? regs->rsi : scrambled(2);
    regs->eflags ^= RFLAGS_SCRAMBLED;
    before = *regs;
    if (ptrace(PTRACE_GETFPREGS, trace->child, NULL, &vectors) != 0)
        return broken(trace, "its vector registers cannot be read");
    scramble_vectors(&vectors);
    if (ptrace(PTRACE_SETFPREGS, trace->child, NULL, &vectors) != 0)
        return broken(trace, "its vector registers cannot be set");
    if (!call(trace, offset, regs))
        return false;
    if (ptrace(PTRACE_GETFPREGS, trace->child, NULL, &vectors_after) != 0)
        return broken(trace, "its vector registers cannot be read");
    return registers_kept(trace, &before, regs) && vectors_kept(trace, &vectors, &vectors_after);
}

static bool run(struct trace *trace, uint64_t n)
{
    struct user_regs_struct regs;
    uint32_t prepare = trace->kernel->prepare_offset;

    if (ptrace(PTRACE_GETREGS, trace->child, NULL, &regs) != 0)
        return broken(trace, "its registers cannot be read");
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
    if (prepare != 0 && !call_guarded(trace, prepare, &regs))
        return false;
    memset(trace->counts, 0, KERNEL_DECLARATIONS * sizeof(trace->counts[0]));
    if (!call_guarded(trace, trace->kernel->entry_offset, &regs))
        return false;
    if (!is_untouched_around(&trace->buffer))
        return broken(trace, "writes beside its buffer");
    return is_untouched_around(&trace->stack) || broken(trace, "writes above its stack");
}

static bool open_regions(struct trace *trace)
{
    const struct kernel_record *kernel = trace->kernel;
    size_t align = kernel->buffer_align > 0 ? kernel->buffer_align : 1;

    if (kernel->page_bytes > align)
        align = kernel->page_bytes;
    trace->effects = calloc(kernel->code_bytes, sizeof(trace->effects[0]));
    trace->decoded = calloc(kernel->code_bytes, sizeof(trace->decoded[0]));
    if (trace->effects == NULL || trace->decoded == NULL ||
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
    int status;

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

bool trace_kernel(const struct kernel_record *kernel, uint64_t n, uint32_t argument,
                  uint64_t counts[KERNEL_DECLARATIONS], char *why, size_t why_bytes)
{
    struct trace trace = {.kernel = kernel,
                          .argument = argument,
                          .counts = counts,
                          .why = why,
                          .why_bytes = why_bytes};
    bool fine = open_regions(&trace) && trace_child(&trace, n);

    region_close(&trace.code);
    region_close(&trace.buffer);
    region_close(&trace.stack);
    free(trace.effects);
    free(trace.decoded);
    return fine;
}
