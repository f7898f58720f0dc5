; SPDX-License-Identifier: BSD-2-Clause
;
; Memory operands and the stack. All accesses hit the first-level cache.

FAMILY int_memory

; The 8 bytes at RSI contain their own address, so each load depends on the previous load.
ROWS int
ROWS_BUFFER 4096, 64
ROWS_PREPARE PAIR {mov [rsi], rsi}, {mov r10, rsi}
LATENCY load_r64, "mov r64, [r64]: load to load", {mov r10, [r10]}, 1, 0
LATENCY load_index_r64, "mov r64, [r64 + r64 * 8]: load to load", {mov r10, [r10 + r9 * 8]}, 1, 0

ROWS int
ROWS_BUFFER 4096, 64
THROUGHPUT load_r64, "mov r64, [mem]", {mov D64, [MEM]}, 1, 0
THROUGHPUT load_r32, "mov r32, [mem]", {mov D32, [MEM]}, 1, 0
THROUGHPUT load_zx_m8, "movzx r32, byte [mem]", {movzx D32, byte [MEM]}, 1, 0
THROUGHPUT load_sx_m32, "movsxd r64, dword [mem]", {movsxd D64, dword [MEM]}, 1, 0
THROUGHPUT store_r64, "mov [mem], r64", {mov [MEM], S64}, 0, 1
THROUGHPUT store_r32, "mov [mem], r32", {mov [MEM], S32}, 0, 1
THROUGHPUT store_r8, "mov [mem], r8", {mov [MEM], S8}, 0, 1
THROUGHPUT store_i32, "mov qword [mem], imm32", {mov qword [MEM], 0x12345678}, 0, 1
BOTH add_r64_m64, "add r64, [mem]", {add D64, [MEM]}, 1, 0
BOTH add_m64_r64, "add [mem], r64: through memory", {add [MEM], S64}, 1, 1
BOTH inc_m64, "inc qword [mem]: through memory", {inc qword [MEM]}, 1, 1
BOTH xor_r64_m64, "xor r64, [mem]", {xor D64, [MEM]}, 1, 0
BOTH imul_r64_m64, "imul r64, [mem]", {imul D64, [MEM]}, 1, 0
THROUGHPUT cmp_r64_m64, "cmp r64, [mem]", {cmp D64, [MEM]}, 1, 0
THROUGHPUT test_m64_r64, "test [mem], r64", {test [MEM], S64}, 1, 0

BOTH push_pop, "push and pop of a register", {PAIR {push r10}, {pop r10}}, 1, 1, 2
LATENCY store_load, "store and load of the same 8 bytes", \
    {PAIR {mov [rsi], r10}, {mov r10, [rsi]}}, 1, 1, 2

ROWS_NEED movbe
THROUGHPUT movbe_load, "movbe r64, [mem]", {movbe D64, [MEM]}, 1, 0
THROUGHPUT movbe_store, "movbe [mem], r64", {movbe [MEM], S64}, 0, 1
