# SPDX-License-Identifier: BSD-2-Clause
# The rules for manual pages and completion, which come from each program's --help.

PROGRAMS := $(shell find scripts -maxdepth 1 -type f -perm -u+x | sort) build/barecount-linux
HELP_SOURCES := $(PROGRAMS) $(wildcard scripts/lib/*.py scripts/lib/*/*.py scripts/lib/*.sh) \
    scripts/linux/host.h scripts/manual.mk

build/man/made: $(HELP_SOURCES) | have-man
	$(SAY) "  MAN   build/man/man1"
	$(Q)scripts/make-man $(PROGRAMS) -o build/man/man1
	@touch $@

build/completion/barecount: $(HELP_SOURCES) build/recover
	$(SAY) "  COMPLETION $@"
	$(Q)scripts/make-completion $(PROGRAMS) build/recover -o $@
