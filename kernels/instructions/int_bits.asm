; SPDX-License-Identifier: BSD-2-Clause
;
; Counting, finding, extracting and depositing bits.

FAMILY int_bits

ROWS int
BOTH bsf_r64, "bsf r64, r64", {bsf D64, D64}
BOTH bsr_r64, "bsr r64, r64", {bsr D64, D64}
BOTH bts_r64_i8, "bts r64, 5", {bts D64, 5}
THROUGHPUT bt_r64_i8, "bt r64, 5", {bt D64, 5}

ROWS_NEED popcnt
BOTH popcnt_r64, "popcnt r64, r64", {popcnt D64, D64}

ROWS_NEED lzcnt
BOTH lzcnt_r64, "lzcnt r64, r64", {lzcnt D64, D64}

ROWS_NEED bmi1
BOTH tzcnt_r64, "tzcnt r64, r64", {tzcnt D64, D64}
BOTH andn_r64, "andn r64, r64, r64", {andn D64, D64, S64}
BOTH bextr_r64, "bextr r64, r64, r64", {bextr D64, D64, S64}
BOTH blsi_r64, "blsi r64, r64", {blsi D64, D64}
BOTH blsr_r64, "blsr r64, r64", {blsr D64, D64}

ROWS_NEED bmi2
BOTH bzhi_r64, "bzhi r64, r64, r64", {bzhi D64, D64, S64}
BOTH pdep_r64, "pdep r64, r64, r64", {pdep D64, D64, S64}
BOTH pext_r64, "pext r64, r64, r64", {pext D64, D64, S64}
