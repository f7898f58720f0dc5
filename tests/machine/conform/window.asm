; SPDX-License-Identifier: GPL-2.0-or-later
; The measured window, accesses that may fault, and code in ring 3. Called from C (cdecl).

bits 32

extern resume, saved_esp, user_stack_top, kernel_argument

section .text

; void window(uint32_t msr, uint64_t opening, void (*kernel)(void))
; The kernel gets kernel_argument[] in EBX and EBP, and must preserve ESI. The WRMSR that closes the
; window is counted. The WRMSR that opens the window is not counted. window_cost in pmu.c gives the
; counts of the window itself.
global window
window:
        pushad
        mov esi, [esp + 36]
        mov eax, [esp + 40]
        mov edx, [esp + 44]
        mov edi, [esp + 48]
        mov ebx, [kernel_argument]
        mov ebp, [kernel_argument + 4]
        mov ecx, esi
        wrmsr
        call edi
        mov ecx, esi
        xor eax, eax
        xor edx, edx
        wrmsr
        popad
        ret

; Sets ECX to 1 if the instruction raised #GP or #UD, else 0.
%macro try 1
        mov dword [resume], %%fault
        %1
        mov dword [resume], 0
        mov ecx, 0
        jmp %%done
%%fault:
        mov ecx, 1
%%done:
%endmacro

; uint32_t try_wrmsr(uint32_t msr, uint64_t value)
global try_wrmsr
try_wrmsr:
        mov ecx, [esp + 4]
        mov eax, [esp + 8]
        mov edx, [esp + 12]
        try wrmsr
        mov eax, ecx
        ret

; uint32_t try_rdmsr(uint32_t msr, uint64_t *value), try_rdpmc(uint32_t index, uint64_t *value)
%macro reader 2
global %1
%1:     push ebx
        mov ecx, [esp + 8]
        mov ebx, [esp + 12]
        xor eax, eax
        xor edx, edx
        try %2
        mov [ebx], eax
        mov [ebx + 4], edx
        mov eax, ecx
        pop ebx
        ret
%endmacro
        reader try_rdmsr, rdmsr
        reader try_rdpmc, rdpmc

; ---- ring 3 -------------------------------------------------------------------------------------
%macro enter_user 1
        mov [saved_esp], esp
        push dword 0x23
        push dword user_stack_top
        push dword 2
        push dword 0x1b
        push dword %1
        iretd
%endmacro

global back_from_user, user_kernel, user_try_rdpmc

back_from_user:                         ; handler of interrupt 32h
        mov esp, [saved_esp]
        ret

; The kernel without the window executes 24 instructions in 27 cycles in ring 3, and 9 instructions
; in 3 cycles in ring 0 (counting.c).
user_kernel:
        enter_user .user
.user:
        mov ecx, 11
.l:     dec ecx
        jnz .l
        int 0x32

; DIV faults in ring 3, and the handler (add iretd) skips it. There are 3 instructions in 2 cycles
; in ring 3 (xor | nop int |), and 11 instructions in 4 cycles in ring 0.
global user_fault_kernel
user_fault_kernel:
        enter_user .user
.user:
        xor ecx, ecx
        div ecx
        nop
        int 0x32

; uint32_t user_try_rdpmc(void): executes RDPMC of counter 0 in ring 3; returns 1 if it raised #GP
user_try_rdpmc:
        pushad
        call .go
        mov [esp + 28], edx
        popad
        ret
.go:    enter_user .user
.user:
        xor ecx, ecx
        mov dword [resume], .fault
        rdpmc
        mov dword [resume], 0
        xor edx, edx
        int 0x32
.fault: mov edx, 1
        int 0x32
