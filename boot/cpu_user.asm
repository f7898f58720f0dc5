; SPDX-License-Identifier: BSD-2-Clause
; The measured window around a kernel at CPL 3. See boot/cpu_user.h for its contract.
;
; The way: IRETQ to a trampoline in a user page, which calls the kernel's `prepare` and comes back
; by INT; the counters are opened, IRETQ returns behind that INT, the trampoline calls the kernel,
; and comes back by another INT; the counters are closed. So stack, code and translations were used
; once before the counters run.
;
; What a window counts beside the kernel, between its two WRMSRs, at CPL 0:
;
;   iretq           1 instruction, 1 branch (far), 1 load (its frame)
;   mov ecx, MSR    1 instruction
;   xor eax, eax    1 instruction
;   xor edx, edx    1 instruction
;
; and at CPL 3:
;
;   call [rsp + 8]  1 instruction, 1 branch, taken, 1 load (the target), 1 store (the return)
;   ret             1 instruction, 1 branch, taken, 1 load; it ends the kernel
;   int             1 instruction, 1 branch (far)
;
; An instruction counts in the ring in which it starts, IRETQ in the one that it leaves. Taken
; branches are near ones (BR_INST_RETIRED.NEAR_TAKEN). IRETQ loads as RET does; what the CPU pushes
; at INT is no store. A core may count IRETQ at CPL 3, or otherwise: the calibration of the window
; shows it. The WRMSRs: see cpu_window.asm; only what counts at CPL 0 can count them.

        bits 64
        default rel
%include "cpu_window.inc"
%include "cpu_user.inc"

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

; What is copied into a user page. RSP: the address of `prepare`, above it that of the kernel.
        global user_trampoline, user_trampoline_ret, user_trampoline_end
        align 64
user_trampoline:
        call [rsp]
        int VECTOR_PREPARED
        call [rsp + 8]
        int VECTOR_DONE
user_trampoline_ret:
        ret             ; for a kernel without `prepare`
user_trampoline_end:

; unsigned user_trip(struct window *window, const struct user_way *way)
;
; RSP0 of the TSS is the local frame here, so the INTs come back to it: the frame that the CPU
; pushes lies where the one of the first IRETQ was.
        global user_trip
        align 64
user_trip:
        ENTER
        sub rsp, FRAME_BYTES
        mov rax, [rdi + W_OPEN]
        mov [rsp + FRAME_OPEN], rax
        mov rax, [rsi + U_RSP0]
        mov [rax], rsp
        push qword [rsi + U_SS]
        push qword [rsi + U_RSP]
        push qword RFLAGS_FIXED
        push qword [rsi + U_CS]
        push qword [rsi + U_RIP]
        mov rsi, [rdi + W_BUFFER]
        mov r8, [rdi + W_BYTES]
        xor r9d, r9d
        mov rdi, [rdi + W_N]
        iretq

; RIP, CS, RFLAGS, RSP, SS: what INT pushes, and IRETQ pops.
INT_BYTES equ 40

; Behind `prepare` RAX, RCX and RDX are free, the others are the kernel's.
%macro USER_STAMP_START 0
        lfence
        rdtsc
        shl rdx, 32
        or rax, rdx
        mov [rsp + INT_BYTES + FRAME_START], rax
%endmacro

%macro USER_LEAVE 0
        add rsp, INT_BYTES
        STAMP_END
        LEAVE_WITH 0
%endmacro

%macro USER_WINDOW 2 ; name, MSR
        global user_prepared_%1, user_done_%1
        align 64
user_prepared_%1:
        USER_STAMP_START
        mov eax, [rsp + INT_BYTES + FRAME_OPEN]
        mov edx, [rsp + INT_BYTES + FRAME_OPEN + 4]
        mov ecx, %2
        wrmsr
        iretq
user_done_%1:
        mov ecx, %2
        xor eax, eax
        xor edx, edx
        wrmsr
        USER_LEAVE
%endmacro

        USER_WINDOW global, MSR_IA32_PERF_GLOBAL_CTRL
        USER_WINDOW select, MSR_IA32_PERFEVTSEL0

        global user_prepared_bare, user_done_bare
        align 64
user_prepared_bare:
        USER_STAMP_START
        iretq
user_done_bare:
        lfence
        USER_LEAVE
