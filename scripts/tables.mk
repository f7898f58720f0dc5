# SPDX-License-Identifier: BSD-2-Clause
# The rules for host programs that print or read tables of pmu/.

build/bench_tables build/uncore_table: build/%: scripts/%.c build/of-linux/leaves.a \
    $(wildcard pmu/*/*.h) Makefile scripts/tables.mk
	$(SAY) "  CC    $@"
	$(Q)gcc $(HOST_FLAGS) -O2 -D_GNU_SOURCE -o $@ $< build/of-linux/leaves.a -lm
