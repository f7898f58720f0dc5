; SPDX-License-Identifier: BSD-2-Clause
;
; A cache line that goes to and fro between two CPUs. The first role begins, the second answers.
;
; What is written are tokens that only grow, from run to run too, so that no run takes what the one
; before has left for its own: R10 starts where the run before ended. Each role keeps that place in
; its own buffer, at COUNT, a line that the other never touches; both run as often, with the same n,
; so both keep the same. RBX is the line that both write, of the first role's buffer.
;
; Waiting has no PAUSE: it would last longer than what is measured. How often the other's line is
; read until it has changed is the machine's affair, and so is all that counts it.

FAMILY core_to_core

%define COUNT 256

; Behind KERNEL: tokens of each n, why counts are open. R10: how many tokens were written before.
%macro TWO_CPUS 2
DEFAULT_N 100
BUFFER 4096, 4096
CLOBBERS rax, rbx, rdi, r10
NOT_DECLARED instructions, %2
NOT_DECLARED branches, "as instructions"
NOT_DECLARED taken_branches, "as instructions"
NOT_DECLARED loads, "as instructions"
PREPARE
    mov rbx, rdx
    mov r10, [rsi + COUNT]
    imul rax, rdi, %1
    add rax, r10
    mov [rsi + COUNT], rax
    ret
%endmacro

; Until the other one has written the token R10.
%macro AWAIT 1
%%look:
    cmp %1, r10
    jne %%look
%endmacro

%define EACH_SPINS "each role spins until the other has answered"

KERNEL core_to_core, "n round trips of a line between two CPUs: plain stores"
TWO_CPUS 2, EACH_SPINS
DECLARE stores, exact, 0, 1
ENTRY
.ask:
    inc r10
    mov [rbx], r10
    inc r10
    AWAIT [rbx]
    dec rdi
    jnz .ask
    ret
SECOND pair
.answer:
    inc r10
    AWAIT [rbx]
    inc r10
    mov [rbx], r10
    dec rdi
    jnz .answer
    ret
END_KERNEL

; The increment wants the line for itself, and waits until it has it.
KERNEL core_to_core_lock, "n round trips of a line between two CPUs: lock inc"
TWO_CPUS 2, EACH_SPINS
DECLARE stores, exact, 0, 1
ENTRY
.ask:
    lock inc qword [rbx]
    add r10, 2
    AWAIT [rbx]
    dec rdi
    jnz .ask
    ret
SECOND pair
    inc r10
.answer:
    AWAIT [rbx]
    lock inc qword [rbx]
    add r10, 2
    dec rdi
    jnz .answer
    ret
END_KERNEL

; Two lines, two apart for the prefetcher that fetches pairs of them: each has one writer.
KERNEL core_to_core_two, "n round trips of two lines, one to ask, one to answer"
TWO_CPUS 1, EACH_SPINS
DECLARE stores, exact, 0, 1
ENTRY
.ask:
    inc r10
    mov [rbx], r10
    AWAIT [rbx + 128]
    dec rdi
    jnz .ask
    ret
SECOND pair
.answer:
    inc r10
    AWAIT [rbx]
    mov [rbx + 128], r10
    dec rdi
    jnz .answer
    ret
END_KERNEL

; What it costs to write a line that another CPU keeps reading: nobody answers.
KERNEL core_to_core_write, "n stores to a line that another CPU reads until the last is there"
TWO_CPUS 1, "the reader spins until the last store is there"
; n of the writer, none of the reader
DECLARE stores, range, 0, 0, 0, 1
ENTRY
.write:
    inc r10
    mov [rbx], r10
    dec rdi
    jnz .write
    ret
SECOND pair
    add r10, rdi
.read:
    cmp [rbx], r10
    jb .read
    ret
END_KERNEL
