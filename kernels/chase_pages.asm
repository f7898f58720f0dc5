; SPDX-License-Identifier: BSD-2-Clause
;
; TLB reach: a chase through one line of each 4 KiB or 2 MiB of the buffer. As the buffer grows, the
; chase exceeds the TLBs long before the caches. page= sets the size of the pages that map the
; buffer.

FAMILY chase_pages

KERNEL chase_pages_4k, "n steps through one line of each 4 KiB, in random order"
BUFFER 65536, 4096
CHASE random, page

; The default buffer is smaller than 2 MiB, so it contains only one line for this chase. A plan must
; set size= to several times 2 MiB.
KERNEL chase_pages_2m, "n steps through one line of each 2 MiB, in random order"
BUFFER 65536, 4096
CHASE random, page_2m
