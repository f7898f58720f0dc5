# SPDX-License-Identifier: BSD-2-Clause
# Builds barecount-linux, and build/recover, which renders a journal on a workstation.

# barecount-linux is linked statically, because the Linux that runs it may lack its libraries.
LINUX_C       := $(wildcard scripts/linux/*.c) scripts/lib/render_files.c
LINUX_ASM     := $(wildcard scripts/linux/*.asm)
LINUX_OBJECTS := $(LINUX_C:%=build/of-linux/%.o) $(LINUX_ASM:%=build/of-linux/%.o)
LINUX_FLAGS   := -std=c11 -O2 -g -Wall -Wextra -Werror -I. -D_GNU_SOURCE \
    -ffile-prefix-map=$(CURDIR)=.

# Code that runs between a kernel's `prepare` and the kernel must not change the vector registers.
$(addprefix build/of-linux/,scripts/linux/child.c.o scripts/linux/child_space.c.o \
    scripts/linux/perf.c.o pmu/cpu/barrier.c.o \
    pmu/counters/deltas.c.o): LINUX_REGISTERS := -mgeneral-regs-only

build/of-linux/%.c.o: %.c Makefile scripts/linux/build.mk | have-program
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)gcc $(LINUX_FLAGS) $(LINUX_REGISTERS) -MMD -MP -c -o $@ $<

build/of-linux/%.asm.o: %.asm Makefile scripts/linux/build.mk build/kernels.bin | have-program
	@mkdir -p $(@D)
	$(SAY) "  NASM  $@"
	$(Q)nasm -f elf64 -Werror -I build/ -MD $(@:.o=.d) -o $@ $<

build/barecount-linux: $(LINUX_OBJECTS) build/of-linux/leaves.a build/linux.list \
    scripts/linux/build.mk
	$(SAY) "  LINK  $@"
	$(Q)gcc -static -no-pie -o $@ $(LINUX_OBJECTS) build/of-linux/leaves.a -lm

build/recover: build/of-linux/scripts/recover.c.o build/of-linux/scripts/lib/render_files.c.o \
    build/of-linux/leaves.a scripts/linux/build.mk
	$(SAY) "  LINK  $@"
	$(Q)gcc -o $@ $(filter %.o %.a,$^) -lm
