/* SPDX-License-Identifier: BSD-2-Clause */
/* A status in words. */
#include "pmu/base/status.h"

static const char *const SENTENCES[STATUS_COUNT] = {
#define STATUS_SENTENCE(code, sentence) [code] = sentence,
    STATUS_LIST(STATUS_SENTENCE)
#undef STATUS_SENTENCE
};

const char *status_text(unsigned code)
{
    return code < STATUS_COUNT ? SENTENCES[code] : "unknown status";
}
