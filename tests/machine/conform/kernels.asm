; SPDX-License-Identifier: GPL-2.0-or-later
; Kernels with known counts. Each count includes the kernel's RET. The columns are in the order of
; enum column (conform.h): instructions; conditional branches taken, not taken; jumps direct,
; indirect; near calls direct, indirect; near returns; far branches; instructions that load, that
; store; mispredictions of conditional branches that are not taken, of indirect jumps, of returns;
; cycles. The last four columns are the counts with a trained predictor and L1D. The comment above a
; kernel lists its instructions; | ends a cycle.

bits 32

%include "conform.inc"

%macro kernel 17                        ; label, name, the fifteen counts
[section .kernels]
        dd kernel_%1, %%name, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17
[section .rodata]
%%name: db %2, 0
[section .text]
global kernel_%1
kernel_%1:
%endmacro

section .kernels progbits alloc noexec nowrite align=4
global kernels
kernels:
section .text

;                                      in   ct  cn  j   i  c ci  r  f ld st mn  mi mr   cy
kernel empty, "empty",                  1,   0,  0, 0,  0, 0, 0, 1, 0, 1, 0, 0,  0, 0,   1
        ret

; mov dec jnz | 998 (dec jnz |) dec jnz, 15 stalled | ret |
kernel jcc, "jcc loop",              2002, 999,  1, 0,  0, 0, 0, 1, 0, 1, 0, 1,  0, 0, 1016
        mov ecx, 1000
.l:     dec ecx
        jnz .l
        ret

; mov loop | 98 (loop |) loop, 15 stalled | ret |
kernel loop, "loop",                  102,  99,  1, 0,  0, 0, 0, 1, 0, 1, 0, 1,  0, 0, 116
        mov ecx, 100
.l:     loop .l
        ret

; mov jecxz dec jecxz | jmp | mov test loopne | ret |
kernel jecxz, "jecxz, jmp, loopne",     9,   2,  1, 1,  0, 0, 0, 1, 0, 1, 0, 0,  0, 0,   4
        mov ecx, 1
        jecxz .no
        dec ecx
        jecxz .yes
.no:    ud2
.yes:   jmp short .on
        nop
.on:    mov cl, 2
        test ecx, ecx
        loopne .out                     ; taken: ECX = 1, ZF = 0
        nop
.out:   ret

; xor jnz jz | mov jmp | nop jmp | ret |
kernel other_page, "other page",        8,   1,  1, 1,  1, 0, 0, 1, 0, 1, 0, 0,  0, 0,   4
        xor eax, eax
        jnz far_page                    ; not taken
        jz far_page                     ; taken; an indirect jump leads back
back:   nop
        jmp dword near_page
        align 4096, nop
far_page:
        mov eax, back
        jmp eax
near_page:
        ret

; lea nop prefetch mov | mov add cmp push | push add movd movups | fnstcw ret |
kernel accesses, "loads, stores",      14,   0,  0, 0,  0, 0, 0, 1, 0, 5, 6, 0,  0, 0,   4
        lea eax, [scratch]
        nop dword [eax]
        prefetchnta [eax]
        mov [eax], eax                  ; store
        mov ecx, [eax]                  ; load
        add [eax], ecx                  ; both
        cmp [eax], ecx                  ; load
        push ecx                        ; store
        push dword [eax]                ; both
        add esp, 8
        movd xmm0, ecx
        movups [eax], xmm0              ; store
        fnstcw [eax]                    ; store
        ret

kernel locked, "locked",                7,   0,  0, 0,  0, 0, 0, 1, 0, 6, 5, 0,  0, 0,   2
        mov ecx, scratch + 4093         ; crosses into the next page
        lock inc dword [scratch]
        xchg eax, [scratch]
        lock cmpxchg8b [scratch]
        lock add dword [ecx], 1
        lock xadd [scratch + 8], eax
        ret

; call | ret | call | ret | ret |
kernel call, "call",                    5,   0,  0, 0,  0, 1, 1, 3, 0, 4, 2, 0,  0, 0,   5
        call .near
        call [.pointer]
        ret
.near:  rep ret                         ; the prefix has no effect
        align 4
.pointer: dd .near

; push call | retf | call | retf | jmp | pushfd push call | iretd | ret, 15 stalled | A far return
; does not pop the return stack, so the last RET is mispredicted.
kernel far, "far",                     11,   0,  0, 0,  0, 2, 0, 1, 5, 4, 6, 0,  0, 1,  23
        push cs
        call .retf_here                 ; a near call, from which a far return comes back
        call 8:.retf_here
        jmp 8:.next
