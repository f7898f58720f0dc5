; SPDX-License-Identifier: BSD-2-Clause
; The measured window around a kernel that runs at CPL 3: see boot/cpu/space.h and boot/cpu/trip.h.
;
; IRETQ enters a trampoline in one of the kernel's pages. The trampoline calls the kernel and
; returns by INT. INT pushes its frame where IRETQ has popped one.
;
; A window counts, in addition to the kernel, between its two WRMSRs, at CPL 0:
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
; An instruction counts in the ring in which it starts, so IRETQ counts in the ring it leaves. Only
; near branches are counted as taken branches (BR_INST_RETIRED.NEAR_TAKEN). Some cores may count
; IRETQ in the ring that it enters: pmu/journal/view.c finds out from the counts of instructions and
; branches. It is not documented whether IRETQ's frame, INT's pushes and the tables that INT reads
; count as loads and stores. Therefore nothing relies on the loads and stores listed above: for
; IRETQ they are those of a RET, and for INT there are none. For the WRMSRs see boot/cpu/window.asm;
; only events at CPL 0 can count them.

        bits 64
        default rel
%include "boot/cpu/trip.inc"

VECTOR_DONE equ 32              ; boot/cpu/space_parts.h

        extern trip_back_registers

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

; Copied into one of the kernel's pages. RSP points to the address of the kernel.
        global user_trampoline, user_trampoline_end
        align 64
user_trampoline:
        call [rsp]
        int VECTOR_DONE
user_trampoline_end:

        global user_text, user_text_end
        align 64
user_text:

; Executes GO, sets RSP for IRETQ, and sets RDI last because GO needs it as an argument.
%macro GO_USER 0
        GO
        mov rsp, TRIP_OUT + O_USER
        mov rdi, [rdi + T_GPR + RDI_AT]
%endmacro

%macro USER_WINDOW 2 ; name, MSR
        global trip_user_%1, user_done_%1
        align 64
trip_user_%1:
        GO_USER
        STAMP O_TSC_START
        OPENING
        mov ecx, %2
        wrmsr
        iretq
user_done_%1:
        mov ecx, %2
        xor eax, eax
        xor edx, edx
        wrmsr
        jmp user_back_stamped
%endmacro

        USER_WINDOW global, MSR_IA32_PERF_GLOBAL_CTRL
        USER_WINDOW select, MSR_IA32_PERFEVTSEL0
        USER_WINDOW amd_global, MSR_AMD_GLOBAL_CTL
        USER_WINDOW amd_select, MSR_AMD_PERF_CTL0
        USER_WINDOW amd_old, MSR_AMD_OLD_PERF_CTL0

        global trip_user_bare, user_done_bare
        align 64
trip_user_bare:
        GO_USER
        STAMP O_TSC_START
        iretq
user_done_bare:
        lfence
user_back_stamped:
        rdtsc
        lfence
        shl rdx, 32
        or rax, rdx
        mov rdx, TRIP_OUT + O_TSC_END
        mov [rdx], rax
        jmp user_done_prepare

        global trip_user_prepare, user_done_prepare
        align 64
trip_user_prepare:
        GO
        mov rsp, TRIP_OUT + O_USER
        mov rax, [rdi + T_GPR + RAX_AT]
        mov rcx, [rdi + T_GPR + RCX_AT]
        mov rdx, [rdi + T_GPR + RDX_AT]
        mov rdi, [rdi + T_GPR + RDI_AT]
        iretq
user_done_prepare:
        mov rdx, TRIP_OUT
        mov rax, [rdx + O_USER + 24]
        mov [rdx + O_GPR + RSP_AT], rax
        mov rax, [rdx + O_USER + 16]
        mov [rdx + O_RFLAGS], rax
        jmp trip_back_registers
user_text_end:
