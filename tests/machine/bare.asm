; SPDX-License-Identifier: GPL-2.0-or-later
; A ROM for QEMU's -bios that runs one kernel once, without firmware, and prints the PMU's counts.
; Interrupts stay disabled and nothing waits, so the runs of two kernels execute the same
; instructions outside prepare and the kernel.
;
; The ROM prints each counter to port E9h as 16 hexadecimal digits: general counters 0 to 5, then
; fixed counter 0. The ROM ends with a reset, which ends QEMU with -no-reboot.
;
; nasm -f bin -I folder-of-chosen.bin/ -o bare.rom tests/machine/bare.asm

ROM equ 0xf0000                         ; the ROM is mapped at this address and below 4 GiB
ROM_BYTES equ 0x10000
KERNELS equ 0x8000                      ; chosen kernels, at a multiple of KERNEL_ALIGN
RESET_VECTOR equ ROM_BYTES - 16

STACK_TOP equ 0x8000
BUFFER equ 0x10000                      ; all RAM is zero at power-on

DEBUG equ 0xe9

EFER equ 0xc0000080
PMC0 equ 0xc1
PERFEVTSEL0 equ 0x186
FIXED_CTR0 equ 0x309
FIXED_CTR_CTRL equ 0x38d
GLOBAL_CTRL equ 0x38f

SELECT equ 0x430000                     ; EN, OS and USR
GENERAL equ 6
COUNTS equ GENERAL + 1
FIXED0_HIGH equ 1                       ; bit 32 of IA32_PERF_GLOBAL_CTRL, in EDX

org ROM

; test_independent.py fills in the next six values.
kernel_entry:   dq 0
kernel_prepare: dq 0
kernel_n:       dq 0
kernel_bytes:   dq 0                    ; size of the buffer
kernel_argument: dq 0
cycles_select:  dq 0                    ; select of counter 5: 0, or cycles (detail mode)

bits 16
start:
        o32 lgdt [cs:gdt_pointer - $$]
        mov eax, cr4
        or eax, 1 << 5 | 1 << 9 | 1 << 10 | 1 << 18     ; PAE, OSFXSR, OSXMMEXCPT, OSXSAVE
        mov cr4, eax
        mov eax, page_map
        mov cr3, eax
        mov ecx, EFER
        rdmsr
        or eax, 1 << 8                  ; LME
        wrmsr
        mov eax, cr0
        and eax, ~(1 << 2 | 1 << 3 | 1 << 29 | 1 << 30) ; EM, TS, NW, CD
        or eax, 1 << 31 | 1 << 1 | 1                    ; PG, MP, PE
        mov cr0, eax
        jmp dword 8:long_mode

bits 64
default rel
long_mode:
        mov eax, 16
        mov ss, eax
        mov ds, eax
        mov es, eax
        mov esp, STACK_TOP
        xor ecx, ecx
        xor edx, edx
        mov eax, 7                      ; XCR0: x87, SSE, AVX
        xsetbv
        call program
        mov rdi, [kernel_n]
        mov esi, BUFFER
        mov r8, [kernel_bytes]
        mov r9, [kernel_argument]
        call [kernel_prepare]

; The window. Its counts include the WRMSR that closes the window, but not the WRMSR that opens it.
        mov ecx, GLOBAL_CTRL
        mov eax, (1 << GENERAL) - 1
        mov edx, FIXED0_HIGH
        wrmsr
        call [kernel_entry]             ; 1 instruction, branch, taken, load, store
                                        ; the kernel's RET: 1 instruction, branch, taken, load
        mov ecx, GLOBAL_CTRL            ; 1 instruction
        xor eax, eax                    ; 1 instruction
        xor edx, edx                    ; 1 instruction
        wrmsr                           ; 1 instruction

        call print
; The trace of this WRMSR shows how many instructions the model has retired before it. UD2 resets
; the machine at once, because the IDT contains only zeros.
        mov ecx, GLOBAL_CTRL
        xor eax, eax
        xor edx, edx
        wrmsr
        ud2

program:
        xor eax, eax
        xor edx, edx
        mov ecx, GLOBAL_CTRL
        wrmsr
        mov ecx, FIXED_CTR0
        wrmsr
%assign counter 0
%rep GENERAL
        mov ecx, PMC0 + counter
        wrmsr
%assign counter counter + 1
%endrep
        mov eax, 3                      ; fixed counter 0 in all rings
        mov ecx, FIXED_CTR_CTRL
        wrmsr
%assign counter 0
%rep GENERAL - 1
        mov ecx, PERFEVTSEL0 + counter
        mov eax, [selects + 4 * counter]
        wrmsr
%assign counter counter + 1
%endrep
        mov ecx, PERFEVTSEL0 + counter
        mov eax, [cycles_select]
        wrmsr
        ret

print:
%assign counter 0
%rep GENERAL
        mov ecx, PMC0 + counter
        call print_counter
%assign counter counter + 1
%endrep
        mov ecx, FIXED_CTR0
; Prints the counter whose MSR number is in ECX, always with the same number of instructions.
print_counter:
        rdmsr
        shl rdx, 32
        or rdx, rax
        lea rbx, [digits]
        mov ecx, 16
.digit: rol rdx, 4
        mov eax, edx
        and eax, 15
        mov al, [rbx + rax]
        out DEBUG, al
        dec ecx
        jnz .digit
        mov al, 10
        out DEBUG, al
        ret

digits: db "0123456789abcdef"

selects:
        dd SELECT | 0x00c0              ; instructions
        dd SELECT | 0x00c4              ; branches
        dd SELECT | 0x20c4              ; near taken branches
        dd SELECT | 0x81d0              ; loads
        dd SELECT | 0x82d0              ; stores

        align 8, db 0
gdt:    dq 0, 0x00af9b000000ffff, 0x00cf93000000ffff
gdt_pointer: dw $ - gdt - 1
        dd gdt

; Maps the first 2 MiB to themselves. Accessed and dirty bits are set, so the CPU writes nothing
; here.
        align 4096, db 0
page_map:
        dq page_pointers + 0x23         ; present, writable, accessed
        align 4096, db 0
page_pointers:
        dq page_directory + 0x23
        align 4096, db 0
page_directory:
        dq 0xe3                         ; also dirty, and a page of 2 MiB

        times KERNELS - ($ - $$) db 0
        incbin "chosen.bin"
        times RESET_VECTOR - ($ - $$) db 0
bits 16
        jmp 0xf000:start - $$
        times ROM_BYTES - ($ - $$) db 0
