; SPDX-License-Identifier: BSD-2-Clause
;
; Floating point in YMM and XMM registers, VEX encodings. Additions add 0; multiplications and
; divisions are by 1.

FAMILY avx_float

ROWS ymm, ps
BOTH vaddps_ymm, "vaddps ymm, ymm, ymm", {vaddps DV, DV, ZV}
BOTH vmulps_ymm, "vmulps ymm, ymm, ymm", {vmulps DV, DV, SV}
BOTH vdivps_ymm, "vdivps ymm, ymm, ymm by ones", {vdivps DV, DV, SV}
BOTH vsqrtps_ymm, "vsqrtps ymm, ymm of ones", {vsqrtps DV, DV}
BOTH vrcpps_ymm, "vrcpps ymm, ymm", {vrcpps DV, DV}
BOTH vrsqrtps_ymm, "vrsqrtps ymm, ymm", {vrsqrtps DV, DV}
BOTH vhaddps_ymm, "vhaddps ymm, ymm, ymm", {vhaddps DV, DV, ZV}
BOTH vdpps_ymm, "vdpps ymm, ymm, ymm, F1h", {vdpps DV, DV, ZV, 0xf1}
BOTH vroundps_ymm, "vroundps ymm, ymm, 0", {vroundps DV, DV, 0}
THROUGHPUT vcmpeqps_ymm, "vcmpeqps ymm, ymm, ymm", {vcmpeqps DV, SV, ZV}
THROUGHPUT vmovmskps_ymm, "vmovmskps r32, ymm", {vmovmskps D32, DV}

BOTH vcvtps2dq_back_ymm, "vcvtps2dq and vcvtdq2ps, ymm", \
    {PAIR {vcvtps2dq DV, DV}, {vcvtdq2ps DV, DV}}, 0, 0, 2

ROWS ymm, pd
BOTH vaddpd_ymm, "vaddpd ymm, ymm, ymm", {vaddpd DV, DV, ZV}
BOTH vmulpd_ymm, "vmulpd ymm, ymm, ymm", {vmulpd DV, DV, SV}
BOTH vdivpd_ymm, "vdivpd ymm, ymm, ymm by ones", {vdivpd DV, DV, SV}
BOTH vsqrtpd_ymm, "vsqrtpd ymm, ymm of ones", {vsqrtpd DV, DV}
BOTH vmaxpd_ymm, "vmaxpd ymm, ymm, ymm", {vmaxpd DV, DV, SV}

ROWS vxmm, pd
BOTH vaddsd, "vaddsd xmm, xmm, xmm", {vaddsd DV, DV, ZV}
BOTH vmulsd, "vmulsd xmm, xmm, xmm", {vmulsd DV, DV, SV}
BOTH vdivsd, "vdivsd xmm, xmm, xmm by 1", {vdivsd DV, DV, SV}
