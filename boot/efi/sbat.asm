; SPDX-License-Identifier: BSD-2-Clause
; The generation numbers by which shim revokes programs (SBAT.md of shim). The second field of the
; program's line is the program's generation number. Raise it when you correct a fault that let
; unsigned code run.

        section .sbat rdata align=8
        incbin "boot/sbat.csv"
