; SPDX-License-Identifier: BSD-2-Clause
;
; TLB reach: a chase that visits one line in each 4 KiB or 2 MiB of the buffer, so that it exceeds
; the TLBs long before the caches. size= sets the size of the buffer, and page= the size of the
; pages that map it.

FAMILY chase_pages

KERNEL chase_pages_4k, "n steps through one line of each 4 KiB, in random order"
BUFFER 65536, 4096
CHASE random, page

; The default buffer is smaller than 2 MiB, so that the chase visits only one line. For a
; measurement, a plan must give a size= of several times 2 MiB.
KERNEL chase_pages_2m, "n steps through one line of each 2 MiB, in random order"
BUFFER 65536, 4096
CHASE random, page_2m
