# SPDX-License-Identifier: BSD-2-Clause
# The rules for `make tidy`. A tool gets all files of a group in one call, because starting a tool
# takes long. A stamp file records a call without findings.

METAL_TEST_C := $(wildcard tests/unit/metal/*.c)
LEAF_AND_TEST_C := $(LEAVES) $(wildcard tests/prover/*.c) \
    $(filter-out $(METAL_TEST_C),$(wildcard tests/unit/*/*.c)) \
    $(wildcard tests/fuzz/*.c scripts/*.c scripts/lib/*.c scripts/linux/*.c)
BORDER_C  := $(wildcard boot/entry.c boot/efi/*.c boot/net/*.c) $(LIAR_C)
BOOT_C    := $(filter-out $(BORDER_C),$(wildcard boot/*.c boot/*/*.c))
CONFORM_C := $(wildcard tests/machine/conform/*.c)
ALL_C     := $(LEAF_AND_TEST_C) $(BORDER_C) $(BOOT_C) $(CONFORM_C) $(METAL_TEST_C)
ALL_H     := $(wildcard pmu/*/*.h kernels/*.h boot/*.h boot/*/*.h) \
    $(wildcard tests/unit/*.h tests/unit/*/*.h tests/prover/*.h tests/machine/conform/*.h) \
    $(wildcard tests/fuzz/*.h tests/image/firmware/*.h scripts/lib/*.h scripts/linux/*.h) \
    $(wildcard tests/unit/metal/*/*/*.h)
SHELL_FILES  := $(shell grep -lE '^\#!.*\bbash' .ci/* scripts/* tests/machine/* tests/events/* \
    tests/fuzz/* 2>/dev/null) $(wildcard scripts/lib/*.sh scripts/lib/*/*.sh)
PYTHON_FILES := $(shell grep -lE '^\#!.*python3' scripts/* 2>/dev/null) \
    $(wildcard scripts/lib/*.py scripts/lib/*/*.py) \
    $(wildcard tests/*.py $(addprefix tests/,$(addsuffix /*.py,image machine events fuzz tools)))

# comparePointers is off, because it flags table sizes that are differences of two labels.
CPPCHECK := cppcheck --quiet --enable=warning,performance,portability --inline-suppr \
    --std=c11 --error-exitcode=1 --suppress=missingInclude \
    --suppress=comparePointers -I.
TIDY := clang-tidy --quiet --warnings-as-errors='*'
# The analyser stops after max-nodes states of a function. With the default, 225,000, a file takes
# three seconds instead of 0.2.
ANALYSER := -Xclang -analyzer-config -Xclang max-nodes=2000
CONFORM_FLAGS := -m32 -std=gnu11 -ffreestanding -fno-pic -mgeneral-regs-only -Wall -Wextra -Werror

HAVE_C := have-program have-test have-tidy

# The files of group $1 that must be checked.
changed = $(if $(filter-out $1,$?),$1,$?)

define clang_tidy
build/tidy/$1.clang-tidy: $$($2) $$(ALL_H) .clang-tidy scripts/tidy.mk Makefile | $(HAVE_C)
	@mkdir -p $$(@D)
	$$(Q)$$(TIDY) $$(call changed,$$($2)) -- $3 $$(ANALYSER) 2>/dev/null
	@touch $$@
endef
define gcc
build/tidy/$1.gcc: $$($2) $$(ALL_H) scripts/tidy.mk Makefile | $(HAVE_C)
	@mkdir -p $$(@D)
	$$(Q)gcc $3 -fsyntax-only $$(call changed,$$($2))
	@touch $$@
endef

# The slowest checks come first.
.PHONY: tidy-all
tidy-all: $(addprefix build/tidy/,leaves.clang-tidy cppcheck border.clang-tidy boot.clang-tidy \
    metal.clang-tidy conform.clang-tidy metal.gcc conform.gcc leaves.gcc clang-format shellcheck \
    pyflakes)
	@$(PYTHON) scripts/check-style --quiet

$(eval $(call clang_tidy,leaves,LEAF_AND_TEST_C,$(TEST_FLAGS)))
$(eval $(call clang_tidy,border,BORDER_C,$(EFI_FLAGS) $(EFI_HEADERS)))
$(eval $(call clang_tidy,boot,BOOT_C,$(EFI_FLAGS)))
$(eval $(call clang_tidy,conform,CONFORM_C,$(CONFORM_FLAGS)))
$(eval $(call gcc,leaves,LEAF_AND_TEST_C,$(TEST_FLAGS)))
$(eval $(call clang_tidy,metal,METAL_TEST_C,$(METAL_FLAGS)))
$(eval $(call gcc,metal,METAL_TEST_C,$(METAL_FLAGS)))
$(eval $(call gcc,conform,CONFORM_C,$(CONFORM_FLAGS)))

build/tidy/cppcheck: $(ALL_C) $(ALL_H) scripts/tidy.mk | have-tidy
	@mkdir -p $(@D)
	$(Q)$(CPPCHECK) $(call changed,$(ALL_C))
	@touch $@

build/tidy/clang-format: $(ALL_C) $(ALL_H) .clang-format | have-tidy
	@mkdir -p $(@D)
	$(Q)clang-format --dry-run -Werror $(call changed,$(ALL_C) $(ALL_H))
	@touch $@

build/tidy/shellcheck: $(SHELL_FILES) | have-tidy
	@mkdir -p $(@D)
	$(Q)shellcheck $?
	@touch $@

build/tidy/pyflakes: $(PYTHON_FILES) | have-tidy
	@mkdir -p $(@D)
	$(Q)pyflakes3 $?
	@touch $@
