; SPDX-License-Identifier: BSD-2-Clause
; The measured window around a kernel that runs at CPL 3: see boot/cpu/space.h and boot/cpu/trip.h.
;
; IRETQ enters a trampoline in one of the kernel's pages. The trampoline calls the kernel and
; returns by INT. INT pushes its frame at the address from which IRETQ popped its frame.
;
; Besides the kernel's own events, a window counts between its two WRMSRs at CPL 0:
;
;   iretq           1 instruction, 1 branch (far), 1 load (its frame)
;   mov ecx, MSR    1 instruction
;   xor eax, eax    1 instruction
;   xor edx, edx    1 instruction
;
; and at CPL 3:
;
;   call [rsp]      1 instruction, 1 branch, taken, 1 load (the target), 1 store (the return)
;   ret             1 instruction, 1 branch, taken, 1 load; executed by the kernel
;   int             1 instruction, 1 branch (far)
;
; Normally an instruction is counted in the ring in which it starts. Some cores may count IRETQ at
; CPL 3; pmu/journal/view.c detects this. Intel's event of taken branches counts only near branches
; (BR_INST_RETIRED.NEAR_TAKEN); AMD's event also counts far branches. The loads and stores of IRETQ
; and INT are not documented, so nothing relies on the numbers in this file.

        bits 64
        default rel
%include "boot/cpu/trip.inc"

VECTOR_DONE equ 32              ; boot/cpu/space_parts.h

        extern trip_compare, trip_back_registers

        section .rdata rdata align=8
        global window_cost_user_os, window_cost_user_usr
window_cost_user_os:
        dq 4            ; instructions
        dq 1            ; branches
        dq 0            ; taken branches
        dq 1            ; loads
        dq 0            ; stores
window_cost_user_usr:
        dq 3            ; instructions
        dq 3            ; branches
        dq 2            ; taken branches
        dq 2            ; loads
        dq 1            ; stores

        section .text code align=64

; RSP points to the address of the kernel.
        global user_trampoline, user_trampoline_end
        align 64
user_trampoline:
        call [rsp]
        int VECTOR_DONE
user_trampoline_end:

        global user_text, user_text_end
        align 64
user_text:

; unsigned trip_user_window(struct trip *trip)
        global trip_user_window
        align 64
trip_user_window:
        GO
        mov rsp, TRIP_OUT + O_USER
        mov rdi, [rcx + RDI_AT]
        GO_TO_WINDOW

%macro USER_WINDOW 1 ; MSR
%%start:
        mov ecx, %1
        wrmsr
        iretq
        times USER_DONE_AT - ($ - %%start) nop
        mov ecx, %1
        xor eax, eax
        xor edx, edx
        wrmsr
        jmp user_back_stamped
        times WINDOW_BYTES - ($ - %%start) nop
%endmacro

        global user_windows
        align 64
user_windows:
        EACH_WINDOW USER_WINDOW
        ; The window that no register opens.
        iretq
        align USER_DONE_AT
        lfence
        jmp user_back_stamped

        align 64
user_back_stamped:
        rdtsc
        lfence
        shl rdx, 32
        or rax, rdx
        mov rdx, TRIP_OUT
        mov [rdx + O_TSC_END], rax
        mov rcx, [rdx + O_USER + 24]
        xor rcx, [rdx + TRIP - TRIP_OUT + T_START + RSP_AT]
        mov [rdx + O_GPR + RSP_AT], rcx
        mov rax, [rdx + O_USER + 16]
        mov [rdx + O_RFLAGS], rax
        jmp trip_compare

        global trip_user_prepare, user_done_prepare
        align 64
trip_user_prepare:
        GO
        mov rsp, TRIP_OUT + O_USER
        mov rax, [rcx + RAX_AT]
        mov rdx, [rcx + RDX_AT]
        mov rdi, [rcx + RDI_AT]
        mov rcx, [rcx + RCX_AT]
        iretq
user_done_prepare:
        mov rdx, TRIP_OUT
        mov rax, [rdx + O_USER + 24]
        mov [rdx + O_GPR + RSP_AT], rax
        mov rax, [rdx + O_USER + 16]
        mov [rdx + O_RFLAGS], rax
        jmp trip_back_registers
user_text_end:
