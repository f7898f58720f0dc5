; SPDX-License-Identifier: BSD-2-Clause
;
; @NAME@: a kernel of your own. Build and prove it with: scripts/build-kernel @NAME@.asm
;
; It is called with RDI = n, RSI = its buffer, R8 = bytes of the buffer, R9 = its argument (0 for
; none), and it ends with RET. Counted is what stands between ENTRY and that RET, without the RET.
; It may use a little stack below RSP, must leave RSP and the direction flag as they were, and runs
; at CPL 0: wherever it is loaded (labels are local: .name), on any CPU, for any n from 1 on.

%include "kernel.inc"

; `kernels=` of a plan takes the family's name for all its kernels; at most 15 of a-z 0-9 _.
FAMILY user

; The name in plans and results, as that of the file; a title for --list-kernels.
KERNEL @NAME@, "n times: a load, an addition, a store"

; How often, where the plan does not say. The kernel runs at n and at 2n.
DEFAULT_N 1000

; Bytes and alignment of the buffer; without this line there is none. It is zeroed once.
BUFFER 4096, 64

; Registers that prepare or kernel change, `vectors` for all XMM, YMM and ZMM, `x87`. All others
; must come back as they were: else the rows say `fault`.
CLOBBERS r10, rdi

; What the kernel executes: c0, c1 for c0 + c1 * n. `exact` wants just that; `range, c0, c1, c0, c1`
; anything from the first to the second; NOT_DECLARED loads, "why not" leaves an event open.
DECLARE instructions, exact, 0, 4
DECLARE branches, exact, 0, 1
DECLARE taken_branches, exact, -1, 1 ; the last one falls through
DECLARE loads, exact, 0, 1
DECLARE stores, exact, 0, 1

; Runs before each window, is not counted, and may be left out. All that it leaves in registers, but
; for RAX, RCX and RDX, reaches the kernel.
PREPARE
    mov qword [rsi], 1
    xor r10d, r10d
    ret

ENTRY
.again:
    add r10, [rsi]
    mov [rsi + 8], r10
    dec rdi
    jnz .again
    ret
END_KERNEL

; Further lines: NEEDS avx2 (the CPU's features), ARGUMENT stride, 64, 8, 4096, 8 (a name in plans
; for R9: default, low, high, step), RING0 (uses privileged instructions). kernels/kernel.inc has
; all of them, kernels/*.asm are examples.
