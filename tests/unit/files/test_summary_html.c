/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.html: its content, the escaping of foreign text, and its maximum size. */
#define RUN_JOURNAL_KB (48u << 10)
#include "tests/unit/test.h"
#include "tests/unit/fakes/html.h"
#include "tests/unit/fakes/next.h"
#include "tests/unit/fakes/changes.h"
#include "tests/unit/fakes/run_files.h"
#include "tests/unit/fakes/run_uncore.h"

#define MANY_CPUS    64u
#define MANY_KERNELS 200u
#define HOSTILE      "<b a='\"&>" /* an HTML element, unless it is escaped */
#define ESCAPED      "&#60;b a=&#39;&#34;&#38;&#62;"
#define CYCLES       (SLOPE_CYCLES * RUN_N)

static void page(void)
{
    render_as(render_summary_html);
    if (!html_is_valid(text))
        fail_msg("no page: %s", text);
    assert_true(strlen(text) <= SUMMARY_BYTES_MAX);
}

/* With eight counters there are only two passes, which makes the tests faster. */
static void eight_counters(struct cpu_caps *caps)
{
    caps->gp_count = 8;
}

static void efficiency(struct cpu_caps *caps)
{
    caps->core_type = CORE_TYPE_ATOM;
    caps->features |= FEATURE_HYBRID;
}

/* CPUs wrong_from to wrong_to - 1 count too many instructions. */
static unsigned wrong_from, wrong_to;
static unsigned slow_cpu;

static void change_counts(struct point *point)
{
    const struct event *event = &run_events[point->event];

    if (point->kernel == KERNEL_CALIBRATION)
        return;
    if (point->event == run_event("INST_RETIRED.ANY_P") && point->cpu >= wrong_from &&
        point->cpu < wrong_to)
        point->value += 1 + point->cpu;
    if (event->unit == UNIT_CYCLES && point->cpu == slow_cpu)
        point->value += 100;
}

static void run_all(unsigned cpus, unsigned kernels, void (*change)(struct cpu_caps *caps))
{
    run_hook = change_counts;
    run_cpus(cpus, kernels, change);
    run_end();
}

static void nothing_wrong(void)
{
    wrong_from = wrong_to = 0;
    slow_cpu = MANY_CPUS;
}
BEFORE_EACH(nothing_wrong);

static void named(struct run_record *run)
{
    strcpy(run->label, HOSTILE);
    strcpy(run->smbios.maker, "</table>");
    strcpy(run->smbios.product, "A\xfc machine");
    strcpy(run->plan_name, "barecount\\plan.cfg");
    run->emulated = 1;
    run->plan_errors = 2;
    run->plan_flags = RUN_PLAN_KNOWN;
    run->cpus_planned = 1;
}

TEST(what_it_says_of_a_run)
{
    run_begin(named, "");
    run_kernel("kernel", EXPECT_EXACT);
    run_note(NOTE_ERROR, "plan.cfg:3: <script>alert(1)</script>");
    run_note(NOTE_REMARK, "a & b");
    run_note(NOTE_EXCEPTION, "left as it is");
    run_all(1, 1, NULL);
    page();
    has("<title>barecount run 0012: PASS, 2 plan errors</title>");
    has("<h1>Run 0012: " ESCAPED "</h1>\n<p class=\"verdict none\">PASS, 2 plan errors</p>\n"
        "<p>2026-11-21T08:00:00, barecount 1.0, 1.2 s</p>\n");
    has("<tr><th>Machine</th><td>&#60;/table&#62; A&#252; machine</td></tr>");
    has("<tr><th></th><td>emulated: by formula</td></tr>");
    has("<tr><th>CPU</th><td>A CPU</td></tr>");
    has("<tr><th>Microcode</th><td>0x00000000</td></tr>");
    has("<tr><th>Plan</th><td>\\barecount\\plan.cfg: 1 CPU, 1 kernel, 4 runs in 3 "
        "passes</td></tr>");
    has("<h2>What failed</h2>\n<p>Nothing.</p>");
    has("<li>plan.cfg:3: &#60;script&#62;alert(1)&#60;/script&#62;</li>");
    has("<h2>Remarks</h2>\n<ul>\n<li>a &#38; b</li>\n</ul>");
    has_not("left as it is");
}

TEST(medians_of_a_kernel)
{
    run_begin(NULL, "");
    run_kernel(HOSTILE, EXPECT_EXACT);
    slow_cpu = 2;
    run_all(4, 1, NULL);
    page();
    has(formatted("<tr><td>" ESCAPED "</td><td>-</td><td>%lld</td><td>%lld</td><td>%lld</td>"
                  "<td>%lld</td><td>%u</td><td>exact</td><td>%u (CPU 0) to %u (CPU 2)</td></tr>",
                  (long long)run_count(DECLARED_INSTRUCTIONS, RUN_N),
                  (long long)run_count(DECLARED_BRANCHES, RUN_N),
                  (long long)run_count(DECLARED_LOADS, RUN_N),
                  (long long)run_count(DECLARED_STORES, RUN_N), CYCLES, CYCLES, CYCLES + 100));
    has("<th>cycles on 4 CPUs</th>");
    assert_int_equal(times("<tr><td>"), 1);
    has("<li>all 4 CPUs: 1 kernel; rows: ");
}

TEST(medians_of_cpus_that_count_nothing)
{
    run_begin(NULL, "");
    run_kernel("one", EXPECT_EXACT);
    run_cpus(2, 1, no_pmu);
    run_end();
    page();
    has("tsc/copy: TSC ticks per copy of what the kernel's title names");
    has("<th>kernel</th><th>tsc/copy</th><th>ticks</th><th>verdict</th><th>ticks on 2 CPUs</th>");
    has(formatted("<tr><td>one</td><td>-</td><td>%u</td><td>unavailable</td><td>%u</td></tr>",
                  SLOPE_TSC * RUN_N, SLOPE_TSC * RUN_N));
}

/* The table of a core type shows the values of the first CPU of this type. */
TEST(core_types)
{
    run_begin(NULL, "");
    run_kernel("kernel", EXPECT_EXACT);
    run_cpus(2, 1, NULL);
    for (unsigned cpu = 2; cpu < 4; cpu++) {
        run_cpu(cpu, efficiency);
        run_calibration();
        run_result(0, STATUS_OK);
    }
    run_end();
    page();
    has("<p>CPU 0; medians of 4 runs");
    has("<p>CPU 2, the first atom core; medians of 4 runs");
    assert_int_equal(times("<th>cycles on 2 CPUs</th>"), 2);
    has("<li>CPUs 0-1: 1 kernel; ");
    has("<li>CPUs 2-3: 1 kernel; ");
}

TEST(a_fault_is_one_line)
{
    run_begin(NULL, "");
    run_kernel("one", EXPECT_EXACT);
    run_kernel("two", EXPECT_EXACT);
    wrong_from = 1, wrong_to = 3;
    run_all(4, 2, NULL);
    page();
    has("<p class=\"verdict bad\">FAIL 4</p>");
    has("<li><b class=\"bad\">off</b> CPUs 1-2: INST_RETIRED.ANY_P of one and 1 more row<br>");
    has("<li><b class=\"bad\">off</b> CPUs 1-2: INST_RETIRED.ANY_P of two and 1 more row<br>");
    assert_int_equal(times("<i>(numbers of the first row; other rows have other numbers)</i>"), 2);
    assert_int_equal(times("<li><b"), 2);
    has("<b class=\"bad\">failed on 2</b>");
}

TEST(a_kernel_that_raises_an_exception)
{
    run_begin(NULL, "");
    run_kernel("bad", EXPECT_EXACT);
    for (unsigned cpu = 0; cpu < 3; cpu++) {
        run_cpu(cpu, NULL);
        run_calibration();
        run_result(0, cpu == 1 ? STATUS_OK : STATUS_FAULT);
    }
    run_end();
    page();
    has(formatted("<b class=\"bad\">fault</b> CPUs 0,2: INST_RETIRED.ANY of bad and %u more rows",
                  2 * (EVENTS_COUNT + 1) - 1));
    assert_int_equal(times("<li><b"), 1);
}

