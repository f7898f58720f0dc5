; SPDX-License-Identifier: BSD-2-Clause
; The generations by which shim revokes programs (SBAT.md of shim): the second number is raised when
; a fault lets unsigned code run.

        section .sbat rdata align=8
        incbin "boot/sbat.csv"
