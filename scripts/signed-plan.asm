; SPDX-License-Identifier: BSD-2-Clause
; A plan as a PE image, for scripts/sign, so that firmware can verify it like a program. If the
; image is started, it returns EFI_UNSUPPORTED. plan.cfg is the plan's text. The fields are those of
; Microsoft's "PE Format".

PAGE equ 4096 ; each section's offset in the file is also its address

        bits 64
        org 0

%macro section_header 4 ; name, label, end, flags
%%name: db %1
        times 8 - ($ - %%name) db 0
        dd %3 - %2, %2, (%3 - %2 + PAGE - 1) / PAGE * PAGE, %2, 0, 0, 0, %4
%endmacro

READ    equ 40000000h
DATA    equ READ | 40h
CODE    equ READ | 20000020h

        db "MZ"
        times 3ch - ($ - $$) db 0
        dd pe
pe:     db "PE", 0, 0
        dw 8664h, 3          ; x86-64, number of sections
        dd 0, 0, 0
        dw optional_end - optional
        dw 22h               ; executable, can use addresses above 2 GiB
optional:
        dw 20bh, 0           ; PE32+
        dd text_end - text, image_end - sbat, 0
        dd text, text        ; addresses of the entry point and of the code
        dq 0
        dd PAGE, PAGE        ; alignment of sections, in memory and in the file
        dd 0, 0, 0, 0
        dd image_end, text   ; size of the image and of its headers
        dd 0                 ; sbsign fills in the checksum
        dw 10, 100h          ; EFI application, compatible with no-execute
        dq 0, 0, 0, 0
        dd 0, 16
        times 16 dq 0        ; data directories, all empty; sbsign fills in the one for certificates
optional_end:
        section_header ".text", text, text_end, CODE
        section_header ".sbat", sbat, sbat_end, DATA
        section_header ".plan", plan, plan_end, DATA

        align PAGE, db 0
text:   mov rax, 8000000000000003h ; EFI_UNSUPPORTED
        ret
text_end:
        align PAGE, db 0
sbat:   incbin "boot/sbat.csv"
sbat_end:
        align PAGE, db 0
plan:   incbin "plan.cfg"
plan_end:
        align PAGE, db 0
image_end:
