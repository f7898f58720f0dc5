; SPDX-License-Identifier: BSD-2-Clause
; The window of counters that run freely. See boot/cpu/window.h for its contract.
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
%include "boot/cpu/trip.inc"

DELTAS_MAX equ 12               ; boot/cpu/window.h

        extern trip_back_stamped

        section .text code align=64
        global deltas_text, deltas_text_end
deltas_text:

; Every counter into the reads at t0, t1 or t2 (0 to 2). RAX, RCX and RDX only: before the kernel,
; the others are what its `prepare` left. RDPMC waits for nothing and nothing for it: LFENCE on each
; side.
%macro READ_ALL 1
    %assign %%i 0
    %rep DELTAS_MAX
        mov rcx, TRIP + T_INDEX + 4 * %%i
        mov ecx, [rcx]
        lfence
        rdpmc
        lfence
        shl rdx, 32
        or rax, rdx
        mov rcx, TRIP_OUT + O_READS + 8 * (%1 * DELTAS_MAX + %%i)
        mov [rcx], rax
    %assign %%i %%i + 1
    %endrep
%endmacro

; unsigned trip_deltas(struct trip *trip)
        global trip_deltas
        align 64
trip_deltas:
        GO
        mov rdi, [rdi + T_GPR + RDI_AT]
        STAMP O_TSC_START
        mov rcx, TRIP + T_MSR
        mov ecx, [rcx]
        OPENING
        wrmsr
        READ_ALL 0
        call [rsp]
        READ_ALL 1
        call [rsp + 8]
        READ_ALL 2
        mov rcx, TRIP + T_MSR
        mov ecx, [rcx]
        xor eax, eax
        xor edx, edx
        wrmsr
        jmp trip_back_stamped
deltas_text_end:
