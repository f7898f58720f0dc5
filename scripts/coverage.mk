# SPDX-License-Identifier: BSD-2-Clause
# The rules for `make coverage`.

COVERED_OBJECTS := $(EFI_C:%=build/coverage/efi/%.obj)

# The code is that of the released program, with debug information.
$(addprefix build/coverage/efi/boot/,entry.c.obj efi/%.obj net/%.obj): BORDER := $(EFI_HEADERS)
build/coverage/efi/pmu/base/stats.c.obj: GENERAL_REGISTERS := -fno-math-errno
build/coverage/efi/%.c.obj: %.c Makefile scripts/coverage.mk | have-program
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)clang $(EFI_FLAGS) -gdwarf-4 $(GENERAL_REGISTERS) $(BORDER) -MMD -MP -c -o $@ $<

# -debug disables optimisations, which -opt enables again.
build/coverage/BOOTX64.EFI: $(COVERED_OBJECTS) $(EFI_ASM:%=build/efi/%.obj) build/efi.list \
    scripts/coverage.mk
	$(SAY) "  LINK  $@"
	$(Q)lld -flavor link -subsystem:efi_application -entry:efi_main -nodefaultlib -brepro \
	    -debug:dwarf -opt:ref,icf -out:$@ $(filter %.obj,$^)

# gcov's counters are atomic because some tests create threads.
build/coverage/host/%.c.o: %.c Makefile scripts/coverage.mk | have-program
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)gcc $(HOST_FLAGS) -O0 -g1 $(SANITIZE) --coverage \
	    -fprofile-update=atomic -MMD -MP -c -o $@ $<

build/coverage/leaves.a: $(LEAVES:%=build/coverage/host/%.o)

$(COVERED_TESTS): build/coverage/%: build/host/tests/unit/%.c.o build/coverage/leaves.a \
    build/kernels.bin scripts/coverage.mk
	$(SAY) "  LINK  $@"
	$(Q)gcc $(SANITIZE) --coverage -no-pie -gz -o $@ $(filter %.o,$^) \
	    build/coverage/leaves.a -lcmocka -lm $(ZLIB)

build/coverage/test_deflate build/coverage/test_frames: ZLIB := -lz
build/coverage/test_chases build/coverage/test_lines: build/host/tests/prover/region.c.o
build/coverage/test_apic: $(OF_APIC:%=build/coverage/host/%.o)
build/coverage/test_measure_uncore: $(OF_UNCORE:%=build/coverage/host/%.o)
build/coverage/test_linux_perf: $(OF_PERF:%=build/coverage/host/%.o)

-include $(COVERED_OBJECTS:.obj=.d) \
    $(patsubst %,build/coverage/host/%.d,$(LEAVES) $(OF_APIC) $(OF_UNCORE) $(OF_PERF))
