/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures a CPU's noise under Linux. The loop is like the image's (boot/measure/noise.c), but runs
 * at CPL 3. Interrupts and other tasks cannot be distinguished from SMIs and NMIs.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scripts/linux/run.h"

#define STEP_READINGS 1000u
#define NS_PER_MS     1000000ull
#define READINGS_1_MS 1000000ull /* more readings than any CPU can take in 1 ms */

static uint64_t least_step(void)
{
    uint64_t before = host_tsc(), least = UINT64_MAX;

    for (unsigned i = 0; i < STEP_READINGS; i++) {
        uint64_t now = host_tsc();

        if (now - before < least)
            least = now - before;
        before = now;
    }
    return least;
}

/*
 * Looks for gaps until `runtime_ticks` have passed. Returns false if it has read the time stamp
 * `readings` times before that.
 */
static bool spin(struct noise *noise, uint64_t runtime_ticks, uint64_t readings)
{
    while (noise->runtime_ticks < runtime_ticks && readings > 0) {
        const uint64_t left = runtime_ticks - noise->runtime_ticks, first = host_tsc();
        uint64_t before, now = first;

        for (;;) {
            before = now;
            now = host_tsc();
            if (--readings == 0 || now - before >= noise->threshold_ticks || now - first >= left)
                break;
        }
        noise_stretch(noise, first, before, now, 0);
    }
    return noise->runtime_ticks >= runtime_ticks;
}

static void watch(const struct linux_run *run, struct noise *noise)
{
    const uint64_t tsc_hz = run->host->machine.tsc_hz;
    const uint64_t wanted = noise_ticks(run->plan.noise_threshold_ns, tsc_hz);
    bool arrived;

    noise_start(noise, noise_threshold(wanted, least_step()));
    arrived = spin(noise, noise_ticks(run->plan.noise_ms * NS_PER_MS, tsc_hz),
                   run->plan.noise_ms * READINGS_1_MS);
    noise->status = arrived ? STATUS_OK : STATUS_TSC;
}

void run_noise(struct linux_run *run, struct run_cpu *cpu, enum noise_when when)
{
    static struct noise *shared;
    struct noise *noise = &cpu->noise[when];
    pid_t pid;
    int how;

    *noise = (struct noise){.cpu = cpu->record.cpu, .when = when};
    if (run->plan.noise_ms == 0)
        return;
    noise->status = STATUS_START_FAILED;
    if (!shared)
        shared =
            mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared != MAP_FAILED)
        *shared = *noise;
    pid = *run->stopped || shared == MAP_FAILED ? -1 : fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (host_pin(cpu->record.cpu))
            watch(run, shared);
        _exit(0);
    }
    if (pid > 0 && waitpid(pid, &how, 0) == pid && WIFEXITED(how))
        *noise = *shared;
    if (*run->stopped)
        noise->status = STATUS_STOPPED;
    run_append(run, RECORD_NOISE, noise, sizeof(*noise));
}
