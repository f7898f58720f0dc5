; SPDX-License-Identifier: BSD-2-Clause
; The built-in kernels, with the same bytes as in the image.

        section .rodata align=64
        global kernel_table, kernel_table_end
kernel_table:
        incbin "kernels.bin"
kernel_table_end:
        section .note.GNU-stack noalloc noexec nowrite progbits
