; SPDX-License-Identifier: BSD-2-Clause
;
; Cache lines that move between two CPUs. The shared line, at RBX, is in the first role's buffer.
;
; The written values are tokens, which increase from run to run, so that a role cannot mistake an
; old token for a new one. Each role keeps its last token at COUNT in its own buffer, in a line that
; the other role never accesses. The last tokens of the two roles are equal, because the roles run
; equally often and with the same n.
;
; Waiting does not use PAUSE, which would take longer than the transfer.

FAMILY core_to_core

%define COUNT 256

; Used after KERNEL. Arguments: tokens per n, why counts are not declared. R10 becomes the last
; token of the previous run.
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

; LOCK INC requests exclusive ownership of the line, and waits for it.
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

; The lines are 128 bytes apart, so that the adjacent-line prefetcher does not fetch both.
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

KERNEL core_to_core_write, "n stores to a line that another CPU reads until it sees the last"
TWO_CPUS 1, "the reader spins until the last store is there"
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
