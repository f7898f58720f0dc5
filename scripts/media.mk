# SPDX-License-Identifier: BSD-2-Clause
# The rules for the ISO image, and for the loaders and firmware with which tests start it.

build/barecount.iso: build/BOOTX64.EFI scripts/make-iso $(STICK_FILES) build/iso.list \
    $(PLAN) $(KERNEL) scripts/media.mk | have-program
	$(SAY) "  ISO   $@"
	$(Q)scripts/make-iso build/BOOTX64.EFI -o $@ $(STICK_OPTIONS) $(ISO_OPTIONS)

LOADERS_MISSING := $(shell test -e build/loaders/refind_x64.efi || echo loaders-missing)
.PHONY: loaders-missing
build/loaders/built: tests/machine/boot_loaders.sh $(APT_SOURCES) $(LOADERS_MISSING) \
    scripts/media.mk
	$(SAY) "  LOADERS $@"
	$(Q)tests/machine/boot_loaders.sh -o build/loaders
	@touch $@

SD_MISSING := $(shell test -e build/sd/sd.rom || echo sd-missing)
.PHONY: sd-missing
build/sd/built: tests/machine/sd_rom.sh $(APT_SOURCES) $(SD_MISSING) scripts/media.mk \
    | have-program have-machine
	$(SAY) "  SD    $@"
	$(Q)tests/machine/sd_rom.sh -o build/sd
	@touch $@
