# SPDX-License-Identifier: BSD-2-Clause
# Host programs over the tables of pmu/.

build/bench_tables: scripts/bench_tables.c $(LEAVES) $(wildcard pmu/*.h) Makefile | have-packages
	@mkdir -p $(@D)
	$(SAY) "  CC    $@"
	$(Q)gcc $(HOST_FLAGS) -O2 -D_GNU_SOURCE -o $@ scripts/bench_tables.c $(wildcard pmu/*.c) -lm

build/uncore_table: scripts/uncore_table.c $(LEAF_OBJECTS) $(wildcard pmu/*.h) Makefile
	$(SAY) "  CC    $@"
	$(Q)gcc $(HOST_FLAGS) $(SANITIZE) -o $@ $< $(filter %.o,$^) -lm
