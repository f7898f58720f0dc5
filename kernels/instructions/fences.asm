; SPDX-License-Identifier: BSD-2-Clause
;
; Serialising instructions: each waits for earlier ones, so rows repeat it and need no chains.

FAMILY fences

ROWS int
THROUGHPUT lfence, "lfence", {lfence}
THROUGHPUT mfence, "mfence", {mfence}
THROUGHPUT sfence, "sfence", {sfence}

ROWS_NEED serialize
THROUGHPUT serialize, "serialize", {serialize}

; It overwrites EAX, EBX, ECX and EDX. Virtual machines exit to the host.
ROWS int
THROUGHPUT cpuid, "cpuid of leaf 0, with xor eax, eax", {PAIR {xor eax, eax}, cpuid}, 0, 0, 2
