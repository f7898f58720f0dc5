; SPDX-License-Identifier: BSD-2-Clause
;
; Store forwarding: a store at the start of a line, then a load `offset` bytes after the store's
; first byte. The next store stores the loaded value. The time divided by n is the latency of the
; store and the load. If only one of them uses a vector register, this time includes a move between
; a vector register and a general register.

FAMILY store_forward

%define store_of_1  mov [rbx], al
%define store_of_2  mov [rbx], ax
%define store_of_4  mov [rbx], eax
%define store_of_8  mov [rbx], rax
%define store_of_16 movdqu [rbx], xmm0
%define store_of_32 vmovdqu [rbx], ymm0
%define load_of_1   movzx eax, byte [r10]
%define load_of_2   movzx eax, word [r10]
%define load_of_4   mov eax, [r10]
%define load_of_8   mov rax, [r10]
%define load_of_16  movdqu xmm0, [r10]
%define load_of_32  vmovdqu ymm0, [r10]

; Arguments: bytes stored, bytes loaded. If a store or load has 32 bytes, all vector instructions
; are VEX-encoded.
%macro STORE_FORWARD 2
%defstr stored_text %1
%defstr loaded_text %2
%strcat forward_title "n times ", stored_text, " bytes stored, ", loaded_text, " loaded at offset"
KERNEL sf_s%1_l%2, forward_title
DEFAULT_N 1000
BUFFER 128, 64
ARGUMENT offset, 0, 0, 63, 1
%assign vex %1 == 32 || %2 == 32
%assign moves (%1 >= 16) != (%2 >= 16)
CLOBBERS rax, rbx, rdi, r10
%if %1 >= 16 || %2 >= 16
    CLOBBERS vectors
%endif
%if vex
    NEEDS avx
%endif
DECLARE_LOOP vex, 4 + moves, 1, 1
PREPARE
    mov rbx, rsi
    lea r10, [rsi + r9]
    ret
ENTRY
.again:
%if vex && %1 == 16
    vmovdqu [rbx], xmm0
%else
    store_of_%1
%endif
%if vex && %2 == 16
    vmovdqu xmm0, [r10]
%else
    load_of_%2
%endif
%if moves && %1 < 16
    %if vex
    vmovq rax, xmm0
    %else
    movq rax, xmm0
    %endif
%elif moves
    %if vex
    vmovq xmm0, rax
    %else
    movq xmm0, rax
    %endif
%endif
    dec rdi
    jnz .again
%if vex
    vzeroupper
%endif
    ret
END_KERNEL
%endmacro

%macro STORES_FORWARD 1
    STORE_FORWARD %1, 1
    STORE_FORWARD %1, 2
    STORE_FORWARD %1, 4
    STORE_FORWARD %1, 8
    STORE_FORWARD %1, 16
    STORE_FORWARD %1, 32
%endmacro

STORES_FORWARD 1
STORES_FORWARD 2
STORES_FORWARD 4
STORES_FORWARD 8
STORES_FORWARD 16
STORES_FORWARD 32
