/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run on 256 simulated CPUs, from its time estimate to its end. The CPUs run boot/run/, and the
 * code of boot/efi/ that starts and parks CPUs. The MP services and the clock are simulated, too.
 */
#include <ucontext.h>

#include "tests/unit/test.h"
#include "boot/cpu/traps.h"
#include "boot/efi/bus_masters.h"
#include "boot/efi/console.h"
#include "boot/efi/early_notes.h"
#include "boot/efi/firmware.h"
#include "boot/efi/mp.h"
#include "boot/measure/measure_uncore.h"
#include "boot/plan/skipped.h"
#include "boot/run/noise.h"
#include "boot/run/run.h"
#include "boot/run/state.h"
#include "boot/run/uncore.h"
#include "boot/screen/screen.h"
#include "tests/unit/fakes/kernel.h"

/*
 * EDK II, UefiCpuPkg/Library/MpInitLib: the time to start a CPU (INIT, 10 ms, STARTUP, 200 us,
 * STARTUP, 200 us), and the interval at which the firmware looks for returned CPUs.
 */
#define START_NS 10400000ull
#define CHECK_NS 100000000ull
/* Exit latency of C6: Linux, drivers/idle/intel_idle.c, skx_cstates. */
#define WAKE_NS 133000ull
/* 115,200 baud, ten bits a character. */
#define CHARACTER_NS (10 * 1000000000ull / 115200)
/*
 * Assumed times: to flush a slow stick, for an empty window, to move a cache line within a package
 * and between packages, and to read the TSC. A CPU that polls a flag pauses between two reads. Each
 * pause is twice as long as the one before, from 2 * PAUSE_NS to about PAUSE_MAX.
 */
#define FLUSH_NS    10000000ull
#define WINDOW_NS   5000ull
#define NEAR_NS     60ull
#define FAR_NS      150ull
#define PAUSE_NS    20000ull
#define PAUSE_MAX   1000000ull
#define TSC_HZ      2000000000ull
#define READ_TSC_NS 20u

#define CPUS         256u
#define PACKAGE_CPUS 128u
#define STACK_BYTES  262144u
#define LINE_BYTES   64u
#define SECOND_NS    1000000000ull

static const char PLAN[] = "version=1\n[run]\ncpus=all\nruns=20\nwarmup=3\nnoise_ms=0\n"
                           "kernels=core_to_core\nn=50\n[state]\npark=mwait\n";

struct fake_cpu {
    ucontext_t context;
    AP_PROCEDURE procedure;
    void *argument;
    bool busy; /* not waiting in the firmware */
    bool asleep;
    uint64_t ready_ns, pause_ns, ended_ns;
    const char *line;      /* the monitored cache line */
    char seen[LINE_BYTES]; /* what the line contained when monitoring began */
};

static struct {
    uint64_t ns;
    struct fake_cpu cpu[CPUS];
    struct fake_cpu *current; /* null: the boot CPU */
    ucontext_t boot;
    unsigned starts;
    uint64_t first_pair_ns, last_pair_ns;
} fake;

static struct machine machine;
static struct run run;
static struct store store;
static struct progress progress;

static void leave(void)
{
    struct fake_cpu *cpu = fake.current;

    swapcontext(&cpu->context, &fake.boot);
    fake.current = cpu;
}

static void enter(void)
{
    struct fake_cpu *cpu = fake.current;

    for (;;) {
        cpu->procedure(cpu->argument);
        cpu->busy = false;
        cpu->ended_ns = fake.ns;
        leave();
    }
}

/* A write to a monitored line wakes the CPU that sleeps there. */
static struct fake_cpu *next_cpu(void)
{
    struct fake_cpu *first = NULL;

    for (unsigned i = 0; i < CPUS; i++) {
        struct fake_cpu *cpu = &fake.cpu[i];

        if (cpu->asleep && memcmp(cpu->line, cpu->seen, LINE_BYTES) != 0) {
            cpu->asleep = false;
            cpu->ready_ns = fake.ns + WAKE_NS;
        }
        if (cpu->busy && !cpu->asleep && (!first || cpu->ready_ns < first->ready_ns))
            first = cpu;
    }
    return first;
}

static void pass(uint64_t ns)
{
    const uint64_t until = fake.ns + ns;
    struct fake_cpu *cpu;

    while ((cpu = next_cpu()) && cpu->ready_ns <= until) {
        if (cpu->ready_ns > fake.ns)
            fake.ns = cpu->ready_ns;
        fake.current = cpu;
        swapcontext(&fake.boot, &cpu->context);
        fake.current = NULL;
    }
    fake.ns = until;
}

static void take(uint64_t ns)
{
    if (!fake.current) {
        pass(ns);
        return;
    }
    fake.current->ready_ns = fake.ns + ns;
    leave();
}

