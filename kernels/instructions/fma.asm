; SPDX-License-Identifier: BSD-2-Clause
;
; Fused multiply-add. The sources are 1 and 0, so the destination stays 1.

FAMILY fma

ROWS ymm, ps
ROWS_NEED fma
BOTH vfmadd213ps_ymm, "vfmadd213ps ymm, ymm, ymm", {vfmadd213ps DV, SV, ZV}
BOTH vfmadd231ps_ymm, "vfmadd231ps ymm, ymm, ymm", {vfmadd231ps DV, SV, ZV}
BOTH vfmaddsub213ps_ymm, "vfmaddsub213ps ymm, ymm, ymm", {vfmaddsub213ps DV, SV, ZV}

ROWS ymm, pd
ROWS_NEED fma
BOTH vfmadd213pd_ymm, "vfmadd213pd ymm, ymm, ymm", {vfmadd213pd DV, SV, ZV}
BOTH vfmadd231pd_ymm, "vfmadd231pd ymm, ymm, ymm", {vfmadd231pd DV, SV, ZV}

ROWS vxmm, pd
ROWS_NEED fma
BOTH vfmadd213sd, "vfmadd213sd xmm, xmm, xmm", {vfmadd213sd DV, SV, ZV}
