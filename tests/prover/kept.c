/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the registers that a traced kernel must preserve. */
#include "tests/prover/kept.h"

#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>

#include "kernels/kernel.h"

#define MXCSR_FLAGS 0x3fu /* sticky exception flags */

static bool failed(struct kept *kept, const char *why)
{
    snprintf(kept->why, kept->why_bytes, "%s", why);
    return false;
}

unsigned long long scrambled(unsigned index)
{
    return (index + 1) * 0x9e3779b97f4a7c15ull;
}

bool vectors_scramble(struct kept *kept, struct user_fpregs_struct *vectors)
{
    if (ptrace(PTRACE_GETFPREGS, kept->child, NULL, vectors) != 0)
        return failed(kept, "its vector registers cannot be read");
    for (unsigned i = 0; i < sizeof(vectors->xmm_space) / sizeof(vectors->xmm_space[0]); i++)
        vectors->xmm_space[i] = (unsigned)(scrambled(i) >> 32);
    return ptrace(PTRACE_SETFPREGS, kept->child, NULL, vectors) == 0 ||
           failed(kept, "its vector registers cannot be set");
}

bool registers_kept(struct kept *kept, const struct user_regs_struct *before,
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
        if (pairs[i].before != pairs[i].after && !(kept->clobbers & 1u << i)) {
            char what[48];
            snprintf(what, sizeof(what), "changes %s and does not declare it", pairs[i].name);
            return failed(kept, what);
        }
    }
    return true;
}

bool vectors_kept(struct kept *kept, const struct user_fpregs_struct *before)
{
    struct user_fpregs_struct now;
    uint32_t clobbers = kept->clobbers;

    if (ptrace(PTRACE_GETFPREGS, kept->child, NULL, &now) != 0)
        return failed(kept, "its vector registers cannot be read");
    if (!(clobbers & KERNEL_CLOBBERS_VECTORS) &&
        memcmp(before->xmm_space, now.xmm_space, sizeof(before->xmm_space)) != 0)
        return failed(kept, "changes a vector register and does not declare it");
    if (((before->mxcsr ^ now.mxcsr) & ~MXCSR_FLAGS) != 0)
        return failed(kept, "changes MXCSR");
    if (before->cwd != now.cwd)
        return failed(kept, "changes the x87 control word");
    if (!(clobbers & KERNEL_CLOBBERS_X87) &&
        (before->swd != now.swd || before->ftw != now.ftw ||
         memcmp(before->st_space, now.st_space, sizeof(before->st_space)) != 0))
        return failed(kept, "changes x87 state and does not declare it");
    return true;
}