.next:  pushfd
        push cs
        call .iret_here
        ret
.retf_here: retf
.iret_here: iretd

; mov mov mov mov | rep rep xor mov | rep mov mov mov | repe mov ret |
kernel rep, "rep",                     15,   0,  0, 0,  0, 0, 0, 1, 0, 1, 0, 0,  0, 0,   4
        mov edx, esi
        mov esi, scratch
        mov edi, scratch + 256
        mov ecx, 100
        rep movsb
        rep movsb                       ; ECX = 0
        xor eax, eax
        mov ecx, 30
        rep stosd
        mov ecx, 5
        mov edi, scratch + 256
        mov esi, scratch + 512
        repe cmpsb
        mov esi, edx
        ret

kernel string, "string",                7,   0,  0, 0,  0, 0, 0, 1, 0, 2, 2, 0,  0, 0,   2
        mov edi, scratch
        mov edx, esi
        mov esi, edi
        stosd
        movsb
        mov esi, edx
        ret

; xor add iretd | ret | (add and iretd are the handler's)
kernel fault, "fault",                  4,   0,  0, 0,  0, 0, 0, 1, 1, 3, 1, 0,  0, 0,   2
        xor ecx, ecx
        div ecx                         ; #DE: not retired
        ret

; nop int | iretd | ret |
kernel int, "int",                      4,   0,  0, 0,  0, 0, 0, 1, 2, 2, 0, 0,  0, 0,   3
        nop
        int 0x30
        ret

; mov sti hlt mov | iretd | cli pause ret |
kernel hlt, "hlt",                      8,   0,  0, 0,  0, 0, 0, 1, 1, 2, 2, 0,  0, 0,   3
        mov dword [APIC + 0x300], 0x44031 ; interrupt 31h to this CPU, held back by IF = 0
        sti
        hlt
        cli
        pause
        ret

kernel own_code, "own code",            4,   0,  0, 0,  0, 0, 0, 1, 0, 1, 1, 0,  0, 0,   1
        mov byte [.here + 1], 7
.here:  mov al, 1
        nop
        ret

; xor | rdpmc ret | (RDPMC begins a new cycle)
kernel rdpmc, "rdpmc",                  3,   0,  0, 0,  0, 0, 0, 1, 0, 1, 0, 0,  0, 0,   2
        xor ecx, ecx
        rdpmc
        ret

; 10 full cycles | ret |
kernel nops, "nops",                   41,   0,  0, 0,  0, 0, 0, 1, 0, 1, 0, 0,  0, 0,  11
        times 40 nop
        ret

; 100 iterations: first mov test jz | dec jnz |, then alternately test jz dec jnz | and test jz |
; dec jnz |. The last jnz stalls, then comes ret. The predictor learns jz from its history; only the
; exit is mispredicted.
kernel alternating, "alternating",    402, 149, 51, 0,  0, 0, 0, 1, 0, 1, 0, 1,  0, 0, 166
        mov ecx, 100
.l:     test cl, 1
        jz .past                        ; taken if ECX is even, as in the first iteration
.past:  dec ecx
        jnz .l
        ret

; mov mov mov xchg | jmp, 15 stalled | dec jnz |, 19 times: xchg jmp, 15 stalled | (nop) dec jnz |
; The last jnz stalls too, then comes ret. The targets alternate, and the predictor expects the
; previous target, so every jmp is mispredicted.
kernel two_targets, "two targets",     94,  19,  1, 0, 20, 0, 0, 1, 0, 1, 0, 1, 20, 0, 357
        mov ecx, 20
        mov eax, .a
        mov edx, .b
.l:     xchg eax, edx
        jmp eax                         ; to .b first
.a:     nop
.b:     dec ecx
        jnz .l
        ret

; jmp | nop mov ret |   (mov crosses into the next page)
kernel across, "across pages",          4,   0,  0, 1,  0, 0, 0, 1, 0, 1, 0, 0,  0, 0,   2
        jmp .edge
        align 4096, nop
        times 4096 - 3 nop
.edge:  nop
        mov eax, 0x12345678
        ret

global kernels_end
section .kernels
kernels_end:

section .bss align=4096
global scratch
scratch: resb 8192
