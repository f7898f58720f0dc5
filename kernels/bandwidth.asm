; SPDX-License-Identifier: BSD-2-Clause
;
; Memory bandwidth. size= selects the cache to measure. Most kernels read, write or copy n lines of
; 64 bytes; a copy reads 64 n bytes and writes as many. A copy goes from the buffer's first half to
; its second half.

FAMILY bandwidth

%define load_8(at)   mov rax, [rbx + at]
%define load_16(at)  movdqa xmm0, [rbx + at]
%define load_32(at)  vmovdqa ymm0, [rbx + at]
%define load_64(at)  vmovdqa64 zmm0, [rbx + at]
%define store_8(at)  mov [at], rax
%define store_16(at) movdqa [at], xmm0
%define store_32(at) vmovdqa [at], ymm0
%define store_64(at) vmovdqa64 [at], zmm0
%define store_nt_8(at)  movnti [at], rax
%define store_nt_16(at) movntdq [at], xmm0
%define store_nt_32(at) vmovntdq [at], ymm0
%define store_nt_64(at) vmovntdq [at], zmm0

%macro NEEDS_8 0
%endmacro
%macro NEEDS_16 0
    CLOBBERS vectors
%endmacro
%macro NEEDS_32 0
    CLOBBERS vectors
    NEEDS avx
%endmacro
%macro NEEDS_64 0
    CLOBBERS vectors
    NEEDS avx512f
%endmacro

%macro ACCESS_read 2
    load_%1(%2)
%endmacro
%macro ACCESS_write 2
    store_%1(rbx + %2)
%endmacro
%macro ACCESS_copy 2
    load_%1(%2)
    store_%1(rbx + r12 + %2)
%endmacro
%macro ACCESS_write_nt 2
    store_nt_%1(rbx + %2)
%endmacro
%macro ACCESS_copy_nt 2
    load_%1(%2)
    store_nt_%1(rbx + r12 + %2)
%endmacro

%macro LINE 2
    %assign line_at 0
    %rep 64 / %2
    ACCESS_%1 %2, line_at
    %assign line_at line_at + %2
    %endrep
%endmacro

; Arguments: the kind of access, the bytes of one access, its number of loads (0 or 1), its number
; of stores (0 or 1), the kind in words for the title. SFENCE waits until non-temporal stores have
; left the core's buffers. VZEROUPPER restores the speed of SSE code.
%macro BANDWIDTH 5
%defstr width_text %2
%strcat bandwidth_title %5, " n lines of 64 bytes, ", width_text, " bytes at a time"
KERNEL %1_%2, bandwidth_title
DEFAULT_N 1000
BUFFER 3200, 64
ROUND buffer, 64 * (%3 + %4)
CLOBBERS rax, rdx, rbx, rdi, r10, r11, r12
NEEDS_%2
%assign bandwidth_fences 0
%if %3
    MOVES reads
%endif
%ifidn %1, write_nt
    %assign bandwidth_fences 1
    MOVES streams
%elifidn %1, copy_nt
    %assign bandwidth_fences 1
    MOVES streams
%elif %4
    MOVES writes
%endif
%assign bandwidth_upper (%2 > 16) & %3
DECLARE_LOOP bandwidth_fences + bandwidth_upper, \
        64 / %2 * (%3 + %4) + WALK_NEXT_INSTRUCTIONS, 64 / %2 * %3, 64 / %2 * %4
PREPARE
    LINES_PREPARE %3 + %4
ENTRY
.again:
    LINE %1, %2
    WALK_NEXT 64, r11
%if bandwidth_fences
    sfence
%endif
%if bandwidth_upper
    vzeroupper
%endif
    ret
END_KERNEL
%endmacro

%macro BANDWIDTH_OF_ALL_WIDTHS 4
    BANDWIDTH %1, 8, %2, %3, %4
    BANDWIDTH %1, 16, %2, %3, %4
    BANDWIDTH %1, 32, %2, %3, %4
    BANDWIDTH %1, 64, %2, %3, %4
%endmacro

