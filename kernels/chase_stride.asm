; SPDX-License-Identifier: BSD-2-Clause
;
; Chases through addresses a constant distance apart (the stride). The times show which strides a
; prefetcher follows, and which strides use only a few sets of a cache.

FAMILY chase_stride

KERNEL chase_stride, "n steps along an ascending ring of a given stride"
BUFFER 16384, 4096
ARGUMENT stride, 64, 64, 4096, 64
CHASE ascending, stride

KERNEL chase_stride_down, "n steps along a descending ring of a given stride"
BUFFER 16384, 4096
ARGUMENT stride, 64, 64, 4096, 64
CHASE descending, stride

KERNEL chase_stride_random, "n steps through all multiples of a stride in random order"
BUFFER 16384, 4096
ARGUMENT stride, 64, 64, 4096, 64
CHASE random, stride
