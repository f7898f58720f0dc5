; SPDX-License-Identifier: BSD-2-Clause
;
; Bit i of a line's byte mask is set if byte i of the line is zero. The kernel itself clears a
; vector register, because only general registers keep the values that `prepare` sets.

FAMILY byte_mask

KERNEL sse_byte_mask, "byte masks of n lines of 64 bytes, by SSE2"
KNOWN
DEFAULT_N 1000
BUFFER 64000, 64
ROUND buffer, 64
CLOBBERS rax, rcx, rbx, rdi, r8, r10, r11, vectors
DECLARE_LOOP 1, 19 + WALK_NEXT_INSTRUCTIONS, 4, 0
PREPARE
    xor r11d, r11d
    WALK_PREPARE 64
ENTRY
    pxor xmm0, xmm0
.again:
    movdqa xmm1, [rbx + 48]
    pcmpeqb xmm1, xmm0
    pmovmskb eax, xmm1
    movdqa xmm1, [rbx + 32]
    pcmpeqb xmm1, xmm0
    pmovmskb ecx, xmm1
    shl rax, 16
    or rax, rcx
    movdqa xmm1, [rbx + 16]
    pcmpeqb xmm1, xmm0
    pmovmskb ecx, xmm1
    shl rax, 16
    or rax, rcx
    movdqa xmm1, [rbx]
    pcmpeqb xmm1, xmm0
    pmovmskb ecx, xmm1
    shl rax, 16
    or rax, rcx
    xor r11, rax
    WALK_NEXT 64, rsi
    ret
END_KERNEL

KERNEL avx_byte_mask, "byte masks of n lines of 64 bytes, by AVX2"
KNOWN
DEFAULT_N 1000
BUFFER 64000, 64
ROUND buffer, 64
NEEDS avx2
CLOBBERS rax, rcx, rbx, rdi, r8, r10, r11, vectors
DECLARE_LOOP 2, 7 + WALK_NEXT_INSTRUCTIONS, 2, 0
PREPARE
    xor r11d, r11d
    WALK_PREPARE 64
ENTRY
    vpxor xmm0, xmm0, xmm0
.again:
    vpcmpeqb ymm1, ymm0, [rbx + 32]
    vpmovmskb eax, ymm1
    vpcmpeqb ymm2, ymm0, [rbx]
    vpmovmskb ecx, ymm2
    shl rax, 32
    or rax, rcx
    xor r11, rax
    WALK_NEXT 64, rsi
    vzeroupper
    ret
END_KERNEL
