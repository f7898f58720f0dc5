/* SPDX-License-Identifier: BSD-2-Clause */
#include "pmu/events/words.h"
#include "pmu/base/crc32.h"

#define SHOWN_BYTES_MAX 64u /* of a text in a sentence */
#define CUT_BYTES       9u  /* '~' and a checksum */

void event_put_name(struct piece text, struct event *event)
{
    struct out out = out_buffer(event->name, sizeof(event->name));

    if (text.size < EVENT_NAME_BYTES) {
        piece_put(text, &out);
    } else {
        piece_put((struct piece){text.at, EVENT_NAME_BYTES - 1 - CUT_BYTES}, &out);
        out_printf(&out, "~%08x", crc32_ieee(0, text.at, text.size));
    }
    out_end(&out);
}

void event_put_why(struct piece text, enum status status, const char *more, struct out *why)
{
    if (status == STATUS_OK)
        return;
    piece_put((struct piece){text.at, text.size < SHOWN_BYTES_MAX ? text.size : SHOWN_BYTES_MAX},
              why);
    out_printf(why, "%s: ", text.size > SHOWN_BYTES_MAX ? "..." : "");
    if (status != STATUS_EVENT_SYNTAX)
        out_text(why, status_text(status));
    out_text(why, more);
}
