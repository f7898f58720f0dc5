; SPDX-License-Identifier: BSD-2-Clause
;
; Ordering: all wait for something, so that rows are of repetition, not of a chain or of copies.

FAMILY fences

ROWS int
THROUGHPUT lfence, "lfence", {lfence}
THROUGHPUT mfence, "mfence", {mfence}
THROUGHPUT sfence, "sfence", {sfence}

ROWS_NEED serialize
THROUGHPUT serialize, "serialize", {serialize}

; It overwrites EAX, EBX, ECX and EDX: leaf 0 each time. On a virtual machine the host answers.
ROWS int
THROUGHPUT cpuid, "cpuid of leaf 0, with xor eax, eax", {PAIR {xor eax, eax}, cpuid}, 0, 0, 2
