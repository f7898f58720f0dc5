; SPDX-License-Identifier: BSD-2-Clause
;
; The built-in table: all kernels as consecutive blobs, each aligned to 64 bytes.
;
;       nasm -f bin -Werror -I kernels/ -o build/kernels.raw kernels/kernels.asm
;       scripts/seal-kernels build/kernels.raw -o build/kernels.bin --packed build/kernels.packed
;
; A kernel accepts every n from 1 to 2^40. A kernel without RING0 is unprivileged, and accesses only
; its buffer, the first role's buffer, and a little stack below RSP. A kernel that walks through its
; buffer starts again when it reaches the buffer's end, so its counts do not depend on the buffer's
; size.

%include "kernel.inc"
%include "ring.inc"
%include "walk.inc"

%include "straight.asm"
%include "loops.asm"
%include "chains.asm"
%include "memory.asm"
%include "branches.asm"
%include "strings.asm"
%include "byte_mask.asm"
%include "core_to_core.asm"
%include "loaded_latency.asm"
%include "beside.asm"
%include "chase.asm"
%include "chase_stride.asm"
%include "chase_pages.asm"
%include "chase_parallel.asm"
%include "bandwidth.asm"
%include "store_forward.asm"
%include "crossing.asm"
%include "branch_patterns.asm"
%include "branch_indirect.asm"
%include "branch_targets.asm"
%include "call_depth.asm"
%include "code_size.asm"
%include "alignment.asm"
%include "frequency.asm"
%include "known_answers.asm"
%include "properties.asm"

%include "instructions/instruction.inc"
%include "instructions/int_alu.asm"
%include "instructions/int_move.asm"
%include "instructions/int_shift.asm"
%include "instructions/int_multiply.asm"
%include "instructions/int_divide.asm"
%include "instructions/int_bits.asm"
%include "instructions/int_wide.asm"
%include "instructions/int_flags.asm"
%include "instructions/int_memory.asm"
%include "instructions/x87.asm"
%include "instructions/mmx.asm"
%include "instructions/sse_int.asm"
%include "instructions/sse_float.asm"
%include "instructions/sse_shuffle.asm"
%include "instructions/sse_convert.asm"
%include "instructions/avx_int.asm"
%include "instructions/avx_float.asm"
%include "instructions/avx_shuffle.asm"
%include "instructions/fma.asm"
%include "instructions/half.asm"
%include "instructions/avx512_int.asm"
%include "instructions/avx512_float.asm"
%include "instructions/avx512_shuffle.asm"
%include "instructions/avx512_mask.asm"
%include "instructions/vnni.asm"
%include "instructions/gfni.asm"
%include "instructions/crypto_aes.asm"
%include "instructions/crypto_sha.asm"
%include "instructions/crypto_clmul.asm"
%include "instructions/crypto_wide.asm"
%include "instructions/string_ops.asm"
%include "instructions/atomics.asm"
%include "instructions/fences.asm"
%include "instructions/system.asm"
%include "instructions/cache_control.asm"

%ifdef kernel_open
    %error kernel kernel_open: END_KERNEL is missing
%endif
