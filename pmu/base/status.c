/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences of status codes. */
#include "pmu/base/status.h"

static const char *const SENTENCES[STATUS_COUNT] = {STATUS_LIST(LIST_TEXT)};

const char *status_text(unsigned code)
{
    return code < STATUS_COUNT ? SENTENCES[code] : "unknown status";
}