uint64_t cpu_tsc(void)
{
    if (!fake.current)
        fake.ns += READ_TSC_NS;
    return fake.ns * (TSC_HZ / SECOND_NS);
}

void cpu_pause(void)
{
    struct fake_cpu *cpu = fake.current;

    if (!cpu) {
        pass(PAUSE_NS);
        return;
    }
    cpu->pause_ns = cpu->pause_ns < PAUSE_MAX ? 2 * cpu->pause_ns : PAUSE_MAX;
    take(cpu->pause_ns);
}

void cpu_monitor(const volatile void *line)
{
    fake.current->line = (const char *)line;
    memcpy(fake.current->seen, fake.current->line, LINE_BYTES);
}

void cpu_mwait(uint32_t hint)
{
    (void)hint;
    fake.current->asleep = true;
    leave();
    fake.current->pause_ns = PAUSE_NS;
}

void firmware_wait_us(uint64_t us)
{
    pass(us * 1000);
}

/* EFI_MP_SERVICES_PROTOCOL. An event belongs to the CPU that was started with it. */
struct fake_event {
    struct fake_cpu *cpu;
};

static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL level, EFI_EVENT_NOTIFY notify,
                                      void *context, EFI_EVENT *event)
{
    (void)type, (void)level, (void)notify, (void)context;
    *event = calloc(1, sizeof(struct fake_event));
    return EFI_SUCCESS;
}

void efi_close(EFI_EVENT event)
{
    free(event);
}

/* The event is signalled at the first tick of the firmware's timer after the CPU has returned. */
static EFI_STATUS EFIAPI check_event(EFI_EVENT event)
{
    const struct fake_cpu *cpu = ((struct fake_event *)event)->cpu;

    return !cpu->busy && fake.ns / CHECK_NS > cpu->ended_ns / CHECK_NS ? EFI_SUCCESS
                                                                       : EFI_NOT_READY;
}

static EFI_STATUS EFIAPI start_cpu(MP_SERVICES *this, AP_PROCEDURE procedure, UINTN number,
                                   EFI_EVENT event, UINTN timeout_us, VOID *argument,
                                   BOOLEAN *finished)
{
    struct fake_cpu *cpu = &fake.cpu[number];

    (void)this, (void)timeout_us, (void)finished;
    assert_false(cpu->busy);
    fake.starts++;
    pass(START_NS);
    *cpu = (struct fake_cpu){.context = cpu->context,
                             .procedure = procedure,
                             .argument = argument,
                             .busy = true,
                             .pause_ns = PAUSE_NS,
                             .ready_ns = fake.ns};
    if (event)
        ((struct fake_event *)event)->cpu = cpu;
    while (!event && cpu->busy)
        pass(PAUSE_NS);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI count_cpus(MP_SERVICES *this, UINTN *all, UINTN *enabled)
{
    (void)this;
    *all = *enabled = CPUS;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI describe(MP_SERVICES *this, UINTN number, struct processor_information *to)
{
    (void)this;
    *to = (struct processor_information){.processor_id = number,
                                         .status_flag = PROCESSOR_ENABLED | PROCESSOR_HEALTHY |
                                                        (number == 0 ? PROCESSOR_AS_BSP : 0),
                                         .package = (UINT32)(number / PACKAGE_CPUS)};
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES boot_services = {.CreateEvent = create_event, .CheckEvent = check_event};
static EFI_SYSTEM_TABLE system_table = {.BootServices = &boot_services};
static MP_SERVICES mp_services = {.get_number_of_processors = count_cpus,
                                  .get_processor_info = describe,
                                  .startup_this_ap = start_cpu};
EFI_SYSTEM_TABLE *EFI_SYSTEM = &system_table;

void *efi_any_interface(EFI_GUID *protocol)
{
    (void)protocol;
    return &mp_services;
}

/* The CPUs have no PMU. */
void inspect_cpu(void *argument)
{
    struct inspect_task *task = argument;

    task->record->caps = machine.boot_caps;
    task->record->caps.x2apic_id = (uint32_t)(task->context - machine.contexts);
    task->record->caps.package = task->record->caps.x2apic_id / PACKAGE_CPUS;
    take(WINDOW_NS);
}

void measure_kernel(void *argument)
{
    const struct measure_task *task = argument;
    const uint64_t windows = task->runs + task->twice_runs + 2 * task->warmup;
    const uint32_t cpu = task->result->cpu, partner = task->result->partner;
    const uint64_t way_ns = cpu / PACKAGE_CPUS == partner / PACKAGE_CPUS ? NEAR_NS : FAR_NS;
    const uint64_t trips = partner == CPU_NONE ? 0 : task->kernel.use->n;

    assert_int_equal(task->schedule->passes, 1);
    if (partner != CPU_NONE && fake.first_pair_ns == 0)
        fake.first_pair_ns = fake.ns;
    if (partner != CPU_NONE)
        fake.last_pair_ns = fake.ns;
    task->result->status = STATUS_OK;
    take(windows * (WINDOW_NS + 2 * way_ns * trips));
}

void store_sync(struct store *of)
{
    of->written = of->journal.used;
    pass(FLUSH_NS);
}

void screen_progress(const struct progress *p, unsigned cpu, const char *what)
{
    (void)p, (void)cpu, (void)what;
    pass(CONSOLE_COLUMNS * CHARACTER_NS);
}

void console_progress_end(void)
{
}

static bool drain(void *context, const char *bytes, size_t count)
{
    (void)context, (void)bytes;
    pass(count * CHARACTER_NS);
    return true;
}

struct out *console_out(void)
{
    static char buffer[256];
    static struct out out;

    if (!out.drain)
        out = out_stream(buffer, sizeof(buffer), drain, 0);
    return &out;
}

void say(const char *format, ...)
{
    (void)format;
}

void store_note(struct store *of, uint32_t kind, const char *format, ...)
{
    char text[NOTE_BYTES];

    (void)of;
    OUT_FORMAT(text, sizeof(text), format);
    if (kind == NOTE_ERROR)
        fail_msg("%s", text);
}

void store_phase(struct store *of, enum phase_kind kind, uint32_t cpu, uint32_t detail)
{
    const struct phase phase = {.kind = kind, .cpu = cpu, .detail = detail};

    store_append(of, RECORD_PHASE, &phase, sizeof(phase));
    store_sync(of);
}

bool store_start(struct store *of, const struct store_needs *needs)
{
    of->journal.size = needs->journal_bytes + needs->spare_bytes;
    of->journal.bytes = calloc(1, of->journal.size);
    of->journal.run_id = 1;
    of->render.scratch_count = needs->values_max;
    of->render.scratch = calloc(needs->values_max, sizeof(*of->render.scratch));
    return true;
}

void *store_reserve(struct store *of, size_t payload_bytes)
{
    return journal_reserve(&of->journal, payload_bytes);
}

bool store_append(struct store *of, uint32_t type, const void *payload, size_t payload_bytes)
{
    return journal_append(&of->journal, type, payload, payload_bytes);
}

void run_read_plan(struct run *to)
{
    plan_parse(PLAN, sizeof(PLAN) - 1, &to->plan, firmware_plan_memory);
    to->has_plan_file = true;
    to->plan_text = PLAN;
    to->plan_bytes = sizeof(PLAN) - 1;
}

void *firmware_memory(size_t bytes)
{
    return calloc(1, bytes);
}

void *firmware_plan_memory(size_t bytes)
{
    return calloc(1, bytes);
}

/* CPUID reports MONITOR, C6 for MWAIT, and an invariant TSC. */
void cpu_read_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    (void)subleaf;
    *regs = (struct cpuid_regs){0};
    switch (leaf) {
    case 0:
        regs->eax = 0x16;
        break;
    case 1:
        regs->ecx = 1u << 3;
        break;
    case 5:
        regs->ecx = 3;
        regs->edx = 0x2020;
        break;
    case 0x80000000:
        regs->eax = 0x80000008;
        break;
    case 0x80000007:
        regs->edx = 1u << 8;
        break;
    default:
        break;
    }
}

bool machine_supports(const struct cpu_caps *caps, uint64_t cpu_features)
{
    return caps_lacks(caps, cpu_features) == 0;
}

uint64_t machine_us(const struct machine *of)
{
    (void)of;
    return fake.ns / 1000;
}

uint32_t measure_samples_max(const struct schedule *schedule, uint32_t runs, uint32_t twice_runs)
{
    return schedule->passes * (ATTEMPTS_MAX(runs) + ATTEMPTS_MAX(twice_runs));
}

uint32_t measure_stride_bytes(const struct schedule *schedule)
{
    return SAMPLE_BYTES(schedule_slots_max(schedule));
}

char *run_buffer(const struct run *of, unsigned cpu)
{
    static char buffer[CPUS][64];

    (void)of;
    return buffer[cpu];
}

/* The functions below have nothing to do on this machine. */
uint64_t nothing(void);
uint64_t nothing(void)
{
    return 0;
}

#define NOTHING(name) __asm__(".globl " #name "\n.set " #name ", nothing")
NOTHING(bus_masters_find);
NOTHING(bus_masters_off);
NOTHING(bus_masters_on);
NOTHING(check_counters);
NOTHING(console_stop_asked);
NOTHING(console_ticks);
NOTHING(cpu_state_is_set);
NOTHING(cpu_state_restore);
NOTHING(cpu_state_set);
NOTHING(early_note);
NOTHING(early_notes);
NOTHING(efi_status_name);
NOTHING(firmware_memory_node);
NOTHING(firmware_memory_taken);
NOTHING(firmware_plan_memory_free);
NOTHING(firmware_time);
NOTHING(firmware_timer);
NOTHING(firmware_timer_go_on);
NOTHING(firmware_timer_stop);
NOTHING(firmware_timer_try);
NOTHING(firmware_watchdog);
NOTHING(machine_find_core_types);
NOTHING(measure_uncore_pass);
NOTHING(restore_cpu);
NOTHING(run_noise);
NOTHING(run_noise_us);
NOTHING(run_note_buffers);
NOTHING(run_space);
NOTHING(run_machine_answers);
NOTHING(run_machine_file_cpu);
NOTHING(run_machine_file_start);
NOTHING(run_take_buffers);
NOTHING(run_take_spaces);
NOTHING(run_trust_take);
NOTHING(run_uncore_find);
NOTHING(run_uncore_peek);
NOTHING(run_uncore_start);
NOTHING(run_uncore_test);
NOTHING(skipped_cpus_leave_out);
NOTHING(skipped_kernels_has);
NOTHING(skipped_parking);
NOTHING(skipped_phase);
NOTHING(start_mark);
NOTHING(start_send_init);
NOTHING(start_send_nmi);
NOTHING(start_send_startup);
NOTHING(start_was_sent);
NOTHING(store_uptime_s);
NOTHING(traps_install);
NOTHING(traps_remove);

static int64_t no_file(const char *name)
{
    (void)name;
    return -1;
}

static bool no_folder(void (*each)(void *context, const char *name, bool is_folder), void *context)
{
    (void)each, (void)context;
    return true;
}

const struct tables_port EVENT_FILES = {
    .folder = "", .memory = firmware_memory, .size = no_file, .list = no_folder};
const struct barrier_port MEASURE_BARRIER = {0};
const char window_empty[1], window_twice[1], window_kernels_end[1];
const int64_t window_cost[DECLARED_COUNT], window_cost_user_os[DECLARED_COUNT],
    window_cost_user_usr[DECLARED_COUNT];

static void take_kernels(void)
{
    const struct kernel_record *kernel = NULL;
    enum kernel_fault why;

    read_kernels();
    while ((kernel = kernel_next(table, table_bytes, kernel, crc32_ieee, &why))) {
        machine.kernel_file[machine.kernels] = "";
        machine.kernel[machine.kernels++] = kernel;
    }
}

static void make_machine(void)
{
    machine.boot_caps = (struct cpu_caps){.vendor = VENDOR_INTEL,
                                          .family = 6,
                                          .model = 0x55,
                                          .max_leaf = 0x16,
                                          .smt_shift = 1,
                                          .features = FEATURE_MONITOR | FEATURE_TSC_CONST};
    machine.contexts = calloc(CPUS, sizeof(*machine.contexts));
    machine.tsc_hz = TSC_HZ;
    machine.picoseconds_per_instruction = 150;
    cpus_find(&machine.cpus, 0);
    for (unsigned i = 1; i < CPUS; i++) {
        ucontext_t *context = &fake.cpu[i].context;

        getcontext(context);
        context->uc_stack.ss_sp = malloc(STACK_BYTES);
        context->uc_stack.ss_size = STACK_BYTES;
        makecontext(context, enter, 0);
    }
    take_kernels();
    run = (struct run){
        .machine = &machine, .store = &store, .request = calloc(1, sizeof(struct request))};
    run.events = calloc(1, sizeof(*run.events));
    assert_true(cpu_events_start(run.events, firmware_memory));
}

static double seconds_of(uint64_t ns)
{
    return (double)ns / SECOND_NS;
}

static void expect_below(const char *what, double seconds, double most)
{
    if (seconds > most)
        fail_msg("%s: %.1f s; expected at most %.1f", what, seconds, most);
}

/*
 * The time limits can be met only if no pair starts a CPU through the firmware or flushes the
 * medium.
 */
TEST(all_pairs)
{
    uint64_t started_ns, own_ns;
    double estimate, took;

    make_machine();
    run_prepare(&run);
    assert_int_equal(run.plan.errors, 0);
    started_ns = fake.ns;
    assert_true(run_measure(&progress, &run));
    assert_int_equal(progress.done, CPUS * (CPUS - 1));
    assert_int_equal(progress.tally.lost, 0);
    own_ns = fake.ns - started_ns - (fake.last_pair_ns - fake.first_pair_ns);
    expect_below("all pairs", seconds_of(fake.last_pair_ns - fake.first_pair_ns), 300);
    expect_below("starts and parking", seconds_of(own_ns), 20);
    estimate = (double)run.expected_us / 1e6;
    took = seconds_of(fake.ns - started_ns);
    expect_below("the estimate", estimate, 1.5 * took);
    expect_below("the run, by the estimate", took, 1.5 * estimate);
    assert_in_range(fake.starts, CPUS - 1, CPUS);
}
