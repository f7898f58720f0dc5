; SPDX-License-Identifier: BSD-2-Clause
;
; Pointer chases through every line of the buffer. size= selects the cache to measure. The time
; divided by n is the latency of a load.

FAMILY chase

KERNEL chase_random, "n steps along a ring of all lines in random order"
BUFFER 4096, 4096
CHASE random, line

; Some stream prefetchers follow only an ascending order.
KERNEL chase_ascending, "n steps along a ring of all lines in ascending order"
BUFFER 4096, 4096
CHASE ascending, line

KERNEL chase_descending, "n steps along a ring of all lines in descending order"
BUFFER 4096, 4096
CHASE descending, line
