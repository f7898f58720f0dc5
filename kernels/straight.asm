; SPDX-License-Identifier: BSD-2-Clause
;
; Code without loops, which does not depend on n.

FAMILY straight

; All counts of this kernel come from the window itself.
KERNEL empty, "nothing: only the return, which belongs to the window"
KNOWN
DEFAULT_N 1
DECLARE_STRAIGHT 0
ENTRY
    ret
END_KERNEL

KERNEL nop_1, "one nop"
KNOWN
DEFAULT_N 1
DECLARE_STRAIGHT 1
ENTRY
    nop
    ret
END_KERNEL

KERNEL nops, "1,000 nops of one byte in a straight line"
KNOWN
DEFAULT_N 1
DECLARE_STRAIGHT 1000
ENTRY
    times 1000 nop
    ret
END_KERNEL
