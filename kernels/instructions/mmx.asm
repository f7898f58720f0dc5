; SPDX-License-Identifier: BSD-2-Clause
;
; Integers in the x87 registers. Each kernel ends with EMMS.

FAMILY mmx

%define DM_SOURCE mm7

%macro MMX_VALUES 0
    ONCE movq mm7, rbx
    %assign row_r 0
    %rep 7
        ONCE movq mm%[row_r], rbp
        %assign row_r row_r + 1
    %endrep
%endmacro

ROWS mmx
ROWS_BEFORE MMX_VALUES
BOTH paddd_mm, "paddd mm, mm", {paddd DM, DM_SOURCE}
BOTH pmullw_mm, "pmullw mm, mm", {pmullw DM, DM_SOURCE}
BOTH psllq_mm, "psllq mm, 1", {psllq DM, 1}
BOTH pshufw_mm, "pshufw mm, mm, 1Bh", {pshufw DM, DM, 0x1b}
