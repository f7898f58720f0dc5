/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan's events on a CPU that counts its package's events, and on one that does not. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/emulated.h"
#include "tests/unit/fakes/events.h"
#include "tests/unit/fakes/plan_memory.h"
#include "tests/unit/fakes/uncore_units.h"
#include "pmu/events/text.h"
#include "pmu/plan/cpu_events.h"

static const char PLAN[] = "version=1\n"
                           "[run]\nevents=all\n"
                           "[events all]\n"
                           "llc_misses\n"
                           "LONGEST_LAT_CACHE.MISS\n"
                           "reads = UNC_M_CAS_COUNT.RD, dram_read_bytes, r1b7\n"
                           "BR_INST_RETIRED.ALL_BRANCHES\n"
                           "none = llc_misses:u\n"
                           "package_energy_uJ\n";

static struct plan plan;
static struct cpu_events events;

static int64_t no_file(const char *name)
{
    (void)name;
    return -1;
}

static int64_t read_nothing(const char *name, void *to, size_t size)
{
    (void)name;
    (void)to;
    (void)size;
    return -1;
}

static const char *no_error(void)
{
    return "";
}

static bool list_nothing(void (*each)(void *context, const char *name, bool is_folder),
                         void *context)
{
    (void)each;
    (void)context;
    return true;
}

static const struct tables_port NO_TABLES = {
    .folder = "events",
    .separator = '/',
    .memory = malloc,
    .size = no_file,
    .read = read_nothing,
    .error = no_error,
    .list = list_nothing,
};

static void start(void)
{
    assert_true(cpu_events_start(&events, malloc));
}

BEFORE_ALL(start);

static const struct emulation *emulation; /* null: the machine is not emulated */
static unsigned asked;

static const struct uncore *answer(void *context)
{
    asked++;
    return context;
}

static bool takes_all_bits;

/* The plan is the one parsed last. `errors_to` is null for all CPUs but the first. */
static void find_on(const struct cpu_caps *caps, const struct uncore *of, enum status status,
                    struct plan *errors_to)
{
    const struct cpu_events_port port = {.tables = &NO_TABLES,
                                         .uncore = answer,
                                         .context = (void *)of,
                                         .emulation = emulation,
                                         .takes_all_bits = takes_all_bits};

    cpu_events_find(&events, &port, &plan, caps, status, errors_to);
}

static void find(const struct uncore *of, enum status status)
{
    plan_parse(PLAN, strlen(PLAN), &plan, plan_memory);
    assert_int_equal(plan.errors, 0);
    find_on(&SKYLAKE, of, status, &plan);
}

static void assert_names(const char *const *names, unsigned count)
{
    assert_int_equal(events.events, 2 + count);
    for (unsigned i = 0; i < count; i++)
        assert_string_equal(events.event[2 + i].name, names[i]);
}

TEST(the_packages_come_last)
{
    static const char *const NAMES[] = {
        "LONGEST_LAT_CACHE.MISS", "BR_INST_RETIRED.ALL_BRANCHES", "llc_misses", "reads", "none",
        "package_energy_uJ",
    };

    client_uncore(0x9e);
    find(&uncore, STATUS_OK);
    assert_names(NAMES, 6);
    for (unsigned i = 0; i < events.events; i++)
        assert_int_equal(events.event[i].scope, i < 4 ? SCOPE_CPU : SCOPE_UNCORE);
    assert_int_equal(events.event[5].kind, KIND_IMC_FREE);
    assert_int_equal(events.event[6].status, STATUS_UNCORE_RING);
    assert_int_equal(plan.errors, 1);
    assert_int_equal(plan.error[0].line, 9);
    assert_non_null(strstr(plan.error[0].text, "leave out :u and :k"));
}

#define LONG_NAME "a_name_of_as_many_characters_as_leave_no_room_for_that_of_the_tables"

/*
 * If the plan gives an event a name, the event's table name is the chosen alternative. If there is
 * no room for both names, the plan's name is also the table name.
 */