TEST(a_run_that_was_cut_off)
{
    run_start("kernel", EXPECT_EXACT, NULL);
    run_calibration();
    run_next(0, CPU_NONE);
    page();
    has(formatted("<p class=\"verdict bad\">FAIL %u, up to where the run was cut off</p>",
                  EVENTS_COUNT + 1));
    has("<p class=\"bad\">the run was cut off while CPU 0 ran kernel: this page shows what was "
        "finished");
    has("the machine stopped in this kernel or lost power");
}

TEST(what_stands_below_a_kernel)
{
    run_begin(NULL, "");
    run_kernel("kernel", EXPECT_EXACT);
    run_msrs[0] = (struct msr_result){.msr = 0x34, .kind = MSR_OP_READ, .value = 7};
    run_msrs_after = 1;
    run_uncore_event("dram_read_bytes", KIND_IMC, 0xf, UNIT_BYTES)->select = 0x304;
    run_all(1, 1, NULL);
    page();
    has("<tr class=\"more\"><td colspan=\"8\">  dram_read_bytes ");
    has("\n  msr:0x34 = 0x7\n</td></tr>");
}

TEST(no_run)
{
    struct out out = out_buffer(text, sizeof(text));
    const struct render none = {run_bytes, 0, run_scratch, 256, false, false};

    assert_true(render_summary_html(&none, &out));
    assert_int_equal(out.used, 0);
}

/* If `n` is 0, the kernel has its default n. */
static void with_buffer(const char *name, const char *family, uint64_t bytes, uint64_t n)
{
    struct known_kernel kernel = {.n = n ? n : RUN_N, .n_given = n > 0, .buffer_bytes = bytes};

    snprintf(kernel.name, sizeof(kernel.name), "%s", name);
    snprintf(kernel.family, sizeof(kernel.family), "%s", family);
    snprintf(kernel.param, sizeof(kernel.param), "size=%llu", (unsigned long long)bytes);
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
}

static void sized(const char *name, const char *family, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        with_buffer(name, family, 4096ull << i, 0);
}

static void slower(struct point *point)
{
    const struct event *event = &run_events[point->event];

    if (point->kernel != KERNEL_CALIBRATION && event->unit == UNIT_CYCLES)
        point->value = RUN_CYCLES + ((point->value - RUN_CYCLES) << point->kernel);
}

/*
 * Both axes are logarithmic. The three sizes have the x coordinates 460, 1940 and 3420. The values
 * of 2, 4 and 8 cycles per load have the y coordinates 1880, 980 and 80.
 */
TEST(latencies_are_drawn)
{
    run_begin(NULL, "");
    sized("chase_here", "chase", 3);
    run_cpu(0, NULL);
    run_hook = slower;
    run_calibration();
    for (unsigned k = 0; k < 3; k++)
        run_result(k, STATUS_OK);
    run_end();
    page();
    has("<b>Latency of a load</b>, core cycles per load, CPU&#160;0");
    has("<path class=\"s0\" d=\"M460 1880L1940 980L3420 80\"/>");
    has("<path class=\"s0 points\" d=\"M460 1880h0M1940 980h0M3420 80h0\"/>");
    has("y=\"2060\">4K</text>");
    has("x=\"1940\" y=\"2060\">8K</text>");
    has("x=\"410\" y=\"1920\">2</text>");
    has("x=\"410\" y=\"120\">8</text>");
    has("</svg> chase_here</span>");
}

TEST(what_is_not_drawn)
{
    run_begin(NULL, "");
    sized("chase_here", "chase", 1);
    sized("others", "loops", 2);
    run_all(1, 3, NULL);
    page();
    has_not("<figure>");
    has_not("By size");
}

/* 1 MiB, and 1 MiB plus one line, have the same position on the axis. */
TEST(sizes_that_are_nearly_the_same_are_not_drawn)
{
    run_begin(NULL, "");
    with_buffer("chase_here", "chase", 1 << 20, 0);
    with_buffer("chase_here", "chase", (1 << 20) + 64, 0);
    run_all(1, 2, NULL);
    page();
    has_not("<figure>");
}

