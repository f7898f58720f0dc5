; SPDX-License-Identifier: BSD-2-Clause
;
; Pointer chases through every line of the buffer: each load depends on the one before. size=
; selects the cache to measure; a round visits each line once. The time divided by n is a load's
; latency.

FAMILY chase

; No prefetcher can predict the next line, so the time is the latency of the cache or memory itself.
KERNEL chase_random, "n steps along a ring of all lines in random order"
BUFFER 4096, 4096
CHASE random, line

; Stream prefetchers fetch the lines of chase_ascending and chase_descending in advance, but some
; prefetch only in ascending order.
KERNEL chase_ascending, "n steps along a ring of all lines in ascending order"
BUFFER 4096, 4096
CHASE ascending, line

KERNEL chase_descending, "n steps along a ring of all lines in descending order"
BUFFER 4096, 4096
CHASE descending, line
