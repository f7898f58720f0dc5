/* SPDX-License-Identifier: BSD-2-Clause */
/* Delivers results by each available way, one after the other. */
#include "boot/plan/skipped.h"
#include "boot/send/send.h"

struct delivery deliver(const struct run *run)
{
    struct delivery to = {.on_volume = store_finish(run->store) ||
                                       store_finish_elsewhere(run->store, skipped_kernels_look)};

    if (run->plan.results.server[0]) {
        to.on_server = upload_run(run, to.uploaded);
        if (!to.on_server)
            to.on_volume = to.on_volume && store_finish_notes(run->store);
    }
    to.framed = frames_after(run, to.on_volume || to.on_server);
    return to;
}
