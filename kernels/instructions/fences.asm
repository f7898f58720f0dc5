; SPDX-License-Identifier: BSD-2-Clause
;
; Fences and serialising instructions. The copies of a fence or serialising instruction run one
; after another even though they do not depend on each other.

FAMILY fences

ROWS int
THROUGHPUT lfence, "lfence", {lfence}
THROUGHPUT mfence, "mfence", {mfence}
THROUGHPUT sfence, "sfence", {sfence}

ROWS_NEED serialize
THROUGHPUT serialize, "serialize", {serialize}

; In a virtual machine, CPUID usually causes a VM exit.
ROWS int
THROUGHPUT cpuid, "cpuid of leaf 0, with xor eax, eax", {PAIR {xor eax, eax}, cpuid}, 0, 0, 2
