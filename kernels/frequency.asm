; SPDX-License-Identifier: BSD-2-Clause
;
; Core cycles divided by reference cycles show the core's frequency. On some cores, instructions on
; wide vectors reduce that frequency. On Intel's cores (1 cycle per add, 3 per multiplication), the
; first two kernels take about 320,000 and 240,000 cycles.

FAMILY frequency

KERNEL freq_add_chain, "n times: 16 dependent register adds; a long run"
DEFAULT_N 20000
CHAIN 16, add

KERNEL freq_imul_chain, "n times: 8 dependent 64-bit multiplications; a long run"
DEFAULT_N 10000
CHAIN 8, imul

; Ten independent chains keep two multipliers busy. The kernels make the number 1.0 (only bits 61:52
; are 1) by two shifts of a register whose bits are all 1.
%macro FMA_CHAINS 1
    %assign chain 0
    %rep 10
    vmovapd %1%[chain], %{1}15
    %assign chain chain + 1
    %endrep
.again:
    %assign chain 0
    %rep 10
    vfmadd231pd %1%[chain], %{1}15, %{1}15
    %assign chain chain + 1
    %endrep
    dec rdi
    jnz .again
    vzeroupper
    ret
%endmacro

KERNEL freq_fma_256, "n times: 10 independent FMAs of 256 bits; a long run"
DEFAULT_N 10000
NEEDS avx2, fma
CLOBBERS rdi, vectors
COPIES 10
DECLARE_LOOP 14, 12
ENTRY
    vpcmpeqq ymm15, ymm15, ymm15
    vpsllq ymm15, ymm15, 54
    vpsrlq ymm15, ymm15, 2
    FMA_CHAINS ymm
END_KERNEL

KERNEL freq_fma_512, "n times: 10 independent FMAs of 512 bits; a long run"
DEFAULT_N 10000
NEEDS avx512f
CLOBBERS rdi, vectors
COPIES 10
DECLARE_LOOP 15, 12
ENTRY
    vpcmpeqq xmm15, xmm15, xmm15
    vpsllq xmm15, xmm15, 54
    vpsrlq xmm15, xmm15, 2
    vbroadcastsd zmm15, xmm15
    FMA_CHAINS zmm
END_KERNEL
