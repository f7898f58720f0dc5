; SPDX-License-Identifier: BSD-2-Clause
;
; The built-in table: all kernels, one blob after the other, each at a multiple of 64 bytes.
;
;       nasm -f bin -Werror -I kernels/ -o build/kernels.raw kernels/kernels.asm
;       scripts/seal-kernels build/kernels.raw build/kernels.bin
;
; A kernel respects every n from 1 to 2^40, touches its buffer (RSI, R8 bytes: at least what it asks
; for) and a little stack below RSP, and is unprivileged. One that walks its buffer starts over at
; its end, whatever R8 is, so that the counts do not depend on the buffer's size.

%include "kernel.inc"

%include "straight.asm"
%include "loops.asm"
%include "chains.asm"
%include "memory.asm"
%include "branches.asm"
%include "strings.asm"
%include "byte_mask.asm"

%ifdef kernel_open
    %error kernel kernel_open: END_KERNEL is missing
%endif
