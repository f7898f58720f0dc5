; SPDX-License-Identifier: BSD-2-Clause
;
; String instructions with 64 repetitions. A string instruction counts as one instruction, however
; often it repeats. Six more instructions set up the registers.

FAMILY string_ops

%macro STRING 1+
    mov r10, rdi
    mov r11, rsi
    lea rdi, [rsi + 2048]
    mov ecx, 64
    %1
    mov rdi, r10
    mov rsi, r11
%endmacro

; All data is 0, so comparisons and scans run to the end.
ROWS int
ROWS_BUFFER 4096, 64
ROWS_BEFORE ONCE xor eax, eax
ROWS_REASON "cores differ in how many loads and stores they count for one REP instruction"
THROUGHPUT rep_stosb, "rep stosb of 64, set up by 6 instructions", {STRING rep stosb}, 0, ?, 7
THROUGHPUT rep_stosq, "rep stosq of 64, set up by 6 instructions", {STRING rep stosq}, 0, ?, 7
THROUGHPUT rep_movsb, "rep movsb of 64, set up by 6 instructions", {STRING rep movsb}, ?, ?, 7
THROUGHPUT rep_movsq, "rep movsq of 64, set up by 6 instructions", {STRING rep movsq}, ?, ?, 7
THROUGHPUT rep_lodsb, "rep lodsb of 64, set up by 6 instructions", {STRING rep lodsb}, ?, 0, 7
THROUGHPUT repe_scasb, "repe scasb of 64, set up by 6 instructions", {STRING repe scasb}, ?, 0, 7
THROUGHPUT repe_cmpsb, "repe cmpsb of 64, set up by 6 instructions", {STRING repe cmpsb}, ?, 0, 7
