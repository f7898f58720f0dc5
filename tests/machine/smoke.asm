; SPDX-License-Identifier: GPL-2.0-or-later
; Self-test of the model machine: a multiboot image that programs the PMU, runs code whose counts
; are known, and prints "ok name" or "FAIL name" to port E9h. smoke.sh runs it on several CPUs; the
; first letter of the last word of the command line chooses what is asked of the machine.
;   nasm -f bin; 32-bit protected mode, no paging, one stack for each CPU

bits 32
org 0x100000

DEBUG equ 0xe9
EXIT equ 0xf4
APIC equ 0xfee00000
TRAMPOLINE equ 0x8000

FLAG_ADDRESSES equ 1 << 16
MAGIC equ 0x1badb002
header:
        dd MAGIC, FLAG_ADDRESSES, -(MAGIC + FLAG_ADDRESSES)
        dd header, 0x100000, image_end, bss_end, start

%macro wr 3                             ; WRMSR msr, high, low
        mov ecx, %1
        mov edx, %2
        mov eax, %3
        wrmsr
%endmacro

%macro rd 1
        mov ecx, %1
        rdmsr
%endmacro

%macro try 1+                           ; run one instruction; EAX = 1 if it raised #GP or #UD
        mov dword [resume], %%after
        mov dword [fault], 0
        %1
%%after:
        mov dword [resume], 0
        mov eax, [fault]
%endmacro

%macro expect 3                         ; name, high, low: EDX:EAX must hold them
        push dword %2
        push dword %3
        push dword %%name
        call check
        jmp %%past
%%name: db %1, 0
%%past:
%endmacro

%macro expect_eax 2
        xor edx, edx
        expect %1, 0, %2
%endmacro

start:
        mov esp, stack_top
        mov ebp, [ebx + 16]             ; multiboot information: command line
        call setup
        mov eax, 10
        cpuid
        call print_leaf
        mov [version], al
        mov [gp], ah
        and edx, 31
        mov [fixed], edx
        call scenario
end:
        call summary
        mov eax, [failed]
        out EXIT, al
        hlt

scenario:                               ; EBP = command line
        mov al, [ebp]
        inc ebp
        test al, al
        jz .none
        cmp al, ' '
        jne scenario
        mov ah, [ebp]
        mov [letter], ah
        jmp scenario
.none:
        mov al, [letter]
        cmp al, 'o'
        je test_off
        cmp al, 'r'
        je test_left_running
        cmp al, 'g'
        je test_gp_msr
        cmp al, 'm'
        je test_mute
        cmp al, 'h'
        je test_two_cpus
        call test_reset
        call test_kernels
        call test_rings
        call test_registers
        call test_values
        ret

; ---- the measured window ------------------------------------------------------------------------
; ESI = MSR that opens and closes, EBX:EBP = value that opens, EDI = kernel (keeps EBX, ESI, EBP)
WINDOW_INSTRUCTIONS equ 5               ; call, three to load registers, and the closing WRMSR
WINDOW_BRANCHES equ 1
WINDOW_TAKEN equ 1
WINDOW_LOADS equ 0
WINDOW_STORES equ 1
window:
        mov ecx, esi
        mov edx, ebx
        mov eax, ebp
        wrmsr
        call edi
        mov ecx, esi
        xor eax, eax
        xor edx, edx
        wrmsr
        ret

; EDI = kernel, EAX = select: EDX:EAX = count of general counter 0, which starts at 0
measure:
        push ebp
        push ebx
        push esi
        mov ebp, eax
        xor ebx, ebx
        mov esi, 0x186
        wr 0xc1, 0, 0
        cmp byte [version], 1
        je .open
        wr 0x38f, 0, 0
        wr 0x186, 0, ebp
        mov esi, 0x38f
        mov ebp, 1
.open:
        call window
        rd 0xc1
        pop esi
        pop ebx
        pop ebp
        ret

; EDI = kernel, ECX = index: EDX:EAX = count of that fixed counter
measure_fixed:
        push ebp
        push ebx
        push esi
        push ecx
        xor ebp, ebp
        mov ebx, 1
        shl ebx, cl
        shl ecx, 2
        mov esi, 1
        shl esi, cl
        wr 0x38f, 0, 0
        wr 0x38d, 0, esi
        mov ecx, [esp]
        add ecx, 0x309
        xor eax, eax
        xor edx, edx
        wrmsr
        mov esi, 0x38f
        call window
        pop ecx
        add ecx, 0x309
        rdmsr
        pop esi
        pop ebx
        pop ebp
        ret

%include "smoke_kernels.inc"
%include "smoke_lib.inc"
%include "smoke_checks.inc"
%include "smoke_values.inc"

section .data
image_end:
section .bss follows=.data align=16
stack_bottom: resb 8192
stack_top:
ap_stack_bottom: resb 4096
ap_stack_top:
ring0_stack_bottom: resb 4096
ring0_stack_top:
idt: resb 64 * 8
scratch: resb 8192
saved_esp: resd 1
resume: resd 1
fault: resd 1
passed: resd 1
failed: resd 1
got: resq 1
want: resq 1
fixed: resd 1
ap_result: resd 2
ap_starts: resd 1
ap_at_gate: resd 1
gate_open: resd 1
version: resb 1
gp: resb 1
letter: resb 1
bss_end:
