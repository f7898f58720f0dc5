; SPDX-License-Identifier: BSD-2-Clause
; The generation numbers by which shim revokes programs (SBAT.md of shim). If unsigned code could
; run because of a fault, the number in the second field of the program's line is raised.

        section .sbat rdata align=8
        incbin "boot/sbat.csv"
