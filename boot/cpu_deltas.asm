; SPDX-License-Identifier: BSD-2-Clause
; The window of counters that run freely. See boot/cpu_deltas.h for its contract.
;
; One WRMSR opens the counters and serialises; each is read (t0), the kernel called, each is read
; again (t1), an empty kernel called, and each is read once more (t2). From its read at t0 to that
; at t1 a counter sees, beside the kernel: what is behind its RDPMC in one READ_ALL, a CALL with
; its RET, and what stands up to its RDPMC in the next READ_ALL. From t1 to t2 it is the same
; number of the same instructions. So the window's own cost is 0 in (t1 - t0) - (t2 - t1), for
; instructions, branches, taken branches, loads and stores alike, and whatever RDPMC counts of
; itself.

        bits 64
        default rel
%include "cpu_window.inc"
%include "cpu_deltas.inc"

        extern window_empty

        section .text code align=64

; Above RSP: the targets of the CALLs, the MSR and the values for it, time, the counters, the reads.
DF_ENTRY  equ 0
DF_EMPTY  equ 8
DF_OPEN   equ 16
DF_MSR    equ 24
DF_START  equ 32
DF_INDEX  equ 48
DF_READS  equ DF_INDEX + 4 * DELTAS_MAX
DF_BYTES  equ DF_READS + 3 * 8 * DELTAS_MAX

; Every counter into the reads at t0, t1 or t2 (0 to 2). RAX, RCX and RDX only: before the kernel,
; the others are what its `prepare` left. RDPMC waits for nothing and nothing for it: LFENCE on each
; side.
%macro READ_ALL 1
    %assign %%i 0
    %rep DELTAS_MAX
        mov ecx, [rsp + DF_INDEX + 4 * %%i]
        lfence
        rdpmc
        lfence
        mov [rsp + DF_READS + 8 * (%1 * DELTAS_MAX + %%i)], eax
        mov [rsp + DF_READS + 8 * (%1 * DELTAS_MAX + %%i) + 4], edx
    %assign %%i %%i + 1
    %endrep
%endmacro

%macro STAMP 1
        lfence
        rdtsc
        shl rdx, 32
        or rax, rdx
        mov [rsp + %1], rax
%endmacro

; unsigned window_deltas(struct deltas *deltas)
        global window_deltas
        align 64
window_deltas:
        ENTER
        sub rsp, DF_BYTES
        mov rax, [rdi + W_ENTRY]
        mov [rsp + DF_ENTRY], rax
        lea rax, [window_empty]
        mov [rsp + DF_EMPTY], rax
        mov rax, [rdi + W_OPEN]
        mov [rsp + DF_OPEN], rax
        mov eax, [rdi + D_MSR]
        mov [rsp + DF_MSR], eax
    %assign i 0
    %rep DELTAS_MAX
        mov eax, [rdi + D_INDEX + 4 * i]
        mov [rsp + DF_INDEX + 4 * i], eax
    %assign i i + 1
    %endrep
        mov rax, [rdi + W_PREPARE]
        mov rsi, [rdi + W_BUFFER]
        mov r8, [rdi + W_BYTES]
        xor r9d, r9d
        mov rdi, [rdi + W_N]
        test rax, rax
        jz .prepared
        call rax
.prepared:
        STAMP DF_START
        mov eax, [rsp + DF_OPEN]
        mov edx, [rsp + DF_OPEN + 4]
        mov ecx, [rsp + DF_MSR]
        wrmsr
        READ_ALL 0
        call [rsp + DF_ENTRY]
        READ_ALL 1
        call [rsp + DF_EMPTY]
        READ_ALL 2
        mov ecx, [rsp + DF_MSR]
        xor eax, eax
        xor edx, edx
        wrmsr
        STAMP DF_OPEN
        cld
        mov rdi, [rsp + DF_BYTES]
        mov rax, [rsp + DF_START]
        mov [rdi + W_TSC_START], rax
        mov rax, [rsp + DF_OPEN]
        mov [rdi + W_TSC_END], rax
        lea rsi, [rsp + DF_READS]
        add rdi, D_READS
        mov ecx, 3 * DELTAS_MAX
        rep movsq
        add rsp, DF_BYTES
        LEAVE_WITH 0
