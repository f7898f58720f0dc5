; SPDX-License-Identifier: BSD-2-Clause
;
; Rings of taken direct branches at constant distances. Cycles per n rise when the ring exceeds the
; branch target buffer. Each branch follows a DEC that counts down n, so all counts are exact for
; any n.

FAMILY branch_targets

%macro BRANCH_TARGETS 2
%defstr distance_text %1
%defstr ring_text %2
%strcat targets_title "n branches along a ring of ", ring_text, ", ", distance_text, " bytes apart"
KERNEL targets_%1_%2, targets_title
DEFAULT_N 2 * %2
CLOBBERS rdi
DECLARE_LOOP 0, 2
ENTRY
%assign ring_place 0
%rep %2 - 1
    dec rdi
    jnz strict near .entry + (ring_place + 1) * %1
    ret
    times (ring_place + 1) * %1 - ($ - .entry) int3
    %assign ring_place ring_place + 1
%endrep
    dec rdi
    jnz strict near .entry
    ret
END_KERNEL
%endmacro

BRANCH_TARGETS 16, 256
BRANCH_TARGETS 16, 512
BRANCH_TARGETS 16, 1024
BRANCH_TARGETS 16, 2048
BRANCH_TARGETS 16, 4096
BRANCH_TARGETS 16, 8192
BRANCH_TARGETS 32, 256
BRANCH_TARGETS 32, 512
BRANCH_TARGETS 32, 1024
BRANCH_TARGETS 32, 2048
BRANCH_TARGETS 64, 256
BRANCH_TARGETS 64, 512
BRANCH_TARGETS 64, 1024