TEST(each_n_has_a_line)
{
    run_begin(NULL, "");
    for (unsigned k = 0; k < 4; k++)
        with_buffer("chase_here", "chase", 4096ull << k / 2, k % 2 ? 100 : 200);
    run_all(1, 4, NULL);
    page();
    assert_int_equal(times("<figure>"), 1);
    has("</svg> chase_here n=100</span>");
    has("</svg> chase_here n=200</span>");
}

/*
 * 450 points give three paths of 200, 200 and 52 points. The second and the third begin with the
 * last point of the path before.
 */
TEST(a_long_line_is_in_pieces)
{
    run_begin(NULL, "");
    for (unsigned k = 0; k < 450; k++)
        with_buffer("chase_here", "chase", 4096 + 64 * k, 0);
    run_all(1, 450, eight_counters);
    page();
    assert_int_equal(times("<figure>"), 1);
    assert_int_equal(times("<path class=\"s0\" d=\"M"), 3 + 1); /* 1 is in the legend */
    assert_int_equal(times("<path class=\"s0 points\" d=\"M"), 3);
    assert_int_equal(times("h0"), 200 + 200 + 52);
    has_not("Left out to keep");
}

static void pair(void)
{
    struct known_kernel kernel = {.name = "lines", .n = RUN_N, .flags = KNOWN_PAIR};

    run_begin(NULL, "");
    run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        run_cpu(cpu, NULL);
        run_calibration();
    }
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        run_again(cpu, NULL);
        run_partner = 1 - cpu;
        run_result(0, STATUS_OK);
    }
    run_end();
}

TEST(pairs_of_cpus)
{
    pair();
    page();
    has(formatted("<b>lines</b>: %u.0 to %u.0 cycles for each n", SLOPE_CYCLES, SLOPE_CYCLES));
    has(formatted("<tr><th>0</th><td></td><td>%u.0</td></tr>\n<tr><th>1</th><td>%u.0</td><td></td>",
                  SLOPE_CYCLES, SLOPE_CYCLES));
}

TEST(many_cpus_and_kernels)
{
    run_begin(NULL, "");
    for (unsigned k = 0; k < MANY_KERNELS; k++)
        run_kernel(formatted("kernel_%u", k), EXPECT_EXACT);
    slow_cpu = 40;
    run_all(MANY_CPUS, MANY_KERNELS, eight_counters);
    page();
    assert_int_equal(times("<tr><td>kernel_"), MANY_KERNELS);
    assert_int_equal(times(formatted("%u (CPU 40)", CYCLES + 100)), MANY_KERNELS);
    has("<li>all 64 CPUs: 200 kernels; rows: ");
    has_not("left out");
}

/* Each < in a name, parameter or note becomes five characters. */
TEST(the_bound)
{
    char angles[NOTE_BYTES];

    memset(angles, '<', sizeof(angles));
    angles[sizeof(angles) - 1] = 0;
    run_begin(named, "");
    for (unsigned k = 0; k < MANY_KERNELS; k++) {
        struct known_kernel kernel = {.n = RUN_N, .n_given = 1, .buffer_bytes = 4096 + 64ull * k};

        snprintf(kernel.name, sizeof(kernel.name), "%03u%.28s", k / 2, angles);
        snprintf(kernel.param, sizeof(kernel.param), "%.79s", angles);
        snprintf(kernel.family, sizeof(kernel.family), "chase");
        if (k >= MANY_KERNELS / 2)
            kernel.expect[DECLARED_INSTRUCTIONS] = (struct expect){.kind = EXPECT_EXACT};
        run_append(RECORD_KERNEL, &kernel, sizeof(kernel));
    }
    for (unsigned i = 0; i < 400; i++)
        run_note(i % 2 ? NOTE_ERROR : NOTE_REMARK, angles);
    run_all(MANY_CPUS, MANY_KERNELS, eight_counters);
    page();
    assert_true(strlen(text) > SUMMARY_BYTES_MAX * 3 / 4);
    has("more rows: see results.csv");
    has(" lines</b>; see results.csv.");
    assert_true(strstr(text, " drawings</b>; see ") || strstr(text, " drawing</b>; see "));
    has("</html>");
}
