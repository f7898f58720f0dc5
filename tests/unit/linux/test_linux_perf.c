/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_group_read() on data that read() returns (perf_event_open(2), "Reading results"). */
#include <unistd.h>

#include "tests/unit/test.h"
#include "scripts/linux/perf.h"

#define EARLIER_NS 5000u
#define COUNT      1000u

static const struct {
    const char *name;
    uint64_t counters;
    uint64_t enabled_ns, running_ns; /* since the last read */
    enum perf_said said;
} READINGS[] = {
    {"all the time", 1, 700, 700, PERF_COUNTED},
    {"a part of the time", 1, 700, 300, PERF_SHARED},
    {"never", 1, 700, 0, PERF_NONE},
    {"a clock that stood still", 1, 0, 0, PERF_COUNTED},
    {"of another group", 2, 700, 700, PERF_FAILED},
};

static enum perf_said read_group(struct perf_group *group, const uint64_t *words, size_t bytes,
                                 uint64_t *raw)
{
    enum perf_said said;
    int end[2];

    assert_int_equal(pipe(end), 0);
    assert_int_equal(write(end[1], words, bytes), bytes);
    close(end[1]);
    group->fd[0] = end[0];
    said = perf_group_read(group, raw);
    close(end[0]);
    return said;
}

TEST(times_say_whether_a_group_counted)
{
    for (size_t i = 0; i < sizeof(READINGS) / sizeof(READINGS[0]); i++) {
        struct perf_group group = {.counters = 1, .enabled = EARLIER_NS, .running = EARLIER_NS};
        const uint64_t words[] = {READINGS[i].counters, EARLIER_NS + READINGS[i].enabled_ns,
                                  EARLIER_NS + READINGS[i].running_ns, COUNT};
        uint64_t raw = 0;

        print_message("%s\n", READINGS[i].name);
        assert_int_equal(read_group(&group, words, sizeof(words), &raw), READINGS[i].said);
        if (READINGS[i].said == PERF_COUNTED)
            assert_int_equal(raw, COUNT);
        if (READINGS[i].said != PERF_FAILED)
            assert_int_equal(read_group(&group, words, sizeof(words), &raw), PERF_COUNTED);
    }
}

TEST(nothing_to_read_is_no_counter)
{
    struct perf_group group = {.counters = 1};
    uint64_t raw;

    assert_int_equal(read_group(&group, NULL, 0, &raw), PERF_NONE);
}

TEST(less_than_was_asked_for_is_a_failure)
{
    struct perf_group group = {.counters = 2};
    const uint64_t words[] = {2, EARLIER_NS, EARLIER_NS, COUNT};
    uint64_t raw[2];

    assert_int_equal(read_group(&group, words, sizeof(words), raw), PERF_FAILED);
}
