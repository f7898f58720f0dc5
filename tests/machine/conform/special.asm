; SPDX-License-Identifier: GPL-2.0-or-later
; Kernels that are not in the table of kernels.asm; the tests give their counts.

bits 32

%include "conform.inc"

section .text

; A value that RDPMC reads does not include this RDPMC.
global kernel_read_running, running
kernel_read_running:
        xor ecx, ecx
        rdpmc
        mov ebx, eax
        rdpmc
        mov [running], ebx
        mov [running + 4], eax
        ret

; REP STOSB counts as one instruction, even if QEMU interrupts it.
global kernel_long_rep
kernel_long_rep:
        mov edi, long_bytes
        mov ecx, 70000
        rep stosb
        ret

; Counter 0 continues from the written value with the next instruction.
global kernel_write_running
kernel_write_running:
        mov ecx, 0xc1
        xor edx, edx
        mov eax, 100
        wrmsr
        nop
        ret

global kernel_pmi, pmi_nops, kernel_pmi_held, pmi_held_nops
kernel_pmi:
        sti
pmi_nops:
        times 30 nop
        cli
        ret

; The counter overflows at one of the first three nops. STI enables interrupts only after the next
; nop.
kernel_pmi_held:
        times 3 nop
        sti
pmi_held_nops:
        times 8 nop
        cli
        ret

global kernel_pmi_global, pmi_global_ctrl
kernel_pmi_global:
        sti
        times 30 nop
        cli
        mov ecx, 0x38f
        rdmsr
        mov [pmi_global_ctrl], eax
        mov [pmi_global_ctrl + 4], edx
        ret

; ---- SMM ----------------------------------------------------------------------------------------
; Causes an SMI through port B2h. The jumps let the SMI arrive before IA32_PERF_GLOBAL_CTRL is read.
; The kernel executes 9 instructions.
global kernel_smi, smi_global_ctrl
kernel_smi:
        xor eax, eax
        out 0xb2, al
        jmp .here
.here:  jmp .there
.there: mov ecx, 0x38f
        rdmsr
        mov [smi_global_ctrl], eax
        mov [smi_global_ctrl + 4], edx
        ret

; The SMM handler, which is copied to SMBASE + 8000h. The handler executes 11 instructions including
; RSM. The base of DS is 0. SMM_SEEN gets IA32_PERF_GLOBAL_CTRL and the low half of IA32_DEBUGCTL.
global smm_handler, smm_handler_end
bits 16
smm_handler:
        mov ecx, 0x38f
        rdmsr
        mov [dword SMM_SEEN], eax
        mov [dword SMM_SEEN + 4], edx
        mov ecx, 0x1d9
        rdmsr
        mov [dword SMM_SEEN + 8], eax
        nop
        nop
        nop
        rsm
smm_handler_end:
bits 32

; ---- memory -------------------------------------------------------------------------------------
; Walks over lines. EBX = address of the first line, with the binary logarithm of the stride in its
; low 6 bits; EBP = number of lines. The counts of these walks are in memory.c.
%macro walk 2+
global %1
%1:     mov ecx, ebx
        and ecx, 63
        mov edi, 1
        shl edi, cl
        mov edx, ebx
        and edx, -64
        mov ecx, ebp
.l:     %2
        add edx, edi
        dec ecx
        jnz .l
        ret
%endmacro
        walk kernel_read_lines, mov eax, [edx]
        walk kernel_write_lines, mov [edx], eax

; The access may cross the end of a line.
global kernel_load_once, kernel_store_once
kernel_load_once:
        mov eax, [ebx]
        ret

kernel_store_once:
        mov [ebx], eax
        ret

; The first load is from the address in EBX. The second load is from the address in EBP, or from the
; address that the first load has read.
%macro pair 1-*
global %1
%1:
%rotate 1
        mov edx, [ebx]
%rep %0 - 1
        %1
%rotate 1
%endrep
        ret
%endmacro
        pair kernel_pair, {mov eax, [ebp]}
        pair kernel_pair_near, {times 190 nop}, {mov eax, [ebp]}
        pair kernel_pair_far, {times 191 nop}, {mov eax, [ebp]}
        pair kernel_pair_lfence, lfence, {mov eax, [ebp]}
        pair kernel_pair_mfence, mfence, {mov eax, [ebp]}
        pair kernel_pair_cpuid, {xor eax, eax}, cpuid, {mov eax, [ebp]}
        pair kernel_pair_lock, {lock inc dword [esp - 4]}, {mov eax, [ebp]}
        pair kernel_pair_chased, {mov eax, [edx]}
        pair kernel_pair_computed, {sub edx, ebp}, {add edx, ebp}, \
             {lea ecx, [edx]}, {mov eax, [ecx]}
        pair kernel_pair_zeroed, {xor edx, edx}, {add edx, ebp}, {mov eax, [edx]}
        pair kernel_pair_flags, {test edx, edx}, {sbb ecx, ecx}, {mov eax, [ebp + ecx]}
        pair kernel_pair_summed, {add edx, [ebp]}

; Loads from eleven lines; EBX = address of the first line.
global kernel_eleven
kernel_eleven:
%assign line 0
%rep 11
        mov eax, [ebx + 64 * line]
%assign line line + 1
%endrep
        ret

; EBX = first line of a chain, EBP = number of iterations.
global kernel_chase
kernel_chase:
        mov ecx, ebp
.l:     mov ebx, [ebx]
        dec ecx
        jnz .l
        ret

; EBX, EBP = the first lines of two chains.
global kernel_two_chases
kernel_two_chases:
        mov ecx, 8
.l:     mov ebx, [ebx]
        mov ebp, [ebp]
        dec ecx
        jnz .l
        ret

; EBX = first line, EBP = number of rounds of ten instructions.
global kernel_flush_and_load
kernel_flush_and_load:
        mov ecx, ebp
        mov edx, ebx
.l:     clflush [edx]
        mov eax, [edx]
        add edx, 64
        times 6 nop
        loop .l
        ret

; ---- the predictor ------------------------------------------------------------------------------
; In each iteration, the tested branch is taken if the next bit of EBX is set, starting with the
; lowest bit. EBP = number of iterations.
global kernel_pattern
kernel_pattern:
        mov ecx, ebp
.l:     ror ebx, 1
        jc .past
.past:  dec ecx
        jnz .l
        ret

; EBX = number of nested calls, including the window's.
global kernel_nested
kernel_nested:
        mov ecx, ebx
.deeper:
        dec ecx
        jz .bottom
        call .deeper
.bottom:
        ret

global kernel_own_return
kernel_own_return:
        push .after
        ret
.after: ret

; ---- two CPUs -----------------------------------------------------------------------------------
global kernel_long, kernel_wake_other
extern ipi_done

kernel_long:
        mov ecx, 25000000
.l:     dec ecx
        jnz .l
        ret

; Interrupts the CPU with APIC ID 1, and waits until the interrupted CPU has stored to ipi_done.
; Then waits 10 million ticks, in which the interrupted CPU reaches its final HLT.
kernel_wake_other:
        mov dword [APIC + 0x310], 1 << 24
        mov dword [APIC + 0x300], 0x4000 | IPI_VECTOR
.wait:  pause
        cmp dword [ipi_done], 0
        je .wait
        rdtsc
        lea ebx, [eax + 10000000]
.rest:  pause
        rdtsc
        sub eax, ebx
        js .rest
        ret

section .data
        align 8
running: dd 0, 0
smi_global_ctrl: dq 0
pmi_global_ctrl: dq 0

section .bss align=4096
long_bytes: resb 70000
