# SPDX-License-Identifier: BSD-2-Clause
# Everything is built in build/; `make help` lists the targets.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Disable built-in rules. Start one job for each CPU unless `make -j` names another number.
MAKEFLAGS += -r
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
SHELL := /bin/bash

CPUS    ?= 4
MACHINE ?= model
MEDIA   ?= usb
CPU     ?= Skylake-Server
PLAN    ?=
KERNEL  ?=
FRESH   ?=
# Further options for scripts/run, such as RUN_FLAGS="--firmware u-boot". `scripts/run --help` lists
# the options.
RUN_FLAGS ?=

PYTHON := /usr/bin/python3

# V=1 shows the commands; make -s hides even the names of targets.
Q   := $(if $(V),,@)
SAY := @$(if $(findstring s,$(firstword -$(MAKEFLAGS))),:,echo)

EFI_C   := $(wildcard pmu/*/*.c kernels/*.c boot/*.c boot/*/*.c)
EFI_ASM := $(wildcard boot/*/*.asm)
EFI_OBJECTS := $(EFI_C:%=build/efi/%.obj) $(EFI_ASM:%=build/efi/%.obj)
LIAR_C      := $(wildcard tests/image/firmware/*.c)
LIAR_OBJECTS := $(LIAR_C:%=build/efi/%.obj) \
    $(addprefix build/efi/,pmu/base/out.c.obj pmu/base/text.c.obj boot/cpu/libc.c.obj)

# WERROR is empty when mutants are built, because a removed line may leave a name unused.
WERROR := -Werror
# Without -fno-ms-extensions, GNU-EFI's headers would define __attribute__ away.
# The prefix map keeps the path of the checkout out of the program.
EFI_FLAGS = -target x86_64-unknown-windows -std=gnu11 $(OPTIMISE) -ffreestanding \
    -fno-ms-extensions -fno-ms-compatibility -fmsc-version=0 -mno-stack-arg-probe \
    -mno-red-zone -fno-stack-protector -fshort-wchar -fno-strict-aliasing \
    -ffunction-sections -fdata-sections \
    -Wall -Wextra $(WERROR) -I. -ffile-prefix-map=$(CURDIR)=.
# Code that runs around a window or searches for a schedule is optimised for speed. Its functions
# are aligned to cache lines, so that changes elsewhere do not change its layout.
OPTIMISE := -Oz
FAST_C := boot/cpu/enter.c boot/cpu/libc.c boot/cpu/space.c boot/cpu/space_state.c \
    boot/cpu/traps.c boot/cpu/watch.c boot/measure/measure.c boot/measure/noise.c \
    boot/measure/sample.c pmu/counters/program.c pmu/counters/deltas.c \
    pmu/counters/schedule_search.c pmu/journal/evidence.c pmu/journal/journal.c
$(foreach c,$(FAST_C),build/efi/$(c).obj build/coverage/efi/$(c).obj): OPTIMISE := -O2 \
    -falign-functions=64
# Only the statistics may use vector registers; all other code leaves them to the kernels.
build/efi/pmu/base/stats.c.obj: GENERAL_REGISTERS := -fno-math-errno
GENERAL_REGISTERS := -mgeneral-regs-only
# Only files whose rule sets BORDER to EFI_HEADERS can include <efi.h>.
EFI_HEADERS := -isystem /usr/include/efi -isystem /usr/include/efi/x86_64 -DGNU_EFI_USE_MS_ABI

# The leaves (pmu/ and kernels/) are built for the host in four ways. build/host/leaves.a has
# sanitizers. build/of-fuzz/leaves.a has sanitizers and libFuzzer's coverage.
# build/coverage/leaves.a has sanitizers and gcov's coverage. build/of-linux/leaves.a has none of
# these.
SANITIZE   := -fsanitize=address,undefined -fno-sanitize-recover=all
HOST_FLAGS := -std=c11 -O1 -g -Wall -Wextra $(WERROR) -I.
TEST_FLAGS := $(HOST_FLAGS) -D_GNU_SOURCE
LEAVES     := $(wildcard pmu/*/*.c kernels/*.c)
METAL_TESTS  := $(patsubst tests/unit/metal/%.c,build/%,$(wildcard tests/unit/metal/test_*.c))
TESTS        := $(filter-out $(METAL_TESTS), \
    $(patsubst %.c,build/%,$(notdir $(wildcard tests/unit/*/test_*.c))))
