/* SPDX-License-Identifier: BSD-2-Clause */
/* The run.json of the run in fake_run.h. */
#ifndef BARECOUNT_TESTS_FAKE_RUN_JSON_H
#define BARECOUNT_TESTS_FAKE_RUN_JSON_H

#include "fake_json.h"
#include "fake_run.h"
#include "pmu/render.h"

static char text[256 << 10];

static inline void render(void)
{
    struct out out = out_buffer(text, sizeof(text));
    struct render r = {run_bytes, run_journal.used, run_scratch, 256, false};

    assert_true(render_run_json(&r, &out));
    out_end(&out);
    assert_true(json_is_valid(text, strlen(text)));
}

static inline void has(const char *piece)
{
    if (!strstr(text, piece))
        fail_msg("'%s' is not in %s", piece, text);
}

#endif
