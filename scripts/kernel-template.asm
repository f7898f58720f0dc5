; SPDX-License-Identifier: BSD-2-Clause
;
; @NAME@: a kernel of your own. Build and prove it with: scripts/build-kernel @NAME@.asm
;
; The kernel is called with RDI = n, RSI = its buffer, R8 = bytes of the buffer and R9 = its
; argument or 0. It returns with RET, which is not counted. It must preserve RSP and the direction
; flag. It must be position independent, and all its labels must be local (.name). It must work on
; any CPU for any n from 1. It may use a little stack, and runs at CPL 0 or 3.

%include "kernel.inc"

; A plan's `kernels=` accepts the family's name (1 to 15 characters of a-z, 0-9, _) for all its
; kernels.
FAMILY user

; The name must be this file's name without .asm. The title is for --list-kernels.
KERNEL @NAME@, "n times: a load, an addition, a store"

; The kernel runs at n and at 2n. Plans may set another n.
DEFAULT_N 1000

; Bytes and alignment of the buffer, which is zeroed once. Without a buffer, leave out this line.
BUFFER 4096, 64

; List the registers that PREPARE or the kernel changes; `vectors` means XMM, YMM and ZMM, and
; `x87` means the x87 state. A change of any other register makes the verdict `fault`.
CLOBBERS r10, rdi

; `exact, c0, c1` declares c0 + c1 * n. `range, 0, 1, 4, 2` declares 0 + 1 * n to 4 + 2 * n.
; NOT_DECLARED loads, "why not" accepts any count of loads.
DECLARE instructions, exact, 0, 4
DECLARE branches, exact, 0, 1
DECLARE taken_branches, exact, -1, 1 ; the last is not taken
DECLARE loads, exact, 0, 1
DECLARE stores, exact, 0, 1

; You may leave out PREPARE, which runs before each window and is not counted. The kernel starts
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

; You may add NEEDS avx2 for CPU features, and RING0 for privileged instructions. For a value in R9,
; you may add ARGUMENT stride, 64, 8, 4096, 8 (its name in plans, default, lowest and highest value,
; step). kernels/kernel.inc describes all such lines.