BANDWIDTH_OF_ALL_WIDTHS read, 1, 0, "reads"
BANDWIDTH_OF_ALL_WIDTHS write, 0, 1, "writes"
BANDWIDTH_OF_ALL_WIDTHS copy, 1, 1, "copies"
BANDWIDTH_OF_ALL_WIDTHS write_nt, 0, 1, "non-temporal: writes"
BANDWIDTH_OF_ALL_WIDTHS copy_nt, 1, 1, "non-temporal: copies"

; A prefetch past the buffer's end cannot fault.
KERNEL read_prefetchnta, "reads n lines of 64 bytes, each hinted by PREFETCHNTA 8 lines ahead"
DEFAULT_N 1000
BUFFER 3200, 64
ROUND buffer, 64
MOVES reads
CLOBBERS rax, rdx, rbx, rdi, r10, r11, r12, vectors
NOT_DECLARED loads, "some cores count a software prefetch as a load, others do not"
NOT_DECLARED stores, "some cores may count a software prefetch as a store"
DECLARE_LOOP 0, 5 + WALK_NEXT_INSTRUCTIONS
PREPARE
    LINES_PREPARE 1
ENTRY
.again:
    prefetchnta [rbx + 8 * 64]
    LINE read, 16
    WALK_NEXT 64, r11
    ret
END_KERNEL

; A block is what one repeated string instruction stores or copies. Its size is the kernel's
; argument, or less if the buffer is small.
; %1 is 1, or 2 if the buffer's second half is for the copies. %2 is the binary logarithm of the
; bytes of one repetition.
; Output: RBX: first block. RBP: block's size in bytes. R8: buffer. R9: repetitions for a block.
; R10: end of the last whole block. R11: number of blocks. R12: distance from a block to its copy.
%macro BLOCKS_PREPARE 2
    mov r12, r8
    shr r12, %1 - 1
    and r12, -64
    cmp r9, r12
    cmova r9, r12
    mov rax, r12
    xor edx, edx
    div r9
    mul r9
    lea r10, [rsi + rax]
    mov r11, rdi
    mov rbx, rsi
    mov r8, rsi
    mov rbp, r9
    shr r9, %2
    ret
%endmacro

%macro BLOCKS_NEXT 1
    add rbx, rbp
    cmp rbx, r10
    cmove rbx, r8
    dec r11
    jnz %1
%endmacro

; Arguments: string instruction, binary logarithm of the bytes of one repetition, title.
%macro BLOCKS_STORED 3
KERNEL %1_block, %3
DEFAULT_N 256
BUFFER 65536, 64
ARGUMENT block, 256, 64, 65536, 64
ROUND blocks, 1
CLOBBERS rax, rcx, rdx, rbx, rbp, rdi, r8, r9, r10, r11, r12
NOT_DECLARED stores, "cores differ in how many stores they count for one REP instruction"
DECLARE_LOOP 0, 8
PREPARE
    BLOCKS_PREPARE 1, %2
ENTRY
.again:
    mov rcx, r9
    mov rdi, rbx
    rep %1
    BLOCKS_NEXT .again
    ret
END_KERNEL
%endmacro

%macro BLOCKS_COPIED 3
KERNEL %1_block, %3
DEFAULT_N 256
BUFFER 131072, 64
ARGUMENT block, 256, 64, 65536, 64
ROUND blocks, 2
CLOBBERS rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12
NOT_DECLARED loads, "cores differ in how many loads they count for one REP instruction"
NOT_DECLARED stores, "cores differ in how many stores they count for one REP instruction"
DECLARE_LOOP 0, 9
PREPARE
    BLOCKS_PREPARE 2, %2
ENTRY
.again:
    mov rcx, r9
    mov rsi, rbx
    lea rdi, [rbx + r12]
    rep %1
    BLOCKS_NEXT .again
    ret
END_KERNEL
%endmacro

BLOCKS_STORED stosb, 0, "n times rep stosb of a block"
BLOCKS_STORED stosq, 3, "n times rep stosq of a block"
BLOCKS_COPIED movsb, 0, "n times rep movsb of a block"
BLOCKS_COPIED movsq, 3, "n times rep movsq of a block"
