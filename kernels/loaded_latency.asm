; SPDX-License-Identifier: BSD-2-Clause
;
; The latency of a load that misses the caches while all other CPUs use the memory. The first role
; chases pointers; the other CPUs stream through their own buffers until the first role has ended. A
; plan should give a size that exceeds the caches.
;
; In the first role's buffer, the lines after page 0 form one ring in random order (Sattolo's
; algorithm). A run with fewer steps than lines starts at a random line.
;
; The first role counts its completed runs in ENDED. Another CPU stops when ENDED equals the number
; of runs that it has begun (RUNS).

FAMILY loaded_latency

%define ENDED 0   ; on its own line, because the other CPUs poll it
%define RUNS  256
%define BUILT 264 ; size of the buffer for which the ring was built
%define SEED  272
%define FIRST 4096

; Output: RBX: first line of the run. R10: number of the run. R11: first role's buffer. R13: end of
; the buffer's whole lines.
%macro PREPARE_ROLES 0
PREPARE
    mov r11, rdx
    mov r10, [rsi + RUNS]
    inc r10
    mov [rsi + RUNS], r10
    lea rbx, [rsi + FIRST]      ; where the other CPUs start
    lea r13, [rsi + r8]
    and r13, -64
    test rcx, rcx
    jnz .prepared
    lea r12, [r8 - FIRST]
    shr r12, 6
    cmp [rsi + BUILT], r8
    je .start
    mov [rsi + BUILT], r8
    xor ecx, ecx
.own:                           ; each line is its own ring
    mov [rbx], rbx
    add rbx, 64
    inc rcx
    cmp rcx, r12
    jb .own
    lea rbx, [rsi + FIRST]
.swap:                          ; swap the pointers of the last remaining line and an earlier line
    dec rcx
    jz .start
    call .draw                  ; RAX: 0 to RCX - 1
    shl rax, 6
    mov rdx, rcx
    shl rdx, 6
    mov r14, [rbx + rax]
    xchg r14, [rbx + rdx]
    mov [rbx + rax], r14
    jmp .swap
.start:
    cmp rdi, r12
    jae .prepared
    mov rcx, r12
    call .draw
    shl rax, 6
    lea rbx, [rsi + FIRST + rax]
.prepared:
    ret
.draw:                          ; a linear congruential generator; only its upper half is used
    mov rax, 6364136223846793005
    imul rax, [rsi + SEED]
    mov r14, 1442695040888963407
    add rax, r14
    mov [rsi + SEED], rax
    shr rax, 32
    imul rax, rcx
    shr rax, 32
    ret
%endmacro

; Arguments: name, title. LOAD_LINE is the instruction that the other CPUs execute for each line.
%macro LOADED_CHASE 2
KERNEL %1, %2
DEFAULT_N 1024
BUFFER 65536, 4096
ROUND buffer, 64
ARGUMENT delay, 0, 0, 10000, 1 ; empty iterations per line on the other CPUs
CLOBBERS rax, rcx, rdx, rbx, rdi, r10, r11, r12, r13, r14
DECLARE stores, exact, 1, 0
DECLARE_LOOP 1, 3, 1, 0
PREPARE_ROLES
ENTRY
.again:
    mov rbx, [rbx]
    dec rdi
    jnz .again
    mov [r11 + ENDED], r10
    ret
SECOND crowd
    lea r12, [rsi + FIRST]
.line:
    LOAD_LINE
    add rbx, 64
    cmp rbx, r13
    cmovae rbx, r12
    mov rax, r9
    test rax, rax
    jz .look
.delay:
    dec rax
    jnz .delay
.look:
    cmp [r11 + ENDED], r10
    jb .line
    ret
END_KERNEL
%endmacro

%define LOAD_LINE nop
LOADED_CHASE loaded_none, "n dependent loads of a random ring; all other CPUs wait"
%define LOAD_LINE mov rax, [rbx]
LOADED_CHASE loaded_read, "n dependent loads of a random ring; all other CPUs read memory"
%define LOAD_LINE mov [rbx], r10
LOADED_CHASE loaded_write, "n dependent loads of a random ring; all other CPUs write memory"
