# SPDX-License-Identifier: BSD-2-Clause
# The rules for unit tests, the prover, fuzzers, and the archives of the leaves (pmu/ and kernels/).

# -g1 is enough for the sanitizers' stack traces.
build/host/%.c.o: %.c Makefile scripts/unit.mk | have-program
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)gcc $(HOST_FLAGS) -g1 $(SANITIZE) -MMD -MP -c -o $@ $<

# Tests are not optimised: optimising takes longer than running them.
vpath test_%.c $(wildcard tests/unit/*)
build/host/tests/unit/%.c.o: %.c Makefile scripts/unit.mk | have-program have-test
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)gcc $(TEST_FLAGS) -O0 $(SANITIZE) -MMD -MP -c -o $@ $<

build/host/leaves.a: $(LEAVES:%=build/host/%.o)
build/of-fuzz/leaves.a: $(LEAVES:%=build/of-fuzz/%.o)
build/of-linux/leaves.a: $(LEAVES:%=build/of-linux/%.o)
build/%/leaves.a: build/leaves.list scripts/unit.mk
	$(SAY) "  AR    $@"
	@rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)

# -no-pie saves half a MB of relocations in each program.
$(TESTS): build/%: build/host/tests/unit/%.c.o build/host/leaves.a build/kernels.bin \
    scripts/unit.mk
	$(SAY) "  LINK  $@"
	$(Q)gcc $(SANITIZE) -no-pie -gz -o $@ $(filter %.o,$^) build/host/leaves.a -lcmocka -lm $(ZLIB)

OF_APIC := boot/cpu/apic.c boot/cpu/start.c
OF_UNCORE := boot/measure/measure_uncore.c
OF_PERF := scripts/linux/perf.c scripts/linux/sysfs.c
build/host/scripts/linux/%.o build/coverage/host/scripts/linux/%.o: HOST_FLAGS += -D_GNU_SOURCE
build/host/tests/prover/%.o: HOST_FLAGS += -D_GNU_SOURCE
build/test_deflate build/test_frames: ZLIB := -lz
build/test_chases build/test_lines: build/host/tests/prover/region.c.o
build/test_apic: $(OF_APIC:%=build/host/%.o)
build/test_measure_uncore: $(OF_UNCORE:%=build/host/%.o)
build/test_linux_perf: $(OF_PERF:%=build/host/%.o)

# build/replay runs the program's code on a machine.txt.
REPLAY_OBJECTS := $(addprefix build/host/,tests/cpus/replay.c.o scripts/linux/files.c.o) \
    build/of-linux/scripts/linux/kernel_table.asm.o
build/host/tests/cpus/%.o: HOST_FLAGS += -D_GNU_SOURCE
build/replay: $(REPLAY_OBJECTS) build/host/leaves.a scripts/unit.mk
	$(SAY) "  LINK  $@"
	$(Q)gcc $(SANITIZE) -no-pie -gz -o $@ $(REPLAY_OBJECTS) build/host/leaves.a -lm

# Builds parts of boot/ for the host, with tests/unit/metal/boot/cpu/instructions.h in place of
# boot/cpu/instructions.h. Sanitizers are off, because each CPU is a context (makecontext()) with
# its own stack.
METAL_FLAGS := -Itests/unit/metal $(TEST_FLAGS) $(EFI_HEADERS) -O2
METAL_C := $(addprefix boot/,cpu/watch.c plan/run.c \
    $(addprefix efi/,cpus.c park.c start.c together.c) \
    $(addprefix run/,alone.c bounds.c describe.c guard.c measured_cpu.c measured_cpu_start.c \
        notes.c prepare.c progress.c quiet.c records.c run.c team.c together.c))
METAL_OBJECTS := $(METAL_C:%=build/metal/%.o) \
    $(METAL_TESTS:build/%=build/metal/tests/unit/metal/%.c.o)
build/metal/%.c.o: %.c Makefile scripts/unit.mk | have-program have-test
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)gcc $(METAL_FLAGS) -MMD -MP -c -o $@ $<

$(METAL_TESTS): build/%: build/metal/tests/unit/metal/%.c.o $(METAL_C:%=build/metal/%.o) \
    build/of-linux/leaves.a build/kernels.bin scripts/unit.mk
	$(SAY) "  LINK  $@"
	$(Q)gcc -o $@ $(filter %.o,$^) build/of-linux/leaves.a -lcmocka -lm

# Sanitizers are off, because the prover single-steps up to a million instructions.
build/prove_kernels: $(PROVER_C) $(wildcard tests/prover/*.h kernels/*.h pmu/*/*.h) \
    build/of-linux/leaves.a build/kernels.bin build/prover.list Makefile scripts/unit.mk \
    | have-test
	$(SAY) "  CC    $@"
	$(Q)gcc $(TEST_FLAGS) -O2 -o $@ $(PROVER_C) build/of-linux/leaves.a -lcapstone

# The leaves for all fuzzers, with coverage instrumentation. The checksum code is not instrumented,
# because its coverage is useless and it runs often.
build/of-fuzz/pmu/base/bytes.c.o: FUZZ_COVER :=
FUZZ_COVER := -fsanitize=fuzzer-no-link

build/of-fuzz/%.c.o: %.c Makefile scripts/unit.mk | have-program have-test
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)clang $(FUZZ_FLAGS) -g1 $(FUZZ_COVER) -MMD -MP -c -o $@ $<

$(FUZZERS): build/%: build/of-fuzz/tests/fuzz/%.c.o build/of-fuzz/leaves.a scripts/unit.mk
	$(SAY) "  FUZZ  $@"
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $(filter %.o %.a,$^) -lm
