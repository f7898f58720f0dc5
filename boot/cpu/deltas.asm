; SPDX-License-Identifier: BSD-2-Clause
; The window for free-running counters; its contract is in boot/cpu/window.h.
;
; One WRMSR starts the counters and serialises. Each counter is read before the kernel (t0), after
; the kernel (t1), and after an empty kernel (t2). The intervals t0 to t1 and t1 to t2 contain the
; same reads, a CALL and a RET. Therefore (t1 - t0) - (t2 - t1) is the kernel's own count of
; instructions, branches, taken branches, loads or stores.

        bits 64
        default rel
%include "boot/cpu/trip.inc"

DELTAS_MAX equ 14               ; boot/cpu/window.h

        extern trip_back_stamped

        section .text code align=64
        global deltas_text, deltas_text_end
deltas_text:

; Reads all counters, and stores the counts of t0, t1 or t2 (argument 0, 1 or 2). Uses only RAX, RCX
; and RDX, because `prepare` has set the other registers. LFENCE comes before and after RDPMC,
; because RDPMC is not ordered with other instructions.
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

; A window for trip_window().
        global deltas_window
        align 64
deltas_window:
        mov rcx, TRIP + T_MSR
        mov ecx, [rcx]
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
