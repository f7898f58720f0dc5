/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conformance image; its command line names a scenario of the table below, and the scenario's
 * argument if there is one. ../conform.sh checks the first and the last line of the output.
 */
#include "conform.h"

_Noreturn void conform_main(const char *command_line);

int chosen_counter;

static void test_all(void)
{
    test_reset();
    if (cpu.version >= 2) {
        test_predictor(); /* needs the predictor's state at reset */
        test_memory();
        test_overflow();
    }
    test_registers();
    test_values();
    test_rdpmc();
    test_counting();
    test_rings();
    test_cycles();
    test_pmi();
    if (cpu.version >= 2 && cpu.pdcm) {
        test_freeze();
    }
    if (cpu.metrics) {
        test_metrics();
    }
}

static void test_shape(void)
{
    test_reset();
    test_registers();
    test_values();
    test_rdpmc();
    test_overflow();
}

static const struct {
    const char *name;
    void (*test)(void);
} scenarios[] = {
    {"all", test_all},
    {"shape", test_shape},
    {"clock", test_clock},
    {"version-6", test_version_6},
    {"absent", test_absent},
    {"smm", test_smm},
    {"siblings", test_siblings},
    {"hybrid", test_hybrid},
    {"caches", test_caches},
    {"state", test_state},
    {"lenient", test_lenient},
    {"off", test_off},
    {"amd", test_amd},
    {"amd-left-running", test_amd_left_running},
    {"amd-legacy", test_amd_legacy},
    {"amd-overcounts", test_amd_overcounts},
    {"amd-lock-excess", test_amd_lock_excess},
    {"amd-cfg-ignored", test_amd_cfg_ignored},
    {"amd-reserved-status", test_amd_reserved_status},
    {"amd-smi", test_amd_smi},
    {"amd-smm-takes", test_amd_smm_takes},
    {"amd-init", test_amd_init},
    {"rules", test_rules},
    {"no-rules", test_no_rules},
    {"hypervisor", test_hypervisor},
    {"crystal", test_crystal},
    {"left-running", test_left_running},
    {"gp-msr", test_gp_msr},
    {"zero-msr", test_zero_msr},
    {"mute", test_mute},
    {"stuck", test_stuck},
    {"stuck-from", test_stuck_from},
    {"off-by-one", test_off_by_one},
    {"wrong-ring", test_wrong_ring},
    {"wrap", test_wrap},
    {"late", test_late},
    {"noisy", test_noisy},
    {"exit-counts", test_exit_counts},
    {"promised", test_promised},
    {"lie-cpu", test_lie_cpu},
    {"hang", test_hang},
    {"deaf", test_deaf},
    {"slow", test_slow},
    {"asleep", test_asleep},
    {"wrmsr-loads", test_wrmsr_loads},
    {"iret-user", test_iret_user},
    {"late-ref", test_late_ref},
    {"count-cycles", test_count_cycles},
    {"inject-nmi", test_inject_nmi},
    {"inject-at-once", test_inject_at_once},
    {"inject-smi", test_inject_smi},
    {"smm-moves", test_smm_moves},
    {"smm-takes", test_smm_takes},
    {"inject-thermal", test_inject_thermal},
    {"inject-within", test_inject_within},
    {"inject-clock", test_inject_clock},
    {"inject-machine-check", test_inject_machine_check},
    {"inject-mc", test_inject_mc},
    {"inject-mc-fatal", test_inject_mc_fatal},
    {"inject-mc-action", test_inject_mc_action},
    {"inject-mc-sibling", test_inject_mc_sibling},
    {"inject-mc-corrupt", test_inject_mc_corrupt},
    {"inject-mc-elsewhere", test_inject_mc_elsewhere},
    {"old-error", test_old_error},
    {"inject-limit", test_inject_limit},
    {"hot", test_hot},
    {"dither", test_dither},
    {"mperf-slow", test_mperf_slow},
    {"inject-every", test_inject_every},
    {"inject-again", test_inject_again},
    {"inject-smi-every", test_inject_smi_every},
    {"inject-gap", test_inject_gap},
    {"icount", test_icount},
    {"bus-slow", test_bus_slow},
    {"gap-after-init", test_gap_after_init},
    {"uncore-nehalem", test_uncore_nehalem},
    {"uncore-overflow", test_uncore_overflow},
    {"uncore-registers", test_uncore_registers},
    {"uncore-client", test_uncore_client},
    {"uncore-server", test_uncore_server},
    {"uncore-lie", test_uncore_lie},
    {"uncore-cpus", test_uncore_cpus},
    {"uncore-packages", test_uncore_packages},
    {"package-channels", test_package_channels},
    {"package-energy", test_package_energy},
    {"energy-start", test_energy_start},
};

static const char *next_word(const char *text)
{
    while (*text && *text != ' ') {
        text++;
    }
    while (*text == ' ') {
        text++;
    }
    return text;
}

static bool begins_with(const char *text, const char *word)
{
    while (*word && *text == *word) {
        text++;
        word++;
    }
    return !*word && (!*text || *text == ' ');
}

static int number(const char *text)
{
    int value = 0;

    for (; *text >= '0' && *text <= '9'; text++) {
        value = value * 10 + *text - '0';
    }
    return value;
}

void conform_main(const char *command_line)
{
    const char *scenario = next_word(command_line);
    struct leaf leaf;
    uint64_t capabilities = 0;

    read_cpu();
    leaf = cpuid(0, 0).eax >= 10 ? cpuid(10, 0) : (struct leaf){0, 0, 0, 0};
    if (cpu.version && cpu.pdcm) {
        try_rdmsr(IA32_PERF_CAPABILITIES, &capabilities);
    }
    say("0ah %08x %08x %08x %08x 345h %llx\n", leaf.eax, leaf.ebx, leaf.ecx, leaf.edx,
        capabilities);
    for (unsigned i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        if (begins_with(scenario, scenarios[i].name)) {
            chosen_counter = number(next_word(scenario));
            scenarios[i].test();
            end_all();
        }
    }
    give_up("no such scenario");
}
