/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BARECOUNT_PMU_FILES_RENDER_NOISE_H
#define BARECOUNT_PMU_FILES_RENDER_NOISE_H

#include "pmu/base/json.h"
#include "pmu/files/render.h"

/*
 * A certificate as an element of run.json's "noise_certificates": in the units of Linux' hwnoise,
 * and the ticks that they are made from. Times are left out where the time stamp's frequency is a
 * guess. `noise` is one that noise_is_right() has seen.
 */
void render_json_noise(struct json *json, const struct noise *noise, const struct run_record *run);

/* The object "noise": what disturbed the samples, of all kernels on all CPUs. */
void render_json_disturbed(const struct render *render, struct json *json);

#endif
