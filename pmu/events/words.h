/* SPDX-License-Identifier: BSD-2-Clause */
/* What finders of events share: an event's name, and the sentence when it cannot be counted. */
#ifndef BARECOUNT_PMU_EVENTS_WORDS_H
#define BARECOUNT_PMU_EVENTS_WORDS_H

#include "pmu/counters/event.h"
#include "pmu/base/piece.h"
#include "pmu/base/status.h"

/* Names an event. A text that is too long for a name is cut and ends in '~' and its checksum. */
void event_put_name(struct piece text, struct event *event);

/*
 * "TEXT: sentence of the status, and more". STATUS_EVENT_SYNTAX: `more` alone, which says what is
 * wrong. STATUS_OK: nothing.
 */
void event_put_why(struct piece text, enum status status, const char *more, struct out *why);

#endif
