; SPDX-License-Identifier: BSD-2-Clause
;
; Floating point in ZMM registers. Additions add 0; multiplications and divisions are by 1.

FAMILY avx512_float

ROWS zmm, ps
BOTH vaddps_zmm, "vaddps zmm, zmm, zmm", {vaddps DV, DV, ZV}
BOTH vmulps_zmm, "vmulps zmm, zmm, zmm", {vmulps DV, DV, SV}
BOTH vdivps_zmm, "vdivps zmm, zmm, zmm by ones", {vdivps DV, DV, SV}
BOTH vsqrtps_zmm, "vsqrtps zmm, zmm of ones", {vsqrtps DV, DV}
BOTH vfmadd213ps_zmm, "vfmadd213ps zmm, zmm, zmm", {vfmadd213ps DV, SV, ZV}
BOTH vrcp14ps_zmm, "vrcp14ps zmm, zmm", {vrcp14ps DV, DV}
BOTH vrsqrt14ps_zmm, "vrsqrt14ps zmm, zmm", {vrsqrt14ps DV, DV}

ROWS zmm, pd
BOTH vaddpd_zmm, "vaddpd zmm, zmm, zmm", {vaddpd DV, DV, ZV}
BOTH vmulpd_zmm, "vmulpd zmm, zmm, zmm", {vmulpd DV, DV, SV}
BOTH vdivpd_zmm, "vdivpd zmm, zmm, zmm by ones", {vdivpd DV, DV, SV}
BOTH vsqrtpd_zmm, "vsqrtpd zmm, zmm of ones", {vsqrtpd DV, DV}
BOTH vfmadd213pd_zmm, "vfmadd213pd zmm, zmm, zmm", {vfmadd213pd DV, SV, ZV}
BOTH vscalefpd_zmm, "vscalefpd zmm, zmm, zmm", {vscalefpd DV, DV, ZV}
BOTH vgetmantpd_zmm, "vgetmantpd zmm, zmm, 0", {vgetmantpd DV, DV, 0}
BOTH vrndscalepd_zmm, "vrndscalepd zmm, zmm, 0", {vrndscalepd DV, DV, 0}
THROUGHPUT vgetexppd_zmm, "vgetexppd zmm, zmm", {vgetexppd DV, SV}

ROWS_NEED avx512dq
BOTH vrangepd_zmm, "vrangepd zmm, zmm, zmm, 0", {vrangepd DV, DV, SV, 0}
