; SPDX-License-Identifier: BSD-2-Clause
;
; Integers in ZMM registers.

FAMILY avx512_int

ROWS zmm
BOTH vpaddd_zmm, "vpaddd zmm, zmm, zmm", {vpaddd DV, DV, SV}
BOTH vpaddq_zmm, "vpaddq zmm, zmm, zmm", {vpaddq DV, DV, SV}
BOTH vpmulld_zmm, "vpmulld zmm, zmm, zmm", {vpmulld DV, DV, SV}
BOTH vpmuludq_zmm, "vpmuludq zmm, zmm, zmm", {vpmuludq DV, DV, SV}
BOTH vpternlogd_zmm, "vpternlogd zmm, zmm, zmm, 96h", {vpternlogd DV, SV, OV, 0x96}
BOTH vpsllvd_zmm, "vpsllvd zmm, zmm, zmm", {vpsllvd DV, DV, SV}
BOTH vprolvd_zmm, "vprolvd zmm, zmm, zmm", {vprolvd DV, DV, SV}
BOTH vpmaxud_zmm, "vpmaxud zmm, zmm, zmm", {vpmaxud DV, DV, SV}

ROWS_NEED avx512bw
BOTH vpmullw_zmm, "vpmullw zmm, zmm, zmm", {vpmullw DV, DV, SV}
BOTH vpsadbw_zmm, "vpsadbw zmm, zmm, zmm", {vpsadbw DV, DV, SV}
BOTH vpsllvw_zmm, "vpsllvw zmm, zmm, zmm", {vpsllvw DV, DV, SV}

ROWS_NEED avx512dq
BOTH vpmullq_zmm, "vpmullq zmm, zmm, zmm", {vpmullq DV, DV, SV}

ROWS_NEED avx512cd
BOTH vplzcntd_zmm, "vplzcntd zmm, zmm", {vplzcntd DV, DV}
BOTH vpconflictd_zmm, "vpconflictd zmm, zmm", {vpconflictd DV, DV}

ROWS_NEED avx512_ifma
BOTH vpmadd52luq_zmm, "vpmadd52luq zmm, zmm, zmm", {vpmadd52luq DV, SV, OV}

ROWS_NEED avx512_vpopcntdq
BOTH vpopcntd_zmm, "vpopcntd zmm, zmm", {vpopcntd DV, DV}

ROWS_NEED avx512_bitalg
BOTH vpopcntb_zmm, "vpopcntb zmm, zmm", {vpopcntb DV, DV}

ROWS_NEED avx512_vbmi
BOTH vpmultishiftqb_zmm, "vpmultishiftqb zmm, zmm, zmm", {vpmultishiftqb DV, DV, SV}

ROWS_NEED avx512_vbmi2
BOTH vpshldd_zmm, "vpshldd zmm, zmm, zmm, 3", {vpshldd DV, DV, SV, 3}
BOTH vpshldvd_zmm, "vpshldvd zmm, zmm, zmm", {vpshldvd DV, SV, OV}
