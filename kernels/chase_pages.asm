; SPDX-License-Identifier: BSD-2-Clause
;
; TLB reach: a chase that visits one line per page, so that it exceeds the TLBs long before the
; caches. size= sets the number of pages, and page= the size of the pages in which the buffer is
; mapped.

FAMILY chase_pages

KERNEL chase_pages_4k, "n steps through one line of each 4 KiB, in random order"
BUFFER 65536, 4096
CHASE random, page

; The default buffer is smaller than 2 MiB, so that the chase visits only one line. For a
; measurement, a plan must give a size= of several times 2 MiB.
KERNEL chase_pages_2m, "n steps through one line of each 2 MiB, in random order"
BUFFER 65536, 4096
CHASE random, page_2m
