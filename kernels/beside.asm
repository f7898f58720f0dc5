; SPDX-License-Identifier: BSD-2-Clause
;
; Known counts beside busy CPUs: the first role's counts are exact, and all other CPUs of the plan
; load, store and branch until the first role has ended. With cpus=boot-core in the plan, the other
; CPUs are the siblings.

FAMILY beside

%define ENDED 0   ; the first role's completed runs, on a line of its own, because others poll it
%define RUNS  64  ; runs that this CPU has begun
%define WORDS 128 ; two words for loads and stores

; Output: R10: number of the run. R11: first role's buffer.
%macro PREPARE_BESIDE 0
PREPARE
    mov r11, rdx
    mov r10, [rsi + RUNS]
    inc r10
    mov [rsi + RUNS], r10
    ret
%endmacro

%macro BUSY_UNTIL_ENDED 0
    mov [r11 + ENDED], r10
    ret
SECOND crowd
.busy:
    mov eax, [rsi + WORDS]
    add [rsi + WORDS + 4], eax
    jmp .look
.look:
    cmp [r11 + ENDED], r10
    jb .busy
    ret
%endmacro

KERNEL beside_load_store, "n times: a load, and an add to memory; all other CPUs are busy"
DEFAULT_N 1000
BUFFER 192, 64
CLOBBERS rax, rdi, r10, r11
DECLARE branches, exact, 0, 2
DECLARE stores, exact, 1, 1
DECLARE_LOOP 1, 5, 2
DECLARE conditional_branches, exact, 0, 2
DECLARE conditional_taken, exact, -1, 1
DECLARE not_taken, exact, 1, 1
NO_OTHERS
PREPARE_BESIDE
ENTRY
.again:
    mov eax, [rsi + WORDS]
    add [rsi + WORDS + 4], edi
    dec rdi
    jo .again                   ; never taken, to tell branches from taken ones
    jnz .again
    BUSY_UNTIL_ENDED
END_KERNEL

KERNEL beside_call_ret, "n calls of a function that only returns; all other CPUs are busy"
DEFAULT_N 1000
BUFFER 192, 64
CLOBBERS rax, rdi, r10, r11
DECLARE branches, exact, 0, 3
DECLARE taken_branches, exact, -1, 3
DECLARE stores, exact, 1, 1
DECLARE_LOOP 1, 4, 1
DECLARE near_calls, exact, 0, 1
DECLARE near_returns, exact, 0, 1
DECLARE direct_calls, exact, 0, 1
DECLARE_BRANCH_OF_LOOP
PREPARE_BESIDE
ENTRY
.again:
    call .empty
    dec rdi
    jnz .again
    BUSY_UNTIL_ENDED
.empty:
    ret
END_KERNEL
