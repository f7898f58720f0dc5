; SPDX-License-Identifier: BSD-2-Clause
;
; Pointer chases through every line of the buffer: each load waits for the one before. size= says
; which cache the ring lies in; a round visits each line once. Time over n is a load's latency.

FAMILY chase

; No prefetcher finds the next line: the latency of the cache itself.
KERNEL chase_random, "n steps along a ring of all lines in random order"
BUFFER 4096, 4096
CHASE random, line

; Streamers fetch the next lines of these two in time, one of them downwards too.
KERNEL chase_ascending, "n steps along a ring of all lines in ascending order"
BUFFER 4096, 4096
CHASE ascending, line

KERNEL chase_descending, "n steps along a ring of all lines in descending order"
BUFFER 4096, 4096
CHASE descending, line
