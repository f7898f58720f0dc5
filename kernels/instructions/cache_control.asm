; SPDX-License-Identifier: BSD-2-Clause
;
; Prefetches, flushes, direct stores, and non-temporal loads and stores.

FAMILY cache_control

; On some cores the events of retired loads and stores count prefetches or flushes;
; MEM_INST_RETIRED.ALL_LOADS counts software prefetches.
ROWS int
ROWS_BUFFER 4096, 64
ROWS_REASON "whether it counts as a load or a store differs from core to core"
THROUGHPUT prefetcht0, "prefetcht0 [mem]", {prefetcht0 [MEM]}, ?, ?
THROUGHPUT prefetcht1, "prefetcht1 [mem]", {prefetcht1 [MEM]}, ?, ?
THROUGHPUT prefetcht2, "prefetcht2 [mem]", {prefetcht2 [MEM]}, ?, ?
THROUGHPUT prefetchnta, "prefetchnta [mem]", {prefetchnta [MEM]}, ?, ?
THROUGHPUT clflush, "clflush [mem]", {clflush [MEM]}, ?, ?
THROUGHPUT movnti_r64, "movnti [mem], r64", {movnti [MEM], S64}, 0, 1

ROWS_NEED prefetchw
THROUGHPUT prefetchw, "prefetchw [mem]", {prefetchw [MEM]}, ?, ?

ROWS_NEED clflushopt
THROUGHPUT clflushopt, "clflushopt [mem]", {clflushopt [MEM]}, ?, ?

ROWS_NEED clwb
THROUGHPUT clwb, "clwb [mem]", {clwb [MEM]}, ?, ?

ROWS_NEED movdiri
THROUGHPUT movdiri_r64, "movdiri [mem], r64", {movdiri [MEM], S64}, 0, 1

; Copies the buffer's second line to the first, at R11.
ROWS_NEED movdir64b
ROWS_PREPARE mov r11, rsi
THROUGHPUT movdir64b, "movdir64b [mem], [mem]", {movdir64b r11, [rsi + 64]}, ?, ?

ROWS xmm
ROWS_BUFFER 4096, 64
THROUGHPUT movntdq, "movntdq [mem], xmm", {movntdq [MEM], SV}, 0, 1
THROUGHPUT movntps, "movntps [mem], xmm", {movntps [MEM], SV}, 0, 1

ROWS_NEED sse4_1
THROUGHPUT movntdqa, "movntdqa xmm, [mem]", {movntdqa DV, [MEM]}, 1, 0
