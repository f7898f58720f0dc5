# SPDX-License-Identifier: BSD-2-Clause
# The ISO image, and what its tests start it with: included by the Makefile.

build/barecount.iso: build/BOOTX64.EFI scripts/make-iso $(STICK_FILES) build/iso.options \
    $(PLAN) $(KERNEL) | have-packages
	$(SAY) "  ISO   $@"
	$(Q)scripts/make-iso build/BOOTX64.EFI $@ --events build/events $(ISO_OPTIONS)

# What it was made with last; another plan or kernel makes it anew.
.PHONY: always
build/iso.options: always
	@mkdir -p $(@D)
	@echo '$(ISO_OPTIONS)' | cmp -s - $@ || echo '$(ISO_OPTIONS)' >$@

LOADERS_MISSING := $(shell test -e build/loaders/refind_x64.efi || echo loaders-missing)
.PHONY: loaders-missing
build/loaders/built: tests/machine/boot_loaders.sh tests/machine/apt_lib.sh $(LOADERS_MISSING) \
    | have-packages
	$(SAY) "  LOADERS $@"
	$(Q)tests/machine/boot_loaders.sh build/loaders
	@touch $@

SD_MISSING := $(shell test -e build/sd/sd.rom || echo sd-missing)
.PHONY: sd-missing
build/sd/built: tests/machine/sd_rom.sh tests/machine/apt_lib.sh $(SD_MISSING) | have-packages
	$(SAY) "  SD    $@"
	$(Q)tests/machine/sd_rom.sh build/sd
	@touch $@
