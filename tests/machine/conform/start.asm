; SPDX-License-Identifier: GPL-2.0-or-later
; Entry of the conformance image: a multiboot kernel in 32-bit protected mode without paging, its
; descriptor tables and handlers, and the start-up of a second CPU.

bits 32

%include "conform.inc"

extern conform_main, on_unexpected, ap_main

FLAG_MEMORY equ 1 << 1
MAGIC equ 0x1badb002

section .text
global start
        dd MAGIC, FLAG_MEMORY, -(MAGIC + FLAG_MEMORY)

start:
        mov esp, stack_top
        push dword [ebx + 16]           ; multiboot information: command line
        mov eax, tss
        mov [tss_descriptor + 2], ax
        shr eax, 16
        mov [tss_descriptor + 4], al
        mov esi, handlers
.gate:  mov eax, [esi]
        lea edi, [idt + eax * 8]
        mov eax, [esi + 8]
        mov [edi], ax
        mov word [edi + 2], 8
        mov dx, [esi + 4]
        mov [edi + 4], dx
        shr eax, 16
        mov [edi + 6], ax
        add esi, 12
        cmp esi, handlers_end
        jne .gate
        mov al, 0xff                    ; masks the PICs' interrupts, which have no gates
        out 0x21, al
        out 0xa1, al
        call load_tables
        mov ax, 0x28
        ltr ax
        call conform_main
.stop:  cli
        hlt
        jmp .stop

load_tables:
        lgdt [gdt_pointer]
        lidt [idt_pointer]
        jmp 8:.on
.on:    mov ax, 0x23                    ; ring 3's data segment stays loaded
        mov ds, ax
        mov es, ax
        mov ax, 0x10
        mov ss, ax
        mov eax, cr4
        or eax, 1 << 9                  ; OSFXSR: the kernels use XMM0
        mov cr4, eax
        mov dword [APIC + 0xf0], 0x1ff  ; enable; spurious vector FFh
        ret

; ---- handlers -----------------------------------------------------------------------------------
global on_pmi, pmi_end, ipi_kernel

on_divide:                              ; skip the two bytes of DIV
        add dword [esp], 2
on_nothing:
        iretd

on_apic:
        mov dword [APIC + 0xb0], 0
        iretd

; on_pmi handles a PMI that is a fixed interrupt; on_nmi handles a PMI that is an NMI, and #MC. Each
; executes 9 instructions.
on_pmi:
        push eax
        mov eax, [esp + 4]
        mov [pmi_eip], eax
        mov eax, [APIC + 0x340]
        mov [pmi_lvt], eax
        inc dword [pmi_count]
        mov dword [APIC + 0xb0], 0
        pop eax
        iretd

on_nmi:
        push eax
        mov eax, [esp + 4]
        mov [pmi_eip], eax
        mov eax, [APIC + 0x340]
        mov [pmi_lvt], eax
        inc dword [pmi_count]
        nop                             ; an NMI needs no end of interrupt
        pop eax
        iretd

on_protection:
        add esp, 4
on_undefined:
        cmp dword [resume], 0
        je .unexpected
        push dword [resume]
        mov dword [resume], 0
        pop dword [esp]
        iretd
.unexpected:
        call on_unexpected              ; does not return

section .data
align 8
gdt:
        dq 0, 0x00cf9b000000ffff, 0x00cf93000000ffff
        dq 0x00cffb000000ffff, 0x00cff3000000ffff
tss_descriptor:
        dq 0x0000890000000067
gdt_end:
gdt_pointer: dw gdt_end - gdt - 1
        dd gdt
idt_pointer: dw 64 * 8 - 1
        dd idt
tss:    dd 0, ring0_stack_top, 0x10
        times 22 dd 0
        dd 104 << 16

extern back_from_user
handlers:                               ; vector, privilege bits, handler
        dd 0, 0x8e00, on_divide
        dd 2, 0x8e00, on_nmi
        dd 18, 0x8e00, on_nmi           ; #MC
        dd 6, 0x8e00, on_undefined
        dd 13, 0x8e00, on_protection
        dd 0x30, 0xee00, on_nothing
        dd 0x31, 0x8e00, on_apic
        dd 0x32, 0xee00, back_from_user
        dd PMI_VECTOR, 0x8e00, on_pmi
        dd IPI_VECTOR, 0x8e00, on_ipi
handlers_end:

; ---- the second CPU -----------------------------------------------------------------------------
section .text
global trampoline, trampoline_end

trampoline:                             ; copied to TRAMPOLINE
bits 16
        cli
        o32 lgdt [cs:.pointer - trampoline]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp dword 8:ap_start
.pointer: dw gdt_end - gdt - 1
        dd gdt
bits 32
trampoline_end:

ap_start:
        mov ax, 0x10
        mov ds, ax
        mov ss, ax
        mov esp, ap_stack_top
        call load_tables
        call ap_main
.stop:  cli
        hlt
        jmp .stop

; From the interrupt to the final HLT, the second CPU runs IPI_INSTRUCTIONS instructions, including
; the final HLT.
global ap_sleep
ap_sleep:
        inc dword [ap_asleep]
        sti
        hlt
on_ipi:
        mov dword [APIC + 0xb0], 0
        mov ecx, IPI_LOOPS
.l:     dec ecx
        jnz .l
        mov dword [ipi_done], 1
        hlt                             ; IF = 0: forever
        jmp $

section .bss align=16
global resume, pmi_eip, pmi_lvt, pmi_count, ap_asleep, ipi_done, saved_esp, user_stack_top
        resb 16384
stack_top:
        resb 8192
ap_stack_top:
        resb 4096
ring0_stack_top:
        resb 4096
user_stack_top:
idt:    resb 64 * 8
resume: resd 1
pmi_eip: resd 1
pmi_lvt: resd 1
pmi_count: resd 1
ap_asleep: resd 1
ipi_done: resd 1
saved_esp: resd 1
