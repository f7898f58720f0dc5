; SPDX-License-Identifier: BSD-2-Clause
; Entry points for exceptions (vectors 0 to 31), and functions for MSR accesses that may fault.

        bits 64
        default rel

        extern trap_handle, space_trap_handle

        section .text code align=16

; ---- MSR accesses ----
;
; After #GP at an RDMSR or WRMSR here, boot/cpu/traps.c resumes after the instruction, with 0 in RAX
; and RDX, and all ones in R11. All functions follow the firmware's calling convention.
        global msrs_text, msrs_text_end
msrs_text:

%macro KEEP 1                    ; stores EDX:EAX at an address
        shl rdx, 32
        or rax, rdx
        mov %1, rax
%endmacro

; bool port_read(void *context, uint32_t msr, uint64_t *value)
        global port_read
port_read:
        xor r11d, r11d
        mov ecx, edx
        rdmsr
        shl rdx, 32
        or rax, rdx
        test r11, r11
        jnz .refused
        mov [r8], rax
        mov eax, 1
        ret
.refused:
        xor eax, eax
        ret

; bool port_write(void *context, uint32_t msr, uint64_t value)
        global port_write
port_write:
        xor r11d, r11d
        mov ecx, edx
        mov eax, r8d
        mov rdx, r8
        shr rdx, 32
        wrmsr
        lea eax, [r11 + 1]
        ret

; An unrolled loop over the elements of an array; R8 is the number of elements. Arguments: the
; largest number of elements, a macro with the code for one element, and the size of this code in
; bytes. EACH passes to that macro the element's distance from the end of the array, in elements.
%macro EACH 3
        imul eax, r8d, %3
        lea rcx, [%%end]
        sub rcx, rax
        jmp rcx
    %assign %%left %1
    %rep %1
%%start_%+%%left:
        %2 %%left
        times %3 - ($ - %%start_%+%%left) nop
    %assign %%left %%left - 1
    %endrep
%%end:
%endmacro

ALIKE equ 4096                  ; makes all displacements equally long

; bool port_read_all(void *context, const uint32_t *msr, uint64_t count, uint64_t *values)
%macro READ 1
        mov ecx, [r10 - ALIKE - 4 * %1]
        rdmsr
        KEEP [r9 - ALIKE - 8 * %1]
%endmacro
        global port_read_all
port_read_all:
        xor r11d, r11d
        lea r10, [rdx + 4 * r8 + ALIKE]
        lea r9, [r9 + 8 * r8 + ALIKE]
        EACH 14, READ, 23       ; SLOTS_MAX
        lea eax, [r11 + 1]
        ret

; bool port_write_all(void *context, const struct msr_value *to, uint64_t count)
%macro WRITE 1
        mov ecx, [r10 - ALIKE - 16 * %1]
        mov eax, [r10 - ALIKE - 16 * %1 + 8]
        mov edx, [r10 - ALIKE - 16 * %1 + 12]
        wrmsr
%endmacro
        global port_write_all
port_write_all:
        xor r11d, r11d
        mov rax, r8
        shl rax, 4
        lea r10, [rdx + rax + ALIKE]
        EACH 45, WRITE, 23      ; PRESETS_MAX
        lea eax, [r11 + 1]
        ret

; uint64_t port_look(void *context, struct msr_look *looks, uint64_t count)
%macro LOOK 1                   ; R11 collects the bits that differ
        mov ecx, [r10 - ALIKE - 32 * %1]
        rdmsr
        KEEP [r10 - ALIKE - 32 * %1 + 24]
        xor rax, [r10 - ALIKE - 32 * %1 + 8]
        and rax, [r10 - ALIKE - 32 * %1 + 16]
        or r11, rax
%endmacro
        global port_look
port_look:
        xor r11d, r11d
        mov rax, r8
        shl rax, 5
        lea r10, [rdx + rax + ALIKE]
        EACH 39, LOOK, 40       ; EVIDENCE_NOWHERE
        mov rax, r11
        ret

MSR_IA32_MPERF equ 0xe7
MSR_IA32_APERF equ 0xe8

; void cpu_clocks(struct clocks *now)
        global cpu_clocks
cpu_clocks:
        mov r8, rcx
        mov ecx, MSR_IA32_APERF
        rdmsr
        KEEP [r8]
        lfence
        rdtsc
        KEEP [r8 + 16]
        mov ecx, MSR_IA32_MPERF
        rdmsr
        KEEP [r8 + 8]
        lfence
        rdtsc
        KEEP [r8 + 24]
        ret
msrs_text_end:

; ---- vectors ----

; Vectors with an error code: #DF #TS #NP #SS #GP #PF #AC #CP #VC #SX (Intel SDM vol. 3A "Interrupt
; and Exception Handling"; AMD APM vol. 2 for #VC and #SX).
%define HAS_ERROR_CODE(v) (0x60227d00 >> (v) & 1)

; Arguments: the prefix of the entry points' names, and the jump target.
%macro ENTRIES 2
        global %1_first
%1_first:
%assign vector 0
%rep 32
%1_%+vector:
%if HAS_ERROR_CODE(vector)
        test spl, 8             ; INT pushes no error code: then RSP is 40 bytes below a multiple
        jz %1_has_code_%+vector ; of 16; with an error code, it is 48 bytes below
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

; Exceptions in a space use a stack of the TSS, with struct stack_owner above it. Before the handler
; is called, CR3 is set to its value outside the space.
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

; Offsets from the first entry, so that the image stores no absolute addresses.
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