TEST(what_a_name_of_the_plans_own_stands_for)
{
    static const char TEXT[] =
        "version=1\n[run]\nevents=all\n[events all]\n"
        "mine = NOT.THERE, BR_INST_RETIRED.ALL_BRANCHES:u\n"
        "BR_INST_RETIRED.ALL_BRANCHES:k\n" LONG_NAME "=LONGEST_LAT_CACHE.REFERENCE\n";
    static const char *const NAMES[] = {"mine", "BR_INST_RETIRED.ALL_BRANCHES:k", LONG_NAME};
    static const char *const TABLE_NAMES[] = {"BR_INST_RETIRED.ALL_BRANCHES:u",
                                              "BR_INST_RETIRED.ALL_BRANCHES:k", LONG_NAME};

    assert_true(strlen(LONG_NAME) + 1 + strlen("LONGEST_LAT_CACHE.REFERENCE") == EVENT_NAME_BYTES);
    plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
    assert_int_equal(plan.errors, 0);
    find_on(&SKYLAKE, 0, STATUS_OK, &plan);
    assert_names(NAMES, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_string_equal(event_table_name(&events.event[2 + i]), TABLE_NAMES[i]);
    event_put_name(piece_of("LONGEST_LAT_CACHE.REFERENCE"), &events.event[0]);
    event_rename((struct piece){LONG_NAME, strlen(LONG_NAME) - 1}, &events.event[0]);
    assert_string_equal(event_table_name(&events.event[0]), "LONGEST_LAT_CACHE.REFERENCE");
}

/* With counters=each, an event is counted once on each counter that can count it: 0 to 3 here. */
TEST(each_counter_that_can_count_it)
{
    static const char TEXT[] = "version=1\n[run]\ncounters=each\n[events all]\n"
                               "mine = BR_INST_RETIRED.ALL_BRANCHES\n"
                               "INST_RETIRED.ANY_P:cmask=1\nNOT.THERE\n";
    static const char *const NAMES[] = {
        "mine@0",
        "mine@1",
        "mine@2",
        "mine@3",
        "INST_RETIRED.ANY_P:cmask=1@0",
        "INST_RETIRED.ANY_P:cmask=1@1",
        "INST_RETIRED.ANY_P:cmask=1@2",
        "INST_RETIRED.ANY_P:cmask=1@3",
        "NOT.THERE",
    };

    plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
    assert_int_equal(plan.errors, 0);
    find_on(&SKYLAKE, 0, STATUS_OK, &plan);
    assert_names(NAMES, 9);
    for (unsigned i = 0; i < 8; i++) {
        const struct slot *slot = &events.schedule->pass[i / 4].slot[2 + i % 4]; /* after 2 fixed */

        assert_int_equal(events.event[2 + i].counters, 1u << i % 4);
        assert_int_equal(slot->event, 2 + i);
        assert_int_equal(slot->where, SLOT_GENERAL);
        assert_int_equal(slot->counter, i % 4);
    }
    assert_string_equal(event_table_name(&events.event[2]), "BR_INST_RETIRED.ALL_BRANCHES");
    assert_int_equal(plan.errors, 1); /* NOT.THERE */
}

/*
 * conditions=high has no effect on counters of 32 bits, which would overflow. conditions=alone has
 * no effect in PMU version 1, where only one event is counted at a time anyway.
 */
TEST(conditions_without_effect)
{
    static const char TEXT[] = "version=1\n[run]\ncounters=each\nconditions=alone,high\n"
                               "[events all]\nmine = BR_INST_RETIRED.ALL_BRANCHES\n";
    struct cpu_caps caps = SKYLAKE;

    takes_all_bits = true;
    for (caps.gp_width_bits = 32; caps.gp_width_bits <= 33; caps.gp_width_bits++)
        for (caps.pmu_version = 1; caps.pmu_version <= 2; caps.pmu_version++) {
            plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
            find_on(&caps, 0, STATUS_OK, &plan);
            assert_int_equal(events.events - 2, 4 * (caps.gp_width_bits - 32 + caps.pmu_version));
        }
}

/* conditions=high is left out where software cannot write all bits of a counter. */
TEST(conditions_of_each_counter)
{
    struct cpu_caps caps = SKYLAKE;
    static const char TEXT[] = "version=1\n[run]\ncounters=each\nconditions=alone,high\n"
                               "[events all]\nmine = BR_INST_RETIRED.ALL_BRANCHES\n";
    static const char *const FORMS[] = {"mine@%u", "mine-alone@%u", "mine-high@%u"};

    caps.gp_width_bits = 48;
    for (unsigned conditions = 2; conditions <= CONDITIONS; conditions++) {
        plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
        assert_int_equal(plan.errors, 0);
        takes_all_bits = true; /* of the first CPU */
        find_on(&caps, 0, STATUS_OK, &plan);
        takes_all_bits = conditions == CONDITIONS;
        find_on(&caps, 0, STATUS_OK, 0);
        assert_int_equal(events.events, 2 + 4 * conditions);
        for (unsigned i = 0; i < 4 * conditions; i++) {
            const struct event *event = &events.event[2 + i];

            assert_string_equal(event->name, formatted(FORMS[i / 4], i % 4));
            assert_int_equal(event->counters, 1u << i % 4);
            assert_int_equal(event_condition(event), i / 4);
            assert_int_equal((event->flags & EVENT_ALONE) != 0, i / 4 == CONDITION_ALONE);
        }
        assert_int_equal(events.schedule->passes, conditions - 1 + 4);
    }
}

/* counters=each does not change uncore events, nor events that only a fixed counter can count. */
TEST(what_has_no_choice_of_counters)
{
#define LONG                                                                                       \
    "offcore_of_a_name_that_is_so_long_that_no_room_is_left_for_any_number_of_a_counter_xyz_"      \
    "abcdef"
    static const char TEXT[] = "version=1\n[run]\ncounters=each\n[events all]\n"
                               "INST_RETIRED.ANY\nllc_misses\nMEM_INST_RETIRED.ALL_LOADS\n" LONG
                               "1 = r00c4\n" LONG "2 = r00c4\n";
    struct cpu_caps caps = SKYLAKE;

    assert_true(strlen(LONG "1@0") == EVENT_NAME_BYTES);
    caps.gp_count = 8;
    client_uncore(0x9e);
    plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
    assert_int_equal(plan.errors, 0);
    find_on(&caps, &uncore, STATUS_OK, &plan);
    assert_int_equal(events.events, 2 + 4 + 2 * 8 + 1);
    assert_string_equal(events.event[0].name, "INST_RETIRED.ANY");
    assert_string_equal(events.event[2].name, "MEM_INST_RETIRED.ALL_LOADS@0");
    assert_string_equal(events.event[5].name, "MEM_INST_RETIRED.ALL_LOADS@3");
    assert_string_equal(events.event[events.events - 1].name, "llc_misses");
    for (unsigned i = 0; i < events.events; i++)
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(events.event[i].name, events.event[j].name);
#undef LONG
}

/*
 * If counters=each finds no room for an event, this is an error, and the event is counted on any
 * one counter.
 */
TEST(too_many_for_each_counter)
{
    static char text[64 * 1024];
    struct out out = out_buffer(text, sizeof(text));
    /*
     * An event is counted on each of 4 counters if its 4 copies fit beside 2 anchors, the earlier
     * copies, and one place for each wanted event.
     */
    const unsigned wanted = 600, expanded = (EVENTS_MAX - 2 - wanted) / 4;

    out_text(&out, "version=1\n[run]\ncounters=each\n[events all]\n");
    for (unsigned i = 0; i < wanted; i++)
        out_printf(&out, "e%u = BR_INST_RETIRED.ALL_BRANCHES\n", i);
    plan_parse(text, strlen(out_end(&out)), &plan, plan_memory);
    assert_int_equal(plan.errors, 0);
    find_on(&SKYLAKE, 0, STATUS_OK, &plan);
    assert_int_equal(events.events, 2 + 4 * expanded + (wanted - expanded));
    assert_string_equal(events.event[2 + 4 * expanded - 1].name, formatted("e%u@3", expanded - 1));
    assert_string_equal(events.event[2 + 4 * expanded].name, formatted("e%u", expanded));
    assert_int_equal(plan.errors, wanted - expanded);
    assert_non_null(strstr(plan.error[0].text, "too many events to count this one"));
}

/* If a CPU does not count its package's events, their absence is no error. */
TEST(other_cpus_have_none)
{
    static const char *const NAMES[] = {"LONGEST_LAT_CACHE.MISS", "BR_INST_RETIRED.ALL_BRANCHES",
                                        "reads"};

    find(0, STATUS_OK);
    assert_names(NAMES, 3);
    assert_int_equal(events.event[4].scope, SCOPE_CPU);
    assert_int_equal(events.event[4].select, 0x1b7);
    assert_int_equal(plan.errors, 0);
}

TEST(packages_that_are_not_known)
{
    static const char *const NAMES[] = {
        "LONGEST_LAT_CACHE.MISS", "BR_INST_RETIRED.ALL_BRANCHES", "reads", "llc_misses", "none",
        "package_energy_uJ",
    };

    memset(&uncore, 0, sizeof(uncore));
    find(&uncore, STATUS_OK);
    assert_names(NAMES, 6);
    assert_int_equal(events.event[4].scope, SCOPE_CPU); /* its last alternative */
    assert_int_equal(events.event[5].status, STATUS_UNCORE_UNKNOWN);
    assert_int_equal(events.event[7].status, STATUS_UNCORE_UNKNOWN);
    assert_int_equal(plan.errors, 1);
    assert_int_equal(plan.error[0].line, 9);
}

TEST(mistakes_and_what_a_machine_lacks)
{
    static const char TEXT[] = "version=1\n[run]\nevents=all\n[events all]\n"
                               "dram_read_bytes\nUNC_NOT_THERE\nuncore_imc/event=1,what=2/\n"
                               "NOT_THERE\nLACKING, none\nINST_RETIRED.ANY_P:what=2,none\n";
    static const enum status STATUSES[] = {
        STATUS_UNCORE_DEVICE, STATUS_UNCORE_PCI,   STATUS_UNCORE_OFF,    STATUS_UNCORE_REFUSED,
        STATUS_UNCORE_SOCKET, STATUS_UNCORE_TABLE, STATUS_UNCORE_ABSENT, STATUS_UNCORE_LINUX,
        STATUS_UNCORE_EMPTY,  STATUS_UNCORE_MEMORY};

    for (size_t i = 0; i < sizeof(STATUSES) / sizeof(STATUSES[0]); i++) {
        client_uncore(0x9e);
        for (unsigned k = 0; k < uncore.groups; k++)
            uncore.group[k].status = STATUSES[i];
        plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
        find_on(&SKYLAKE, &uncore, STATUS_OK, &plan);
        assert_int_equal(events.event[4].status, STATUSES[i]);
        assert_int_equal(plan.errors, 4);
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(plan.error[k].line, 6 + k + (k == 3));
        assert_int_equal(events.events, 7); /* two anchors, and all lines but the one of LACKING */
    }
}

/* On an emulated machine, the first alternative with a rule is used. */
TEST(events_without_a_rule)
{
    static const char TEXT[] = "version=1\n[events all]\n"
                               "r1b7\nboth = r1b7, r10c4\nneither = r1b7, r2b7\n"
                               "CPU_CLK_UNHALTED.REF_TSC\nr20c4\n"
                               "BR_INST_RETIRED.ALL_BRANCHES\nllc_misses\nNOT.THERE\n";
    static const struct cpu_caps SAYS_SO = {.features = FEATURE_HYPERVISOR};
    static const enum status STATUSES[] = {
        STATUS_OK,           STATUS_OK,           STATUS_NOT_MODELLED,
        STATUS_OK,           STATUS_NOT_MODELLED, STATUS_OK,
        STATUS_OK,           STATUS_NOT_MODELLED, STATUS_EVENT_UNKNOWN,
        STATUS_NOT_MODELLED,
    };
    struct emulation model;

    hypervisors_are("TCGTCGTCGTCG", "BarecountPMU");
    hypervisors_rule[0] = 0x10c4, hypervisors_rule[1] = 0x20c4;
    emulation_find(hypervisors_cpuid, &SAYS_SO, &model);
    emulation = &model;
    client_uncore(0x9e);
    plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
    find_on(&SKYLAKE, &uncore, STATUS_OK, &plan);
    assert_int_equal(events.events, sizeof(STATUSES) / sizeof(STATUSES[0]));
    for (unsigned i = 0; i < events.events; i++)
        if (events.event[i].status != STATUSES[i])
            fail_msg("%s: %s", events.event[i].name, status_text(events.event[i].status));
    assert_int_equal(events.event[3].select, 0x10c4);
    assert_int_equal(plan.errors, 1);
    assert_int_equal(plan.error[0].line, 10);
    plan_default(&plan, plan_memory);
    find_on(&SKYLAKE, &uncore, STATUS_OK, &plan);
    for (unsigned i = 0; i < EVENTS_COUNT; i++)
        assert_int_equal(events.event[i].status, EVENTS[i].fixed_only || EVENTS[i].select == 0x20c4
                                                     ? STATUS_OK
                                                     : STATUS_NOT_MODELLED);
    assert_int_equal(plan.errors, 0);
    emulation = NULL;
}

/* An event's group is the first group that names it. */
TEST(groups_of_events)
{
    static const char TEXT[] = "version=1\n[run]\nevents=default,one,other\n"
                               "[events one]\nllc_misses\nr1b7\n[events not]\nr3b7\n"
                               "[events other]\nr2b7\nr1b7\nLONGEST_LAT_CACHE.MISS\n"
                               "llc_lookups\n";

    client_uncore(0x9e);
    plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
    find_on(&SKYLAKE, &uncore, STATUS_OK, &plan);
    assert_int_equal(events.events, EVENTS_COUNT + 4);
    for (unsigned i = 0; i < EVENTS_COUNT; i++)
        assert_int_equal(events.group[i], GROUP_BUILT_IN);
    assert_int_equal(events.group[EVENTS_COUNT], 0);     /* r1b7 */
    assert_int_equal(events.group[EVENTS_COUNT + 1], 2); /* r2b7 */
    assert_int_equal(events.group[EVENTS_COUNT + 2], 0); /* llc_misses */
    assert_int_equal(events.group[EVENTS_COUNT + 3], 2); /* llc_lookups */
    find(0, STATUS_OK);
    assert_int_equal(events.group[0], GROUP_NONE);
    assert_int_equal(events.group[EVENTS_ANCHORS - 1], GROUP_NONE);
    assert_int_equal(events.group[EVENTS_ANCHORS], 0);
}

/*
 * If a CPU did not answer, its events get the CPU's status. An uncore event with a ring keeps its
 * own error.
 */
TEST(cpus_that_did_not_answer)
{
    client_uncore(0x9e);
    find(&uncore, STATUS_TIMEOUT);
    for (unsigned i = 0; i < events.events; i++)
        assert_int_equal(events.event[i].status, i == 6 ? STATUS_UNCORE_RING : STATUS_TIMEOUT);
    plan_parse("version=1\n[events all]\nNOT.THERE\n", 33, &plan, plan_memory);
    find_on(&SKYLAKE, &uncore, STATUS_TIMEOUT, &plan);
    assert_string_equal(events.event[2].name, "NOT.THERE");
    assert_int_equal(events.event[2].status, STATUS_TIMEOUT);
}

/*
 * Events are looked up again only if the kind of CPU, the status, the package or the plan differs,
 * or to report errors.
 */
TEST(once_for_each_kind_of_cpu)
{
    static const char TEXT[] = "version=1\n[run]\nevents=all\n[events all]\nr1b7\n";
    struct cpu_caps sibling = SKYLAKE, other = SKYLAKE;

    sibling.x2apic_id++;
    sibling.core++;
    other.model++;
    plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
    asked = 0;
    find_on(&SKYLAKE, &uncore, STATUS_OK, &plan);
    events.event[2].select = 7;
    find_on(&sibling, &uncore, STATUS_OK, NULL);
    assert_int_equal(events.event[2].select, 7);
    assert_int_equal(asked, 0);
    find_on(&sibling, &uncore, STATUS_TIMEOUT, NULL);
    assert_int_equal(events.event[2].select, 0x1b7);
    events.event[2].select = 7;
    find_on(&other, &uncore, STATUS_TIMEOUT, NULL);
    assert_int_equal(events.event[2].select, 0x1b7);
    events.event[2].select = 7;
    find_on(&other, &uncore, STATUS_TIMEOUT, &plan);
    assert_int_equal(events.event[2].select, 0x1b7);
}

static void assert_reasons(const char *const *reasons, unsigned count)
{
    char text[512];
    const char *at = text;
    size_t bytes = cpu_events_reasons(&events, NULL);

    assert_true(bytes <= sizeof(text));
    assert_int_equal(cpu_events_reasons(&events, text), bytes);
    for (unsigned i = 0; i < count; i++, at += strlen(at) + 1)
        if (strncmp(at, reasons[i], strlen(reasons[i])) != 0 || (!*reasons[i] && *at))
            fail_msg("event %u: '%s'", i, at);
    assert_ptr_equal(at, text + bytes);
}

/* A reason is the plan's error without the event's text, stored under the event's index. */
TEST(reasons_say_what_is_wrong_with_an_event)
{
    static const char TEXT[] = "version=1\n[events all]\n"
                               "x = llc_misses:u, NOT.THERE\nNOT.THERE\ncpu/event=1,what=2/\n"
                               "BR_INST_RETIRED.ALL_BRANCHES\nNOT.THERE\n";
    static const char *const REASONS[] = {
        "",
        "",
        "no event of this name is known",
        "unknown term 'what=2'",
        "",
        "uncore counters cannot tell rings apart",
    };

    client_uncore(0x9e);
    plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
    find_on(&SKYLAKE, &uncore, STATUS_OK, &plan);
    assert_reasons(REASONS, 6);
    find_on(&SKYLAKE, &uncore, STATUS_TIMEOUT, NULL);
    assert_reasons((const char *const[]){"", "", "", "", "", ""}, 6);
    find(&uncore, STATUS_OK);
    assert_true(cpu_events_reasons(&events, NULL) > 8);
    plan_parse("version=1\n", 10, &plan, plan_memory);
    find_on(&SKYLAKE, &uncore, STATUS_OK, &plan);
    assert_int_equal(cpu_events_reasons(&events, NULL), 0);
}

TEST(a_machine_without_a_pmu_is_no_mistake)
{
    static const char TEXT[] = "version=1\n[events all]\n"
                               "NOT.THERE\nLONGEST_LAT_CACHE.MISS\ncpu/event=1,what=2/\n";
    struct cpu_caps none = SKYLAKE, amd;

    none.pmu_version = none.gp_count = none.fixed_map = 0;
    amd = none;
    amd.vendor = VENDOR_AMD;
    for (unsigned i = 0; i < 2; i++) {
        plan_parse(TEXT, strlen(TEXT), &plan, plan_memory);
        find_on(i == 0 ? &none : &amd, 0, STATUS_OK, &plan);
        assert_int_equal(plan.errors, 1);
        assert_int_equal(plan.error[0].line, 5);
    }
}

TEST(once_for_each_package)
{
    client_uncore(0x9e);
    asked = 0;
    find(&uncore, STATUS_OK);
    assert_int_equal(asked, 1);
    events.event[2].select = 7;
    find_on(&SKYLAKE, &uncore, STATUS_OK, NULL);
    assert_int_equal(events.event[2].select, 7);
    find_on(&SKYLAKE, NULL, STATUS_OK, NULL);
    assert_int_not_equal(events.event[2].select, 7);
    events.event[2].select = 7;
    find_on(&SKYLAKE, &uncore, STATUS_OK, NULL);
    assert_int_not_equal(events.event[2].select, 7);
    events.event[2].select = 7;
    uncore.groups--;
    find_on(&SKYLAKE, &uncore, STATUS_OK, NULL);
    assert_int_not_equal(events.event[2].select, 7);
    assert_int_equal(asked, 5);
}
