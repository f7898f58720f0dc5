; SPDX-License-Identifier: BSD-2-Clause
; The generation numbers by which shim revokes programs (SBAT.md of shim). After a fault that let
; unsigned code run, the number in the second field of a line is raised.

        section .sbat rdata align=8
        incbin "boot/sbat.csv"
