; SPDX-License-Identifier: BSD-2-Clause
;
; SHA rounds and message schedules, and CRC32.

FAMILY crypto_sha

ROWS xmm
ROWS_NEED sha
BOTH sha1rnds4, "sha1rnds4 xmm, xmm, 0", {sha1rnds4 DV, SV, 0}
BOTH sha1nexte, "sha1nexte xmm, xmm", {sha1nexte DV, SV}
BOTH sha1msg1, "sha1msg1 xmm, xmm", {sha1msg1 DV, SV}
BOTH sha1msg2, "sha1msg2 xmm, xmm", {sha1msg2 DV, SV}
LATENCY sha256rnds2, "sha256rnds2 xmm, xmm, xmm0", {sha256rnds2 xmm1, xmm15, xmm0}
THROUGHPUT sha256rnds2, "sha256rnds2 xmm, xmm, xmm0, one of them a chain", \
    {sha256rnds2 DV, SV, xmm0}
BOTH sha256msg1, "sha256msg1 xmm, xmm", {sha256msg1 DV, SV}
BOTH sha256msg2, "sha256msg2 xmm, xmm", {sha256msg2 DV, SV}

ROWS int
ROWS_NEED sse4_2
BOTH crc32_r64, "crc32 r64, r64", {crc32 D64, S64}
BOTH crc32_r8, "crc32 r32, r8", {crc32 D32, S8}
