; SPDX-License-Identifier: BSD-2-Clause
; The built-in kernels. kernels/ has their sources, and scripts/seal-kernels adds their checksums.

        section .kernels code align=64
        global kernel_table, kernel_table_end
kernel_table:
        incbin "kernels.bin"
kernel_table_end:
