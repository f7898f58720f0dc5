; SPDX-License-Identifier: BSD-2-Clause
;
; Additions and subtractions with carry, in chains through a flag.

FAMILY int_wide

ROWS int
LATENCY adc_r64, "adc r64, r64", {adc D64, S64}
LATENCY sbb_r64, "sbb r64, r64", {sbb D64, S64}
LATENCY sbb_same_r64, "sbb of a register with itself", {sbb D64, D64}
THROUGHPUT adc_r64, "adc r64, r64, except for the carry", {adc D64, S64}

ROWS_NEED adx
LATENCY adcx_r64, "adcx r64, r64", {adcx D64, S64}
LATENCY adox_r64, "adox r64, r64", {adox D64, S64}

LATENCY adcx_adox_r64, "adcx and adox, two chains", {PAIR {adcx r10, rbx}, {adox r11, rbx}}, 0, 0, 2
