; SPDX-License-Identifier: BSD-2-Clause
;
; Mask registers, and masked instructions.

FAMILY avx512_mask

ROWS mask
BOTH kandw, "kandw k, k, k", {kandw DK, DK, SK}
BOTH knotw, "knotw k, k", {knotw DK, DK}
BOTH kshiftlw, "kshiftlw k, k, 1", {kshiftlw DK, DK, 1}
BOTH kunpckbw, "kunpckbw k, k, k", {kunpckbw DK, DK, SK}
THROUGHPUT kortestw, "kortestw k, k", {kortestw DK, SK}
THROUGHPUT kmovw_k_k, "kmovw k, k", {kmovw DK, SK}
THROUGHPUT kmovw_r32_k, "kmovw r32, k", {kmovw D32, DK}
THROUGHPUT kmovw_k_r32, "kmovw k, r32", {kmovw DK, S32}
LATENCY kmovw_back, "kmovw to a general register and back", \
    {PAIR {kmovw r10d, DK}, {kmovw DK, r10d}}, 0, 0, 2

ROWS_NEED avx512dq
BOTH kaddb, "kaddb k, k, k", {kaddb DK, DK, SK}
THROUGHPUT ktestb, "ktestb k, k", {ktestb DK, SK}

ROWS_NEED avx512bw
BOTH kaddd, "kaddd k, k, k", {kaddd DK, DK, SK}

ROWS zmm
ROWS_BEFORE ONCE kmovw k1, ebx
BOTH vpaddd_zmm_merged, "vpaddd zmm {k1}, zmm, zmm", {vpaddd DV{k1}, DV, SV}
BOTH vpaddd_zmm_zeroed, "vpaddd zmm {k1}{z}, zmm, zmm", {vpaddd DV{k1}{z}, DV, SV}
BOTH vpcompressd_zmm, "vpcompressd zmm {k1}{z}, zmm", {vpcompressd DV{k1}{z}, DV}
BOTH vpexpandd_zmm, "vpexpandd zmm {k1}{z}, zmm", {vpexpandd DV{k1}{z}, DV}
THROUGHPUT vpcmpeqd_k_zmm, "vpcmpeqd k, zmm, zmm", {vpcmpeqd DK, DV, SV}
THROUGHPUT vptestmd_k_zmm, "vptestmd k, zmm, zmm", {vptestmd DK, DV, SV}
