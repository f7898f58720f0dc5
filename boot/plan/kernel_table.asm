; SPDX-License-Identifier: BSD-2-Clause
; The built-in kernels, from kernels/. scripts/seal-kernels adds checksums, and packs the table.

        section .rdata align=16
        global kernels_packed, kernels_packed_end
kernels_packed:
        incbin "kernels.packed"
kernels_packed_end:
