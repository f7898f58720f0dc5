; SPDX-License-Identifier: BSD-2-Clause
; The measured window. See boot/window.h for its contract.
;
; What a window counts beside the kernel, between its two WRMSRs:
;
;   call [rsp]      1 instruction, 1 branch, taken, 1 load (the target), 1 store (the return)
;   ret             1 instruction, 1 branch, taken, 1 load; it ends the kernel
;   mov ecx, MSR    1 instruction
;   xor eax, eax    1 instruction
;   xor edx, edx    1 instruction
;
; The WRMSRs themselves: Intel's cores count the closing one, whose retirement precedes its effect,
; and not the opening one. Others may differ by one; pmu/view.c finds out which it is.
; WRMSR serialises (Intel SDM vol. 3A "Serializing Instructions"): nothing before the opening and
; nothing after the closing is within.

        bits 64
        default rel
%include "cpu_window.inc"

        section .rdata rdata align=8
        global window_cost
window_cost:
        dq 5            ; instructions
        dq 2            ; branches
        dq 2            ; taken branches
        dq 2            ; loads
        dq 1            ; stores

        section .text code align=64

; A local frame, and the kernel's registers as its `prepare` leaves them.
%macro STAGE 0
        sub rsp, FRAME_BYTES
        mov rax, [rdi + W_ENTRY]
        mov [rsp + FRAME_ENTRY], rax
        mov rax, [rdi + W_OPEN]
        mov [rsp + FRAME_OPEN], rax
        mov rax, [rdi + W_PREPARE]
        mov rsi, [rdi + W_BUFFER]
        mov r8, [rdi + W_BYTES]
        xor r9d, r9d
        mov rdi, [rdi + W_N]
        test rax, rax
        jz %%no_prepare
        call rax
%%no_prepare:
%endmacro

%macro WINDOW 2 ; name, MSR
        global %1
        align 64
%1:
        ENTER
        STAGE
        STAMP_START
        mov eax, [rsp + FRAME_OPEN]
        mov edx, [rsp + FRAME_OPEN + 4]
        mov ecx, %2
        wrmsr
        call [rsp + FRAME_ENTRY]
        mov ecx, %2
        xor eax, eax
        xor edx, edx
        wrmsr
        STAMP_END
        LEAVE_WITH 0
%endmacro

        WINDOW window_global, MSR_IA32_PERF_GLOBAL_CTRL
        WINDOW window_select, MSR_IA32_PERFEVTSEL0

        global window_bare
        align 64
window_bare:
        ENTER
        STAGE
        STAMP_START
        call [rsp + FRAME_ENTRY]
        lfence
        STAMP_END
        LEAVE_WITH 0

        global window_recover
window_recover:
        LEAVE_WITH 1

        global window_empty
        align 64
window_empty:
        ret

        global window_spin
        align 64
window_spin:
        dec rdi
        jnz window_spin
        ret
