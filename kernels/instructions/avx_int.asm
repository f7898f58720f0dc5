; SPDX-License-Identifier: BSD-2-Clause
;
; Integers in YMM registers.

FAMILY avx_int

ROWS ymm
ROWS_NEED avx2
BOTH vpaddd_ymm, "vpaddd ymm, ymm, ymm", {vpaddd DV, DV, SV}
BOTH vpaddq_ymm, "vpaddq ymm, ymm, ymm", {vpaddq DV, DV, SV}
BOTH vpmullw_ymm, "vpmullw ymm, ymm, ymm", {vpmullw DV, DV, SV}
BOTH vpmulld_ymm, "vpmulld ymm, ymm, ymm", {vpmulld DV, DV, SV}
BOTH vpmuludq_ymm, "vpmuludq ymm, ymm, ymm", {vpmuludq DV, DV, SV}
BOTH vpmaddubsw_ymm, "vpmaddubsw ymm, ymm, ymm", {vpmaddubsw DV, DV, SV}
BOTH vpxor_ymm, "vpxor ymm, ymm, ymm", {vpxor DV, DV, SV}
BOTH vpcmpeqd_ymm, "vpcmpeqd ymm, ymm, ymm", {vpcmpeqd DV, DV, SV}
BOTH vpcmpgtq_ymm, "vpcmpgtq ymm, ymm, ymm", {vpcmpgtq DV, DV, SV}
BOTH vpslld_i8_ymm, "vpslld ymm, ymm, 3", {vpslld DV, DV, 3}
BOTH vpsllvd_ymm, "vpsllvd ymm, ymm, ymm", {vpsllvd DV, DV, SV}
BOTH vpsravd_ymm, "vpsravd ymm, ymm, ymm", {vpsravd DV, DV, SV}
BOTH vpsadbw_ymm, "vpsadbw ymm, ymm, ymm", {vpsadbw DV, DV, SV}
BOTH vpabsd_ymm, "vpabsd ymm, ymm", {vpabsd DV, DV}
THROUGHPUT vpmovmskb_ymm, "vpmovmskb r32, ymm", {vpmovmskb D32, DV}
