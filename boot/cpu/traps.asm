; SPDX-License-Identifier: BSD-2-Clause
; Exception entries for vectors 0 to 31, outside and inside a space, and MSR accesses that may
; fault.

        bits 64
        default rel

        extern trap_handle, space_trap_handle

        section .text code align=16

; ---- MSR accesses; boot/cpu/traps.c continues at msr_refused after #GP at RDMSR or WRMSR ----

; bool msr_read(uint32_t msr, uint64_t *value)
        global msr_read, msr_read_at
msr_read:
        mov ecx, edi
msr_read_at:
        rdmsr
        shl rdx, 32
        or rax, rdx
        mov [rsi], rax
        mov eax, 1
        ret

; bool msr_write(uint32_t msr, uint64_t value)
        global msr_write, msr_write_at
msr_write:
        mov ecx, edi
        mov eax, esi
        mov rdx, rsi
        shr rdx, 32
msr_write_at:
        wrmsr
        mov eax, 1
        ret

        global msr_refused
msr_refused:
        xor eax, eax
        ret

; ---- vectors ----

; Vectors with an error code: #DF #TS #NP #SS #GP #PF #AC #CP #VC #SX (Intel SDM vol. 3A "Interrupt
; and Exception Handling"; AMD APM vol. 2 for #VC and #SX).
%define HAS_ERROR_CODE(v) (0x60227d00 >> (v) & 1)

; Arguments: the prefix of the entries' names, and the label to which the entries jump.
%macro ENTRIES 2
        global %1_first
%1_first:
%assign vector 0
%rep 32
%1_%+vector:
%if HAS_ERROR_CODE(vector)
        test spl, 8             ; INT pushes no code: RSP is 5 words below a multiple of 16, not 6
        jz %1_has_code_%+vector
%endif
        push 0
%1_has_code_%+vector:
        push vector
        jmp %2
%assign vector vector + 1
%endrep
%endmacro

; Builds struct trap_frame of boot/cpu/traps.c.
%macro PUSH_ALL 0
        push rax
        push rcx
        push rdx
        push rbx
        push rbp
        push rsi
        push rdi
        push r8
        push r9
        push r10
        push r11
        push r12
        push r13
        push r14
        push r15
        cld
        mov rdi, rsp
        mov rbx, rsp
%endmacro
FRAME_BYTES equ 176

%macro POP_ALL 0
        pop r15
        pop r14
        pop r13
        pop r12
        pop r11
        pop r10
        pop r9
        pop r8
        pop rdi
        pop rsi
        pop rbp
        pop rbx
        pop rdx
        pop rcx
        pop rax
        add rsp, 16             ; vector and error code
        iretq
%endmacro

        ENTRIES trap, trap_common
trap_common:
        PUSH_ALL
        and rsp, -16
        call trap_handle
        mov rsp, rbx
        POP_ALL

; Exceptions in a space use a TSS stack with struct stack_owner (boot/cpu/space_parts.h) above it.
; The handler needs the page tables that are used outside the space. The space's own page tables are
; loaded again unless the kernel has been ended.
        global traps_text, traps_text_end
        align 64
traps_text:
        ENTRIES space_trap, space_trap_common
space_trap_common:
        PUSH_ALL
        mov r12, cr3
        mov rsi, [rbx + FRAME_BYTES]
        mov rax, [rbx + FRAME_BYTES + 8]
        mov cr3, rax
        and rsp, -16
        call space_trap_handle
        mov rsp, rbx
        test al, al
        jnz .ended
        mov cr3, r12
.ended:
        POP_ALL
traps_text_end:

; Offsets of the entries from the first one, so that the image stores no absolute addresses.
        section .rdata rdata align=4
        global trap_entry_offset
trap_entry_offset:
%assign vector 0
%rep 32
        dd trap_%+vector - trap_first
%assign vector vector + 1
%endrep

        global space_trap_offset
space_trap_offset:
%assign vector 0
%rep 32
        dd space_trap_%+vector - space_trap_first
%assign vector vector + 1
%endrep
