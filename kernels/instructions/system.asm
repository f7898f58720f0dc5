; SPDX-License-Identifier: BSD-2-Clause
;
; Clocks, random numbers, and other unprivileged system instructions.

FAMILY system

ROWS int
THROUGHPUT rdtsc, "rdtsc", {rdtsc}
THROUGHPUT pause, "pause", {pause}
THROUGHPUT nop, "nop of one byte", {nop}
THROUGHPUT nop_9, "nop of nine bytes", {db 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}

; XGETBV requires CR4.OSXSAVE, which is set on every CPU with the feature avx.
ROWS int
ROWS_NEED avx
ROWS_BEFORE ONCE xor ecx, ecx
THROUGHPUT xgetbv, "xgetbv of XCR0", {xgetbv}

ROWS int
ROWS_NEED rdtscp
THROUGHPUT rdtscp, "rdtscp", {rdtscp}

ROWS int
ROWS_NEED rdpid
THROUGHPUT rdpid, "rdpid r64", {rdpid D64}

ROWS int
ROWS_NEED rdrand
THROUGHPUT rdrand_r64, "rdrand r64", {rdrand D64}

ROWS int
ROWS_NEED rdseed
THROUGHPUT rdseed_r64, "rdseed r64", {rdseed D64}

ROWS int
ROWS_BUFFER 4096, 64
ROWS_PREPARE stmxcsr [rsi]
THROUGHPUT stmxcsr, "stmxcsr [mem]", {stmxcsr [MEM + 4]}, 0, 1
THROUGHPUT ldmxcsr, "ldmxcsr [mem]: the current value", {ldmxcsr [rsi]}, 1, 0
