; SPDX-License-Identifier: BSD-2-Clause
; The measured windows around a kernel at CPL 3 under Linux.
;
; The window of window_ioctl lasts from the return of the system call that enables the group to the
; system call that disables the group. In addition to the kernel, the window counts at CPL 3:
;
;   lfence, rdtsc, 2 mov, lfence     5 instructions, 2 stores (the time stamp)
;   3 mov                            3 instructions, 3 loads (R11, RSI, RDI: ioctl() uses them)
;   call [entry]                     1 instruction, 1 branch, taken, 1 load, 1 store
;   ret                              1 instruction, 1 branch, taken, 1 load; run by the kernel
;   lfence, rdtsc, 2 mov             4 instructions, 2 stores
;   3 mov                            3 instructions, 3 stores (the kernel's RDI, RSI, R11)
;   mov edi, 3 mov                   4 instructions, 1 load (the group)
;   syscall                          1 far branch; AMD counts it as a taken branch, Intel does not
;
; SYSRET opens the window, and SYSCALL closes it. Some cores count each instruction in the ring in
; which the instruction starts. At CPL 3, these cores count only SYSCALL. Other cores may count
; neither or both at CPL 3. pmu/journal/view.c adds the number that the CPU counts.
;
; In window_deltas, the cost of the window cancels in (t1 - t0) - (t2 - t1).

        bits 64
        default rel

DELTAS_MAX equ 14
SYS_IOCTL  equ 16
ENABLE     equ 0x2400           ; PERF_EVENT_IOC_ENABLE; on a group's leader, it enables the group
DISABLE    equ 0x2401
RFLAGS_FIXED equ 0x202

; struct linux_window
W_GPR     equ 0
W_OUT     equ 128
W_RFLAGS  equ 256
W_ENTRY   equ 264
W_FRAME   equ 272
W_SAVED   equ 280
W_GROUP   equ 288
W_TSC     equ 296
W_INDEX   equ 312
W_READ    equ 368
W_BYTES   equ 368 + 3 * 8 * DELTAS_MAX

        section .bss align=64
        global linux_window
linux_window:
        resb W_BYTES

        section .rodata align=8
        global linux_window_cost
linux_window_cost:
        dq 21           ; instructions, without SYSCALL
        dq 3            ; branches
        dq 2            ; taken branches
        dq 6            ; loads
        dq 8            ; stores

        section .text align=64

%define W(at) [rel linux_window + (at)]

%macro ENTER_WINDOW 0
        push rbx
        push rbp
        push r12
        push r13
        push r14
        push r15
        mov W(W_SAVED), rsp
        mov rsp, W(W_FRAME)
%endmacro

; Loads the registers that system calls preserve.
%macro LOAD_KEPT 0
        mov rbx, W(W_GPR + 8 * 3)
        mov rbp, W(W_GPR + 8 * 5)
    %assign %%i 8
    %rep 8
      %if %%i != 11
        mov r%+%%i, W(W_GPR + 8 * %%i)
      %endif
    %assign %%i %%i + 1
    %endrep
%endmacro

; Loads the registers that ioctl() overwrites or takes as arguments, except RAX, RCX and RDX.
%macro LOAD_TAKEN 0
        mov r11, W(W_GPR + 8 * 11)
        mov rsi, W(W_GPR + 8 * 6)
        mov rdi, W(W_GPR + 8 * 7)
%endmacro

%macro STORE_TAKEN 0
        mov W(W_OUT + 8 * 7), rdi
        mov W(W_OUT + 8 * 6), rsi
        mov W(W_OUT + 8 * 11), r11
%endmacro

%macro STAMP 1 ; 0: before the kernel, 1: after it
        lfence
        rdtsc
        mov W(W_TSC + 8 * %1), eax
        mov W(W_TSC + 8 * %1 + 4), edx
%endmacro

%macro CALL_STAMPED 0
        STAMP 0
        lfence
        LOAD_TAKEN
        call W(W_ENTRY)
        STAMP 1
        STORE_TAKEN
%endmacro

; Stores the registers as the kernel left them, and returns to C. The kernel may change RSP.
leave_window:
        mov W(W_OUT + 8 * 4), rsp
        mov W(W_OUT + 8 * 3), rbx
        mov W(W_OUT + 8 * 5), rbp
    %assign i 8
    %rep 8
      %if i != 11
        mov W(W_OUT + 8 * i), r%+i
      %endif
    %assign i i + 1
    %endrep
        mov rsp, W(W_SAVED)
        pushfq
        pop qword W(W_RFLAGS)
        push RFLAGS_FIXED       ; clears the kernel's DF and AC
        popfq
        pop r15
        pop r14
        pop r13
        pop r12
        pop rbp
        pop rbx
        ret

        global window_prepare
window_prepare:
        ENTER_WINDOW
        LOAD_KEPT
        mov rax, W(W_GPR)
        mov rcx, W(W_GPR + 8 * 1)
        mov rdx, W(W_GPR + 8 * 2)
        LOAD_TAKEN
        call W(W_ENTRY)
        STORE_TAKEN
        jmp leave_window

        global window_bare
        align 64
window_bare:
        ENTER_WINDOW
        LOAD_KEPT
        CALL_STAMPED
        jmp leave_window

        global window_ioctl
        align 64
window_ioctl:
        ENTER_WINDOW
        LOAD_KEPT
        mov edi, W(W_GROUP)
        mov esi, ENABLE
        xor edx, edx
        mov eax, SYS_IOCTL
        syscall
        CALL_STAMPED
        mov edi, W(W_GROUP)
        mov esi, DISABLE
        mov edx, 0
        mov eax, SYS_IOCTL
        syscall
        jmp leave_window

; Reads all counters at t0, t1 or t2 (argument 0, 1 or 2). Uses only RAX, RCX and RDX.
%macro READ_ALL 1
    %assign %%i 0
    %rep DELTAS_MAX
        mov ecx, W(W_INDEX + 4 * %%i)
        lfence
        rdpmc
        lfence
        mov W(W_READ + 8 * (%1 * DELTAS_MAX + %%i)), eax
        mov W(W_READ + 8 * (%1 * DELTAS_MAX + %%i) + 4), edx
    %assign %%i %%i + 1
    %endrep
%endmacro

; The same instructions must run between t0 and t1 as between t1 and t2, so both intervals read the
; time stamp.
        global window_deltas
        align 64
window_deltas:
        ENTER_WINDOW
        LOAD_KEPT
        LOAD_TAKEN
        READ_ALL 0
        STAMP 0
        lfence
        call W(W_ENTRY)
        READ_ALL 1
        STAMP 1
        lfence
        call [empty]
        READ_ALL 2
        STORE_TAKEN
        jmp leave_window

        section .rodata
        align 8
empty:  dq window_empty

        section .text
        global window_empty
        align 64
window_empty:
        ret

        section .note.GNU-stack noalloc noexec nowrite progbits
