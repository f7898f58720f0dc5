; SPDX-License-Identifier: BSD-2-Clause
;
; @NAME@: a kernel of your own. Build and prove it with: scripts/build-kernel @NAME@.asm
;
; The kernel is called with RDI = n, RSI = its buffer, R8 = bytes of the buffer and R9 = its
; argument or 0, and returns with RET. The code from ENTRY up to the RET is counted; the RET is not.
; The kernel may use a little stack, must preserve RSP and the direction flag, and runs at CPL 0 or
; 3. It must be position independent (local labels: .name), and work on any CPU for any n from 1.

%include "kernel.inc"

; A plan's `kernels=` accepts a family's name for all of its kernels. A family's name is 1 to 15
; characters long and consists of a-z, 0-9 and _.
FAMILY user

; The kernel's name in plans and results, and the kernel's title in --list-kernels. The name must be
; this file's name without its suffix.
KERNEL @NAME@, "n times: a load, an addition, a store"

; The n for plans that do not set n. The kernel runs at n and at 2n.
DEFAULT_N 1000

; Bytes and alignment of the buffer, which is zeroed once. Without BUFFER there is no buffer.
BUFFER 4096, 64

; Registers that PREPARE or the kernel changes; `vectors` means all XMM, YMM and ZMM registers,
; `x87` the x87 state. A change of any other register makes the verdict `fault`.
CLOBBERS r10, rdi

; What is expected of the kernel's counts. `exact, c0, c1` expects c0 + c1 * n. `range, 0, 1, 4, 2`
; expects a count from 0 + 1 * n to 4 + 2 * n. NOT_DECLARED loads, "why not" accepts any count.
DECLARE instructions, exact, 0, 4
DECLARE branches, exact, 0, 1
DECLARE taken_branches, exact, -1, 1 ; the last one falls through
DECLARE loads, exact, 0, 1
DECLARE stores, exact, 0, 1

; PREPARE runs before each window and is not counted. You may leave it out. The kernel starts
; with the registers that PREPARE leaves, except RAX, RCX and RDX.
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

; You may add lines such as NEEDS avx2 (CPU features), ARGUMENT stride, 64, 8, 4096, 8 (the
; value in R9: its name in plans, default, low, high, step), and RING0 (uses privileged
; instructions). See kernels/kernel.inc for all such lines, and kernels/*.asm for examples.
