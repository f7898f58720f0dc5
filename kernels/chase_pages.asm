; SPDX-License-Identifier: BSD-2-Clause
;
; TLB reach: a chase with one line in each page, so that translations run out long before the
; caches do. size= sweeps the number of pages, page= the size of those that the buffer is mapped in.

FAMILY chase_pages

KERNEL chase_pages_4k, "n steps through one line of each 4 KiB, in random order"
BUFFER 65536, 4096
CHASE random, page

; Its default buffer holds one slot; size= of some times 2 MiB makes it a measurement.
KERNEL chase_pages_2m, "n steps through one line of each 2 MiB, in random order"
BUFFER 65536, 4096
CHASE random, page_2m
