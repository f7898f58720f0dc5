# SPDX-License-Identifier: BSD-2-Clause
# make tidy: included by the Makefile. A stamp for each file that was found clean.

LEAF_AND_TEST_C := $(LEAVES) \
    $(wildcard tests/unit/*.c tests/fuzz/*.c scripts/*.c scripts/lib/*.c scripts/linux/*.c)
C_FILES  := $(LEAF_AND_TEST_C) $(wildcard boot/*.c)
CONFORM_C := $(wildcard tests/machine/conform/*.c)
H_FILES  := $(wildcard pmu/*.h kernels/*.h boot/*.h tests/unit/*.h tests/machine/conform/*.h \
    tests/fuzz/*.h tests/image/firmware/*.h scripts/lib/*.h scripts/linux/*.h)
SHELL_FILES  := $(shell grep -lE '^\#!.*\bbash' .ci/* scripts/* tests/machine/* tests/events/* \
    tests/fuzz/* 2>/dev/null) $(wildcard scripts/lib/*.sh)
PYTHON_FILES := $(shell grep -lE '^\#!.*python3' scripts/* 2>/dev/null) \
    $(wildcard scripts/lib/*.py tests/*.py tests/image/*.py tests/machine/*.py tests/events/*.py \
    tests/fuzz/*.py tests/tools/*.py)

.PHONY: tidy-all
tidy-all: $(C_FILES:%=build/tidy/%.ok) $(H_FILES:%=build/tidy/%.ok) \
    $(CONFORM_C:%=build/tidy/%.ok) $(LIAR_C:%=build/tidy/%.ok) \
    $(SHELL_FILES:%=build/tidy/%.sh-ok) $(PYTHON_FILES:%=build/tidy/%.py-ok)
	@$(PYTHON) scripts/check-style --quiet

# comparePointers: the size of a table between two labels of the assembler is such a difference.
CPPCHECK := cppcheck --quiet --enable=warning,performance,portability --inline-suppr \
    --std=c11 --error-exitcode=1 --suppress=missingInclude \
    --suppress=comparePointers -I.
TIDY := clang-tidy --quiet --warnings-as-errors='*'
# The analyser gives up a function after so many states: with its default, 225,000, a file takes
# three seconds instead of a third of one.
ANALYSER := -Xclang -analyzer-config -Xclang max-nodes=4000

$(LEAF_AND_TEST_C:%=build/tidy/%.ok): build/tidy/%.ok: % .clang-format .clang-tidy Makefile \
    | have-packages
	@mkdir -p $(@D)
	$(Q)clang-format --dry-run -Werror $<
	$(Q)gcc $(TEST_FLAGS) -MMD -MP -MT $@ -MF $@.d -fsyntax-only $<
	$(Q)clang $(TEST_FLAGS) -fsyntax-only $<
	$(Q)$(TIDY) $< -- $(TEST_FLAGS) $(ANALYSER) 2>/dev/null
	$(Q)$(CPPCHECK) -Ipmu -Ikernels $<
	@touch $@

build/tidy/boot/%.c.ok: boot/%.c .clang-format .clang-tidy Makefile | have-packages
	@mkdir -p $(@D)
	$(Q)clang-format --dry-run -Werror $<
	$(Q)clang $(EFI_FLAGS) $(if $(filter efi_%,$*),$(EFI_HEADERS)) -MMD -MP -MT $@ -MF $@.d \
	    -fsyntax-only $<
	$(Q)$(TIDY) $< -- $(EFI_FLAGS) $(ANALYSER) \
	    $(if $(filter efi_%,$*),$(EFI_HEADERS)) 2>/dev/null
	$(Q)$(CPPCHECK) $<
	@touch $@

build/tidy/tests/image/firmware/%.c.ok: tests/image/firmware/%.c .clang-format .clang-tidy \
    Makefile | have-packages
	@mkdir -p $(@D)
	$(Q)clang-format --dry-run -Werror $<
	$(Q)clang $(EFI_FLAGS) $(EFI_HEADERS) -MMD -MP -MT $@ -MF $@.d -fsyntax-only $<
	$(Q)$(TIDY) $< -- $(EFI_FLAGS) $(ANALYSER) $(EFI_HEADERS) 2>/dev/null
	$(Q)$(CPPCHECK) $<
	@touch $@

CONFORM_FLAGS := -m32 -std=gnu11 -ffreestanding -fno-pic -mgeneral-regs-only -Wall -Wextra -Werror
build/tidy/tests/machine/conform/%.c.ok: tests/machine/conform/%.c .clang-format .clang-tidy \
    $(wildcard tests/machine/conform/*.h) Makefile | have-packages
	@mkdir -p $(@D)
	$(Q)clang-format --dry-run -Werror $<
	$(Q)gcc $(CONFORM_FLAGS) -fsyntax-only $<
	$(Q)clang $(CONFORM_FLAGS) -fsyntax-only $<
	$(Q)$(TIDY) $< -- $(CONFORM_FLAGS) $(ANALYSER) 2>/dev/null
	$(Q)$(CPPCHECK) $<
	@touch $@

build/tidy/%.h.ok: %.h .clang-format | have-packages
	@mkdir -p $(@D)
	$(Q)clang-format --dry-run -Werror $<
	@touch $@

build/tidy/%.sh-ok: % | have-packages
	@mkdir -p $(@D)
	$(Q)shellcheck $<
	@touch $@

build/tidy/%.py-ok: % | have-packages
	@mkdir -p $(@D)
	$(Q)pyflakes3 $<
	@touch $@