COVERED_TESTS := $(TESTS:build/%=build/coverage/%)
FUZZERS      := $(patsubst tests/fuzz/%.c,build/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZERS_PY   := $(wildcard tests/fuzz/fuzz_*.py)
FUZZ_FLAGS   := $(HOST_FLAGS) -O2 -D_GNU_SOURCE $(SANITIZE)
PROVER_C     := $(wildcard tests/prover/*.c)
APT_SOURCES  := tests/machine/apt_lib.sh scripts/lib/options.sh
MODEL_SOURCES := tests/machine/build.sh $(APT_SOURCES) \
    $(wildcard tests/machine/model/*)
LINUX_SOURCES := $(APT_SOURCES) $(wildcard tests/machine/linux_*)
EVENT_MAKERS := scripts/make-events $(wildcard scripts/libpfm4-*.csv) scripts/perfmon-cpus.csv \
    $(addprefix scripts/lib/events/,libpfm4.py table.py cpu_sets.py merge.py) \
    $(wildcard pmu/events/perfmon/* pmu/events/libpfm4/*)
STICK_FILES  := $(wildcard scripts/plans/*.cfg) scripts/stick-readme.txt \
    scripts/lib/machine/volumes.sh scripts/lib/options.sh build/built-with.txt \
    build/events/index.csv $(wildcard build/events/*.csv build/events/*-license.txt)
STICK_OPTIONS := --events build/events --built-with build/built-with.txt
ISO_OPTIONS  := $(PLAN:%=--plan %) $(KERNEL:%=--kernel %)
SIGNED_OPTIONS := $(if $(PLAN),--plan build/signed/$(notdir $(PLAN))) $(KERNEL:%=--kernel %)

MODEL_MACHINE := $(if $(filter model,$(MACHINE)),build/machine/built)

##@ To use
.PHONY: run
run: $(if $(filter model,$(MACHINE)),build/machine/built) $(if $(filter sd,$(MEDIA)),build/sd/built)
run: $(if $(filter cd usb-cd,$(MEDIA)),build/barecount.iso)
run: image ## Boot the image on the model machine; results in results/latest/
	@$(PYTHON) scripts/run --cpus $(CPUS) --machine $(MACHINE) --media $(MEDIA) \
	    --cpu '$(CPU)' $(if $(MACHINE_FILE),--machine-file '$(MACHINE_FILE)') \
	    $(if $(PLAN),--plan $(PLAN)) $(KERNEL:%=--kernel %) $(if $(FRESH),--fresh) $(RUN_FLAGS)

.PHONY: demo
demo: build/machine/built build/linux/built build/barecount-linux
demo: image ## Run a plan on the model machine, bare and under Linux; report in build/demo/
	@$(PYTHON) scripts/demo $(if $(filter-out file,$(origin CPUS)),--cpus $(CPUS)) \
	    --cpu '$(CPU)' $(PLAN:%=--plan %) $(KERNEL:%=--kernel %)

.PHONY: versus
versus: build/machine/built build/peers/built build/barecount-linux build/events/index.csv
versus: image ## Count the same work with other tools, in one table: NANOBENCH=dir
	@env -u MAKEFLAGS -u MFLAGS $(PYTHON) scripts/versus $(NANOBENCH:%=--nanobench %)

.PHONY: image
image: build/barecount.img ## Build the disk image for a stick: build/barecount.img

.PHONY: netboot
netboot: build/BOOTX64.EFI build/events/index.csv
netboot: ## Make a folder for a PXE or HTTP server to boot from: build/netboot/
	@scripts/make-netboot build/BOOTX64.EFI -o build/netboot --events build/events

.PHONY: iso
iso: build/barecount.iso ## Build the ISO image for CD and stick: build/barecount.iso; PLAN= KERNEL=

.PHONY: usb
usb: image ## Write the image to a stick, which erases it: DEV=/dev/sdX SIZE_MIB=256
	@[[ -n "$(DEV)" ]] || { echo "make usb needs DEV=/dev/sdX; lsblk lists the disks" >&2; exit 2; }
	@$(if $(SIZE_MIB),scripts/make-image build/BOOTX64.EFI -o build/$(SIZE_MIB)-mib.img \
	    $(STICK_OPTIONS) --size-mib $(SIZE_MIB))
	@scripts/write-usb $(DEV) $(SIZE_MIB:%=--image build/%-mib.img)

.PHONY: sign
sign: image iso ## Sign for Secure Boot: KEY= CERT= PLAN= UNSIGNED_KERNELS=yes; in build/signed/
	@[[ -n "$(KEY)" && -n "$(CERT)" ]] || \
	    { echo "make sign needs KEY=key.pem CERT=cert.pem" >&2; exit 2; }
	@[[ "$(UNSIGNED_KERNELS)" =~ ^(yes)?$$ ]] || \
	    { echo "UNSIGNED_KERNELS is yes, or not given" >&2; exit 2; }
	@rm -rf build/signed
	@scripts/sign $(if $(UNSIGNED_KERNELS),--unsigned-kernels) "$(KEY)" "$(CERT)" \
	    build/BOOTX64.EFI -o build/signed
	@$(if $(PLAN),scripts/sign "$(KEY)" "$(CERT)" "$(PLAN)" -o build/signed)
	$(SAY) "  IMAGE build/signed/barecount.img"
	$(Q)scripts/make-image build/signed/BOOTX64.EFI -o build/signed/barecount.img \
	    $(STICK_OPTIONS) $(SIGNED_OPTIONS)
	$(SAY) "  ISO   build/signed/barecount.iso"
	$(Q)scripts/make-iso build/signed/BOOTX64.EFI -o build/signed/barecount.iso \
	    $(STICK_OPTIONS) $(SIGNED_OPTIONS)

.PHONY: events
events: build/events/index.csv ## Make the event tables of perfmon and libpfm4: build/events/

.PHONY: machine
machine: build/machine/built ## Build the model machine: build/machine/qemu-system-x86_64

.PHONY: uncore-table
uncore-table: build/uncore_table ## Write docs/uncore-models.md: uncore counters by CPU model
	@build/uncore_table >docs/uncore-models.md

.PHONY: evidence
evidence: ## Write docs/evidence.md and pmu/files/tried.h: machines that ran the check
	@scripts/make-evidence

.PHONY: linux
linux: build/barecount-linux build/events/index.csv
linux: ## Build the program that measures kernels under Linux: build/barecount-linux

.PHONY: man
man: build/man/made ## Make manual pages, for man -l: build/man/man1/

.PHONY: completion
completion: build/completion/barecount
completion: ## Make completion for bash, to be sourced: build/completion/barecount

.PHONY: setup
setup: ## Install the Debian or Ubuntu packages that all other targets need
	@scripts/setup

##@ To develop
.PHONY: test
test: image iso build/machine/built build/linux/built build/prove_kernels build/barecount-linux
test: build/loaders/built build/sd/built build/recover build/liar.efi build/uncore_table
test: build/replay build/bench_tables
test: $(if $(filter test-full,$(MAKECMDGOALS))$(BARECOUNT_FULL),build/coverage/BOOTX64.EFI)
test: $(TESTS) $(METAL_TESTS) $(FUZZERS)
test: ## Run the everyday tests; FORCE=1 also repeats tests that need no repeating
	@env -u MAKEFLAGS -u MFLAGS $(PYTHON) scripts/test-all $(TESTS) $(METAL_TESTS) \
	    --fuzzers $(FUZZERS) $(FUZZERS_PY)

.PHONY: test-full
test-full: export BARECOUNT_FULL := 1
test-full: test ## Run every test except the soak; do this before a change is called done

.PHONY: coverage
coverage: image iso build/machine/built build/prove_kernels build/loaders/built build/sd/built
coverage: build/recover build/replay build/liar.efi $(COVERED_TESTS) build/coverage/BOOTX64.EFI
coverage: ## Show which functions and lines tests reach, page in build/coverage/
	@rm -rf build/test/reached
	@find build/coverage/host -name '*.gcda' -delete
	@status=0; env -u MAKEFLAGS -u MFLAGS LEVEL="image unit" FORCE=1 \
	    BARECOUNT_COVERAGE=$(CURDIR)/build/test/reached \
	    $(PYTHON) scripts/test-all $(COVERED_TESTS) || status=1; \
	    scripts/coverage build/test/reached || status=1; exit $$status

.PHONY: fuzz
fuzz: $(FUZZERS) ## Fuzz everything that reads files, for ten minutes in all
	@tests/fuzz/run 600 $(FUZZERS) $(FUZZERS_PY)

SOAK_TESTS := $(shell grep -lE 'in_soak|SOAK' tests/image/test_*.py)
.PHONY: soak
soak: image build/machine/built build/prove_kernels build/recover build/liar.efi build/replay
soak: machine-newest ## Run what takes hours: 1,000 runs, a boot after each power cut; also mutants
	@status=0; \
	    BARECOUNT_SOAK=1 /usr/bin/pytest-3 -q -p no:cacheprovider -rs $(SOAK_TESTS) || status=1; \
	    rm -f build/mutants/*.jsonl; $(MAKE) mutants || status=1; exit $$status

.PHONY: test-hardware
test-hardware: linux ## Compare barecount-linux with perf stat on this host, if the host has a PMU
	@$(PYTHON) scripts/test-hardware

.PHONY: update-events
update-events: | have-program ## Renew pmu/events/perfmon/ from Intel's perfmon: PERFMON=dir
	@[[ -n "$(PERFMON)" ]] || { echo "make update-events needs PERFMON=dir" >&2; exit 2; }
	@$(PYTHON) scripts/update-events "$(PERFMON)"

.PHONY: test-perfmon
test-perfmon: | have-test ## Test the import of a whole checkout of Intel's perfmon: PERFMON=dir
	@[[ -n "$(PERFMON)" ]] || { echo "make test-perfmon needs PERFMON=dir" >&2; exit 2; }
	@PERFMON="$(PERFMON)" /usr/bin/pytest-3 -p no:cacheprovider tests/events/checkout.py

.PHONY: pictures
pictures: build/machine/built
pictures: image ## Make the pictures of docs/pictures/ from runs on the model machine
	@$(PYTHON) scripts/pictures

.PHONY: bench
bench: image build/machine/built build/bench_tables
bench: ## Measure the program itself, and check its limits
	@$(PYTHON) scripts/bench

.PHONY: machine-newest
machine-newest: | have-machine ## Build the model machine from Debian 13's QEMU, and test it
	@tests/machine/newest.sh -o build/machine-newest

# How many mutants of the product to draw; BARECOUNT_SEED=N draws others.
MUTANTS ?= 60
.PHONY: mutants
mutants: build/machine/built build/prove_kernels build/loaders/built build/sd/built
mutants: build/recover build/replay build/liar.efi $(TESTS)
mutants: image iso ## Seed defects into model and product, MUTANTS=60: tests must fail
	@scripts/coverage --holds || $(MAKE) coverage
	@status=0; tests/machine/mutants.py || status=1; \
	    tests/product_mutants.py --count $(MUTANTS) || status=1; exit $$status

.PHONY: tidy
tidy: ## Check format, warnings, analysers and house style of files that changed
	@scripts/tidy-known check || \
	    { $(MAKE) --no-print-directory -Oline tidy-all && scripts/tidy-known keep; }

.PHONY: clean
clean: ## Remove build/, but neither results/ nor the model machine's cache
	rm -rf build

.PHONY: help
help: ## Show this text
	@awk -F ':.*## ' '/^##@ / { print "\n" substr($$0, 5) ":" } \
	    /^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile
	@printf '\nVariables of make run, with their current values:\n'
	@printf '  %s\n' \
	    'CPUS=$(CPUS)' \
	    'MACHINE=$(MACHINE)  (model; stock: a QEMU without a PMU; kvm: CPU and PMU of this host)' \
	    'MEDIA=$(MEDIA)  (usb, ahci, nvme, virtio or sd; cd or usb-cd: the ISO image;' \
	    '    net: PXE boot, net-http: HTTP boot; scripts/run starts the servers)' \
	    'CPU=$(CPU)  (nehalem to icelake, zen to zen5; CPU=list lists them)' \
	    'MACHINE_FILE=$(MACHINE_FILE)  (a machine.txt: CPUs like those of that machine)' \
	    'PLAN=$(PLAN)  (a plan file; without one, the default plan)' \
	    'KERNEL=$(KERNEL)  (your own kernels for the stick: files that scripts/build-kernel made)' \
	    'FRESH=$(FRESH)  (1: make the stick anew from the image)' \
	    'RUN_FLAGS=$(RUN_FLAGS)  (see scripts/run --help)'
	@printf '\nIf make run fails, it exits with 2; its line `run: exit status N: ...` says why.\n'

# --- set-up ---

HAVE_GROUPS := $(addprefix have-,program machine test report browser man pictures tidy)
.PHONY: $(HAVE_GROUPS)
$(HAVE_GROUPS): have-%:
	@scripts/setup --quiet $*

run: | have-machine
demo: | have-machine have-report
versus: | have-machine
test: | have-test have-report have-browser have-man
pictures: | have-machine have-report have-browser have-pictures
coverage: | have-test
fuzz: | have-test have-report
soak: | have-test
mutants: | have-program have-machine have-test have-report have-browser have-man

# --- the program ---

build/kernels.raw: $(wildcard kernels/*.asm kernels/*.inc kernels/instructions/*) | have-program
	@mkdir -p $(@D)
	$(SAY) "  NASM  $@"
	$(Q)nasm -f bin -Werror -I kernels/ -o $@ kernels/kernels.asm

build/kernels.bin build/kernels.packed &: build/kernels.raw scripts/seal-kernels \
    scripts/lib/kernel_file.py
	$(SAY) "  SEAL  build/kernels.bin"
	$(Q)$(PYTHON) scripts/seal-kernels $< -o build/kernels.bin --packed build/kernels.packed

$(addprefix build/efi/boot/,entry.c.obj efi/%.obj net/%.obj): BORDER := $(EFI_HEADERS)
build/efi/%.c.obj: %.c Makefile | have-program
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)clang $(EFI_FLAGS) $(GENERAL_REGISTERS) $(BORDER) -MMD -MP -c -o $@ $<

# nasm -MD does not list the files that %include reads, so each object depends on boot/*/*.inc.
build/efi/%.asm.obj: %.asm $(wildcard boot/*/*.inc) Makefile build/kernels.packed | have-program
	@mkdir -p $(@D)
	$(SAY) "  NASM  $@"
	$(Q)nasm -f win64 -Werror -I ./ -I build/ -MD $(@:.obj=.d) -o $@ $<

# When the list of a target's sources or options changes, the target is rebuilt.
.PHONY: always
build/%.list: always
	@mkdir -p $(@D)
	@echo '$(LIST_OF)' | cmp -s - $@ || echo '$(LIST_OF)' >$@
build/efi.list: LIST_OF = $(EFI_OBJECTS)
build/leaves.list: LIST_OF = $(LEAVES)
build/linux.list: LIST_OF = $(LINUX_C) $(LINUX_ASM)
build/prover.list: LIST_OF = $(PROVER_C)
build/iso.list: LIST_OF = $(ISO_OPTIONS)

build/BOOTX64.EFI: $(EFI_OBJECTS) build/efi.list Makefile
	$(SAY) "  LINK  $@"
	$(Q)lld -flavor link -subsystem:efi_application -entry:efi_main -nodefaultlib -brepro \
	    -out:$@ $(EFI_OBJECTS)

build/efi/tests/image/firmware/%.c.obj: tests/image/firmware/%.c Makefile | have-program
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)clang $(EFI_FLAGS) $(GENERAL_REGISTERS) $(EFI_HEADERS) -MMD -MP -c -o $@ $<

build/liar.efi: $(LIAR_OBJECTS)
	$(SAY) "  LINK  $@"
	$(Q)lld -flavor link -subsystem:efi_application -entry:efi_main -nodefaultlib -brepro \
	    -out:$@ $^

build/libpfm4_events: scripts/libpfm4_events.c Makefile | have-program
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)gcc $(HOST_FLAGS) -D_GNU_SOURCE -o $@ $< -lpfm

# Building the tables again removes those that scripts/import-perfmon has added.
build/events/index.csv: build/libpfm4_events $(EVENT_MAKERS)
	$(SAY) "  EVENTS $(@D)"
	$(Q)$(PYTHON) scripts/make-events -o $(@D) >build/make-events.log

build/built-with.txt: always | have-program
	@mkdir -p $(@D)
	@scripts/built-with >$@.new && { cmp -s $@.new $@ || cp $@.new $@; }

build/barecount.img: build/BOOTX64.EFI scripts/make-image $(STICK_FILES) | have-program
	$(SAY) "  IMAGE $@"
	$(Q)scripts/make-image build/BOOTX64.EFI -o $@ $(STICK_OPTIONS)

# build/machine is a link to a cache of builds; if the cache was deleted, the link is broken.
MODEL_MISSING := $(shell test -x build/machine/qemu-system-x86_64 -a -e build/machine/libinsn.so \
    && touch -a build/machine/qemu-system-x86_64 || echo model-missing)
.PHONY: model-missing
build/machine/built: $(MODEL_SOURCES) $(MODEL_MISSING) | have-machine
	$(SAY) "  MODEL $@"
	$(Q)tests/machine/build.sh -o build/machine
	@touch $@

LINUX_MISSING := $(shell test -e build/linux/vmlinuz -a -e build/linux/initrd || echo linux-missing)
.PHONY: linux-missing
build/linux/built: $(LINUX_SOURCES) $(LINUX_MISSING) | have-program
	$(SAY) "  LINUX $@"
	$(Q)tests/machine/linux_root.sh -o build/linux
	@touch $@

PEERS_MISSING := $(shell test -e build/peers/guest/lib -a -e build/peers/headers/build || \
    echo peers-missing)
.PHONY: peers-missing
build/peers/built: build/linux/built $(PEERS_MISSING) | have-program
	$(SAY) "  PEERS $@"
	$(Q)tests/machine/linux_peers.sh -o build/peers
	@touch $@

include scripts/unit.mk

include scripts/tables.mk

include scripts/media.mk

include scripts/linux/build.mk

include scripts/manual.mk

include scripts/coverage.mk

include scripts/tidy.mk

-include $(EFI_OBJECTS:.obj=.d) $(LIAR_OBJECTS:.obj=.d) $(LINUX_OBJECTS:.o=.d) \
    build/of-linux/scripts/recover.c.d \
    $(foreach of,host of-fuzz of-linux,$(LEAVES:%=build/$(of)/%.d)) \
    $(FUZZERS:build/%=build/of-fuzz/tests/fuzz/%.c.d) \
    $(TESTS:build/%=build/host/tests/unit/%.c.d) $(METAL_OBJECTS:.o=.d) $(REPLAY_OBJECTS:.o=.d) \
    $(patsubst %,build/host/%.d,$(OF_APIC) $(OF_UNCORE) $(OF_PERF))
