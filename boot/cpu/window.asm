; SPDX-License-Identifier: BSD-2-Clause
; The measured window around a kernel that runs at CPL 0: see boot/cpu/space.h and boot/cpu/trip.h.
;
; Besides the kernel's own events, a window counts between its two WRMSRs:
;
;   call [rsp]      1 instruction, 1 branch, taken, 1 load (the target), 1 store (the return)
;   ret             1 instruction, 1 branch, taken, 1 load; executed by the kernel
;   mov ecx, MSR    1 instruction
;   xor eax, eax    1 instruction
;   xor edx, edx    1 instruction
;
; Of the two WRMSRs, Intel's cores count only the closing one, which retires before it takes effect.
; Other cores may count both or neither; pmu/journal/view.c finds out how many a core counts. WRMSR
; serialises (Intel SDM vol. 3A "Serializing Instructions"), so nothing outside the window is
; counted.

        bits 64
        default rel
%include "boot/cpu/trip.inc"

        section .rdata rdata align=8
        global window_cost
window_cost:
        dq 5            ; instructions
        dq 2            ; branches
        dq 2            ; taken branches
        dq 2            ; loads
        dq 1            ; stores

%macro NUMBER 1 ; MSR
        dd %1
%endmacro

        global window_msrs
window_msrs:
        EACH_WINDOW NUMBER
        dd 0

        section .text code align=64
        global window_text, window_text_end, trip_back_stamped, trip_compare, trip_back_registers
window_text:

; unsigned trip_window(struct trip *trip)
        global trip_window
        align 64
trip_window:
        GO
        mov rdi, [rcx + RDI_AT]
        GO_TO_WINDOW

; Each window lies within one cache line.
%macro WINDOW 1 ; MSR
%%start:
        mov ecx, %1
        wrmsr
        call [rsp]
        mov ecx, %1
        xor eax, eax
        xor edx, edx
        wrmsr
        jmp trip_back_stamped
        times WINDOW_BYTES - ($ - %%start) nop
%endmacro

        global windows
        align 64
windows:
        EACH_WINDOW WINDOW
        ; The window for open_msr = 0 (boot/cpu/space.h), in which no counter is started.
        call [rsp]
        lfence
        jmp trip_back_stamped

        global trip_prepare
        align 64
trip_prepare:
        GO
        mov rax, [rcx + RAX_AT]
        mov rdx, [rcx + RDX_AT]
        mov rdi, [rcx + RDI_AT]
        mov rcx, [rcx + RCX_AT]
        call [rsp]
        jmp trip_back

; The return from the space. Runs at CPL 0; RSP may have any value.
        align 64
trip_back_stamped:
        rdtsc
        lfence
        shl rdx, 32
        or rax, rdx
        mov rdx, TRIP_OUT
        mov [rdx + O_TSC_END], rax
        mov rcx, rsp
        lea rsp, [rdx + O_RFLAGS + 8]
        pushfq
        xor rcx, [rdx + TRIP - TRIP_OUT + T_START + RSP_AT]
        mov [rdx + O_GPR + RSP_AT], rcx

%macro COMPARE 2 ; a register, and where its value is
        xor %1, [rdx + TRIP - TRIP_OUT + T_START + %2]
        and %1, [rdx + TRIP - TRIP_OUT + T_KEPT + %2]
        or rcx, %1
%endmacro

trip_compare:                   ; RDX is TRIP_OUT; RCX holds the changed bits of RSP
        COMPARE rbx, RBX_AT
        COMPARE rbp, RBP_AT
        COMPARE rsi, RSI_AT
        COMPARE rdi, RDI_AT
    %assign i 8
    %rep 8
        COMPARE r%+i, 8 * i
    %assign i i + 1
    %endrep
        mov [rdx + O_DIFFERS], rcx
        test rcx, rcx
        jz trip_leave
        jmp trip_back_registers

trip_back:
        mov rdx, TRIP_OUT
        mov [rdx + O_GPR + RSP_AT], rsp
        lea rsp, [rdx + O_RFLAGS + 8]
        pushfq
trip_back_registers:            ; RDX is TRIP_OUT; RSP and RFLAGS are already stored
        mov [rdx + O_GPR + RBX_AT], rbx
        mov [rdx + O_GPR + RBP_AT], rbp
        mov [rdx + O_GPR + RSI_AT], rsi
        mov [rdx + O_GPR + RDI_AT], rdi
    %assign i 8
    %rep 8
        mov [rdx + O_GPR + 8 * i], r%+i
    %assign i i + 1
    %endrep
trip_leave:
        sidt [rdx + O_IDT]
        mov rax, cr0
        mov [rdx + O_CR0], rax
        mov rax, cr3
        mov [rdx + O_CR3], rax
        mov rax, cr4
        mov [rdx + O_CR4], rax
        mov rdx, TRIP
        mov rdi, [rdx + T_SELF]
        mov rax, [rdi + T_FOUND_CR3]
        mov cr3, rax
        mov rsp, [rdi + T_STACK]
        xor esi, esi
        jmp leave_with

; The trap handler continues here after it has ended a kernel.
        global trip_recover
        align 16
trip_recover:
        mov esi, 1

; Runs on the stack to which GO has pushed. ESI is the trip's result.
leave_with:
        pop rdi
        lidt [rdi + T_FOUND_IDT]
        mov rax, [rdi + T_FOUND_CR4]
        mov cr4, rax
        mov rax, [rdi + T_FOUND_CR0]
        mov cr0, rax
        mov rax, [rdi + T_RECOVERY]
        mov qword [rax], 0
        pop r15
        pop r14
        pop r13
        pop r12
        pop rbp
        pop rbx
        push RFLAGS_FIXED       ; clears the kernel's DF, NT, AC, TF and IF
        popfq
        mov eax, esi
        ret

        global window_empty
        align 64
window_empty:
        ret

        global window_spin, window_kernels_end
        align 64
window_spin:
        dec rdi
        jnz window_spin
        ret

; The array CALL in pmu/journal/view.c contains what this CALL and its RET add to the counts.
        global window_twice
        align 64
window_twice:
        call window_empty
        ret
window_kernels_end:
window_text_end:
